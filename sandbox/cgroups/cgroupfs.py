"""Control groups as folders: find where they are mounted; create, read, write, empty and remove them.

What is there depends on the version (v1 or v2); what a group is for, `sandbox.cgroups.cgroup` knows.

Sources: Documentation/admin-guide/cgroup-v1/*, Documentation/admin-guide/cgroup-v2.rst.
"""

import errno
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import CgroupError
from sandbox.privileges import JailUsers

CONTROLLERS = ("memory", "pids", "cpuset")
_PATIENCE_S = 5.0
_LONGEST_FILE = 1 << 16  # of those that are read
_MOST_NAMED = 5  # of what a group holds


@dataclass(frozen=True, kw_only=True, slots=True)
class Hierarchies:
    """The mounts of this host's control groups. `v2` is set when the controllers are there, otherwise `v1`."""

    v1: dict[str, Path]  # controller -> mount point: memory, pids, cpuacct, cpuset
    v2: Path | None

    @property
    def version(self) -> int:
        """Return 1 or 2: the version that has the memory controller."""
        return 1 if self.v2 is None else 2

    @property
    def can_pin(self) -> bool:
        """Return whether runs can be pinned to a core; cpuset is the only optional controller."""
        if self.v2 is None:
            return "cpuset" in self.v1
        return "cpuset" in read(self.v2 / "cgroup.controllers").split()


def find_hierarchies(mountinfo: str | None = None) -> Hierarchies:
    """Read /proc/self/mountinfo. Raises CgroupError when a required controller is missing."""
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
    if v2 is not None and {"memory", "pids"} <= set(read(v2 / "cgroup.controllers").split()):
        return Hierarchies(v1={}, v2=v2)
    raise CgroupError("no control groups for memory and pids are mounted: mount cgroup2 on /sys/fs/cgroup")


def _refused(what: str, error: OSError) -> CgroupError:
    hint = " (are we root?)" if error.errno in (errno.EACCES, errno.EPERM) else ""
    return CgroupError(f"cannot {what}: {error.strerror}{hint}")


def opened(path: Path, flags: int) -> int:
    """Return a descriptor of a group or of one of its files. Raises CgroupError."""
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except OSError as error:
        raise _refused(f"open {path}", error) from error


def read_open(descriptor: int) -> str:
    """Read an open kernel file again from its start. Raises CgroupError.

    Without Python's layers, which take longer than the kernel and are in every run's way.
    """
    try:
        return os.pread(descriptor, _LONGEST_FILE, 0).decode()
    except OSError as error:
        raise _refused("read an account of a control group", error) from error


def read(path: Path) -> str:
    """Read a kernel file. Raises CgroupError."""
    descriptor = opened(path, os.O_RDONLY)
    try:
        return read_open(descriptor)
    finally:
        os.close(descriptor)


def write(path: Path, value: object) -> None:
    """Write one value to a kernel file. Raises CgroupError."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _refused(f"write {value!r} to {path}", error) from error


def give(path: Path, users: JailUsers) -> None:
    """Let a jail's init move processes through this file. Raises CgroupError."""
    try:
        os.chown(path, users.init, users.init)
    except OSError as error:
        raise CgroupError(f"cannot give {path} to the jail: {error.strerror}") from error


def make(path: Path) -> Path:
    """Create a group if it is missing and return its folder. Raises CgroupError."""
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise _refused(f"make the control group {path}", error) from error
    return path


def remove(path: Path) -> None:
    """Remove an empty group; the kernel may need a moment after the last process. Raises CgroupError."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            path.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise CgroupError(f"cannot remove the control group {path}: {error.strerror}{_held(path)}") from error
            time.sleep(0.005)


def _held(group: Path) -> str:
    """Say what keeps a group from being removed, for an error message."""
    names: list[str] = []
    with suppress(CgroupError):
        names = [*(child.name for child in children(group)), *(f"process {pid}" for pid in processes(group))]
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f" (it holds {', '.join(names[:_MOST_NAMED])}{more})" if names else ""


def counter(text: str, key: str) -> int:
    """Return the number behind `key` in a file of "key number" lines; 0 when the key is missing."""
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if name == key:
            return int(number)
    return 0


def inherit_cpuset(folder: Path) -> None:
    """Copy the parent's CPU set into a new v1 group, which takes no task while its set is empty.

    The parent may be as new: another process made it again a moment ago, and has yet to fill it.
    """
    for name in ("cpuset.cpus", "cpuset.mems"):
        if not read(folder.parent / name).strip():  # never the root's
            inherit_cpuset(folder.parent)
        write(folder / name, read(folder.parent / name).strip())


def enable(folder: Path) -> None:
    """Enable the controllers for the groups below a v2 group that holds no process itself (the root may)."""
    available = set(read(folder / "cgroup.controllers").split())
    controllers = [f"+{name}" for name in CONTROLLERS if name in available]
    try:
        write(folder / "cgroup.subtree_control", " ".join(controllers))
    except CgroupError:
        if not (folder / "cgroup.type").exists():  # the host's own root group, which may hold processes
            raise
        # in a container the root group holds our own processes, which a group with controllers must not
        leaf = make(folder / "tally-host")
        for pid in processes(folder):
            write(leaf / "cgroup.procs", pid)
        write(folder / "cgroup.subtree_control", " ".join(controllers))


def kill_and_remove(folders: set[Path]) -> None:
    """Kill everything in these groups and the groups below, and remove them. Raises CgroupError."""
    deadline = time.monotonic() + _PATIENCE_S
    for folder in folders:
        for group in sorted(_with_children(folder), reverse=True):
            while pids := processes(group):
                if time.monotonic() > deadline:
                    raise CgroupError(f"processes {pids} in {group} will not die")
                kill(group, pids)
                time.sleep(0.002)
            remove(group)


def _with_children(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [folder, *(below for child in children(folder) for below in _with_children(child))]


def children(folder: Path) -> list[Path]:
    """Return the groups within a group; none if somebody removed it (`remove_idle`). Raises CgroupError."""
    try:
        with os.scandir(folder) as entries:  # which says what each is, without a look at its dozens of files
            return [folder / entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CgroupError(f"cannot look into the control group {folder}: {error.strerror}") from error


def processes(group: Path) -> list[int]:
    """Return the processes in a group; none if the group is missing. Raises CgroupError."""
    try:
        return [int(pid) for pid in (group / "cgroup.procs").read_text().split()]
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENODEV):  # the second one if it is removed while its file is open
            return []
        raise CgroupError(f"cannot read {group}/cgroup.procs: {error.strerror}") from error


def kill(group: Path, pids: list[int]) -> None:
    """Kill these processes, all of the group's, now. Raises CgroupError."""
    if (group / "cgroup.kill").exists():
        write(group / "cgroup.kill", 1)
        return
    for pid in filter(None, pids):  # 0: of another container, and for os.kill our own process group
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
