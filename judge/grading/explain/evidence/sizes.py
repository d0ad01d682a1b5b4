"""The sizes of an input that a law may be in: bytes, lines, words, the longest line, the whole numbers of its first
line. Each is read from the whole input.
"""

from collections.abc import Mapping
from pathlib import Path

NUMBERS = ("number1", "number2", "number3", "number4")  # of the first line, where it has no more words than these
NAMES = (*NUMBERS, "lines", "words", "bytes", "longest")  # first what people name a size by
_PIECE_BYTES = 1 << 20
_MOST_DIGITS = 18
_FIRST_BYTES = 1_000  # more has no line of four numbers


def sizes_of(path: Path) -> Mapping[str, int]:
    """Return the sizes by name, those that there are. Raises OSError."""
    size = lines = words = longest = rest = 0
    first, is_first_open, is_in_word = b"", True, False
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            size += len(piece)
            lines += piece.count(b"\n")
            words += len(piece.split()) - (is_in_word and not piece[:1].isspace())
            is_in_word = not piece[-1:].isspace()
            rows = piece.split(b"\n")
            longest = max(longest, rest + len(rows[0]), *(len(row) for row in rows[1:]))
            rest = len(rows[-1]) + (rest if len(rows) == 1 else 0)
            if is_first_open and len(first) < _FIRST_BYTES:
                first += rows[0]
                is_first_open = len(rows) == 1
    lines += bool(rest)
    numbers = first.split()
    if len(numbers) > len(NUMBERS) or not all(number.isdigit() and len(number) <= _MOST_DIGITS for number in numbers):
        numbers = []
    named = dict(zip(NUMBERS, map(int, numbers), strict=False))
    return {**named, "lines": lines, "words": words, "bytes": size, "longest": longest}
