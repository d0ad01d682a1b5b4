"""Whether the dynamic linker loads a program, and with it a preload: read from its header. Source: elf(5)."""

import struct
from pathlib import Path

_MAGIC_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT_BYTES = 56  # of a program header
_MOST_SEGMENTS = 64  # a linker makes about a dozen
_INTERPRETER = 3  # PT_INTERP: names the dynamic linker


def is_linked_statically(path: Path) -> bool:
    """Return whether no library can be preloaded, because the file names no dynamic linker. Raises OSError.

    Reads a few KiB, whatever the file says.
    """
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(_MAGIC_64_LITTLE):
            return True
        fields = _HEADER.unpack(head)
        offset, size, number = fields[5], fields[9], fields[10]
        if size != _SEGMENT_BYTES or offset > path.stat().st_size:
            return True
        file.seek(offset)
        table = file.read(_SEGMENT_BYTES * min(number, _MOST_SEGMENTS))
    starts = range(0, len(table) - 3, _SEGMENT_BYTES)
    return all(struct.unpack_from("<I", table, start)[0] != _INTERPRETER for start in starts)
