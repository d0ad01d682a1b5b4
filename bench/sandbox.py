"""What a jail adds: `python bench/sandbox.py [--json] [--rounds N]`, measured in one run against bare execution.

Bare is fork and exec of the same file with the same streams and the same core, its CPU time by wait4. Bare and jailed
runs alternate, so that a machine whose speed drifts treats both alike; every figure is a median. Needs root and g++.
Bare forks from this Python process, which takes longer than from the small init: so "over bare" may be below zero.

    per_case_over_bare_ms_p50    wall of one more test case in an open jail, less bare's, tiny C++ program
    python_over_bare_ms_p50      the same for a Python program of one line
    open_jail_ms_p50             opening a jail until it can take the first case
    writes_500k_ratio            CPU time of 500,000 writes of 7 bytes, jailed over bare
    profile_writes_500k_ratio    the same under the meter
    cpu_bound_ratio              CPU time of programs that only compute, jailed over bare, median of the programs
    cpu_time_error_pct           the largest of their differences, in per cent
    spread_bare_pct              (p95 - p5) / median of bare's own CPU time, the largest of them: the noise
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sandbox.jail import OpenJail
from sandbox.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder

PROGRAMS = Path(__file__).parent / "programs"
WORK_ROOT = Path("/var/lib/tally/bench")
LIMITS = Limits(cpu_time_ms=20_000, wall_time_ms=60_000, memory_bytes=256 * MIB, output_bytes=64 * MIB)
PYTHON = ("/usr/bin/python3", "-I")
Pair = tuple[float, float]  # (bare, jailed), in seconds


class Bench:
    """Runs a program bare and jailed, in turn, on one core."""

    def __init__(self, jail: OpenJail, folder: Path, cpu: int) -> None:
        self._jail = jail
        self._folder = folder
        self._cpu = cpu

    def pair(self, argv: tuple[str, ...]) -> tuple[Pair, Pair]:
        """Wall times and CPU times of one bare and one jailed run."""
        bare_wall, bare_cpu = self._bare(argv)
        began = time.perf_counter()
        outcome = self._jail.run(self._command(argv), LIMITS)
        jailed_wall = time.perf_counter() - began
        return (bare_wall, jailed_wall), (bare_cpu, outcome.usage.cpu_time_us / 1e6)

    def repeat(self, argv: tuple[str, ...], rounds: int) -> list[tuple[Pair, Pair]]:
        """So many pairs."""
        return [self.pair(argv) for _ in range(rounds)]

    def profiled_cpu(self, argv: tuple[str, ...]) -> float:
        """CPU time of a run under the meter."""
        outcome, _ = self._jail.profile(self._command(argv), LIMITS)
        return outcome.usage.cpu_time_us / 1e6

    def _command(self, argv: tuple[str, ...]) -> Command:
        (self._folder / "out").unlink(missing_ok=True)
        inside = tuple(part.replace(str(self._folder), "/program") for part in argv)
        return Command(argv=inside, stdout=self._folder / "out")

    def _bare(self, argv: tuple[str, ...]) -> Pair:
        (self._folder / "out").unlink(missing_ok=True)
        began = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os.sched_setaffinity(0, {self._cpu})
            null = os.open(os.devnull, os.O_RDWR)
            out = os.open(self._folder / "out", os.O_WRONLY | os.O_CREAT)
            for source, target in ((null, 0), (out, 1), (null, 2)):
                os.dup2(source, target)
            os.execve(argv[0], argv, {"PATH": "/usr/bin:/bin"})  # noqa: S606 - without a shell, on purpose
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            raise SystemExit(f"{argv[0]} failed bare: {status}")
        return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def build(folder: Path) -> None:
    """Compile the C++ programs and copy the Python ones."""
    for source in PROGRAMS.glob("*.cpp"):
        subprocess.run(["g++", "-O2", "-o", folder / source.stem, source], check=True)
    for source in PROGRAMS.glob("*.py"):
        (folder / source.name).write_bytes(source.read_bytes())
    folder.chmod(0o755)


def over_ms(pairs: list[Pair]) -> float:
    """Median of the jailed figures less median of the bare ones, in milliseconds."""
    bare = statistics.median(bare for bare, _ in pairs)
    jailed = statistics.median(jailed for _, jailed in pairs)
    return (jailed - bare) * 1_000


def ratio(pairs: list[Pair]) -> float:
    """Median of the ratios, pair by pair."""
    return float(statistics.median(jailed / bare for bare, jailed in pairs))


def spread_pct(values: list[float]) -> float:
    """(p95 - p5) / median, in per cent."""
    cuts = statistics.quantiles(values, n=20)
    return float(100 * (cuts[-1] - cuts[0]) / statistics.median(values))


def open_jail_ms(sandbox: NsjailSandbox, spec: JailSpec, rounds: int) -> float:
    """Median time to open a jail; closing it is not in it."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        with sandbox.open_jail(spec):
            times.append(time.perf_counter() - began)
    return statistics.median(times) * 1_000


def measure(rounds: int) -> dict[str, float]:
    """All figures. Short programs are run ten times as often as long ones."""
    cpu = max(os.sched_getaffinity(0))
    sandbox = NsjailSandbox(WORK_ROOT)
    with fresh_folder(WORK_ROOT, "bench-") as folder:
        build(folder)
        spec = JailSpec(mounts=(Mount(source=folder, target="/program"),), cpu=cpu)
        figures = {"open_jail_ms_p50": open_jail_ms(sandbox, spec, rounds)}
        with sandbox.open_jail(spec) as jail:
            bench = Bench(jail, folder, cpu)
            figures |= _measure_cases(bench, folder, rounds)
    return figures


def _measure_cases(bench: Bench, folder: Path, rounds: int) -> dict[str, float]:
    tiny, python = (str(folder / "tiny"),), (*PYTHON, "-c", "print(3)")
    writes = (str(folder / "writes"),)
    spins = [(str(folder / "spin"),), (*PYTHON, str(folder / "spin.py"))]
    bench.repeat(tiny, 3)  # warm
    bound = [[cpu for _, cpu in bench.repeat(argv, rounds)] for argv in spins]
    unbuffered = [(bench.pair(writes)[1], bench.profiled_cpu(writes)) for _ in range(rounds)]
    return {
        "per_case_over_bare_ms_p50": over_ms([wall for wall, _ in bench.repeat(tiny, 10 * rounds)]),
        "python_over_bare_ms_p50": over_ms([wall for wall, _ in bench.repeat(python, 5 * rounds)]),
        "writes_500k_ratio": ratio([cpu for cpu, _ in unbuffered]),
        "profile_writes_500k_ratio": ratio([(cpu[0], profiled) for cpu, profiled in unbuffered]),
        "cpu_bound_ratio": statistics.median(ratio(pairs) for pairs in bound),
        "cpu_time_error_pct": max(abs(ratio(pairs) - 1) * 100 for pairs in bound),
        "spread_bare_pct": max(spread_pct([bare for bare, _ in pairs]) for pairs in bound),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    figures = {name: round(value, 3) for name, value in measure(options.rounds).items()}
    machine = f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}, load {load:.1f} at the start"
    if options.json:
        print(json.dumps({"machine": machine, "rounds": options.rounds, **figures}, indent=2))
        return
    print(machine)
    for name, value in figures.items():
        print(f"{name:28} {value:10.3f}")


if __name__ == "__main__":
    main()
