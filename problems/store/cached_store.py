"""The package store on several machines: a local folder in front of a storage that all machines reach.

How it works: `add` writes the version here and then its archive into the storage, before any row can name it. What is
not here is fetched: downloaded, unpacked like a stranger's archive, its digest checked, and given its place by one
rename. Processes of one machine that want the same version wait for the first of them, but not for long: two copies at
once do no harm. A copy here that was damaged is thrown away and fetched again.

The least recently used copies make room for others, never one in use: whoever uses a version holds a shared `flock` on
its folder, in whatever process or container; who removes one needs the exclusive lock. A folder's own time tells when
it was last wanted. Pages read a file or two without a lock: what was wanted JUST_USED_S ago stays for them.
"""

import fcntl
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from problems.archive.entrynames import why_refused
from problems.archive.export import zip_files
from problems.archive.reading import Allowance, Kind, open_archive, read_entries, unpack
from problems.diagnostics import Report
from problems.format.files import MIB, Caps, checked_files, digest_of, is_left_out, package_files
from problems.package import Package, PackageError, PackageErrors
from problems.store.fsync import try_lock
from problems.store.remote import Remote
from problems.store.store import PREFIX, PackageMissing, PackageStore, StoreUnavailable, is_digest

# What was packed here, by `zip_files`: any ratio, and one folder around all.
_CAPS = Caps(depth=Caps().depth + 1, ratio=2_000)
_MOST_ARCHIVE_BYTES = _CAPS.total_bytes + 16 * MIB
_WAIT_S = 120  # for another process that fetches the same
_LOOK_EVERY_S = 0.1
JUST_USED_S = 120
LEAST_FREE_BYTES = 512 * MIB  # of the disk, while something can be removed
_TRIES = 3  # to have a version here that others remove again
_logger = logging.getLogger(__name__)


@contextmanager
def in_use(folder: Path) -> Iterator[bool]:
    """Keep the folder in place until the end of the `with`, and note its use; yields False if it is missing."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # the exclusive lock is held for a rename only
        is_there = _is_at(descriptor, folder)
        if is_there:
            with suppress(PermissionError):  # another user's folder, which this one may only read
                os.utime(descriptor)
        yield is_there
    finally:
        os.close(descriptor)


def make_room(root: Path, needed_bytes: int, most_bytes: int, may_go: Callable[[str], bool]) -> int:
    """Remove versions below `root` until this many more bytes fit; return the free bytes of the disk then.

    A version goes only if `may_go` says so of its digest.
    """
    versions = []
    for folder in root.iterdir():
        if is_digest(folder.name):
            with suppress(FileNotFoundError):  # somebody else removed it just now
                wanted_at = folder.stat().st_mtime
                versions.append((wanted_at, sum(path.lstat().st_size for path in folder.rglob("*")), folder))
    used = sum(size for _, size, _ in versions)
    for wanted_at, size, folder in sorted(versions):
        is_room = shutil.disk_usage(root).free >= needed_bytes + LEAST_FREE_BYTES
        if (is_room and used + needed_bytes <= most_bytes) or time.time() - wanted_at < JUST_USED_S:
            break
        if may_go(folder.name) and _remove(folder, wanted_at):
            used -= size
    return shutil.disk_usage(root).free


def _remove(folder: Path, wanted_at: float) -> bool:
    """Return whether a version was removed: unless somebody uses it or used it meanwhile."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    waste = tempfile.mkdtemp(prefix=PREFIX, dir=folder.parent)
    try:
        is_free = try_lock(descriptor)
        if not is_free or not _is_at(descriptor, folder) or os.fstat(descriptor).st_mtime != wanted_at:
            return False
        folder.rename(Path(waste) / folder.name)  # so that no half version is ever seen
    finally:
        os.close(descriptor)
        shutil.rmtree(waste, ignore_errors=True)
    return True


def _is_at(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except FileNotFoundError:
        return False


class CachedStore(PackageStore):
    """Versions in the storage, with up to `most_bytes` of copies below `root`."""

    def __init__(self, root: Path, remote: Remote, most_bytes: int) -> None:
        super().__init__(root)
        self._remote = remote
        self._most_bytes = most_bytes

    def why_unfit(self) -> str:
        """Return why the storage cannot be used now."""
        return self._remote.why_unfit()

    def has(self, digest: str) -> bool:
        """Return whether the storage has the version. Raises StoreUnavailable."""
        return is_digest(digest) and self._remote.has(_object_name(digest))

    def add(self, folder: Path) -> str:
        """Copy the package into the folder and into the storage. Raises PackageErrors, StoreUnavailable."""
        digest = super().add(folder)
        self.send(digest)
        return digest

    def send(self, digest: str) -> None:
        """Write a local version into the storage, unless it is there.

        Raises what `add` raises, and PackageMissing when it is not here or damaged.
        """
        with in_use(self.root / digest), self.staging() as staged:
            if self._remote.has(_object_name(digest)):
                return
            archive = staged / "version.zip"
            _pack(super().open(digest).path, archive)
            self._remote.put(_object_name(digest), archive)
        self._make_room(0)

    def open(self, digest: str) -> Package:
        """Return the version, fetching it if necessary. Raises PackageMissing, StoreUnavailable."""
        with self.using(digest) as package:
            return package

    @contextmanager
    def using(self, digest: str) -> Iterator[Package]:
        """Like `open`, and keep the version here until the end of the `with`."""
        with ExitStack() as held:
            held.enter_context(self._here(digest))
            try:
                package = super().open(digest)
            except PackageMissing as damaged:
                _logger.warning("%s: it is fetched again", damaged)
                super().remove(digest)
                held.enter_context(self._here(digest))
                package = super().open(digest)
            yield package

    def file(self, digest: str, name: str) -> Path:
        """Return the current path of the version's file of this name. Raises PackageMissing, StoreUnavailable."""
        with self._here(digest), suppress(PackageMissing):
            return super().file(digest, name)
        with self.using(digest):  # its copy here lost the file
            return super().file(digest, name)

    def remove(self, digest: str) -> None:
        """Remove the version here and in the storage; other machines drop their copies when they need room."""
        super().remove(digest)
        if is_digest(digest):
            self._remote.remove(_object_name(digest))

    @contextmanager
    def _here(self, digest: str) -> Iterator[None]:
        """Have the version in the folder, and keep it there until the end of the `with`."""
        for _ in range(_TRIES):
            if not self.is_here(digest):
                self._fetch(digest)
            with in_use(self.root / digest) as is_there:
                if is_there:
                    yield
                    return
        raise StoreUnavailable(f"version {digest[:12]} is removed from {self.root} as soon as it is there")

    def _fetch(self, digest: str) -> None:
        if not is_digest(digest):
            raise PackageMissing(f"there can be no version {digest[:12]}")
        started = time.monotonic()
        with self.staging() as staged, _one_at_a_time(self.root / f".fetching-{digest[0]}"):
            if self.is_here(digest):
                return
            try:
                folder = self._fetched(digest, staged)
            except OSError as error:
                raise StoreUnavailable(f"version {digest[:12]} cannot be written below {self.root}: {error}") from error
            self.give_place(folder, digest)
        _logger.info("version %s was fetched in %.1f s", digest[:12], time.monotonic() - started)

    def _fetched(self, digest: str, staged: Path) -> Path:
        """Fetch the version into a folder of its own below `staged`."""
        archive, folder, report = staged / "version.zip", staged / "version", Report()
        self._make_room(0)
        try:
            self._remote.fetch(_object_name(digest), archive, _MOST_ARCHIVE_BYTES)
            with archive.open("rb") as file, open_archive(file, "the archive") as opened:
                entries = read_entries(opened, _CAPS, report)
                report.stop_if_broken()
                if any(entry.kind is not Kind.FILE or len(entry.parts) < 2 for entry in entries):
                    raise ValueError("it holds more than files in one folder")
                self._make_room(sum(entry.info.file_size for entry in entries))
                folder.mkdir()
                unpack(opened, entries, folder, Allowance(_CAPS))
            (inside,) = folder.iterdir()
            actual = digest_of(checked_files(inside, _CAPS))
        except (PackageError, PackageErrors, ValueError) as error:
            raise PackageMissing(f"version {digest[:12]} in the package storage is damaged: {error}") from error
        if actual != digest:
            raise PackageMissing(f"version {digest[:12]} in the package storage is damaged: it is another package")
        return folder

    def _make_room(self, needed_bytes: int) -> None:
        """Raises StoreUnavailable when the disk is full and nothing can be removed."""
        free_bytes = make_room(self.root, needed_bytes, self._most_bytes, self._may_go)
        if free_bytes < needed_bytes:
            raise StoreUnavailable(
                f"the disk of {self.root} has {free_bytes // MIB} MiB free, and {needed_bytes // MIB} MiB are needed"
            )

    def _may_go(self, digest: str) -> bool:
        """Return whether the version could be fetched again."""
        try:
            return self._remote.has(_object_name(digest))
        except StoreUnavailable:
            return False


def _object_name(digest: str) -> str:
    return f"{digest}.zip"


def _pack(folder: Path, archive: Path) -> None:
    """Write the version's archive if others can unpack it. Raises PackageErrors."""
    report = Report()
    files = package_files(folder, report)
    name = "package" if is_left_out(folder.name) or why_refused(folder.name, _CAPS) else folder.name
    with archive.open("xb") as target:
        for chunk in zip_files(name, files):
            target.write(chunk)
    try:
        with archive.open("rb") as file, open_archive(file, "the package") as opened:
            read_entries(opened, _CAPS, report)
    except PackageError as error:
        raise PackageErrors([error]) from error
    report.stop_if_broken()


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    """Wait until no other process is in this `with`; go on anyway after _WAIT_S."""
    deadline = time.monotonic() + _WAIT_S
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while time.monotonic() < deadline and not try_lock(descriptor):
            time.sleep(_LOOK_EVERY_S)
        yield
    finally:
        os.close(descriptor)
