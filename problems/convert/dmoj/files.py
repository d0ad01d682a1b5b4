"""The files of a DMOJ problem: beside init.yml, and in its archive.

DMOJ gives programs and checkers text with plain line ends, whatever the files have, unless `binary_data` is set.
"""

import posixpath
from collections.abc import Mapping
from pathlib import Path

from problems.convert.native import Content
from problems.convert.source import Source
from problems.format.files import MIB, printable
from problems.translation import Sentence

_CHUNK = MIB


class DmojFiles:
    """Finds files as DMOJ does, and notes which were used."""

    def __init__(self, source: Source, archive: str | None, *, is_binary: bool) -> None:
        self.report = source.report
        self._beside = source.files
        self._inside: Mapping[str, Path] = {}
        self._scratch = source.scratch
        self._copies = source.copies
        self.is_binary = is_binary
        self._made: dict[Path, Path] = {}
        self._used: set[str] = set()
        self._archive = ""
        self._from_archive: set[str] = set()
        if archive is None:
            return
        archive = _tidy(archive)
        if archive in source.files:
            self._used.add(archive)
            self._archive = archive
            self._inside = source.unpack(archive)
        else:
            name = printable(archive, 60)
            why = Sentence("%(archive)s is not here: its files are looked for beside init.yml", archive=name)
            self.report.warn("init.yml", "archive", why)

    def names(self) -> list[str]:
        """Return the names against which case patterns are matched."""
        if self._inside:
            return list(self._inside)
        return [name for name in self._beside if name != "init.yml"]

    def find(self, name: str) -> Path | None:
        """Return the file; one beside init.yml comes first."""
        name = _tidy(name)
        (self._used if name in self._beside else self._from_archive).add(name)
        return self._beside.get(name) or self._inside.get(name)

    def text(self, name: str, key: str) -> Content:
        """Return a test's file with plain line ends; the report gets a missing one."""
        path = self.find(name)
        if path is None:
            why = Sentence("%(name)s is neither beside init.yml nor in the archive", name=printable(name, 60))
            self.report.error("init.yml", key, why)
            return b""
        if not self.is_binary and path not in self._made:
            self._made[path] = self._with_plain_ends(path)
        return path if self.is_binary else self._made[path]

    def unused(self, used: set[str]) -> list[str]:
        """Return the unused files beside init.yml and in its archive."""
        beside = [name for name in self._beside if name not in self._used and name not in used]
        return beside + [f"{self._archive}/{name}" for name in self._inside if name not in self._from_archive]

    def _with_plain_ends(self, path: Path) -> Path:
        """Return the file, or a copy if it does not end every line with a line feed."""
        with path.open("rb") as raw:
            is_plain, end = True, b"\n"
            while is_plain and (piece := raw.read(_CHUNK)):
                is_plain, end = b"\r" not in piece, piece[-1:]
        if is_plain and end == b"\n":
            return path
        copy = self._scratch / f"text-{len(self._copies)}"
        self._copies[copy] = path
        # universal newlines; Latin-1 has a character for each byte
        with path.open(encoding="latin-1") as file, copy.open("x", encoding="latin-1", newline="\n") as out:
            last = ""
            while chunk := file.read(_CHUNK):
                out.write(chunk)
                last = chunk[-1]
            if last != "\n":
                out.write("\n")
        return copy


def _tidy(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))
