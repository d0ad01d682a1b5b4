"""Which files the processes of a sampled run have mapped where, from the records of `sandbox.meter.perf`.

The names are paths inside the jail. What lies below the folders of `_OURS` is read-only there and the same on the host;
a file of the program's own can be found only where the caller says its folder is.
"""

import bisect
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.meter.elf import ElfFile
from sandbox.meter.perf import Kind, Record

_OURS = ("/usr/", "/lib/", "/lib64/")
_EXEC = 1 << 13  # of a record of a changed name: by exec
_MAPPED = struct.Struct("=2I3Q2I2Q2I")
_FORKED = struct.Struct("=4I")
_MOST_MAPPED = 4_096  # of one process


@dataclass(frozen=True, slots=True)
class Mapped:
    """One mapped part of a file."""

    begin: int
    end: int
    offset: int  # in the file
    name: str


@dataclass(slots=True)
class AddressSpace:
    """The mapped files of one process, by where they begin. `cache` is for whoever resolves its addresses."""

    parts: list[Mapped] = field(default_factory=list)
    cache: dict[int, object] = field(default_factory=dict)

    def find(self, address: int) -> Mapped | None:
        """Return the part that holds an address."""
        place = bisect.bisect_right(self.parts, address, key=lambda part: part.begin) - 1
        return self.parts[place] if place >= 0 and address < self.parts[place].end else None

    def add(self, part: Mapped) -> None:
        """Add a part, which replaces what it covers."""
        kept = [each for each in self.parts if each.end <= part.begin or each.begin >= part.end]
        self.parts = sorted([*kept, part], key=lambda each: each.begin)[:_MOST_MAPPED]
        self.cache = {}

    def copy(self) -> "AddressSpace":
        """Return that of a forked child, which shares the cache until either changes."""
        return AddressSpace(self.parts, self.cache)


class Processes:
    """The address spaces of a run's processes, by their numbers on the host."""

    def __init__(self) -> None:
        self._spaces: dict[int, AddressSpace] = {}

    def note(self, record: Record) -> None:
        """Take in a record: an exec, a fork or a mapped file."""
        match record.kind:
            case Kind.COMM if record.flags & _EXEC:
                self._spaces[struct.unpack_from("=I", record.body)[0]] = AddressSpace()
            case Kind.FORK:
                child, parent, _, _ = _FORKED.unpack_from(record.body)
                if child != parent and parent in self._spaces:
                    self._spaces[child] = self._spaces[parent].copy()
            case Kind.MMAP2:
                pid, _, begin, size, offset, *_ = _MAPPED.unpack_from(record.body)
                name = record.body[_MAPPED.size :].split(b"\0", 1)[0].decode("utf-8", "replace")
                self._spaces.setdefault(pid, AddressSpace()).add(Mapped(begin, begin + size, offset, name))

    def of(self, pid: int) -> AddressSpace | None:
        """Return the address space of a process that has executed something."""
        return self._spaces.get(pid)


class Files:
    """The mapped files, each read once. `own`: a folder in the jail, and where it is on the host."""

    def __init__(self, own: Mapping[str, Path]) -> None:
        self._own = own
        self._known: dict[str, ElfFile | None] = {}

    def get(self, name: str) -> ElfFile | None:
        """Return the file of this path in the jail; None if it is not one that can be read."""
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def _read(self, name: str) -> ElfFile | None:
        path = self._on_host(name)
        try:
            return ElfFile(path) if path is not None else None
        except (OSError, ValueError):
            return None

    def _on_host(self, name: str) -> Path | None:
        if ".." in name.split("/"):
            return None
        for folder, place in self._own.items():
            if name.startswith(f"{folder}/"):
                return place / name.removeprefix(f"{folder}/")
        return Path(name) if name.startswith(_OURS) else None
