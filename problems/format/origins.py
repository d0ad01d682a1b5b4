"""Original names of a converted package's files: a record in the package, and messages that use these names.

How it works: whoever sent a zip of tests or a package of DMOJ or Polygon knows nothing of `data/secret/0001.in`. The
conversion writes `converted.tsv`, a line for each file that it took over: its name in the package, a tab, the name that
it had. Whoever reads the package tells what is wrong in those names. It changes nothing else; the package is edited
without it, since its files are then known by their names here.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from problems.format.yamlfile import read_text
from problems.package import PackageError
from problems.translation import Sentence

RECORD = "converted.tsv"
_MOST_BYTES = 8 * 1024 * 1024
_LONGEST = 4_096
_START = re.compile(r"(?<![\w./-])(?=[\w.])")
_GOES_ON = re.compile(r"[\w/-]|\.\w")
_CASES = ("sample/", "secret/")


class Origins:
    """Original names by names in the package; empty for a package that was not converted."""

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self._names = {**(names or {})}
        for name, before in (names or {}).items():
            case = name.removeprefix("data/").removesuffix(".in")
            if name.endswith(".in") and case.startswith(_CASES):
                self._names[case] = f"{case} ({before})"
        self._lengths = sorted({len(name) for name in self._names}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._names)

    def original(self, words: str) -> str:
        """Return the message with the original names of files, beside a test case's own name."""
        if not self._names:
            return words
        pieces, done = [], 0
        for match in _START.finditer(words):
            if match.start() < done:
                continue
            ends = (match.start() + length for length in self._lengths)  # of the longest name first
            names = (words[match.start() : end] for end in ends if not _GOES_ON.match(words, end))
            if name := next((name for name in names if name in self._names), ""):
                pieces += [words[done : match.start()], self._names[name]]
                done = match.start() + len(name)
        return "".join((*pieces, words[done:]))


def record_of(names: Mapping[str, str]) -> str:
    """Return the content of the record: names in the package and original names."""
    return "".join(f"{name}\t{before}\n" for name, before in sorted(names.items()))


def read_origins(files: Mapping[str, Path]) -> Origins:
    """Return the record of a package, an empty one without that file. Raises PackageError for an invalid one."""
    if RECORD not in files:
        return Origins()
    names = {}
    for number, line in enumerate(read_text(files[RECORD], RECORD, _MOST_BYTES).splitlines(), start=1):
        parts = line.split("\t")
        if len(parts) != 2 or not all(part and part.isprintable() and len(part) <= _LONGEST for part in parts):
            why = Sentence("must be a file's name here, a tab, and the one that it had")
            raise PackageError(RECORD, Sentence("line %(number)s", number=number), why)
        names[parts[0]] = parts[1]
    return Origins(names)


def names_of(contents: Mapping[str, object], before: Mapping[Path, str]) -> dict[str, str]:
    """Return the record entries for these files: those copied from a file of another name."""
    copied = ((name, before.get(content, "")) for name, content in contents.items() if isinstance(content, Path))
    return {name: was for name, was in copied if was not in ("", name) and was.isprintable() and len(was) <= _LONGEST}
