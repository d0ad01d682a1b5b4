"""Programs whose hottest line follows a known law: read from tests/explain/laws, with inputs for them.

The first line of each has the kind of its input, the sizes of the runs and that of the case; the second one the law,
as an expression in n and m: "about ..." of a steady ratio, "none" where nothing may be said of the hottest line. A mark
`//@` or `#@` is at each line that may be named, with the line's own law if that is another one.
"""

import math
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "laws"
_HEAD = re.compile(r"(?://|#) input: (\w+) ([\d ]+), (\d+)\n(?://|#) law: (.*)\n")
_MARK = re.compile(r"(?://|#)@ ?(.*)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownProgram:
    """A program with its law."""

    path: Path
    kind: str
    sizes: tuple[int, ...]
    case: int
    law: str
    lines: Mapping[int, str]  # those that may be named, with their laws

    @property
    def language(self) -> str:
        """Its id."""
        return self.path.parent.name

    def value(self, line: int, sizes: Mapping[str, int]) -> int:
        """What the line's law says of these sizes."""
        n, m = sizes["number1"], sizes.get("number2", 0)
        words = self.lines[line].removeprefix("about ")
        names = {"n": n, "m": m, "isqrt": math.isqrt, "log2": math.log2, "fibonacci": _fibonacci, "primes": _primes}
        value: float = eval(words, names)  # noqa: S307 - ours
        return round(value)

    def input(self, n: int) -> str:
        """An input of this size."""
        return _INPUTS[self.kind](n)


def known_programs(language: str) -> list[KnownProgram]:
    """All programs in a language."""
    return [_read(path) for path in sorted((FOLDER / language).iterdir())]


def _read(path: Path) -> KnownProgram:
    text = path.read_text()
    head = _HEAD.match(text)
    assert head is not None, path
    marks = ((number, _MARK.search(row)) for number, row in enumerate(text.split("\n"), 1))
    lines = {number: mark[1] or head[4] for number, mark in marks if mark}
    sizes = tuple(map(int, head[2].split()))
    return KnownProgram(path=path, kind=head[1], sizes=sizes, case=int(head[3]), law=head[4], lines=lines)


def _fibonacci(n: int) -> int:
    before, after = 0, 1
    for _ in range(n):
        before, after = after, before + after
    return before


def _primes(n: int) -> list[int]:
    """The primes whose squares are at most n."""
    return [p for p in range(2, math.isqrt(n) + 1) if all(p % d for d in range(2, math.isqrt(p) + 1))]


def _values(n: int, order: Callable[[list[int]], list[int]] = lambda values: values) -> str:
    values = [*range(n)]
    random.Random(n).shuffle(values)  # noqa: S311 - an input
    return f"{n}\n{' '.join(map(str, order(values)))}\n"


def _text(n: int) -> str:
    chance = random.Random(n)  # noqa: S311 - an input
    return f"{n}\n{''.join(chance.choice('abcdefgh') for _ in range(n))}\n"


def _second(n: int) -> int:
    return n * 7 % 97 + 3


def _grid(n: int) -> str:
    rows = ["." * _second(n)] * n
    return "\n".join([f"{n} {_second(n)}", *rows]) + "\n"


_INPUTS: Mapping[str, Callable[[int], str]] = {
    "lone": lambda n: f"{n}\n",
    "prime": lambda n: f"{n}\n",
    "pair": lambda n: f"{n} {_second(n)}\n",
    "values": _values,
    "sorted": lambda n: _values(n, sorted),
    "reversed": lambda n: _values(n, lambda values: sorted(values, reverse=True)),
    "text": _text,
    "grid": _grid,
}
