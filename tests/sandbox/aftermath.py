"""What a run, however it went, may leave on the host: nothing. Compared before and after."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.cgroup import Hierarchies, _parent_name, find_hierarchies

_PATIENCE_S = 5.0
_HIERARCHIES: Hierarchies = find_hierarchies()


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """What is ours on the host: by name, so that a failing comparison shows what is left."""

    control_groups: frozenset[str]
    children: frozenset[int]
    files: frozenset[str]
    mounts: frozenset[str]
    descriptors: frozenset[str]

    @staticmethod
    def of(work_root: Path) -> "Host":
        """As it is now, for one work folder and this process."""
        return Host(
            control_groups=frozenset(_control_groups(work_root)),
            children=frozenset(_children()),
            files=frozenset(str(path) for path in work_root.rglob("*")),
            mounts=frozenset(Path("/proc/self/mountinfo").read_text().splitlines()),
            descriptors=frozenset(_descriptors("self")),
        )


def _control_groups(work_root: Path) -> Iterator[str]:
    """Those below the work folder's own; a jail's process is always in one."""
    roots = {_HIERARCHIES.v2} if _HIERARCHIES.v2 else {*_HIERARCHIES.v1.values()}
    for root in roots:
        for folder, _, _ in os.walk(root / _parent_name(work_root)):
            yield folder


def _children() -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and parent_of(int(entry.name)) == os.getpid():
                yield int(entry.name)


def parent_of(pid: int) -> int:
    """The process's parent."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _descriptors(pid: str) -> Iterator[str]:
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # that of this listing itself
            yield f"{entry.name} -> {entry.readlink()}"


@contextmanager
def nothing_left(work_root: Path) -> Iterator[None]:
    """What is done within leaves the host as it was, after the moment that the kernel takes to end what was killed."""
    before = Host.of(work_root)
    yield
    deadline = time.monotonic() + _PATIENCE_S
    while (after := Host.of(work_root)) != before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert after == before
