"""Which files the processes of a sampled run have mapped where, from the records of the run.

The names are paths inside the jail. What lies below the folders of `_OURS` is read-only there; any other file that is
read is the program's own, and lies where the caller says. No other mapping is kept, however many a program makes.
"""

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

from sandbox.unwinding.elf import ElfFile
from sandbox.unwinding.records import Kind, Record

_OURS = ("/usr/", "/lib/", "/lib64/")
_EXEC = 1 << 13  # of a record of a changed name: by exec
_MAPPED = struct.Struct("=2I3Q2I2Q2I")
_FORKED = struct.Struct("=4I")
_MOST_PARTS = 4_096  # of one process
_MOST_PROCESSES = 4_096


@dataclass(frozen=True, slots=True)
class Part:
    """One mapped part of a file."""

    begin: int
    end: int
    offset: int  # in the file
    name: str


_begin = attrgetter("begin")


@dataclass(slots=True)
class AddressSpace:
    """The mapped files of one process, by their begin. `cache` is for the resolver of its addresses."""

    parts: list[Part] = field(default_factory=list)
    cache: dict[int, object] = field(default_factory=dict)

    def part_at(self, address: int) -> Part | None:
        """Return the part that holds an address."""
        place = bisect_right(self.parts, address, key=_begin) - 1
        return self.parts[place] if place >= 0 and address < self.parts[place].end else None

    def add(self, part: Part) -> None:
        """Add a part, which replaces what it covers."""
        first = bisect_right(self.parts, part.begin, key=_begin)
        if first and self.parts[first - 1].end > part.begin:
            first -= 1
        after = bisect_left(self.parts, part.end, key=_begin)
        if after > first or len(self.parts) < _MOST_PARTS:
            self.parts[first : max(first, after)] = [part]
            self.cache = {}

    def copy(self) -> "AddressSpace":
        """Return that of a forked child."""
        return AddressSpace(self.parts.copy(), self.cache.copy())


class Processes:
    """The address spaces of a run's processes, by their numbers on the host. `wants`: whether a file's name matters."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self._wants = wants
        self._spaces: dict[int, AddressSpace] = {}

    def note(self, record: Record) -> None:
        """Take in a record: an exec, a fork or a mapped file."""
        match record.kind:
            case Kind.COMM if record.flags & _EXEC:
                self._set(struct.unpack_from("=I", record.body)[0], AddressSpace())
            case Kind.FORK:
                child, parent, _, _ = _FORKED.unpack_from(record.body)
                if child != parent and parent in self._spaces:
                    self._set(child, self._spaces[parent].copy())
            case Kind.MMAP2:
                pid, _, begin, size, offset, *_ = _MAPPED.unpack_from(record.body)
                name = record.body[_MAPPED.size :].split(b"\0", 1)[0].decode("utf-8", "replace")
                if self._wants(name):
                    if pid not in self._spaces:
                        self._set(pid, AddressSpace())
                    self._spaces[pid].add(Part(begin, begin + size, offset, name))

    def of(self, pid: int) -> AddressSpace | None:
        """Return the address space of a process that has executed something."""
        return self._spaces.get(pid)

    def _set(self, pid: int, space: AddressSpace) -> None:
        if pid not in self._spaces and len(self._spaces) >= _MOST_PROCESSES:
            del self._spaces[next(iter(self._spaces))]  # the oldest has most likely ended
        self._spaces[pid] = space


def is_ours(name: str) -> bool:
    """Return whether a file in the jail is one of the runtimes, which no program can change."""
    return name.startswith(_OURS) and ".." not in name.split("/")


class Files:
    """The files that are mapped, each read once. `own`: the program's file, the only one outside of the runtimes."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._known: dict[str, ElfFile | None] = {}

    def wants(self, name: str) -> bool:
        """Return whether a file of this name may be read."""
        return name == self._own or is_ours(name)

    def get(self, name: str) -> ElfFile | None:
        """Return the file of this path in the jail; None if it is not one that can be read."""
        if name not in self._known:
            try:
                self._known[name] = ElfFile(name) if self.wants(name) else None
            except (OSError, ValueError):
                self._known[name] = None
        return self._known[name]
