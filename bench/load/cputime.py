"""Read the CPU time of processes with all their children from /proc (proc(5), stat)."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_TICKS_S = os.sysconf("SC_CLK_TCK")


class CpuWatch:
    """Measures the cores that some process trees have kept busy since its creation."""

    def __init__(self, trees: Mapping[str, list[int]]) -> None:
        self._trees = trees
        self._began_at = time.monotonic()
        self._before = self._used()

    def cores(self) -> dict[str, float]:
        """By name, 1.0 for one core that was busy all the time."""
        passed_s = time.monotonic() - self._began_at
        return {name: round(used_s / passed_s, 3) for name, used_s in self.used_s().items()}

    def used_s(self) -> dict[str, float]:
        """By name, the seconds of CPU time since its creation."""
        return {name: used - self._before[name] for name, used in self._used().items()}

    def _used(self) -> dict[str, float]:
        every = _every_process()
        return {name: sum(_used_s(every, pid) for pid in pids) for name, pids in self._trees.items()}


def _every_process() -> dict[int, tuple[int, float]]:
    """By process: its parent, and the seconds that it and its ended children used."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / _TICKS_S)
    return found


def _used_s(every: Mapping[int, tuple[int, float]], root: int) -> float:
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in every.items():
        children.setdefault(parent, []).append(pid)
    used, left = 0.0, [root]
    while left:
        pid = left.pop()
        used += every[pid][1] if pid in every else 0.0
        left += children.get(pid, [])
    return used
