"""The images that jails show instead of the host's /usr: the files of `sandbox.image.runtimes`, copied into memory.

How it works: an image is a folder `image-KEY-DIGEST` below `sandbox.image.resident.RESIDENT`, made in a folder of its
own and renamed when it is whole, under a lock, so that of several processes one builds. KEY is of this code and our own
parts, DIGEST of what was installed: size and time of change of each library, of the interpreter and of each folder of
its standard library, which package managers change with every file. These stamps lie in the image too. When a jail
opens they are compared, at most once a second, so that an upgrade under a running worker makes a new image. Who uses an
image holds its folder locked (flock, shared); one that nobody holds, and that is not the one to use, is removed.
"""

import fcntl
import hashlib
import json
import math
import os
import shutil
import subprocess
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import ImageError
from sandbox.image import resident, runtimes
from sandbox.image.resident import copy_whole
from sandbox.image.runtimes import Contents, Runtimes, find_runtimes, stamps
from sandbox.workdir import fresh_folder

PARTS_TARGET = "/tally"  # where a jail shows our own files
PACKAGES_TARGET = "/packages"  # where a reader's jail shows Python packages
_LDCONFIG = (Path("/sbin/ldconfig"), Path("/usr/sbin/ldconfig"))
_STAMPS = "stamps.json"
_ROOT = "root"  # below it lies what a jail shows
_BUILD_S = 60.0
_COMPARE_EVERY_S = 1.0


class _Held:
    """An image that stays as long as this object exists."""

    def __init__(self, folder: Path, descriptor: int, noted: list[list[str | int]]) -> None:
        self.root = folder / _ROOT
        self.descriptor = descriptor
        self._noted = noted
        self._watched = tuple(str(path) for path, *_ in noted)
        self._compared = -math.inf
        weakref.finalize(self, os.close, descriptor)

    def is_current(self) -> bool:
        """Return whether the image exists and none of its sources has changed, a second ago at the earliest."""
        if os.fstat(self.descriptor).st_nlink == 0 or not self.root.is_dir():
            return False
        now = time.monotonic()
        if now - self._compared < _COMPARE_EVERY_S:
            return True
        if self._noted != [list(stamp) for stamp in stamps(self._watched)]:
            return False
        self._compared = now
        return True


_kept: dict[Path, _Held] = {}  # by the start of its path: what this process used last, until it ends
_turn = threading.Lock()


class ResidentImage:
    """The image for jails of one kind. Its own parts are shown at PARTS_TARGET, its packages below PACKAGES_TARGET."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        digest = hashlib.sha256(repr(contents).encode())  # of all that it depends on besides the installed files
        for path in (Path(__file__), Path(runtimes.__file__), *contents.own_parts):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        if contents.packages:  # another installation on this host has others of the same names
            digest.update(str(Path(__file__).resolve()).encode())
        self._prefix = f"image-{digest.hexdigest()[:16]}-"
        self._current()  # whoever cannot have one is to know at once

    @contextmanager
    def held(self) -> Iterator[Path]:
        """Yield the image's root, which stays unchanged until the end. Raises ImageError."""
        held = self._current()
        yield held.root  # it is held as long as this frame knows it

    def _current(self) -> _Held:
        start = resident.RESIDENT / self._prefix
        with _turn:
            held = _kept.get(start)
            if held is not None and held.is_current():
                return held
            held = None
            _kept.pop(start, None)  # those who use it hold it still
            try:
                folder = resident.resident_root()
                with _alone(folder):
                    held = _find(folder, self._prefix) or _build(folder, self._prefix, self._contents)
                    _remove_unused(folder, held)
                _kept[start] = held
            except OSError as error:
                raise ImageError(f"cannot put the runtimes into memory: {error}") from error
            return held


def _find(folder: Path, prefix: str) -> _Held | None:
    for image in folder.glob(f"{prefix}*"):
        try:
            descriptor = os.open(image, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            noted = json.loads((image / _STAMPS).read_bytes())
        except (OSError, ValueError):  # it is being removed
            os.close(descriptor)
            continue
        held = _Held(image, descriptor, noted)
        if held.is_current():
            return held
    return None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep others from building or removing an image, as a context manager."""
    with (folder / ".lock").open("wb") as lock:
        deadline = time.monotonic() + _BUILD_S
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ImageError(f"another process has been at the image in {folder} for too long") from None
                time.sleep(0.02)
        yield


def _build(folder: Path, prefix: str, contents: Contents) -> _Held:
    with fresh_folder(folder, "build-") as place:
        runtimes = find_runtimes(contents)
        # before the copies: what changes meanwhile is noticed
        noted = [list(stamp) for stamp in stamps(runtimes.watched)]
        new = place / "image"
        root = new / _ROOT
        for path in runtimes.files:
            _place(path, root)
        _place_data(runtimes.data, root)
        own = root / PARTS_TARGET[1:]
        own.mkdir()
        for part in contents.own_parts:
            copy_whole(part, own / part.name)
            (own / part.name).chmod(0o755)
        _place_packages(root, runtimes)
        _make_loader_cache(root, runtimes.library_folders)
        for subfolder, _, _ in os.walk(root):
            Path(subfolder).chmod(0o755)  # whatever our umask is
        (new / _STAMPS).write_text(json.dumps(noted))
        digest = hashlib.sha256(json.dumps(noted).encode()).hexdigest()[:16]
        image = folder / f"{prefix}{digest}"
        shutil.rmtree(image, ignore_errors=True)  # damaged: what is whole would have been found
        new.chmod(0o711)
        new.rename(image)
    held = _find(folder, prefix)
    if held is None:
        raise ImageError("what is installed on this host changed while the runtimes were copied")
    return held


def _place_packages(root: Path, runtimes: Runtimes) -> None:
    """Copy the packages, and compile them, since a reader starts anew for each source. Raises ImageError."""
    folder = root / PACKAGES_TARGET[1:]
    for path, name in runtimes.packages:
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy_whole(path, copy)
        copy.chmod(0o644)
    if not runtimes.packages or runtimes.interpreter is None:
        return
    places = ["-s", str(root), "-p", "/", str(folder)]
    options = ["-I", "-S", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *places]
    try:
        subprocess.run([runtimes.interpreter, *options], env={}, capture_output=True, timeout=_BUILD_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise ImageError(f"{runtimes.interpreter} cannot compile the reader's packages: {error}") from error


def _place(path: Path, root: Path) -> None:
    """Copy a file to its place below the root; for a link, the link and its target."""
    place = path.parent.resolve() / path.name
    copy = root.joinpath(*place.parts[1:])
    if copy.is_symlink() or copy.exists():
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    if place.is_symlink():
        real = place.resolve()
        copy.symlink_to(os.path.relpath(real, place.parent))
        _place(real, root)
    else:
        copy_whole(place, copy)


def _place_data(files: Iterable[tuple[Path, Path]], root: Path) -> None:
    """Copy each file to its place below the root, and what has the same content once: many have several names."""
    copies: dict[bytes, Path] = {}
    for source, place in files:
        copy = root.joinpath(*place.parts[1:])
        copy.parent.mkdir(parents=True, exist_ok=True)
        first_copy = copies.setdefault(hashlib.sha256(source.read_bytes()).digest(), copy)
        if first_copy is copy:
            copy_whole(source, copy)
            copy.chmod(0o644)
        else:
            copy.hardlink_to(first_copy)


def _make_loader_cache(root: Path, folders: tuple[Path, ...]) -> None:
    """Build the loader's list of libraries from the copied ones only."""
    ldconfig = next((path for path in _LDCONFIG if path.is_file()), None)
    if ldconfig is None:
        raise ImageError("there is no ldconfig: install libc-bin")
    listed = root / "etc" / "ld.so.conf"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text("".join(f"{folder.resolve()}\n" for folder in folders))
    command = [str(ldconfig), "-X", "-r", str(root), "-f", "/etc/ld.so.conf", "-C", "/etc/ld.so.cache"]
    try:
        subprocess.run(command, env={}, capture_output=True, timeout=_BUILD_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise ImageError(f"{ldconfig} cannot list the libraries: {error}") from error
    listed.unlink()
    listed.with_name("ld.so.cache").chmod(0o644)


def _remove_unused(folder: Path, held: _Held) -> None:
    """Remove images that nobody holds, and remains of killed builders."""
    for old in (*folder.glob("image-*"), *folder.glob("build-*")):
        if old == held.root.parent:
            continue
        try:
            descriptor = os.open(old, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
        except BlockingIOError:
            continue
        finally:
            os.close(descriptor)
