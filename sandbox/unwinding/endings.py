"""The table of a run whose end was noted: the places in the program that a signal ended it at.

`native/preloads/ending.c` is the other half. The table lies in the program's own folder, so the program can write
into it whatever it likes: everything here is checked, and what makes no sense is no table.
"""

import struct
from dataclasses import dataclass

_MAGIC = b"tending1"
_FRAMES = 64
_TABLE = struct.Struct(f"=8s2I{_FRAMES}Q")
TABLE_BYTES = _TABLE.size
_MOST_OFFSET = 1 << 40  # in the program's file


@dataclass(frozen=True, kw_only=True, slots=True)
class EndingTrace:
    """The signal that ended a run, and the calls that it came in, as offsets in the program's file, innermost first."""

    signal: int
    frames: tuple[int, ...]


def read_ending(content: bytes) -> EndingTrace | None:
    """Parse a collected table; None when it is invalid: no signal ended the program, or it wrote into the table."""
    if len(content) != _TABLE.size:
        return None
    magic, number, depth, *frames = _TABLE.unpack(content)
    if magic != _MAGIC or depth > _FRAMES or max(frames) > _MOST_OFFSET:
        return None
    return EndingTrace(signal=number, frames=tuple(frames[:depth]))
