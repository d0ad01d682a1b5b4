"""Names for test cases that sort naturally: test2 before test10."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"\d+", re.ASCII)
_MOST_DIGITS = 6
_UNFIT = re.compile(r"[^A-Za-z0-9_.+-]+")


def natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key that puts "test2" before "test10"."""
    pieces = re.split(r"(\d+)", name, flags=re.ASCII)
    return tuple((0, int(piece)) if piece.isdigit() and piece.isascii() else (1, piece) for piece in pieces if piece)


def sorting_names(names: Sequence[str]) -> list[str]:
    """Return a distinct name for each of these; the names sort as plain text in the given order."""
    plain = [_UNFIT.sub("-", name).strip("-.") for name in names]
    most = max((len(digits) for name in plain for digits in _DIGITS.findall(name)), default=0)
    if most <= _MOST_DIGITS:
        padded = [_DIGITS.sub(lambda match: match[0].zfill(most), name) for name in plain]
        if padded == sorted(set(padded)) and all(padded):
            return padded
    width = len(str(len(names)))
    return [f"{number:0{width}}-{name}".rstrip("-") for number, name in enumerate(plain, 1)]
