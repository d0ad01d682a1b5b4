"""The files of a DMOJ problem: those beside init.yml, and those in its archive.

DMOJ gives programs and checkers text with plain line ends, whatever the files have, unless `binary_data` is set.
"""

import posixpath
from collections.abc import Mapping
from pathlib import Path

from problems.convert.native import Content
from problems.convert.source import Source
from problems.files import MIB, printable

_CHUNK = MIB


class DmojFiles:
    """Looks files up as DMOJ does, and notes which were used."""

    def __init__(self, source: Source, archive: str | None, *, is_binary: bool) -> None:
        self.report = source.report
        self._beside = source.files
        self._inside: Mapping[str, Path] = {}
        self._scratch = source.scratch
        self._is_binary = is_binary
        self._made: dict[Path, Path] = {}
        self._used: set[str] = set()
        if archive is None:
            return
        archive = _tidy(archive)
        if archive in source.files:
            self._used.add(archive)
            self._inside = source.unpack(archive)
        else:
            why = f"{printable(archive, 60)} is not here: its files are looked for beside init.yml"
            self.report.warn("init.yml", "archive", why)

    def names(self) -> list[str]:
        """The names that patterns for cases are tried on."""
        if self._inside:
            return list(self._inside)
        return [name for name in self._beside if name != "init.yml"]

    def find(self, name: str) -> Path | None:
        """The file, from beside init.yml first."""
        name = _tidy(name)
        if name in self._beside:
            self._used.add(name)
        return self._beside.get(name) or self._inside.get(name)

    def text(self, name: str, key: str) -> Content:
        """A test's file with plain line ends; a missing one goes into the report."""
        path = self.find(name)
        if path is None:
            self.report.error("init.yml", key, f"{printable(name, 60)} is neither beside init.yml nor in the archive")
            return b""
        return path if self._is_binary else self._normalised(path)

    def unused(self, known: set[str]) -> list[str]:
        """The files beside init.yml that nothing asked for."""
        return [name for name in self._beside if name not in self._used and name not in known]

    def _normalised(self, path: Path) -> Path:
        """The file, or a copy that ends every line with a line feed."""
        if path not in self._made:
            self._made[path] = path
            if not _is_plain(path):
                self._made[path] = self._scratch / f"text-{len(self._made)}"
                _normalise(path, self._made[path])
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
    """Copy with \\r\\n and \\r as \\n, and one at the end."""
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
