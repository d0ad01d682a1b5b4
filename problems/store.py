"""The package store: immutable package versions on disk, each under its digest.

How it works: `<root>/<digest>/<short name>/...` holds plain files only (links are resolved on the way in), readable by
everybody. A version is written beside its place and moved there by one rename, so that a half one is never seen; two
writers of the same version both succeed. Nothing in the store is ever changed; what no row refers to may be removed.
"""

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from problems.files import digest_of, package_files, sweep
from problems.loading import load_package
from problems.package import Package
from problems.report import Report

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PREFIX = ".incoming-"
_FOLDER_MODE = 0o755
_FILE_MODE = 0o644


class PackageMissing(Exception):
    """The store does not have the version, or not as it was stored: ours to repair, not the setter's fault."""


class PackageStore:
    """The versions below one folder, which is made when it is missing."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def has(self, digest: str) -> bool:
        """Whether the version is there."""
        return _DIGEST.fullmatch(digest) is not None and (self.root / digest).is_dir()

    def add(self, folder: Path) -> str:
        """Copy the package into the store, unless it is there already, and return its digest.

        Raises PackageErrors if its files are not fit for a package (links that lead out, caps).
        """
        report = Report()
        files = package_files(folder, report)
        report.stop_if_broken()
        digest = digest_of(files)
        if not self.has(digest):
            self._write(Path(os.path.realpath(folder)).name, files, digest)
        return digest

    def open(self, digest: str) -> Package:
        """Return the version, after checking that it is still what was stored.

        The check reads every file once per process, later it compares names, sizes and times. Raises PackageMissing.
        """
        if not self.has(digest):
            raise PackageMissing(f"the package store {self.root} has no version {digest[:12]}")
        folders = [entry for entry in (self.root / digest).iterdir() if entry.is_dir()]
        if len(folders) != 1:
            raise PackageMissing(f"version {digest[:12]} in the package store {self.root} is damaged")
        return _verified(folders[0], digest, _fingerprint(folders[0]))

    def file(self, digest: str, name: str) -> Path:
        """Where the version's file of this name lies. Raises PackageMissing."""
        folders = [entry for entry in (self.root / digest).iterdir() if entry.is_dir()] if self.has(digest) else []
        path = folders[0] / name if len(folders) == 1 else None
        if path is None or not path.is_file() or not path.resolve().is_relative_to(folders[0].resolve()):
            raise PackageMissing(f"version {digest[:12]} in the package store {self.root} has no file {name}")
        return path

    def remove(self, digest: str) -> None:
        """Remove the version, if it is there. Call while nobody can be adding it (`versions.hold`) or need it again."""
        if not self.has(digest):
            return
        waste = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.root))
        try:
            (self.root / digest).rename(waste / digest)  # so that no half version is ever seen
        finally:
            shutil.rmtree(waste, ignore_errors=True)

    def _write(self, short_name: str, files: Mapping[str, Path], digest: str) -> None:
        if not self.root.is_dir():
            self.root.mkdir(parents=True, exist_ok=True)
            self.root.chmod(_FOLDER_MODE)
        sweep(self.root, _PREFIX)
        staged = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.root))
        try:
            _copy(files, staged / short_name)
            if digest_of({name: staged / short_name / name for name in files}) != digest:
                raise PackageMissing(f"the package {short_name} changed while it was being stored")
            staged.chmod(_FOLDER_MODE)
            staged.rename(self.root / digest)
        except OSError:
            if not self.has(digest):  # otherwise somebody else stored the same version just now
                raise
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def _copy(files: Mapping[str, Path], target: Path) -> None:
    target.mkdir()
    for name, source in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        path.chmod(_FILE_MODE)
    for folder, _, _ in os.walk(target):
        Path(folder).chmod(_FOLDER_MODE)  # whatever the umask is: the jails' users must get through


def _fingerprint(folder: Path) -> str:
    """Names, sizes and times of all files, as one text: cheap, and different when anybody touched a file."""
    found = []
    for parent, _, names in os.walk(folder):
        for name in names:
            status = (Path(parent) / name).lstat()
            found.append(f"{parent}/{name} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}")
    return "\n".join(sorted(found))


@functools.lru_cache(maxsize=64)
def _verified(folder: Path, digest: str, fingerprint: str) -> Package:
    package = load_package(folder)
    if package.digest != digest:
        raise PackageMissing(
            f"version {digest[:12]} in the package store {folder.parent} was changed after it was stored"
        )
    return replace(package, path=folder)
