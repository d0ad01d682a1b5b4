"""Measure what the sandbox itself costs on this host: a program that does nothing, run bare and jailed alternately.

A worker measures it at its start and keeps it with every result, so that whoever reads a time knows what is not in it.
"""

import statistics
import time
from dataclasses import dataclass

from sandbox.bare import BareRunner
from sandbox.types import Command, JailSpec, Limits, Sandbox

USUAL_WALL_US = 10_000  # above it something is wrong with the host: it should be a tenth of this
_NOTHING = ("/usr/bin/true",)
_WARM_UP = 3
_LONGEST_S = 2.0  # a slow host measures fewer runs


@dataclass(frozen=True, kw_only=True, slots=True)
class Overhead:
    """Medians over `runs` pairs of runs in one open jail and outside it."""

    wall_us: int  # of one more run, as its caller waits for it, less fork, exec and wait outside
    cpu_us: int  # CPU time that the sandbox reports, less what wait4 reports outside; may be below 0
    empty_cpu_us: int  # CPU time that the sandbox reports of a program that does nothing: starting and ending it
    runs: int

    @property
    def is_usual(self) -> bool:
        """Whether this is about what a healthy host needs."""
        return self.wall_us <= USUAL_WALL_US


def measure(sandbox: Sandbox, cpu: int | None = None, runs: int = 100) -> Overhead:
    """Measure on core `cpu` (None: any), in half a second or so. Raises SandboxError."""
    walls: list[tuple[int, int]] = []  # (bare, jailed), in microseconds
    cpu_times: list[tuple[int, int]] = []
    command, limits = Command(argv=_NOTHING), Limits()
    with BareRunner(cpu) as bare, sandbox.open_jail(JailSpec(cpu=cpu)) as jail:
        for _ in range(_WARM_UP):
            bare.run(_NOTHING)
            jail.run(command, limits)
        deadline = time.monotonic() + _LONGEST_S
        while not walls or (len(walls) < runs and time.monotonic() < deadline):
            alone = bare.run(_NOTHING)
            began = time.perf_counter_ns()
            usage = jail.run(command, limits).usage
            walls.append((alone.wall_time_us, (time.perf_counter_ns() - began) // 1_000))
            cpu_times.append((alone.cpu_time_us, usage.cpu_time_us))
    return Overhead(
        wall_us=_difference(walls),
        cpu_us=_difference(cpu_times),
        empty_cpu_us=round(statistics.median(jailed for _, jailed in cpu_times)),
        runs=len(walls),
    )


def _difference(pairs: list[tuple[int, int]]) -> int:
    """Return the median of the jailed figures less the median of the bare ones."""
    bare = statistics.median(bare for bare, _ in pairs)
    return round(statistics.median(jailed for _, jailed in pairs) - bare)
