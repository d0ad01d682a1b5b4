"""An ELF file as sampling reads it: the places of its parts in memory, its symbols, its table of unwinding entries.

A file may come from a student's compiler run, so nothing in it is trusted: every number is checked where it is used,
and what makes no sense is not there. Source: elf(5); .eh_frame_hdr: Linux Standard Base, Core, "Exception Frames".
"""

import bisect
import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<2I6Q")
_SECTION = struct.Struct("<2I4Q2I2Q")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAGIC = b"\x7fELF\x02\x01"
_LOAD, _UNWINDING = 1, 0x6474E550  # PT_LOAD, PT_GNU_EH_FRAME
_SYMBOL_TABLES = (2, 11)  # SHT_SYMTAB, SHT_DYNSYM
_MOST_HEADERS = 4_096
_MOST_LOADED = 64  # parts
_MOST_ENTRIES = 200_000
_USUAL_ENCODINGS = (0x1B, 0x03, 0x3B)  # relative to itself, a plain number, relative to the table
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the file that is loaded."""

    offset: int  # in the file
    address: int  # in memory, before it is moved
    size: int


class ElfFile:
    """One file, read whole. Raises OSError, ValueError for what is no 64-bit ELF file."""

    def __init__(self, name: str | Path) -> None:
        path = Path(name)
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"{path} is too large")
        self.content = path.read_bytes()
        if not self.content.startswith(_MAGIC) or len(self.content) < _HEADER.size:
            raise ValueError(f"{path} is no ELF file")
        fields = _HEADER.unpack_from(self.content)
        self._segments = self._table(_SEGMENT, fields[5], fields[10])
        self._sections = self._table(_SECTION, fields[6], fields[12])
        self.segments = [Segment(header[2], header[3], header[5]) for header in self._segments if header[0] == _LOAD]
        del self.segments[_MOST_LOADED:]

    def _table(self, entry: struct.Struct, offset: int, count: int) -> list[tuple[int, ...]]:
        count = min(count, _MOST_HEADERS, max(0, len(self.content) - offset) // entry.size)
        return [entry.unpack_from(self.content, offset + place * entry.size) for place in range(count)]

    def address_of(self, offset: int) -> int | None:
        """Return the address of what lies at this offset of the file; None if it is not loaded."""
        for segment in self.segments:
            if segment.offset <= offset < segment.offset + segment.size:
                return offset - segment.offset + segment.address
        return None

    def at(self, address: int, size: int) -> bytes:
        """Return loaded bytes; fewer, or none, where there are no more in the file."""
        for segment in self.segments:
            if segment.address <= address < segment.address + segment.size:
                begin = address - segment.address + segment.offset
                return self.content[begin : begin + min(size, segment.address + segment.size - address)]
        return b""

    def symbol(self, name: str) -> int | None:
        """Return the address of a symbol; None if the file does not name it."""
        text = name.encode() + b"\0"
        for section in self._sections:
            if section[1] not in _SYMBOL_TABLES or section[6] >= len(self._sections):
                continue
            names = self._sections[section[6]]
            strings = self.content[names[4] : names[4] + names[5]]
            table = self.content[section[4] : section[4] + section[5]]
            for entry in _SYMBOL.iter_unpack(table[: len(table) // _SYMBOL.size * _SYMBOL.size]):
                if entry[4] and strings.startswith(text, entry[0]):
                    return int(entry[4])
        return None

    @cached_property
    def _unwinding(self) -> tuple[list[int], list[int]]:
        """The table of .eh_frame_hdr: where functions begin, in order, and where their entries are."""
        address = next((header[3] for header in self._segments if header[0] == _UNWINDING), None)
        if address is None:
            return [], []
        head = self.at(address, 12)
        if len(head) < 12 or head[0] != 1 or tuple(head[1:4]) != _USUAL_ENCODINGS:
            return [], []
        (count,) = struct.unpack_from("<I", head, 8)
        count = min(count, _MOST_ENTRIES)
        table = self.at(address + 12, 8 * count)
        pairs = list(struct.iter_unpack("<ii", table[: len(table) // 8 * 8]))
        return [address + begin for begin, _ in pairs], [address + entry for _, entry in pairs]

    def unwinding_entry(self, address: int) -> int | None:
        """Return the address of the entry (FDE) of the function that may hold this address; None for none."""
        begins, entries = self._unwinding
        place = bisect.bisect_right(begins, address) - 1
        return entries[place] if place >= 0 else None
