"""CPU time by line against exact counts: `python -m bench.line_times [--json] [--only NAME]`; writes a report.

Needs root, g++, rustc and valgrind; takes about fifteen minutes. Each of the programs of `timed/` is sampled as Tally
samples a case, in turns with plain runs: three times, and up to eight times until there are 1,500 samples, because a
share of 90 % of 300 samples is only sure to 3.4 points. The same executable is run by callgrind, which counts the
instructions of each line and estimates cycles by simulated caches and branches; of a Python program a tracer counts the
bytecode instructions, with a smaller input. Shares are of all that is told to a line. The counts do not depend on the
sampler: `--keep-counts` takes them from the last report, which was made by the same compilers, and needs two minutes.

    programs        by name: the line with the highest count, both shares of it, the difference in points, and whether
                    it is the line with the most samples; `unattributed`: share of samples without a line;
                    `cycles_percent`: the line's share of the estimated cycles (C++, Rust)
    same_hottest, within_5_points, programs_in_all
    cost            CPU time of sampled runs over that of plain runs: median of the programs' medians, by language
"""

import argparse
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench import machine, reporting
from bench.timed.callgrind import LineCounts, count_lines
from bench.timed.programs import CASE, LANGUAGES, TIMED, WORK_ROOT, package_in, timed_programs
from judge.grading.compiling.compilation import Compiler
from judge.grading.events import GradingJob, LineTimes
from judge.grading.languages import PROGRAM_FOLDER, language_by_id
from judge.grading.reading.binaries.addresses import lines_of
from judge.grading.reruns.again import run_as_judged
from judge.grading.reruns.line_times import measure_line_times
from judge.grading.running.cases import open_program
from judge.grading.submission.grading import compile_job
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.workdir import fresh_folder

TRACED_NUMBER = 150_000  # what Python programs read when they are traced, in place of NUMBER
ROUNDS, MOST_ROUNDS, ENOUGH_SAMPLES = 3, 8, 1_500
POINTS = 5.0


class Bench:
    """One program: its samples and its counts."""

    def __init__(self, path: Path, package: Package, sandbox: NsjailSandbox) -> None:
        self._path = path
        self._sandbox = sandbox
        self._language = path.parent.name
        self._job = GradingJob(
            package=package, language=self._language, source=path.read_bytes(), cpu=0, judged_wall_us=500_000
        )

    def measure(self, counted_before: dict[str, Any] | None) -> dict[str, Any]:
        """Everything that the report says of it; with an earlier row, its counts are taken from there."""
        sampled: list[LineTimes] = []
        plain_us: list[int] = []
        while len(sampled) < ROUNDS or (
            len(sampled) < MOST_ROUNDS and sum(times.samples for times in sampled) < ENOUGH_SAMPLES
        ):
            plain_us.append(self._plain_us())
            found = measure_line_times(self._job, CASE, self._sandbox, WORK_ROOT)
            if found.result is None:
                raise SystemExit(f"{self._path.name}: {found.problem}")
            sampled.append(found.result)
        own = sum((Counter({time.line: time.own for time in times.lines}) for times in sampled), Counter[int]())
        counted = counted_before or _counted(self._count())
        return _compared(own, counted) | _costs(sampled, plain_us)

    def _plain_us(self) -> int:
        with fresh_folder(WORK_ROOT, "timed-") as folder:
            compiler = Compiler(sandbox=self._sandbox, work_root=WORK_ROOT, cpu=0)
            executable = compile_job(self._job, compiler, folder, with_lines=True).executable
            assert executable is not None
            with open_program(self._job, executable, self._sandbox, folder) as program:
                case = self._job.package.test_cases[0]
                return run_as_judged(self._job, case, program, self._sandbox, WORK_ROOT).usage.cpu_time_us

    def _count(self) -> LineCounts:
        with fresh_folder(WORK_ROOT, "timed-") as folder:
            if self._language == "python":
                return LineCounts(self._traced(), Counter())
            compiler = Compiler(sandbox=self._sandbox, work_root=WORK_ROOT, cpu=0)
            executable = compile_job(self._job, compiler, folder, with_lines=True).executable
            assert executable is not None
            source = f"{PROGRAM_FOLDER}/{language_by_id(self._language).source_name}"
            program = executable.started_file
            return count_lines(program, self._job.package.test_cases[0].input, folder, partial(_lines, program, source))

    def _traced(self) -> Counter[int]:
        tracer = [language_by_id("python").toolchain().path, str(TIMED / "opcodes.py"), str(self._path)]
        done = subprocess.run(tracer, input=f"{TRACED_NUMBER}\n", text=True, capture_output=True, check=True)
        counts = json.loads(done.stdout.splitlines()[-1])
        return Counter({int(line): count for line, count in counts.items()})


def _lines(program: Path, source: str, addresses: Iterable[int]) -> dict[int, int]:
    """Return the line of each address: for inlined calls the innermost in the file."""
    return {address: lines[0] for address, lines in lines_of(addresses, str(program), source).items()}


def _counted(counts: LineCounts) -> dict[str, Any]:
    counted = counts.instructions
    line = max(counted, key=lambda line: counted[line])
    cycles = {"cycles_percent": round(100 * counts.cycles[line] / counts.cycles.total(), 1)} if counts.cycles else {}
    return {"line": line, "counted_percent": round(100 * counted[line] / counted.total(), 1), **cycles}


def _compared(own: Counter[int], counted: dict[str, Any]) -> dict[str, Any]:
    line = counted["line"]
    share = 100 * own[line] / max(1, own.total())
    hottest = max(own, key=lambda line: own[line], default=0)
    return {
        **{name: counted[name] for name in ("line", "counted_percent", "cycles_percent") if name in counted},
        "sampled_percent": round(share, 1),
        "difference": round(share - counted["counted_percent"], 1),
        "is_hottest": hottest == line,
        "hottest_sampled": hottest,
    }


def _costs(sampled: list[LineTimes], plain_us: list[int]) -> dict[str, Any]:
    samples = sum(times.samples for times in sampled)
    ratio = statistics.median(times.cpu_time_us for times in sampled) / statistics.median(plain_us)
    return {
        "samples": samples,
        "unattributed_percent": round(100 * sum(times.elsewhere for times in sampled) / samples, 1),
        "lost": sum(times.lost for times in sampled),
        "cost": round(ratio, 3),
    }


def _measured(only: str, counted_before: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    sandbox = NsjailSandbox(WORK_ROOT)
    with fresh_folder(WORK_ROOT, "package-") as folder:
        package = package_in(folder)
        for name, path in timed_programs(only).items():
            row = Bench(path, package, sandbox).measure(counted_before.get(name))
            print(name, json.dumps(row), file=sys.stderr, flush=True)
            yield name, row


def summary(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures over all programs."""
    of_language = {each: [row["cost"] for name, row in rows.items() if name.startswith(each)] for each in LANGUAGES}
    return {
        "programs_in_all": len(rows),
        "same_hottest": sum(row["is_hottest"] for row in rows.values()),
        "within_5_points": sum(row["is_hottest"] and abs(row["difference"]) <= POINTS for row in rows.values()),
        "cost": {each: round(statistics.median(costs), 3) for each, costs in of_language.items() if costs},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the report too")
    parser.add_argument("--only", default="", help="part of a name: measure these, and keep the others' rows")
    parser.add_argument("--keep-counts", action="store_true", help="take the counts from the last report")
    reporting.add_switches(parser, "line_times")
    options = parser.parse_args()
    began_on = reporting.begin(options)
    before = json.loads(options.report.read_text())["programs"] if options.report.exists() else {}
    measured = dict(_measured(options.only, before if options.keep_counts else {}))
    rows = {**(before if options.only else {}), **measured}
    report = {"machine": began_on, **summary(rows), "programs": rows}
    print(machine.in_words(began_on))
    print(f"{report['same_hottest']} of {len(rows)} programs: the same hottest line")
    print(f"{report['within_5_points']} of {len(rows)}: and its share within {POINTS:g} points")
    print(f"CPU time of sampled runs over plain runs: {report['cost']}")
    reporting.write(report, options)
    if options.json:
        print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
