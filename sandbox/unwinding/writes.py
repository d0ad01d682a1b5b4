"""The table of a traced run: the places in the program that its writes came from.

`native/preloads/lines.c` is the other half. The table lies in the program's own folder, so the program can write
into it whatever it likes: everything here is checked, and what makes no sense is no table.
"""

import struct
from dataclasses import dataclass

_MAGIC = b"twrites1"
_STACKS = 2_048
_FRAMES = 24
_HEADER = struct.Struct("=8s2Q")
_STACK = struct.Struct(f"=5Q2I{_FRAMES}Q")
TABLE_BYTES = _HEADER.size + _STACKS * _STACK.size
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
    if len(content) != TABLE_BYTES:
        return None
    magic, *skipped = _HEADER.unpack_from(content)
    entries = [_STACK.unpack_from(content, _HEADER.size + place * _STACK.size) for place in range(_STACKS)]
    # without, its frames were being written when the program ended
    whole = [entry for entry in entries if entry[5]]
    if magic != _MAGIC or any(number > _MOST_COUNTED for number in (*skipped, *(n for e in whole for n in e[1:5]))):
        return None
    if any(entry[6] > _FRAMES or max(entry[7:]) > _MOST_OFFSET for entry in whole):
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
