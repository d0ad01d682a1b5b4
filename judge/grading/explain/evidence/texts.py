"""Tell how large a case's input or answer is, and about how many lines and words it has.

Lines and words are counted in a few pieces of it and scaled to its size: enough for rules that ask whether there are
thousands or millions of them, and no reading of many MiB beside a verdict.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_PIECES = 8
_PIECE_BYTES = 16_384


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """A file's size in bytes. `lines`, `words`: exact for a small file, else scaled. `largest`: of its whole numbers,
    without their signs; None where it was not read as a whole.
    """

    bytes: int
    lines: int
    words: int
    largest: int | None = None


def shape_of(path: Path) -> Shape:
    """Look at a file. Raises OSError."""
    size = path.stat().st_size
    is_whole = size <= _PIECES * _PIECE_BYTES
    with path.open("rb") as file:
        looked_at = file.read(_PIECES * _PIECE_BYTES) if is_whole else _pieces(file, size)
    scale = max(1.0, size / len(looked_at)) if looked_at else 1.0
    words = looked_at.split()
    return Shape(
        bytes=size,
        lines=round(looked_at.count(b"\n") * scale),
        words=round(len(words) * scale),
        largest=max((_number(word) for word in words), default=0) if is_whole else None,
    )


def _pieces(file: BinaryIO, size: int) -> bytes:
    pieces = []
    for number in range(_PIECES):
        file.seek(number * (size - _PIECE_BYTES) // (_PIECES - 1))
        pieces.append(file.read(_PIECE_BYTES))
    return b"".join(pieces)


def _number(word: bytes) -> int:
    digits = word.lstrip(b"+-")
    return int(digits[:30]) if digits.isdigit() else 0
