"""Walk a package folder once and safely, and compute the digest that names a version.

How it works: everything else asks `package_files` for the files and opens nothing else. Links that stay inside the
folder are followed and their targets stand under the link's name; links that lead outside, devices and pipes are
errors. Hidden files and what editors and archivers leave behind are not part of a package.
"""

import contextlib
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from problems.diagnostics import Report
from problems.names import why_no_file_name
from problems.translation import Sentence

MIB = 1024 * 1024
_STALE_S = 24 * 3600
_HIDDEN_BUT_KNOWN = frozenset({".timelimit"})
_LEFT_BEHIND = frozenset({"__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini", "$RECYCLE.BIN", "Icon\r"})
# Of programs that have a file open: Office writes ~$NAME, Word ~WRL0001.tmp, InDesign ~NAME~.idlk. LibreOffice's, Vim's
# and Emacs's are hidden.
_LOCK = re.compile(r"~\$.+|~.+\.(?:tmp|idlk)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Caps:
    """Maximum size of one package.

    Honest test data compresses 1000 to 1 in one file and 100 to 1 in all: `ratio` is of a whole archive, and counts
    only above `free_bytes`.
    """

    entries: int = 20_000
    depth: int = 16
    file_bytes: int = 512 * MIB
    total_bytes: int = 1_024 * MIB
    ratio: int = 400
    free_bytes: int = 128 * MIB


def is_left_out(name: str) -> bool:
    """Return whether a file or folder of this name is no part of a package (hidden, or left by a tool).

    Add only names that no stored package can have, such as those that uploads refused: its digest would change.
    """
    is_hidden = name.startswith(".") and name not in _HIDDEN_BUT_KNOWN
    return is_hidden or name in _LEFT_BEHIND or _LOCK.fullmatch(name) is not None


def printable(name: str, most: int = 120) -> str:
    """Return the name for people: without control characters or broken bytes, and not too long."""
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= most else text[:most] + "…"


def package_files(root: Path, report: Report, caps: Caps | None = None) -> dict[str, Path]:
    """Return name -> real path of every file, names relative to `root` with "/", sorted; no path is a link.

    What is no plain file, leads outside or is over a cap goes into the report and is left out.
    """
    walk = _Walk(Path(os.path.realpath(root)), report, caps or Caps())
    walk.folder(walk.root, "", ())
    return dict(sorted(walk.files.items()))


def checked_files(root: Path, caps: Caps | None = None) -> dict[str, Path]:
    """Return what `package_files` does. Raises PackageErrors with everything that it would report."""
    report = Report()
    files = package_files(root, report, caps)
    report.stop_if_broken()
    return files


class _Walk:
    """One walk through a package folder; stops taking files when a cap is reached."""

    def __init__(self, root: Path, report: Report, caps: Caps) -> None:
        self.root = root
        self.files: dict[str, Path] = {}
        self._report = report
        self._caps = caps
        self._entries = 0
        self._total = 0
        self._is_full = False

    def folder(self, real: Path, name: str, above: tuple[Path, ...]) -> None:
        """Take every file below the folder `real`, shown as `name`; `above` are the folders it lies in."""
        if real in above:
            self._refuse(name, Sentence("is a link to a folder that holds it"))
        elif len(above) >= self._caps.depth:
            self._refuse(name, Sentence("lies more than %(depth)s folders deep", depth=self._caps.depth))
        else:
            with os.scandir(real) as listing:
                entries = sorted((entry for entry in listing if not is_left_out(entry.name)), key=lambda e: e.name)
            for entry in entries:
                if not self._is_full:
                    self._entry(entry, f"{name}/{entry.name}" if name else entry.name, (*above, real))

    def _entry(self, entry: os.DirEntry[str], name: str, above: tuple[Path, ...]) -> None:
        self._entries += 1
        if self._entries > self._caps.entries:
            self._full(Sentence("has more than %(entries)s files and folders", entries=self._caps.entries))
            return
        real = self._resolve(entry, name)
        if real is None:
            return
        mode = real.lstat().st_mode
        if stat.S_ISDIR(mode):
            self.folder(real, name, above)
        elif stat.S_ISREG(mode):
            size = real.stat().st_size
            self._total += size
            if size > self._caps.file_bytes:
                self._refuse(name, Sentence("is larger than %(most)s MiB", most=self._caps.file_bytes // MIB))
            elif self._total > self._caps.total_bytes:
                self._full(Sentence("is larger than %(most)s MiB", most=self._caps.total_bytes // MIB))
            else:
                self.files[name] = real
        else:
            self._refuse(name, Sentence("is neither a file nor a folder"))

    def _resolve(self, entry: os.DirEntry[str], name: str) -> Path | None:
        try:
            name.encode()
            if why := why_no_file_name(name):
                self._refuse(name, Sentence("has a name that %(why)s", why=why))
                return None
            real = Path(os.path.realpath(entry.path, strict=True)) if entry.is_symlink() else Path(entry.path)
        except UnicodeEncodeError:
            self._refuse(name, Sentence("has a name that is not UTF-8"))
        except OSError:
            self._refuse(name, Sentence("is a link to nothing"))
        else:
            if real.is_relative_to(self.root):
                return real
            self._refuse(name, Sentence("is a link that leads out of the package"))
        return None

    def _refuse(self, name: str, why: Sentence) -> None:
        self._report.error(printable(name), "", why)

    def _full(self, why: Sentence) -> None:
        self._is_full = True
        self._report.error(Sentence("the package"), "", why)


def sweep(root: Path, prefix: str) -> None:
    """Remove folders with this prefix that killed processes left below `root`, after a day."""
    for folder in root.glob(f"{prefix}*"):
        with contextlib.suppress(FileNotFoundError):  # somebody else sweeps too, or it was just finished
            if time.time() - folder.stat().st_mtime > _STALE_S:
                shutil.rmtree(folder, ignore_errors=True)


def content_digest(path: Path) -> bytes:
    """Return the sha256 of a file's content, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def digest_of(files: Mapping[str, Path], digest: Callable[[Path], bytes] = content_digest) -> str:
    """Return the sha256, in hex, over all names and contents: the same for the same package in any place."""
    whole = hashlib.sha256()
    for name, path in sorted(files.items()):
        whole.update(f"{len(name.encode())}:{name}".encode() + digest(path))
    return whole.hexdigest()


def package_digest(path: Path) -> str:
    """Return the digest of the package in the folder without reading it. Raises PackageErrors (links, caps)."""
    return digest_of(checked_files(path))
