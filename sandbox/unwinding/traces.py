"""The tables of traced runs: the places in the program that its writes came from, or that a signal ended it at.

`native/preloads/lines.c` and `native/preloads/ending.c` are the other halves. A table lies in the program's own folder,
so the program can write into it whatever it likes: everything here is checked, and what makes no sense is no table.
"""

import struct
from dataclasses import dataclass

_WRITES_MAGIC, _ENDING_MAGIC = b"twrites1", b"tending1"
_STACKS = 2_048
_WRITE_FRAMES, _ENDING_FRAMES = 24, 64
_HEADER = struct.Struct("=8s2Q")
_STACK = struct.Struct(f"=5Q2I{_WRITE_FRAMES}Q")
_ENDING = struct.Struct(f"=8s2I{_ENDING_FRAMES}Q")
WRITES_BYTES, ENDING_BYTES = _HEADER.size + _STACKS * _STACK.size, _ENDING.size
_MOST_COUNTED = 1 << 48
_MOST_OFFSET = 1 << 40  # in the program's file


@dataclass(frozen=True, kw_only=True, slots=True)
class TracedStack:
    """One call stack of a write, as offsets in the program's file, innermost first."""

    frames: tuple[int, ...]
    writes: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteTrace:
    """A run's writes by call stack. `sampled_every`: 1 when each write was unwound, else one in about that many."""

    stacks: tuple[TracedStack, ...]
    sampled_every: int


def read_trace(content: bytes) -> WriteTrace | None:
    """Parse a collected table; None when it is invalid: the program was not traced, or wrote into it."""
    if len(content) != WRITES_BYTES:
        return None
    magic, *skipped = _HEADER.unpack_from(content)
    entries = [_STACK.unpack_from(content, _HEADER.size + place * _STACK.size) for place in range(_STACKS)]
    # without, its frames were being written when the program ended
    whole = [entry for entry in entries if entry[5]]
    counts = (*skipped, *(number for entry in whole for number in entry[1:5]))
    if magic != _WRITES_MAGIC or any(count > _MOST_COUNTED for count in counts):
        return None
    if any(entry[6] > _WRITE_FRAMES or max(entry[7:]) > _MOST_OFFSET for entry in whole):
        return None
    # scale each sampled write and byte up for the skipped ones
    sampled = [sum(entry[place] for entry in whole) for place in (3, 4)]
    stacks = tuple(
        TracedStack(
            frames=entry[7 : 7 + entry[6]],
            writes=entry[1] + _with_share(entry[3], skipped[0], sampled[0]),
            bytes=entry[2] + _with_share(entry[4], skipped[1], sampled[1]),
        )
        for entry in whole
    )
    every = round((sampled[0] + skipped[0]) / sampled[0]) if sampled[0] else 1
    return WriteTrace(stacks=stacks, sampled_every=max(every, 2) if skipped[0] and sampled[0] else 1)


def _with_share(count: int, skipped: int, sampled: int) -> int:
    return count + skipped * count // sampled if sampled else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class EndingTrace:
    """The signal that ended a run, and the calls that it came in, as offsets in the program's file, innermost first."""

    signal: int
    frames: tuple[int, ...]


def read_ending(content: bytes) -> EndingTrace | None:
    """Parse a collected table; None when it is invalid: no signal ended the program, or it wrote into the table."""
    if len(content) != _ENDING.size:
        return None
    magic, number, depth, *frames = _ENDING.unpack(content)
    if magic != _ENDING_MAGIC or depth > _ENDING_FRAMES or max(frames) > _MOST_OFFSET:
        return None
    return EndingTrace(signal=number, frames=tuple(frames[:depth]))
