"""What a file of a package has in it: lines, words, its longest word, the numbers it begins with.

How it works: a file is read as a whole, in pieces of `_PIECE_BYTES`, in which the methods of `bytes` count: 10 MB take
about 50 ms. It is read once a rule asks for it (`Shapes`), and the last files are remembered, since the cases of a
package do not change. A file above `MOST_BYTES` is not read: what it has in it is unknown, and no rule says a number of
it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

MOST_BYTES = 128 * 1024 * 1024
_PIECE_BYTES = 256 * 1024
_SMALL_BYTES = 128 * 1024  # of a file all of whose numbers are looked at
_FEW_NUMBERS = 4  # of a line: more of them are data, whose size is that of the file
_FIRST_BYTES = 4_096  # of the first line
_NUMBER = re.compile(rb"[+-]?\d{1,18}")  # longer ones are no sizes
_REMEMBERED = 512  # files
_SPACE, _LETTER = b" ", b"x"
_SPACED = bytes(ord(_SPACE if bytes((code,)).isspace() else _LETTER) for code in range(256))


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """How many lines ended and how many words began in the first `bytes` bytes of a file."""

    bytes: int
    lines: int
    words: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """A file's size in bytes, and what it has in it; all 0 in one that is too large to be read.

    `longest`: the bytes of its longest word. `largest`: of the whole numbers of a small file, without their signs; None
    for a larger one. `first`: the whole numbers of the first line, if it has nothing else in it. `marks`: in order, the
    last one is of the whole file.
    """

    bytes: int
    lines: int
    words: int
    longest: int = 0
    largest: int | None = None
    first: tuple[int, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def number(self) -> int | None:
        """The largest number, if the file is a line of whole numbers and nothing else."""
        return max(self.first) if self.first and self.words == len(self.first) <= _FEW_NUMBERS else None

    def until(self, size: int) -> Mark:
        """Return the lines and words of the first `size` bytes: between two marks as many as lie evenly."""
        end = Mark(bytes=self.bytes, lines=self.lines, words=self.words)
        if size >= self.bytes:
            return end
        place = bisect_right(self.marks, size, key=lambda mark: mark.bytes)
        before = self.marks[place - 1] if place else Mark(bytes=0, lines=0, words=0)
        after = self.marks[place] if place < len(self.marks) else end
        part = (size - before.bytes) / max(1, after.bytes - before.bytes)
        return Mark(
            bytes=size,
            lines=before.lines + int(part * (after.lines - before.lines)),
            words=before.words + int(part * (after.words - before.words)),
        )


def shape_of(path: Path) -> Shape:
    """Look at a file. Raises OSError."""
    known = path.stat()
    return _shape_of(path, known.st_size, known.st_mtime_ns, known.st_ino)


class Shapes(Mapping[str, Shape]):
    """The shapes of files by the names of their cases. A file is read when its shape is asked for."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths

    def __getitem__(self, name: str) -> Shape:
        return shape_of(self._paths[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def numbers_of(sizes: Mapping[str, int], shapes: Mapping[str, Shape]) -> dict[str, int] | None:
    """Return the largest number of each input, by case, if all of them are but a line of numbers (`Shape.number`).

    `sizes`: of all these inputs in bytes; those of large ones are enough.
    """
    if not sizes or max(sizes.values()) > _FIRST_BYTES:
        return None
    numbers = {name: shape.number for name in sizes if (shape := shapes.get(name)) is not None}
    known = {name: number for name, number in numbers.items() if number is not None}
    return known if len(known) == len(sizes) else None


@lru_cache(maxsize=_REMEMBERED)
def _shape_of(path: Path, size: int, _changed_ns: int, _number: int) -> Shape:
    if size > MOST_BYTES:
        return Shape(bytes=size, lines=0, words=0)
    lines = words = longest = under_way = 0  # `under_way`: the bytes of a word that the last piece may have cut
    marks, start, largest = list[Mark](), b"", None
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            if not marks:
                start = piece[:_FIRST_BYTES]
                largest = _largest(piece) if size <= _SMALL_BYTES else None
            lines += piece.count(b"\n")
            spaced = piece.translate(_SPACED)
            words += spaced.count(_SPACE + _LETTER) + (spaced.startswith(_LETTER) and not under_way)
            head = len(spaced) - len(spaced.lstrip(_LETTER))
            longest = max(longest, under_way + head, _longest(spaced, longest))
            under_way = under_way + head if head == len(spaced) else len(spaced) - len(spaced.rstrip(_LETTER))
            marks.append(Mark(bytes=file.tell(), lines=lines, words=words))
    first = _numbers(start)
    return Shape(
        bytes=size, lines=lines, words=words, longest=longest, largest=largest, first=first, marks=tuple(marks)
    )


def _longest(spaced: bytes, known: int) -> int:
    """Return the length of the longest word of a piece if it is longer than `known`, else `known`."""
    if _LETTER * (known + 1) not in spaced:
        return known
    return max(map(len, spaced.split()))


def _largest(text: bytes) -> int:
    numbers = (word.lstrip(b"+-") for word in text.split())
    return max((int(number[:30]) for number in numbers if number.isdigit()), default=0)


def _numbers(start: bytes) -> tuple[int, ...]:
    """Return the whole numbers that the first line consists of; () if it has anything else, or does not end."""
    line, end, _rest = start.partition(b"\n")
    words = line.split()
    are_numbers = all(map(_NUMBER.fullmatch, words))
    return tuple(map(int, words)) if are_numbers and (end or len(start) < _FIRST_BYTES) else ()
