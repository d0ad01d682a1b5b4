"""Our intervals against hyperfine's means: `python -m bench.hyperfine [--quick]`; writes a report.

Needs root, g++, rustc and hyperfine; takes about ten minutes. Each of the thirty programs of timed/ is compiled once.
In each round the same executable runs once in the jail, measured by Tally, and three times outside, measured by
hyperfine: on the same core, with the same input and stdout to a file. A shell opens these for hyperfine, which
subtracts the shell's own time. Both take turns, hyperfine being started anew for each run: on a machine with other
load, blocks of runs drift apart by more than their intervals. hyperfine runs more often since its mean has noise of
its own: the mean of ten runs is in the interval of ten others in 93 % of cases even where nothing differs but that
noise, if it is normal; of thirty in 96 %; if one run in seven is an outlier, in 82 % and 87 %.

Compared is what both measure: CPU time (user plus system time) and wall time from the start to the end. The jail's own
start-up is in neither. What differs: hyperfine asks wait4 for CPU time, Tally the control group; in the jail the
executable and the libraries lie in memory, and system calls pass a filter.

    programs    by name and number: hyperfine's mean and our interval of the median, in milliseconds, whether the mean
                is in it, and the ratio of ours to hyperfine's by the rule of `judge.grading.sameness`
    inside      by number: of how many programs the mean is in our interval; `medians_inside`: its median
    differ      by number: how many programs the rule calls different
"""

import argparse
import json
import shlex
import statistics
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import machine, reporting
from bench.timed.pairs import CPU, Numbers
from bench.timed.programs import WORK_ROOT, package_in, timed_programs
from judge.grading.compiling.compilation import Compiler, Executable
from judge.grading.events import GradingJob
from judge.grading.experiment.summary import estimate
from judge.grading.grading import compile_job
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.sameness import difference
from problems.package import Package, TestCase
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Ending
from sandbox.workdir import fresh_folder

ROUNDS = 10
RUNS = 3  # of hyperfine in each round
COMPARED = ("cpu_time_us", "wall_time_us")
BAR = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """One program, compiled, its jail open."""

    program: Program
    case: TestCase
    folder: Path

    def measure(self) -> tuple[Numbers, Numbers]:
        """Return our numbers and hyperfine's, run by run."""
        ours: Numbers = {name: [] for name in COMPARED}
        theirs: Numbers = {name: [] for name in COMPARED}
        for number in range(ROUNDS + 1):
            runs = [(ours, self._ours()), *((theirs, self._hyperfines()) for _ in range(RUNS))]
            for numbers, run in runs if number else ():  # the first round warms the caches
                for name in COMPARED:
                    numbers[name].append(run[name])
        return ours, theirs

    def _ours(self) -> dict[str, int]:
        outcome = self.program.jail.run(self.program.command(self.case, is_batch=True), self.program.run_limits)
        if outcome.ending is not Ending.EXITED:
            raise SystemExit(f"stopped: {outcome}")
        return {name: getattr(outcome.usage, name) for name in COMPARED}

    def _hyperfines(self) -> dict[str, int]:
        report, started = self.folder / "hyperfine.json", shlex.join(on_host(self.program.executable))
        command = [
            *("taskset", "--cpu-list", str(CPU), "hyperfine", "--shell=/bin/sh", "--runs=1", "--style=none"),
            *("--export-json", str(report), f"exec {started} < {self.case.input} > {self.folder / 'hyperfine.out'}"),
        ]
        subprocess.run(command, check=True, capture_output=True, env={"PATH": "/usr/local/bin:/usr/bin:/bin"})
        return numbers_of(json.loads(report.read_text("utf-8")))


def on_host(executable: Executable) -> list[str]:
    """The command line that starts it outside of the jail."""
    shown, there = executable.mount.target, str(executable.mount.source)
    return [there + each.removeprefix(shown) if each.startswith(f"{shown}/") else each for each in executable.argv]


def numbers_of(report: Mapping[str, Any]) -> dict[str, int]:
    """Return hyperfine's numbers of one run in microseconds; its report has seconds."""
    (result,) = report["results"]
    return {
        "cpu_time_us": round(1e6 * (result["user"] + result["system"])),
        "wall_time_us": round(1e6 * result["mean"]),
    }


def row_of(ours: Numbers, theirs: Numbers) -> dict[str, dict[str, Any]]:
    """One program for the report."""
    row = {}
    for name in COMPARED:
        own, mean, median = estimate(name, ours[name]), statistics.mean(theirs[name]), statistics.median(theirs[name])
        found = difference(name, ours[name], theirs[name])
        row[name] = {
            "hyperfine_mean_ms": round(mean / 1_000, 2),
            "hyperfine_median_ms": round(median / 1_000, 2),
            "our_median_ms": round(own.median / 1_000, 2),
            "our_interval_ms": [round(own.low / 1_000, 2), round(own.high / 1_000, 2)],
            "is_inside": own.low <= mean <= own.high,
            "is_median_inside": own.low <= median <= own.high,
            "ratio": round(found.ratio or 0, 3),
            "differs": found.is_told,
        }
    return row


def summary(rows: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The figures over all programs."""

    def how_many(key: str) -> dict[str, int]:
        return {name: sum(row[name][key] for row in rows.values()) for name in COMPARED}

    inside = how_many("is_inside")
    return {
        "programs_in_all": len(rows),
        "rounds": ROUNDS,
        "hyperfines_runs_in_a_round": RUNS,
        "inside": inside,
        "medians_inside": how_many("is_median_inside"),
        "differ": how_many("differs"),
        "ratio": {name: round(statistics.median(row[name]["ratio"] for row in rows.values()), 3) for name in COMPARED},
        "meets_bar": sum(inside.values()) >= BAR * len(COMPARED) * len(rows),
    }


def figures(report: Mapping[str, Any]) -> str:
    """The sentences of docs/explain.md."""
    number = report["programs_in_all"]
    inside, medians, differ = (
        "{cpu_time_us} and {wall_time_us}".format(**report[key]) for key in ("inside", "medians_inside", "differ")
    )
    ratios = "{cpu_time_us:.3f} and {wall_time_us:.3f}".format(**report["ratio"])
    return (
        f"In its last report, of {number} programs, hyperfine's means of CPU time and wall time were in our intervals "
        f"of the medians for {inside}, its medians for {medians}; by the rule, {differ} differed. The median ratio of "
        f"ours to hyperfine's was {ratios}, with a load of {report['machine']['load_at_start']} on "
        f"{report['machine']['cores']} cores."
    )


def _measured(*, is_quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    sandbox = NsjailSandbox(WORK_ROOT)
    with fresh_folder(WORK_ROOT, "package-") as inputs:
        package = package_in(inputs)
        for name, path in timed_programs("two_loops" if is_quick else "").items():
            with fresh_folder(WORK_ROOT, "hyperfine-") as folder:
                row = row_of(*_both(path, package, sandbox, folder))
            print(f"{name:24} {row}", flush=True)
            yield name, row


def _both(path: Path, package: Package, sandbox: NsjailSandbox, folder: Path) -> tuple[Numbers, Numbers]:
    job = GradingJob(package=package, language=path.parent.name, source=path.read_bytes(), cpu=CPU)
    executable = compile_job(job, Compiler(sandbox=sandbox, work_root=WORK_ROOT, cpu=CPU), folder).executable
    if executable is None:
        raise SystemExit(f"{path}: did not compile")
    with open_program(job, executable, sandbox, folder) as program:
        return Bench(program=program, case=package.test_cases[0], folder=folder).measure()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one program in each language")
    reporting.add_switches(parser, "hyperfine")
    options = parser.parse_args()
    WORK_ROOT.mkdir(parents=True, exist_ok=True)
    began_on = reporting.begin(options)
    rows = dict(_measured(is_quick=options.quick))
    version = subprocess.run(["hyperfine", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    report = {"machine": began_on, "tool": version, **summary(rows), "programs": rows}
    print(machine.in_words(began_on))
    print(figures(report))
    reporting.write(report, options)
    raise SystemExit(0 if report["meets_bar"] else 1)


if __name__ == "__main__":
    main()
