"""Find inputs and outputs that belong together, from their file names alone, and name the cases so that they sort.

How it works: the words for input and output in a name (`input07.txt`, `in/07.txt`, `07.in`) are replaced by a star; an
input and an output with the same name after that are a pair. `07.a` also belongs to `07`, as in Polygon. In sorted
names test2 comes before test10.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_INPUT, _OUTPUT = "input", "output"
_ENDINGS = {
    **dict.fromkeys(("in", "inp", "input"), _INPUT),
    **dict.fromkeys(("out", "ans", "answer", "output", "a", "sol", "ok", "expected"), _OUTPUT),
}
_TEXT = ("txt", "dat", "")
_WORD = re.compile(r"(?<![A-Za-z])(?:(inputs?|inp|in)|(outputs?|out|answers?|ans|expected))(?![A-Za-z])", re.IGNORECASE)
_PLACE = re.compile(r"[-_. ]*\*[-_. ]*|\*")
_SAMPLE = re.compile(r"sample|example", re.IGNORECASE)
_DIGITS = re.compile(r"\d+", re.ASCII)
_MOST_DIGITS = 6
_UNFIT = re.compile(r"[^A-Za-z0-9_.+-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """One test: the names of its files, and `key`, their common name with stars."""

    input: str
    output: str
    key: str

    @property
    def is_sample(self) -> bool:
        return _SAMPLE.search(self.input) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """All pairs, and unpaired files: `lonely` inputs, `spare` outputs, (file, first file) of `doubled`."""

    pairs: tuple[Pair, ...]
    lonely: tuple[str, ...]
    spare: tuple[str, ...]
    doubled: tuple[tuple[str, str], ...]


def pair_up(names: Iterable[str]) -> Pairing:
    """Pair up inputs and outputs."""
    names = sorted(names)
    by_role: dict[str, dict[str, str]] = {_INPUT: {}, _OUTPUT: {}}
    doubled = []
    roles = {name: _role(name) for name in names}
    for name, role in roles.items():
        if role:
            stem, _, ending = name.rpartition(".")
            is_marked = stem and ending.lower() in _ENDINGS and "/" not in ending
            whole = f"{stem}.*" if is_marked else name
            key = "/".join(_WORD.sub("*", part) for part in whole.split("/"))
            first = by_role[role].setdefault(key, name)
            if first != name:
                doubled.append((name, first))
    inputs, outputs = by_role[_INPUT], by_role[_OUTPUT]
    for key, name in list(outputs.items()):
        stem = name.rpartition(".")[0]
        plain = (base for base in (stem, f"{stem}.txt", f"{stem}.dat") if roles.get(base, _INPUT) is None)
        if key not in inputs and (base := next(plain, None)) is not None and _ending(base) in _TEXT:
            inputs[key] = base
    return Pairing(
        pairs=tuple(Pair(input=inputs[key], output=outputs[key], key=key) for key in inputs if key in outputs),
        lonely=tuple(sorted(name for key, name in inputs.items() if key not in outputs and _is_certain(name))),
        spare=tuple(sorted(name for key, name in outputs.items() if key not in inputs and _is_certain(name))),
        doubled=tuple(doubled),
    )


def stem_of(pair: Pair) -> str:
    """Return what distinguishes the pair: "input07.txt" is "07", "in/small 1.in" is "small 1"."""
    parts = []
    for part in pair.key.split("/"):
        name, _, ending = part.rpartition(".")
        stem = name if ending in ("*", "txt", "dat") and name else part
        parts.append(_PLACE.sub("-", stem).strip("-_. "))
    return "/".join(part for part in parts if part)


def _role(name: str) -> str | None:
    ending = _ending(name)
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    if ending not in _TEXT and not ending.isdigit():
        return None
    for part in reversed(name.split("/")):
        words = _WORD.findall(part)
        if words:
            return _INPUT if words[-1][0] else _OUTPUT
    return None


def _ending(name: str) -> str:
    """Return the part behind the last dot of the file's name, in lower case; "" for none."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot and stem else ""


def _is_certain(name: str) -> bool:
    """Return whether an unpaired file must have been meant as a test: `7.in`, `input7.txt`, not `input_format.txt`."""
    if _ending(name) in _ENDINGS:
        return len(_ending(name)) > 1
    base = name.rpartition("/")[2].removesuffix(".txt").removesuffix(".dat")
    words = list(_WORD.finditer(base))
    return not re.search(r"[A-Za-z]", base[words[-1].end() :] if words else base)


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
