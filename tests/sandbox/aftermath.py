"""What a run, however it went, may leave on the host: nothing. Compared before and after."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroup import _parent_name
from sandbox.cgroups.cgroupfs import find_hierarchies, processes

_PATIENCE_S = 5.0
_HIERARCHIES = find_hierarchies()


@contextmanager
def nothing_left(work_root: Path) -> Iterator[None]:
    """What is done within leaves the host as it was, after the moment that the kernel takes to end what was killed."""
    deadline = time.monotonic() + _PATIENCE_S
    while _waits(before := _ours(work_root)) and time.monotonic() < deadline:
        time.sleep(0.01)
    yield
    deadline = time.monotonic() + _PATIENCE_S
    while (changed := _ours(work_root) ^ before) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not changed, sorted(changed)  # pytest shows values in test files only


def _waits(found: set[str]) -> bool:
    """Whether the process of a next run is there, which goes by itself."""
    return any("/run-" in name and " with process " in name for name in found)


def open_descriptors() -> list[str]:
    """The numbers of this process's open descriptors."""
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


def _ours(work_root: Path) -> set[str]:
    """All that is ours on the host, by name: of one work folder, and of this process."""
    found = {f"control group {name}" for name in _control_groups(work_root)}
    found |= {f"child {pid}" for pid in _children()}
    found |= {f"file {path}" for path in work_root.rglob("*")}
    found |= {f"mount {line}" for line in _mounts(work_root)}
    return found | {f"descriptor {name}" for name in _descriptors()}


def _control_groups(work_root: Path) -> Iterator[str]:
    """Those of jails, and the processes in them and in those of runs; a jail keeps its runs' groups for a while.

    Not the work folder's own: another worker may remove it while it is idle (`remove_idle`), and the next jail makes
    it again.
    """
    roots = {_HIERARCHIES.v2} if _HIERARCHIES.v2 else {*_HIERARCHIES.v1.values()}
    for root in roots:
        parent = root / _parent_name(work_root)
        for folder, _, _ in os.walk(parent):
            yield from (f"{folder} with process {pid}" for pid in processes(Path(folder)))
            if Path(folder) != parent and not Path(folder).name.startswith("run-"):
                yield folder


def _children() -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and parent_of(int(entry.name)) == os.getpid():
                yield int(entry.name)


def parent_of(pid: int) -> int:
    """The process's parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _mounts(work_root: Path) -> Iterator[str]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if any(mark in line for mark in (str(work_root), "nsjail", " /scratch ")):
            yield line


def _descriptors() -> Iterator[str]:
    """All but those of one run's groups in each jail: it has opened the next run's."""
    of_runs: dict[Path, set[str]] = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of this listing itself
            target = entry.readlink()
            group = next((each for each in (target, *target.parents) if each.name.startswith("run-")), None)
            if group is None:
                yield f"{entry.name} -> {target}"
            else:
                of_runs.setdefault(group.parent, set()).add(group.name)
    yield from (f"of {runs} in {jail}" for jail, runs in of_runs.items() if len(runs) > 1)
