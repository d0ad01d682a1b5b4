"""Take all samples of one report round by round, so that a drifting machine affects every figure alike.

A round has some short cases, some openings of a jail, some runs of many writes, attachings of the meter, some short
cases with every core busy, and each CPU-bound program once under each condition; always bare and jailed in turn.
"""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.jail.conditions import Condition, kept_busy
from bench.jail.contest import Bout, Contest, Pair, built_programs, jail_spec, open_contest
from bench.machine import find_tool
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import MeterUnavailable
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.meter import Meter
from sandbox.types import JailSpec

_INTERPRETER = find_tool("python3") or "/usr/bin/python3"
TINY = ("{}/tiny",)
PYTHON = (_INTERPRETER, "-I", "-c", "print(3)")
WRITES = ("{}/writes",)
BOUND = {  # CPU-bound programs; the last argument is the work in thousandths of a second or so
    "C++ integer": ("{}/integer",),
    "C++ memory": ("{}/memory",),
    "C++ floating point": ("{}/floating",),
    "Python": (_INTERPRETER, "-I", "{}/interpreted.py"),
}
SHORT_PER_ROUND = 20
CROWDED_PER_ROUND = 10
OTHERS_PER_ROUND = 3  # openings, runs of many writes, attachings of the meter


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """One CPU-bound program under one condition, CPU time."""

    program: str
    condition: Condition
    pairs: list[Pair] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class Samples:
    """All measurements, in microseconds. `meter_problem` says why the meter's are missing, if they are."""

    tiny: list[Bout] = field(default_factory=list)
    python: list[Bout] = field(default_factory=list)
    crowded: list[Bout] = field(default_factory=list)  # tiny, with all cores busy
    writes: list[Pair] = field(default_factory=list)  # CPU time
    profiled_writes: list[Pair] = field(default_factory=list)  # CPU time, the jailed run under the meter
    open_jail: list[float] = field(default_factory=list)
    open_jail_cpu: list[float] = field(default_factory=list)  # of opening it and closing it
    attach: list[float] = field(default_factory=list)
    detach: list[float] = field(default_factory=list)
    bound: list[Series] = field(
        default_factory=lambda: [Series(program=name, condition=each) for each in Condition for name in BOUND]
    )
    meter_problem: str | None = None


def measure(work_root: Path, rounds: int, work: int) -> Samples:
    """Measure on the last core: `work` is that of the CPU-bound programs, in thousandths. Raises SandboxError."""
    cpu = max(os.sched_getaffinity(0))
    sandbox, groups = NsjailSandbox(work_root), ControlGroups(work_root)
    problem = sandbox.meter_problem()
    samples = Samples(meter_problem=None if problem is None else str(problem))
    with built_programs(work_root) as programs, open_contest(sandbox, programs, cpu) as contest:
        for _ in range(3):  # warm: files in the page cache, the programs' own reads measured
            for argv in (TINY, PYTHON, WRITES):
                contest.bout(argv)
        for _ in range(rounds):
            _measure_short_cases(contest, samples)
            for _ in range(OTHERS_PER_ROUND):
                _measure_opening(sandbox, groups, jail_spec(programs, cpu), samples)
                _measure_writes(contest, samples)
                if samples.meter_problem is None:
                    _measure_meter(samples)
            with kept_busy(Condition.ALL_BUSY.cores(cpu), programs):
                contest.bout(TINY)  # the first one finds the caches taken
                samples.crowded += [contest.bout(TINY) for _ in range(CROWDED_PER_ROUND)]
            _measure_bound(contest, samples, programs, cpu, work)
    return samples


def _measure_short_cases(contest: Contest, samples: Samples) -> None:
    for argv, bouts in ((TINY, samples.tiny), (PYTHON, samples.python)):
        contest.bout(argv)  # what ran before has taken the caches
        bouts += [contest.bout(argv) for _ in range(SHORT_PER_ROUND)]


def _measure_opening(sandbox: NsjailSandbox, groups: ControlGroups, spec: JailSpec, samples: Samples) -> None:
    """Wall time until the jail can take its first case; CPU time until it is closed."""
    used, began = _cpu_us(groups), time.perf_counter_ns()
    with sandbox.open_jail(spec):
        samples.open_jail.append((time.perf_counter_ns() - began) / 1_000)
    samples.open_jail_cpu.append(_cpu_us(groups) - used)


def _cpu_us(groups: ControlGroups) -> float:
    """CPU time of this process and of all its jails, from the moment that nsjail's process is in their groups."""
    return time.process_time_ns() / 1_000 + groups.cpu_time_us()


def _measure_writes(contest: Contest, samples: Samples) -> None:
    pair = contest.bout(WRITES).cpu
    samples.writes.append(pair)
    if samples.meter_problem is None:
        samples.profiled_writes.append(Pair(bare=pair.bare, jailed=contest.profiled_cpu_us(WRITES)))


def _measure_meter(samples: Samples) -> None:
    try:
        meter = Meter.load()
        began = time.perf_counter_ns()
        with meter.attached():
            attached = time.perf_counter_ns()
        detached = time.perf_counter_ns()
        meter.close()
    except MeterUnavailable as error:
        samples.meter_problem = str(error)
        return
    samples.attach.append((attached - began) / 1_000)
    samples.detach.append((detached - attached) / 1_000)


def _measure_bound(contest: Contest, samples: Samples, programs: Path, cpu: int, work: int) -> None:
    for condition in Condition:
        with kept_busy(condition.cores(cpu), programs):
            for series in samples.bound:
                if series.condition is condition:
                    program = BOUND[series.program]
                    contest.bout((*program, "1"))  # whoever is first waits for the host to find memory for the guest
                    bout = contest.bout((*program, str(work)), series=condition.value)
                    series.pairs.append(bout.cpu)
