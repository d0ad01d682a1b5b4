"""Read gcc's coverage files: the flow graph of each function (.gcno) and the counts of a run (.gcda).

gcc counts only those arcs of a function's graph that are on no spanning tree of it; the others follow, because a block
is left as often as it is entered. Source: gcc/gcov-io.h and gcc/gcov.cc of gcc 12, whose lengths are in bytes.
"""

import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

_NOTES, _DATA = 0x67636E6F, 0x67636461  # "gcno" and "gcda" as numbers of this machine
_FUNCTION, _BLOCKS, _ARCS, _LINES, _COUNTS = 0x01000000, 0x01410000, 0x01430000, 0x01450000, 0x01A10000
_ON_TREE = 1
_ENTRY, _EXIT = 0, 1
_FIRST_WITH_BYTES = ord("B")  # gcc 12 in a version's highest byte
_MOST_BLOCKS = 200_000


class Unreadable(Exception):
    """What the run or its compiler left is not what it should be."""


@dataclass(slots=True)
class _Words:
    """A reader of a file's numbers and strings. Raises Unreadable past its end."""

    data: bytes
    at: int = 0

    def number(self) -> int:
        """Return the next 32 bits."""
        if self.at + 4 > len(self.data):
            raise Unreadable
        self.at += 4
        return int.from_bytes(self.data[self.at - 4 : self.at], "little")

    def string(self) -> bytes:
        """Return the next string, without its NUL."""
        length = self.number()
        self.at += length
        if self.at > len(self.data):
            raise Unreadable
        return self.data[self.at - length : self.at].rstrip(b"\0")

    def header(self, magic: int) -> int:
        """Read the beginning of a file, and return its stamp, which both files of a compilation have."""
        if self.number() != magic or self.number() >> 24 < _FIRST_WITH_BYTES:
            raise Unreadable
        stamp = self.number()
        self.number()  # a checksum
        return stamp

    def records(self) -> Iterator[tuple[int, int]]:
        """Yield the tag and the end of each record; a caller may read up to there."""
        while self.at + 8 <= len(self.data):
            tag, length = self.number(), self.number()
            if not tag:
                return
            size = length if length < 1 << 31 else 0  # negative: counts that are all 0
            end = self.at + size
            if end > len(self.data):
                raise Unreadable
            yield tag, end if length == size else length - (1 << 32)
            self.at = end


@dataclass(slots=True)
class _Function:
    """A function's flow graph. `arcs`: from, to, whether it is counted; `lines`: of each block in the source."""

    checksums: tuple[int, int]
    place: tuple[int, int] = (0, 0)  # line and column
    blocks: int = 0
    arcs: list[tuple[int, int, bool]] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)  # block, line

    def block_counts(self, counts: tuple[int, ...]) -> list[int]:
        """Return how often each block ran, from the counts of the arcs that have one. Raises Unreadable."""
        values: list[int | None] = [None] * len(self.arcs)
        counted = iter(counts)
        if sum(has_count for _, _, has_count in self.arcs) != len(counts):
            raise Unreadable
        into, out_of = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for place, (source, target, has_count) in enumerate(self.arcs):
            out_of[source].append(place)
            into[target].append(place)
            if has_count:
                values[place] = next(counted)
        blocks: list[int | None] = [None] * self.blocks
        waiting = list(range(self.blocks))
        while waiting:
            block = waiting.pop()
            sides = [side for side, ends in ((into, _ENTRY), (out_of, _EXIT)) if block != ends]
            for side in sides:
                if blocks[block] is None and all(values[arc] is not None for arc in side[block]):
                    blocks[block] = sum(values[arc] or 0 for arc in side[block])
                    waiting.append(block)
            known = blocks[block]
            for side in sides:
                unknown = [arc for arc in side[block] if values[arc] is None]
                if known is not None and len(unknown) == 1:
                    values[unknown[0]] = known - sum(values[arc] or 0 for arc in side[block])
                    waiting += self.arcs[unknown[0]][:2]
        if any(count is None or count < 0 for count in blocks):
            raise Unreadable
        return [count or 0 for count in blocks]


def counts_of(notes: bytes, data: bytes, source: bytes) -> Counter[int]:
    """Return how often each line of the file `source` ran: the most frequent of its blocks, added up over what was made
    of the same function. Raises Unreadable.
    """
    stamp, functions = _graphs(notes, source)
    made: dict[tuple[int, int], Counter[int]] = defaultdict(Counter)  # of each function, by its place
    for function, counts in _counted(data, stamp, functions):
        blocks = function.block_counts(counts)
        of_line: dict[int, int] = {}
        for block, line in function.lines:
            of_line[line] = max(of_line.get(line, 0), blocks[block])
        made[function.place].update(of_line)
    total: Counter[int] = Counter()
    for lines in made.values():
        total |= lines
    return total


def _graphs(notes: bytes, source: bytes) -> tuple[int, dict[int, _Function]]:
    words = _Words(notes)
    stamp = words.header(_NOTES)
    words.string()  # the compiler's folder
    words.number()
    functions: dict[int, _Function] = {}
    function: _Function | None = None
    for tag, end in words.records():
        if tag == _FUNCTION:
            name = words.number()
            function = functions[name] = _Function((words.number(), words.number()))
            words.string()  # its name
            words.number()
            words.string()  # its file
            function.place = words.number(), words.number()
        elif function is None:
            raise Unreadable
        elif tag == _BLOCKS:
            function.blocks = words.number()
            if not _EXIT < function.blocks <= _MOST_BLOCKS:
                raise Unreadable
        elif tag == _ARCS:
            start = words.number()
            while words.at < end:
                target, flags = words.number(), words.number()
                if max(start, target) >= function.blocks:
                    raise Unreadable
                function.arcs.append((start, target, not flags & _ON_TREE))
        elif tag == _LINES:
            function.lines += _lines_of_block(words, function.blocks, source)
    return stamp, functions


def _lines_of_block(words: _Words, blocks: int, source: bytes) -> Iterator[tuple[int, int]]:
    block, is_source = words.number(), False
    if block >= blocks:
        raise Unreadable
    while True:
        line = words.number()
        if line:
            if is_source:
                yield block, line
            continue
        name = words.string()
        if not name:
            return
        is_source = name == source


def _counted(data: bytes, stamp: int, functions: dict[int, _Function]) -> Iterator[tuple[_Function, tuple[int, ...]]]:
    words = _Words(data)
    if words.header(_DATA) != stamp:
        raise Unreadable
    function: _Function | None = None
    for tag, end in words.records():
        if tag == _FUNCTION:
            function = functions.get(words.number()) if end > words.at else None
            if function is not None and function.checksums != (words.number(), words.number()):
                raise Unreadable
        elif tag == _COUNTS and function is not None:
            size = end - words.at if end > 0 else -end
            number = size // 8
            if number > len(function.arcs):
                raise Unreadable
            yield function, struct.unpack_from(f"<{number}Q", data, words.at) if end > 0 else (0,) * number
