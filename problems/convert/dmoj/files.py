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
            why = Sentence(
                "%(archive)s is not here: its files are looked for beside init.yml", archive=printable(archive, 60)
            )
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
            self.report.error(
                "init.yml",
                key,
                Sentence("%(name)s is neither beside init.yml nor in the archive", name=printable(name, 60)),
            )
            return b""
        return path if self.is_binary else self._normalised(path)

    def unused(self, used: set[str]) -> list[str]:
        """Return the unused files beside init.yml and in its archive."""
        beside = [name for name in self._beside if name not in self._used and name not in used]
        return beside + [f"{self._archive}/{name}" for name in self._inside if name not in self._from_archive]

    def _normalised(self, path: Path) -> Path:
        """Return the file, or a copy that ends every line with a line feed."""
        if path not in self._made:
            self._made[path] = path
            if not _is_plain(path):
                self._made[path] = self._scratch / f"text-{len(self._made)}"
                _normalise(path, self._made[path])
                self._copies[self._made[path]] = path
        return self._made[path]


def _tidy(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/"))


def _is_plain(path: Path) -> bool:
    last = b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if b"\r" in chunk:
                return False
            last = chunk[-1:]
    return last == b"\n"


def _normalise(path: Path, target: Path) -> None:
    """Copy the file with \\r\\n and \\r as \\n, and one at the end."""
    before, last = b"", b""
    with path.open("rb") as file, target.open("xb") as out:
        while chunk := file.read(_CHUNK):
            if before == b"\r" and chunk.startswith(b"\n"):
                chunk = chunk[1:]
            before = chunk[-1:] or before
            written = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            out.write(written)
            last = written[-1:] or last
        if last != b"\n":
            out.write(b"\n")
