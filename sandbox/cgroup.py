"""Control groups on v1, v2 and hybrid hosts: one group per jail, and inside it a fresh one per run.

How it works: below each hierarchy's root stands `tally-XXXXXXXX` (one per work folder), in it a group per jail, which
holds nsjail and the init, and in that one a group per run, which holds the program. The host makes, limits, reads and
removes them all; the program's process enters its groups itself, through descriptors that the host opened (v1: by
writing 0 to `tasks`; v2: by clone3 with CLONE_INTO_CGROUP, for which the groups are delegated to the init's outer uid).
Moving another process, or writing cgroup.procs, would wait 8 to 10 ms for the kernel.

Sources: Documentation/admin-guide/cgroup-v1/*, Documentation/admin-guide/cgroup-v2.rst. Units: bytes.
"""

import errno
import hashlib
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sandbox.errors import CgroupError, WorkdirError
from sandbox.users import JailUsers

CONTROLLERS = ("memory", "pids", "cpuset")
_TRIES = 10  # to make groups
_T = TypeVar("_T")
_PATIENCE_S = 5.0
_LONGEST_FILE = 1 << 16  # of those that are read
_SLACK_BYTES = 2 << 20  # page tables and the like, over what the program's own memory may be


@dataclass(frozen=True, kw_only=True, slots=True)
class Hierarchies:
    """Where this host's control groups are mounted. `v2` is set when the controllers are there, else `v1`."""

    v1: dict[str, Path]  # controller -> mount point: memory, pids, cpuacct, cpuset
    v2: Path | None

    @property
    def version(self) -> int:
        """1 or 2: where the memory controller is."""
        return 1 if self.v2 is None else 2

    @property
    def can_pin(self) -> bool:
        """Whether runs can be pinned to a core: cpuset is the one controller that we can do without."""
        if self.v2 is None:
            return "cpuset" in self.v1
        return "cpuset" in _read(self.v2 / "cgroup.controllers").split()


def find_hierarchies(mountinfo: str | None = None) -> Hierarchies:
    """Read /proc/self/mountinfo. Raises CgroupError when a controller that we need is nowhere."""
    text = Path("/proc/self/mountinfo").read_text() if mountinfo is None else mountinfo
    v1: dict[str, Path] = {}
    v2: Path | None = None
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        where = Path(before.split()[4])
        if kind == "cgroup2" and v2 is None:
            v2 = where
        elif kind == "cgroup":
            v1.update({name: where for name in options.split(",") if name in {*CONTROLLERS, "cpuacct"}})
    if {"memory", "pids", "cpuacct"} <= v1.keys():
        return Hierarchies(v1=v1, v2=None)
    if v2 is not None and {"memory", "pids"} <= set(_read(v2 / "cgroup.controllers").split()):
        return Hierarchies(v1={}, v2=v2)
    raise CgroupError("no control groups for memory and pids are mounted: mount cgroup2 on /sys/fs/cgroup")


def _read(path: Path) -> str:
    """A file of the kernel; without Python's layers, which take longer than the kernel and are in every run's way."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(descriptor, _LONGEST_FILE).decode()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CgroupError(f"cannot read {path}: {error.strerror}") from error


def _write(path: Path, value: object) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        hint = " (are we root?)" if error.errno in (errno.EACCES, errno.EPERM) else ""
        raise CgroupError(f"cannot write {value!r} to {path}: {error.strerror}{hint}") from error


def _give(path: Path, users: JailUsers) -> None:
    """Let a jail's init move processes through this file."""
    try:
        os.chown(path, users.init, users.init)
    except OSError as error:
        raise CgroupError(f"cannot give {path} to the jail: {error.strerror}") from error


def _make(path: Path) -> Path:
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise CgroupError(f"cannot make the control group {path}: {error.strerror} (are we root?)") from error
    return path


def _remove(path: Path) -> None:
    """Remove an empty group; the kernel may need a moment after the last process."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            path.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise CgroupError(f"cannot remove the control group {path}: {error.strerror}") from error
            time.sleep(0.005)


def _counter(text: str, key: str) -> int:
    """The number behind `key` in a file of "key number" lines; 0 when it is not there."""
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if name == key:
            return int(number)
    return 0


class RunGroup:
    """The groups of one run: fresh, limited, with descriptors for the program to enter them."""

    def __init__(
        self, folders: dict[str, Path], users: JailUsers, *, is_v2: bool, memory_bytes: int, processes: int
    ) -> None:
        self._folders = folders  # controller -> folder; v2: the one folder under each name
        self.is_v2 = is_v2
        self._open: list[int] = []
        memory = folders["memory"]
        if is_v2:
            _write(memory / "memory.max", memory_bytes + _SLACK_BYTES)
            if (memory / "memory.swap.max").exists():
                _write(memory / "memory.swap.max", 0)
            _give(memory / "cgroup.procs", users)
        else:
            _write(memory / "memory.limit_in_bytes", memory_bytes + _SLACK_BYTES)
            if (memory / "memory.memsw.limit_in_bytes").exists():
                _write(memory / "memory.memsw.limit_in_bytes", memory_bytes + _SLACK_BYTES)
        _write(folders["pids"] / "pids.max", processes)

    def descriptors(self) -> tuple[int, list[int]]:
        """The CPU account to read, and the groups to enter (v1: `tasks` files; v2: the folder). Closed by `close`."""
        if self.is_v2:
            folder = self._folders["memory"]
            names = [(folder / "cpu.stat", os.O_RDONLY), (folder, os.O_RDONLY | os.O_DIRECTORY)]
        else:
            names = [(self._folders["cpuacct"] / "cpuacct.usage", os.O_RDONLY)]
            names += [(folder / "tasks", os.O_WRONLY) for folder in dict.fromkeys(self._folders.values())]
        for path, flags in names:
            self._open.append(os.open(path, flags | os.O_CLOEXEC))
        return self._open[0], self._open[1:]

    def oom_kills(self) -> int:
        """How many processes of the run the kernel killed for memory."""
        name = "memory.events" if self.is_v2 else "memory.oom_control"
        return _counter(_read(self._folders["memory"] / name), "oom_kill")

    def peak_bytes(self) -> int:
        """The group's highest charge, page cache and tmpfs included; 0 if the kernel does not tell (v2 before 5.19)."""
        path = self._folders["memory"] / ("memory.peak" if self.is_v2 else "memory.max_usage_in_bytes")
        return int(_read(path)) if path.exists() else 0

    def cpu_time_us(self) -> int:
        """CPU time of the run so far; of a process that is running, up to the scheduler's last tick (some ms ago)."""
        if self.is_v2:
            return _counter(_read(self._folders["memory"] / "cpu.stat"), "usage_usec")
        return int(_read(self._folders["cpuacct"] / "cpuacct.usage")) // 1_000

    def threads(self) -> list[int]:
        """The run's threads now, by their numbers on the host."""
        path = self._folders["memory"] / ("cgroup.threads" if self.is_v2 else "tasks")
        try:
            return [int(thread) for thread in path.read_text().split()]
        except OSError as error:
            raise CgroupError(f"cannot read {path}: {error.strerror}") from error

    def cached_bytes(self) -> int:
        """What the group is charged for beside its processes' memory: page cache, with what the kernel needs for it."""
        memory = self._folders["memory"]
        text = _read(memory / "memory.stat")
        cache = max(0, _counter(text, "file" if self.is_v2 else "cache") - _counter(text, "shmem"))
        if self.is_v2:
            return cache + _counter(text, "kernel")
        kernel = memory / "memory.kmem.usage_in_bytes"
        return cache + (int(_read(kernel)) if kernel.exists() else 0)

    def close(self) -> None:
        """Close the descriptors; the groups themselves are removed later, by the jail's."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()


class JailGroup:
    """The groups of one jail: nsjail and the init are in them, the runs' groups below them.

    While a run is under way the host has nothing to do: then `tidy` removes the groups of the run before and makes
    those of the next. That takes 0.1 ms off every run.
    """

    def __init__(self, folders: dict[str, Path], *, is_v2: bool, cpus: tuple[int, ...]) -> None:
        self.users = JailUsers.draw()
        self._folders = folders
        self._is_v2 = is_v2
        self._current = 0  # the number of the last run
        self._made = 0  # groups were made for so many runs
        self._oldest = 1  # the first run whose groups are still there
        for folder in set(folders.values()):
            _make(folder)
        if is_v2:
            folder = folders["memory"]
            _make(folder / "init")
            _enable(folder)
            _give(folder / "cgroup.procs", self.users)
            _give(folder / "init" / "cgroup.procs", self.users)
        if cpus and "cpuset" in folders:
            _write(folders["cpuset"] / "cpuset.cpus", ",".join(map(str, cpus)))

    def entrances(self) -> list[Path]:
        """The files to which nsjail's process writes 0 before it starts."""
        if self._is_v2:
            return [self._folders["memory"] / "init" / "cgroup.procs"]
        return [folder / "tasks" for folder in dict.fromkeys(self._folders.values())]

    def open_run(self, *, memory_bytes: int, processes: int) -> RunGroup:
        """Fresh groups for one run. Raises CgroupError."""
        self._current += 1
        if self._current > self._made:
            self._make_next()
        folders = self._folders_of(self._current)
        return RunGroup(folders, self.users, is_v2=self._is_v2, memory_bytes=memory_bytes, processes=processes)

    def tidy(self) -> None:
        """Remove the groups of earlier runs and make those of the next. Raises CgroupError."""
        while self._oldest < self._current:
            for folder in set(self._folders_of(self._oldest).values()):
                _remove(folder)
            self._oldest += 1
        if self._made == self._current:
            self._make_next()

    def _make_next(self) -> None:
        for folder in set(self._folders_of(self._made + 1).values()):
            _make(folder)
        self._made += 1

    def _folders_of(self, number: int) -> dict[str, Path]:
        names = ("memory", "pids") if self._is_v2 else ("memory", "pids", "cpuacct")
        return {name: self._folders[name] / f"run-{number}" for name in names}

    def close(self) -> None:
        """Kill everything in the jail and remove its groups. Raises CgroupError when something will not go."""
        _kill_and_remove({*self._folders.values()})


class ControlGroups:
    """This host's groups for one work folder."""

    def __init__(self, work_root: Path) -> None:
        self._found = find_hierarchies()
        self._name = _parent_name(work_root)
        self.version = self._found.version
        self._parents = _in_some_tries(self._make_parents)

    def _make_parents(self) -> dict[str, Path]:
        found = self._found
        if found.v2 is None:
            parents = {controller: _make(where / self._name) for controller, where in found.v1.items()}
            if "cpuset" in parents:
                _inherit_cpuset(parents["cpuset"])
            return parents
        _enable(found.v2)
        parent = _make(found.v2 / self._name)
        _enable(parent)
        names = ("memory", "pids", "cpuset") if found.can_pin else ("memory", "pids")
        return dict.fromkeys(names, parent)

    def open_jail(self, name: str, cpus: tuple[int, ...] = ()) -> JailGroup:
        """Fresh groups for one jail; it runs on `cpus`, if any, where the host can pin. Raises CgroupError."""
        return _in_some_tries(lambda: self._open_jail(name, cpus))

    def _open_jail(self, name: str, cpus: tuple[int, ...]) -> JailGroup:
        if not all(parent.is_dir() for parent in self._parents.values()):
            self._make_parents()  # another worker saw them idle: `remove_idle`
        folders = {controller: parent / name for controller, parent in self._parents.items()}
        try:
            if "cpuset" in folders and self.version == 1:
                _inherit_cpuset(_make(folders["cpuset"]))
            return JailGroup(folders, is_v2=self.version == 2, cpus=cpus)
        except CgroupError:
            self.remove(name)
            raise

    def names(self) -> set[str]:
        """The names of the jails that have groups now."""
        return {group.name for parent in set(self._parents.values()) for group in _children(parent)}

    def close(self) -> None:
        """Remove this work folder's own groups; there must be no jail in them. Raises CgroupError."""
        for parent in set(self._parents.values()):
            _remove(parent)

    def remove_idle(self) -> None:
        """Remove the groups of other work folders in which there is no jail; who needs them makes them again."""
        for root in {self._found.v2} if self._found.v2 else {*self._found.v1.values()}:
            for folder in root.glob("tally-????????"):
                if folder.name != self._name:
                    with suppress(OSError):  # the kernel keeps those that are in use
                        folder.rmdir()

    def remove(self, name: str) -> None:
        """Kill and remove the groups of a jail whose worker is gone. Raises CgroupError."""
        _kill_and_remove({parent / name for parent in self._parents.values()})


def _in_some_tries(make: Callable[[], _T]) -> _T:
    """What it makes; another installation's `remove_idle` may come between any two of its steps. Raises CgroupError."""
    for _ in range(_TRIES - 1):
        with suppress(CgroupError):
            return make()
    return make()


def _parent_name(work_root: Path) -> str:
    """A name that no other work folder has, nor one of the same path in another container that shares our groups."""
    try:
        work_root.mkdir(parents=True, exist_ok=True, mode=0o711)
        identity = work_root.stat()
    except OSError as error:
        hint = " (are we root?)" if isinstance(error, PermissionError) else ""
        raise WorkdirError(f"cannot make the work folder {work_root}: {error.strerror}{hint}") from error
    text = f"{work_root.resolve()} {identity.st_dev} {identity.st_ino}"
    return "tally-" + hashlib.sha256(text.encode()).hexdigest()[:8]


def _inherit_cpuset(folder: Path) -> None:
    """On v1 a new group's CPU set is empty and takes no task until it is filled: with the parent's."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        _write(folder / name, _read(folder.parent / name).strip())


def _enable(folder: Path) -> None:
    """Enable the controllers for the groups below a v2 group that holds no process itself (the root may)."""
    available = set(_read(folder / "cgroup.controllers").split())
    wanted = [f"+{name}" for name in CONTROLLERS if name in available]
    try:
        _write(folder / "cgroup.subtree_control", " ".join(wanted))
    except CgroupError:
        if not (folder / "cgroup.type").exists():  # the host's own root group, which may hold processes
            raise
        # in a container the root group holds our own processes, which a group with controllers must not
        leaf = _make(folder / "tally-host")
        for pid in _processes(folder):
            _write(leaf / "cgroup.procs", pid)
        _write(folder / "cgroup.subtree_control", " ".join(wanted))


def _kill_and_remove(folders: set[Path]) -> None:
    """Kill all that is in the groups and those below, and remove them. Raises CgroupError."""
    deadline = time.monotonic() + _PATIENCE_S
    for folder in folders:
        for group in sorted(_with_children(folder), reverse=True):
            while pids := _processes(group):
                if time.monotonic() > deadline:
                    raise CgroupError(f"processes {pids} in {group} will not die")
                _kill(group, pids)
                time.sleep(0.002)
            _remove(group)


def _with_children(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [folder, *(below for child in _children(folder) for below in _with_children(child))]


def _children(folder: Path) -> list[Path]:
    """The groups in a group; none if somebody else removed it, as another installation's `remove_idle` may."""
    try:
        return [entry for entry in folder.iterdir() if entry.is_dir()]
    except FileNotFoundError:
        return []


def _processes(group: Path) -> list[int]:
    try:
        return [int(pid) for pid in (group / "cgroup.procs").read_text().split()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CgroupError(f"cannot read {group}/cgroup.procs: {error.strerror}") from error


def _kill(group: Path, pids: list[int]) -> None:
    if (group / "cgroup.kill").exists():
        _write(group / "cgroup.kill", 1)
        return
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
