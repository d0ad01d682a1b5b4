"""Read rustc's coverage: the mapping from counters to places in the source, which lies in the executable, and the
counters of a run.

Source: LLVM's documents "LLVM Code Coverage Mapping Format" and "Instrumentation Profile Format", version 10 of the raw
profile. Each function's mapping has regions: a span of lines and what counts it, a counter or a sum or difference.
"""

import hashlib
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from judge.grading.reading.counting.gcc import Unreadable

_MAGIC = b"\x81rforpl\xff"
_HEADER = struct.Struct("<8s15Q")
_RECORD = struct.Struct("<6QI8xI")  # of a function in the raw profile
_FUNCTION = struct.Struct("<QIQQ")  # in the executable: name, bytes of its mapping, hash, hash of its files
_FILES = struct.Struct("<4I")
_VERSIONS = (10,)
_MOST_NAMES_BYTES = 1 << 20
_COUNTER, _DIFFERENCE, _SUM = 1, 2, 3
_CODE, _SKIPPED, _BRANCH = 0, 2, 4
_GAP = 1 << 31
_MOST_LINES = 10_000  # of a region
_MOST_DEPTH = 300  # of sums in sums: two frames each


class _Region(NamedTuple):
    """A part of a source, by lines and columns from 1."""

    first: int
    begin: int
    last: int
    end: int


def counts_of(program: bytes, profile: bytes, source: bytes) -> Counter[int]:
    """Return how often each line of the file `source` ran: the most frequent region that begins in it, or else the
    innermost one around it. A region is added up over the functions that have it. Raises Unreadable.
    """
    counters = dict(_counters(profile))
    sections = _sections(program)
    files = dict(_files(sections.get(b"__llvm_covmap", b"")))
    regions: Counter[_Region] = Counter()
    for name, mapping, files_hash in _mappings(sections.get(b"__llvm_covfun", b"")):
        if name in counters and source in files.get(files_hash, ()):
            for region, count in _Mapping(mapping, counters[name], files[files_hash]).regions(source):
                regions[region] += count
    lines: Counter[int] = Counter()
    for region in sorted(regions, key=lambda region: region.last - region.first, reverse=True):  # inner ones later
        for line in range(region.first + 1, min(region.last, region.first + _MOST_LINES) + 1):
            lines[line] = regions[region]
    begun: Counter[int] = Counter()
    for region, count in regions.items():
        begun[region.first] = max(begun[region.first], count)
    return Counter({**lines, **begun})


def _counters(profile: bytes) -> Iterator[tuple[tuple[int, int], tuple[int, ...]]]:
    """Yield the name and hash of each function with its counters."""
    if len(profile) < _HEADER.size:
        raise Unreadable
    magic, version, ids_bytes, functions, padding, counters, *_ = fields = _HEADER.unpack_from(profile)
    delta = fields[10]
    if magic != _MAGIC or version & 0xFFFFFFFF not in _VERSIONS:
        raise Unreadable
    start = _HEADER.size + ids_bytes
    values = start + functions * _RECORD.size + padding
    end = values + 8 * counters
    if end > len(profile):
        raise Unreadable
    for number in range(functions):
        at = start + number * _RECORD.size
        name, digest, pointer, *_, count, _bitmap = _RECORD.unpack_from(profile, at)
        place = values + (pointer - (delta - number * _RECORD.size)) % (1 << 64)
        if place < values or place + 8 * count > end:
            raise Unreadable
        yield (name, digest), struct.unpack_from(f"<{count}Q", profile, place)


def _sections(program: bytes) -> dict[bytes, bytes]:
    """Return the sections of an executable by name. Source: elf(5)."""
    if program[:6] != b"\x7fELF\x02\x01":
        raise Unreadable
    offset, size, number, names = struct.unpack_from("<Q", program, 40)[0], *struct.unpack_from("<3H", program, 58)
    if size != 64 or number > 1_000 or names >= number or offset + 64 * number > len(program):
        raise Unreadable
    headers = [struct.unpack_from("<2I4Q", program, offset + 64 * index) for index in range(number)]
    strings = headers[names][4]
    named: dict[bytes, bytes] = {}
    for name, _type, _flags, _address, start, length in headers:
        end = program.find(b"\0", strings + name)
        named[program[strings + name : end]] = program[start : start + length]
    return named


def _files(section: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the hash of each list of files with their names."""
    at = 0
    while at + _FILES.size <= len(section):
        _, length, _, _version = _FILES.unpack_from(section, at)
        start = at + _FILES.size
        encoded = section[start : start + length]
        numbers = _Numbers(encoded)
        count, whole, packed = numbers.next(), numbers.next(), numbers.next()
        text = encoded[numbers.at :]
        if packed:
            if not 0 < whole <= _MOST_NAMES_BYTES:  # 0: without a limit
                raise Unreadable
            try:
                text = zlib.decompressobj().decompress(text[:packed], whole)
            except zlib.error as error:
                raise Unreadable from error
        names, words = [], _Numbers(text)
        for _ in range(min(count, len(text))):
            size = words.next()
            names.append(text[words.at : words.at + size])
            words.at += size
        digest = hashlib.md5(encoded, usedforsecurity=False).digest()
        yield int.from_bytes(digest[:8], "little"), names
        at = -(-(start + length) // 8) * 8


def _mappings(section: bytes) -> Iterator[tuple[tuple[int, int], bytes, int]]:
    """Yield the name and hash of each function with its mapping, and the hash of its list of files."""
    at = 0
    while at + _FUNCTION.size <= len(section):
        name, length, digest, files_hash = _FUNCTION.unpack_from(section, at)
        start = at + _FUNCTION.size
        yield (name, digest), section[start : start + length], files_hash
        at = -(-(start + length) // 8) * 8


@dataclass(slots=True)
class _Numbers:
    """A reader of numbers in LEB128. Raises Unreadable past the end."""

    data: bytes
    at: int = 0

    def next(self) -> int:
        """Return the next number, of 64 bits at most."""
        value = 0
        for shift in range(0, 70, 7):
            if self.at >= len(self.data):
                break
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
        raise Unreadable


@dataclass(slots=True)
class _Mapping:
    """The mapping of one function, with its counters and the names of its files."""

    data: bytes
    counters: tuple[int, ...]
    files: list[bytes]
    _expressions: list[tuple[int, int]] = field(default_factory=list)
    _values: dict[int, int] = field(default_factory=dict)

    def regions(self, source: bytes) -> Iterator[tuple[_Region, int]]:
        """Yield the regions of code in the file `source`, and how often each ran in this function."""
        numbers = _Numbers(self.data)
        files = [numbers.next() for _ in range(self._bounded(numbers.next()))]
        self._expressions = [(numbers.next(), numbers.next()) for _ in range(self._bounded(numbers.next()))]
        for index in files:
            is_source = index < len(self.files) and self.files[index] == source
            for region, counted in self._regions(numbers):
                if is_source:
                    yield region, self._value(counted)

    def _regions(self, numbers: _Numbers) -> Iterator[tuple[_Region, int]]:
        """Yield each region of code in the next file, and what counts it."""
        line = 0
        for _ in range(self._bounded(numbers.next())):
            head = numbers.next()
            counted, kind = head, _CODE
            if not head & 3:
                counted, kind = 0, (_SKIPPED if head & 4 else head >> 3)  # of a macro's expansion the rest tells
            if kind == _BRANCH:
                numbers.next(), numbers.next()
            elif kind not in (_CODE, _SKIPPED):
                raise Unreadable
            line += numbers.next()
            begin, last, end = numbers.next(), line + numbers.next(), numbers.next()
            if kind == _CODE and not end & _GAP:
                yield _Region(line, begin, last, end), counted

    def _value(self, counted: int, depth: int = 0) -> int:
        if counted in self._values:
            return self._values[counted]
        place, tag = counted >> 2, counted & 3
        value = 0
        if tag == _COUNTER:
            if place >= len(self.counters):
                raise Unreadable
            value = self.counters[place]
        elif tag:
            if place >= len(self._expressions) or depth > _MOST_DEPTH:
                raise Unreadable
            left, right = (self._value(side, depth + 1) for side in self._expressions[place])
            value = left + right if tag == _SUM else max(0, left - right)
        self._values[counted] = value
        return value

    def _bounded(self, number: int) -> int:
        if number > len(self.data):
            raise Unreadable
        return number
