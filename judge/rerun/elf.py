"""Read from an executable file whether the dynamic linker loads it.

Source: elf(5).
"""

import struct
from pathlib import Path

_MAGIC_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_INTERPRETER = 3  # PT_INTERP: names the dynamic linker


def is_linked_statically(path: Path) -> bool:
    """Whether no library can be preloaded, because the file names no dynamic linker. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(_MAGIC_64_LITTLE):
            return True
        fields = _HEADER.unpack(head)
        offset, entry_size, entries = fields[5], fields[9], fields[10]
        file.seek(offset)
        table = file.read(entry_size * entries)
    starts = range(0, len(table) - 3, max(4, entry_size))
    return all(struct.unpack_from("<I", table, start)[0] != _INTERPRETER for start in starts)
