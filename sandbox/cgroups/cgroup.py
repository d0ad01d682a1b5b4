"""Control groups on v1, v2 and hybrid hosts: one group per jail, and inside it a fresh one per run.

How it works: below each hierarchy's root stands `tally-XXXXXXXX` (one per work folder), in it a group per jail, which
holds nsjail and the init, and in that one a group per run, which holds the program. The host makes, limits, reads and
removes them all; the program's process enters its groups itself, through descriptors that the host opened (v1: by
writing 0 to `tasks`; v2: by clone3 with CLONE_INTO_CGROUP, for which the groups are delegated to the init's outer uid).
Moving another process, or writing cgroup.procs, would wait 8 to 10 ms for the kernel.

Sources: Documentation/admin-guide/cgroup-v1/*, Documentation/admin-guide/cgroup-v2.rst. Units: bytes.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from sandbox.cgroups import cgroupfs
from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.errors import CgroupError, WorkdirError
from sandbox.privileges import JailUsers

_TRIES = 10  # to make groups
_MOST_LEFT = 16  # runs whose groups wait for their removal
_T = TypeVar("_T")
SLACK_BYTES = 2 << 20  # page tables and the like, over what the program's own memory may be


class RunGroup:
    """The control groups of one run: fresh, limited, with descriptors through which the program enters them.

    All files that every run needs are opened at once, by `JailGroup.make_next` while the run before is under way.
    """

    def __init__(self, folders: dict[str, Path], users: JailUsers, *, is_v2: bool) -> None:
        """Raises CgroupError."""
        self._folders = folders  # controller -> folder; v2: the one folder under each name
        self.is_v2 = is_v2
        self._memory_bytes = 0  # 0: no limit yet
        self._processes = 0
        self._open: list[int] = []
        memory = folders["memory"]
        try:
            if is_v2:
                cgroupfs.give(memory / "cgroup.procs", users)
                self.account = self._opened(memory / "cpu.stat", os.O_RDONLY)
                self.entrances = [self._opened(memory, os.O_RDONLY | os.O_DIRECTORY)]
            else:
                self.account = self._opened(folders["cpuacct"] / "cpuacct.usage", os.O_RDONLY)
                self.entrances = [
                    self._opened(folder / "tasks", os.O_WRONLY) for folder in dict.fromkeys(folders.values())
                ]
            self._kills = self._opened(memory / ("memory.events" if is_v2 else "memory.oom_control"), os.O_RDONLY)
            peak = memory / ("memory.peak" if is_v2 else "memory.max_usage_in_bytes")
            self._peak = self._opened(peak, os.O_RDONLY) if peak.exists() else None
        except CgroupError:
            self.close()
            raise

    def _opened(self, path: Path, flags: int) -> int:
        self._open.append(cgroupfs.opened(path, flags))
        return self._open[-1]

    def limit(self, *, memory_bytes: int, processes: int) -> None:
        """Replace the limits. Raises CgroupError."""
        memory = self._folders["memory"]
        if memory_bytes != self._memory_bytes:
            names = ["memory.max"] if self.is_v2 else ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
            # v1: memory with swap is never less than memory alone, also between two writes
            for name in reversed(names) if 0 < self._memory_bytes < memory_bytes else names:
                if name != "memory.memsw.limit_in_bytes" or (memory / name).exists():
                    cgroupfs.write(memory / name, memory_bytes + SLACK_BYTES)
            if self.is_v2 and (memory / "memory.swap.max").exists():
                cgroupfs.write(memory / "memory.swap.max", 0)
            self._memory_bytes = memory_bytes
        if processes != self._processes:
            cgroupfs.write(self._folders["pids"] / "pids.max", processes)
            self._processes = processes

    def oom_kills(self) -> int:
        """Return how many processes of the run the kernel killed for memory. Raises CgroupError."""
        return cgroupfs.counter(cgroupfs.read_open(self._kills), "oom_kill")

    def peak_bytes(self) -> int:
        """Return the group's highest charge, page cache and tmpfs included; 0 with v2 before Linux 5.19."""
        return 0 if self._peak is None else int(cgroupfs.read_open(self._peak))

    def cpu_time_us(self) -> int:
        """Return the run's CPU time so far; for a running process, up to the scheduler's last tick (some ms ago)."""
        text = cgroupfs.read_open(self.account)
        return cgroupfs.counter(text, "usage_usec") if self.is_v2 else int(text) // 1_000

    def system_time_us(self) -> int:
        """Return the kernel's part of the CPU time, as far as clock ticks show it; 0 without ticks."""
        if self.is_v2:
            return cgroupfs.counter(cgroupfs.read_open(self.account), "system_usec")
        text = cgroupfs.read(self._folders["cpuacct"] / "cpuacct.stat")
        user, system = cgroupfs.counter(text, "user"), cgroupfs.counter(text, "system")
        return self.cpu_time_us() * system // max(1, user + system)

    @property
    def threads_file(self) -> Path:
        """The file that lists the run's current threads."""
        return self._folders["memory"] / ("cgroup.threads" if self.is_v2 else "tasks")

    def threads(self) -> list[int]:
        """Return the run's current threads, by their numbers on the host."""
        try:
            return [int(thread) for thread in self.threads_file.read_text().split()]
        except OSError as error:
            raise CgroupError(f"cannot read {self.threads_file}: {error.strerror}") from error

    def kill(self) -> None:
        """Kill every process in the group now. Raises CgroupError."""
        group = self._folders["memory"]
        cgroupfs.kill(group, cgroupfs.processes(group))

    def cached_bytes(self) -> int:
        """Return the page cache of disk files charged to the group, with the kernel's memory for it."""
        memory = self._folders["memory"]
        text = cgroupfs.read(memory / "memory.stat")
        cache = max(0, cgroupfs.counter(text, "file" if self.is_v2 else "cache") - cgroupfs.counter(text, "shmem"))
        if self.is_v2:
            return cache + cgroupfs.counter(text, "kernel")
        kernel = memory / "memory.kmem.usage_in_bytes"
        return cache + (int(cgroupfs.read(kernel)) if kernel.exists() else 0)

    def close(self) -> None:
        """Close the descriptors; the jail's groups remove the run's groups later."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()


class JailGroup:
    """The control groups of one jail: nsjail and the init are in them, the groups of its runs below them.

    While a run is under way the host has nothing to do: then it makes the groups of the next run, with the same limits,
    and removes those of the runs before. That takes 0.2 ms off every run.
    """

    def __init__(self, folders: dict[str, Path], *, is_v2: bool, cpus: tuple[int, ...]) -> None:
        self.users = JailUsers.draw()
        self._folders = folders
        self._is_v2 = is_v2
        self._current = 0  # the number of the last run
        self._oldest = 1  # the first run whose groups are still there
        self._next: RunGroup | None = None  # made in advance
        self._last_limits: tuple[int, int] | None = None
        for folder in set(folders.values()):
            cgroupfs.make(folder)
        if is_v2:
            folder = folders["memory"]
            cgroupfs.make(folder / "init")
            cgroupfs.enable(folder)
            cgroupfs.give(folder / "cgroup.procs", self.users)
            cgroupfs.give(folder / "init" / "cgroup.procs", self.users)
        self.cpus = cpus if "cpuset" in folders else ()  # those that its processes are bound to; (): to none
        if self.cpus:
            cgroupfs.write(folders["cpuset"] / "cpuset.cpus", ",".join(map(str, cpus)))

    def entrances(self) -> list[Path]:
        """Return the files into which nsjail's process writes 0 before it starts."""
        if self._is_v2:
            return [self._folders["memory"] / "init" / "cgroup.procs"]
        return [folder / "tasks" for folder in dict.fromkeys(self._folders.values())]

    def open_run(self, *, memory_bytes: int, processes: int, output_bytes: int = 0) -> RunGroup:
        """Return fresh groups for one run; the caller closes them. Raises CgroupError.

        `output_bytes` of its output lie in memory that the kernel charges to it beside its own (sandbox.jail.streams).
        """
        memory_bytes += output_bytes
        run, self._next = self._next or self._make_next(), None
        self._current += 1
        try:
            run.limit(memory_bytes=memory_bytes, processes=processes)
        except CgroupError:
            run.close()
            raise
        self._last_limits = (memory_bytes, processes)
        return run

    def make_next(self) -> RunGroup | None:
        """Return new groups for the next run, limited as the last; None if they are there. Raises CgroupError."""
        if self._next is not None or self._last_limits is None:
            return None
        self._next = self._make_next()
        memory_bytes, processes = self._last_limits
        self._next.limit(memory_bytes=memory_bytes, processes=processes)
        return self._next

    def remove_old(self, is_urgent: Callable[[], bool] = lambda: False) -> None:
        """Remove groups of earlier runs; a few stay as soon as something else `is_urgent`. Raises CgroupError."""
        while self._oldest < self._current:
            if self._current - self._oldest < _MOST_LEFT and is_urgent():
                return
            for folder in set(self._folders_of(self._oldest).values()):
                cgroupfs.remove(folder)
            self._oldest += 1

    def _make_next(self) -> RunGroup:
        folders = self._folders_of(self._current + 1)
        for folder in set(folders.values()):
            cgroupfs.make(folder)
        return RunGroup(folders, self.users, is_v2=self._is_v2)

    def _folders_of(self, number: int) -> dict[str, Path]:
        names = ("memory", "pids") if self._is_v2 else ("memory", "pids", "cpuacct")
        return {name: self._folders[name] / f"run-{number}" for name in names}

    def close(self) -> None:
        """Kill everything in the jail and remove its groups. Raises CgroupError when a group cannot be removed."""
        if self._next is not None:
            self._next.close()
        cgroupfs.kill_and_remove({*self._folders.values()})


class ControlGroups:
    """This host's control groups for one work folder."""

    def __init__(self, work_root: Path) -> None:
        self._found = find_hierarchies()
        self._name = _parent_name(work_root)
        self.version = self._found.version
        self._parents = _in_some_tries(self._make_parents)

    def _make_parents(self) -> dict[str, Path]:
        place = self._found
        if place.v2 is None:
            parents = {controller: cgroupfs.make(where / self._name) for controller, where in place.v1.items()}
            if "cpuset" in parents:
                cgroupfs.inherit_cpuset(parents["cpuset"])
            return parents
        cgroupfs.enable(place.v2)
        parent = cgroupfs.make(place.v2 / self._name)
        cgroupfs.enable(parent)
        names = ("memory", "pids", "cpuset") if place.can_pin else ("memory", "pids")
        return dict.fromkeys(names, parent)

    def open_jail(self, name: str, cpus: tuple[int, ...] = ()) -> JailGroup:
        """Create fresh groups for one jail, pinned to `cpus` if given and if the host can pin. Raises CgroupError."""
        return _in_some_tries(lambda: self._open_jail(name, cpus))

    def _open_jail(self, name: str, cpus: tuple[int, ...]) -> JailGroup:
        if not all(parent.is_dir() for parent in self._parents.values()):
            self._make_parents()  # another worker saw them idle: `remove_idle`
        folders = {controller: parent / name for controller, parent in self._parents.items()}
        try:
            if "cpuset" in folders and self.version == 1:
                cgroupfs.inherit_cpuset(cgroupfs.make(folders["cpuset"]))
            return JailGroup(folders, is_v2=self.version == 2, cpus=cpus)
        except CgroupError:
            self.remove(name)
            raise

    def names(self) -> set[str]:
        """Return the names of the jails that have groups now."""
        return {group.name for parent in set(self._parents.values()) for group in cgroupfs.children(parent)}

    def cpu_time_us(self) -> int:
        """Return the CPU time of all jails of this work folder so far, closed ones included. Raises CgroupError."""
        if self.version == 2:
            return cgroupfs.counter(cgroupfs.read(self._parents["memory"] / "cpu.stat"), "usage_usec")
        return int(cgroupfs.read(self._parents["cpuacct"] / "cpuacct.usage")) // 1_000

    def close(self) -> None:
        """Remove this work folder's own groups; no jail may be in them. Raises CgroupError."""
        for parent in set(self._parents.values()):
            cgroupfs.remove(parent)

    def remove_idle(self) -> None:
        """Remove other work folders' groups that hold no jail; their owners create them again when needed."""
        for root in {self._found.v2} if self._found.v2 else {*self._found.v1.values()}:
            for folder in root.glob("tally-????????"):
                if folder.name != self._name:
                    with suppress(OSError):  # the kernel keeps those that are in use
                        folder.rmdir()

    def remove(self, name: str) -> None:
        """Kill and remove the groups of a jail whose worker is dead. Raises CgroupError."""
        cgroupfs.kill_and_remove({parent / name for parent in self._parents.values()})


def _in_some_tries(make: Callable[[], _T]) -> _T:
    """Retry `make`: another installation's `remove_idle` may interfere between any two of its steps."""
    for _ in range(_TRIES - 1):
        with suppress(CgroupError):
            return make()
    return make()


def _parent_name(work_root: Path) -> str:
    """Return a name unique to this work folder, even among containers that share our groups and use the same path."""
    try:
        work_root.mkdir(parents=True, exist_ok=True, mode=0o711)
        identity = work_root.stat()
    except OSError as error:
        hint = " (are we root?)" if isinstance(error, PermissionError) else ""
        raise WorkdirError(f"cannot make the work folder {work_root}: {error.strerror}{hint}") from error
    text = f"{work_root.resolve()} {identity.st_dev} {identity.st_ino}"
    return "tally-" + hashlib.sha256(text.encode()).hexdigest()[:8]
