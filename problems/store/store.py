"""The package store: immutable package versions on disk, each under its digest.

How it works: `<root>/<digest>/<short name>/...` holds plain files only (links are resolved on the way in). Nobody but
their owner gets past the root, since it has the hidden tests; what jails show of a version is copied or linked for
them, so the files below are readable. A version is written beside its place and moved there by one rename, once it is
on the disk, so that a half one is never seen; two writers of the same version both succeed. Nothing in the store is
ever changed; what no row refers to may be removed. A version that something else changed or broke is not used, and
adding it again mends it.
"""

import functools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from problems.format.files import checked_files, digest_of, package_digest, sweep
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from problems.store import fsync

_DIGEST = re.compile(r"[0-9a-f]{64}")
PREFIX = ".incoming-"  # of folders with what is under way
_ROOT_MODE = 0o700
_FOLDER_MODE = 0o755
_FILE_MODE = 0o644


def is_digest(text: str) -> bool:
    """Return whether the text has the form of a version's name."""
    return _DIGEST.fullmatch(text) is not None


class PackageMissing(Exception):
    """The store does not have the version as it was stored: ours to repair, not the setter's fault."""


class StoreUnavailable(Exception):
    """The version is unavailable now: the storage does not answer, or there is no room. The version itself may be fine.

    Whoever needs it tries again later, as often as it takes.
    """


class PackageStore:
    """The versions below one folder, created when missing. `problems.store.stores` chooses which store to use."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def why_unfit(self) -> str:
        """Return why it cannot deliver versions now, as a sentence with the remedy; empty when it can."""
        return ""

    def has(self, digest: str) -> bool:
        """Return whether the version is available to all machines that may need it."""
        return self.is_here(digest)

    def is_here(self, digest: str) -> bool:
        """Return whether the version is in the folder."""
        return is_digest(digest) and (self.root / digest).is_dir()

    def is_damaged(self, digest: str) -> bool:
        """Return whether the folder has the version, but not as it was stored."""
        try:
            return self.is_here(digest) and not PackageStore.open(self, digest)
        except PackageErrors:  # the setter's, of what is as it was stored
            return False
        except PackageMissing:
            return True

    def add(self, folder: Path) -> str:
        """Copy the package into the store, unless an intact copy is there, and return its digest.

        Raises PackageErrors if its files are not fit for a package (links that lead out, caps).
        """
        files = checked_files(folder)
        digest = digest_of(files)
        if self.is_damaged(digest):
            PackageStore.remove(self, digest)
        if not self.is_here(digest):
            short_name = Path(os.path.realpath(folder)).name
            with self.staging() as staged:
                for name, source in files.items():
                    target = staged / short_name / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)
                if digest_of({name: staged / short_name / name for name in files}) != digest:
                    raise PackageMissing(f"the package {short_name} changed while it was being stored")
                self.give_place(staged, digest)
        return digest

    def open(self, digest: str) -> Package:
        """Return the version, after checking that it is still what was stored.

        The check reads every file once per process, later it compares names, sizes and times. Raises PackageMissing,
        and PackageErrors when it is as it was stored, but this Tally finds something wrong with it.
        """
        if not self.is_here(digest):
            raise PackageMissing(f"the package store {self.root} has no version {digest[:12]}")
        try:
            folders = [entry for entry in (self.root / digest).iterdir() if entry.is_dir()]
            if len(folders) != 1:
                raise _damaged(digest, self.root, f"it holds {len(folders)} folders instead of one")
            return _verified(folders[0], digest, _fingerprint(folders[0]))
        except FileNotFoundError as gone:  # somebody removes it right now
            raise _damaged(digest, self.root, str(gone)) from gone

    @contextmanager
    def using(self, digest: str) -> Iterator[Package]:
        """Open the version for longer work: it stays in place until the end of the `with`."""
        yield self.open(digest)

    def file(self, digest: str, name: str) -> Path:
        """Return the path of the version's file of this name. Raises PackageMissing."""
        folders = [entry for entry in (self.root / digest).iterdir() if entry.is_dir()] if self.is_here(digest) else []
        path = folders[0] / name if len(folders) == 1 else None
        if path is None or not path.is_file() or not path.resolve().is_relative_to(folders[0].resolve()):
            raise PackageMissing(f"version {digest[:12]} in the package store {self.root} has no file {name}")
        return path

    def send(self, digest: str) -> None:
        """Make a version of the folder available to other machines. Raises what `add` raises."""

    def remove(self, digest: str) -> None:
        """Remove the version, if it is there. Call while nobody can be adding it (`versions.hold`) or need it again."""
        if not self.is_here(digest):
            return
        waste = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.root))
        try:
            (self.root / digest).rename(waste / digest)  # so that no half version is ever seen
        finally:
            shutil.rmtree(waste, ignore_errors=True)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """Provide a new folder beside the versions; removed at the end if it still exists."""
        self.root.mkdir(parents=True, exist_ok=True)
        with suppress(PermissionError):  # somebody else's, who decides who else may look
            self.root.chmod(_ROOT_MODE)  # also if an earlier version made it
        sweep(self.root, PREFIX)
        staged = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.root))
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)

    def give_place(self, folder: Path, digest: str) -> None:
        """Make a complete folder the version, unless another process stored the same meanwhile."""
        for inner, _, names in os.walk(folder):  # readable to the jails' users, whatever the umask is
            Path(inner).chmod(_FOLDER_MODE)
            for name in names:
                Path(inner, name).chmod(_FILE_MODE)
        try:
            fsync.give_name(folder, self.root / digest)
        except OSError:
            if not self.is_here(digest):
                raise


def _fingerprint(folder: Path) -> str:
    """Return names, sizes and times of all files as one text: cheap, and different after any write.

    Not the times of a file's change of status: each run of a test case gives its input another name for a moment.
    """
    states = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = f"{parent}/{name}"
            status = os.lstat(path)  # a Path for each takes longer than all else here, and every submission asks
            states.append(f"{path} {status.st_ino} {status.st_size} {status.st_mtime_ns}")
    return "\n".join(sorted(states))


@functools.lru_cache(maxsize=64)
def _verified(folder: Path, digest: str, fingerprint: str) -> Package:
    try:
        package = load_package(folder)
    except PackageErrors as wrong:
        if _is_as_stored(folder, digest):
            raise
        raise _damaged(digest, folder.parents[1], str(wrong)) from wrong
    if package.digest != digest:
        raise _damaged(digest, folder.parents[1], "it was changed after it was stored")
    return replace(package, path=folder)


def _is_as_stored(folder: Path, digest: str) -> bool:
    try:
        return package_digest(folder) == digest
    except PackageErrors:
        return False


def _damaged(digest: str, root: Path, why: str) -> PackageMissing:
    return PackageMissing(f"version {digest[:12]} in the package store {root} is damaged: {why}")
