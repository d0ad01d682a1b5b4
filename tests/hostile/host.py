"""What a grading may leave on the host: nothing. The invariants of every case, and those that some cases name.

Other jails may be at work on this machine, under the same user numbers. So only what is ours is looked at: our own
work root and control groups, the processes of our own jails' PID namespaces, and files that only a jail can have made.
"""

import hashlib
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from judge.compile_cache import CACHE
from sandbox.cgroup import INIT_UID, ControlGroups
from tests.hostile.witness import Witness, all_processes, pid_namespace, processes_in

_JAIL_UIDS = frozenset({INIT_UID, INIT_UID + 1_000})  # root and the program in a jail
_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/var/crash", "/var/lib/systemd/coredump")
_JAIL_MOUNTS = ("/scratch", "/program", "/stage", "/tally")
_NSJAIL_FOLDER = re.compile(r"nsjail\.\d+\.(root|tmp)")
_LARGEST_BYTES, _MOST_FILES = 128 << 20, 10_000
_MEMORY_GROWTH_BYTES = 64 << 20
_PATIENCE_S = 5.0
_BETWEEN_LOOKS_S = 0.05
_DECOY_PORTS = (22, 2375, 5432, 6379, 8000)
_WATCHED_PORT = 31337


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """What there was before."""

    work_files: frozenset[str]
    mounts: frozenset[str]
    packages: str

    @staticmethod
    def take(work_root: Path, packages: Path) -> "Baseline":
        """As it is now; `packages` holds the problems' files."""
        return Baseline(
            work_files=frozenset(_names_below(work_root)),
            mounts=frozenset(_mounts(work_root)),
            packages=content_digest(packages),
        )


def leftovers(before: Baseline, work_root: Path, packages: Path, groups: ControlGroups, witness: Witness) -> list[str]:
    """What is on the host now and was not before, one sentence each."""
    found = [f"process {pid} of a jail is left" for pid in _wait_for_processes(witness)]
    found += [f"control group {name} is left" for name in groups.names()]
    now = Baseline.take(work_root, packages)
    found += [f"file {name} is left" for name in sorted(now.work_files - before.work_files)]
    found += [f"mount {line} is left" for line in sorted(now.mounts - before.mounts)]
    found += [f"file {path} belongs to a jail's user" for path in _files_of_jail_users()]
    if now.packages != before.packages:
        found.append("the problems' files have changed")
    return found


def _names_below(folder: Path) -> Iterator[str]:
    """All but what the compiler keeps on purpose, within bounds of its own."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(parent, name) != folder / CACHE]
        yield from (f"{parent}/{name}" for name in (*folders, *files))


def _wait_for_processes(witness: Witness) -> list[int]:
    """Those that are still there after a moment: the kernel takes one to end a killed namespace."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        left = [pid for pid in all_processes() if pid_namespace(pid) in witness.pid_namespaces]
        left += processes_in(witness.jails)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(_BETWEEN_LOOKS_S)


def _mounts(work_root: Path) -> set[str]:
    """The mounts that are ours: of or on our folders, or where jails have theirs."""
    marks = (str(work_root), "nsjail", *(f" {place} " for place in _JAIL_MOUNTS))
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line for line in lines if any(mark in line for mark in marks)}


def _is_nsjails_own(path: Path) -> bool:
    """Its empty mount points, made at a machine's first jail: in /tmp, or in /run/user where all may write to /run."""
    if path == Path("/run/user"):
        return all(_is_nsjails_own(inside) for inside in path.iterdir())
    return bool(_NSJAIL_FOLDER.fullmatch(path.name)) and path.is_dir() and not any(path.iterdir())


def _files_of_jail_users() -> list[str]:
    found = []
    for folder in _SHARED_FOLDERS:
        for path in Path(folder).glob("*"):
            with suppress(FileNotFoundError):
                if _is_nsjails_own(path):
                    continue
                if path.lstat().st_uid in _JAIL_UIDS or path.name.startswith("oj-left"):
                    found.append(str(path))
    return found


def content_digest(folder: Path) -> str:
    """SHA-256 over the names, modes and contents below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest.update(f"{path} {status.st_mode} {status.st_uid}\n".encode())
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def host_files() -> dict[str, tuple[int, ...]]:
    """Owner, mode, size and change time, which nobody can set, of all in /etc and /usr/bin."""
    found: dict[str, tuple[int, ...]] = {}
    for folder in ("/etc", "/usr/bin"):
        for path in Path(folder).rglob("*"):
            with suppress(FileNotFoundError):
                status = path.lstat()
                found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_ctime_ns)
    return found


class Watch:
    """Looks, while a grading goes on, at what may not grow and what nobody may reach; `problems` says what was seen."""

    def __init__(self, work_root: Path, invariants: frozenset[str]) -> None:
        self._work_root = work_root
        self._invariants = invariants
        self._done = threading.Event()
        self.problems: list[str] = []

    def __enter__(self) -> "Watch":
        self._files = host_files() if "host_intact" in self._invariants else {}
        self._decoys = _open_decoys() if "decoys_untouched" in self._invariants else []
        Path("/proc/self/clear_refs").write_text("5")  # the peak of resident memory starts anew (proc(5))
        self._memory = _peak_memory()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if "mem_bounded" in self._invariants and _peak_memory() > self._memory + _MEMORY_GROWTH_BYTES:
            self.problems.append(f"the worker grew from {self._memory} to {_peak_memory()} bytes")
        for decoy in self._decoys:
            if _was_reached(decoy):
                self.problems.append(f"somebody connected to the decoy {decoy.getsockname()!r}")
            decoy.close()
        if self._files and self._files != host_files():
            self.problems.append("files in /etc or /usr/bin have changed")

    def _look(self) -> None:
        while not self._done.wait(_BETWEEN_LOOKS_S):
            if "disk_bounded" in self._invariants:
                self._look_at_disk()
            if "port_31337_closed" in self._invariants and _can_connect(_WATCHED_PORT):
                self.problems.append(f"port {_WATCHED_PORT} was open")

    def _look_at_disk(self) -> None:
        used, files = 0, 0
        for folder, folders, names in os.walk(self._work_root):  # passes over what vanishes meanwhile
            folders[:] = [name for name in folders if name != CACHE]
            for name in names:
                with suppress(FileNotFoundError):
                    used += Path(folder, name).lstat().st_blocks * 512
                    files += 1
        if used > _LARGEST_BYTES or files > _MOST_FILES:
            self.problems.append(f"{used} bytes in {files} files below the work folder")


def _peak_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the kernel does not tell VmHWM")


def _can_connect(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _open_decoys() -> list[socket.socket]:
    """Listeners where a program would look for services. A port that is taken has a real service behind it."""
    names: list[tuple[int, tuple[str, int] | str]] = [(socket.AF_UNIX, f"\0oj-decoy-{os.getpid()}")]
    names += [(socket.AF_INET, ("127.0.0.1", port)) for port in _DECOY_PORTS]
    decoys = []
    for family, name in names:
        decoy = socket.socket(family)
        try:
            decoy.bind(name)
            decoy.listen(8)
        except OSError:
            decoy.close()
        else:
            decoy.setblocking(False)
            decoys.append(decoy)
    return decoys


def _was_reached(decoy: socket.socket) -> bool:
    try:
        decoy.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextmanager
def planted(path: Path, content: str) -> Iterator[None]:
    """A file of ours for the time being; one that is there already stays."""
    is_ours = not path.exists()
    if is_ours:
        path.write_text(content)
        path.chmod(0o644)
    try:
        yield
    finally:
        if is_ours:
            path.unlink()
