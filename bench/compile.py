"""What the compile step takes: `python -m bench.compile [--json] [--rounds N]`, interleaved, medians; writes a report.

Needs root, g++ and rustc, and takes about two minutes. A step is measured whole, with its jail. With --json the report
is printed too.

    steps          milliseconds of a step, by program and by what helps: nothing, header, mold, both; cache: kept before
    header_ratio   wall of small.cpp with the precompiled header over that without, everything else the same
    header_build_ms, header_bytes
    checks         CPU time of a program over that of the same compiled without a check of its divisors, by program:
                   "check" as Tally compiles, "exceptions" with -fnon-call-exceptions instead
"""

import argparse
import json
import os
import statistics
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import machine, reporting
from judge.grading.compiling import precompiled_header
from judge.grading.compiling.compilation import Compiler, compile_limits, single_file
from judge.grading.languages import CPP, RUST, Language
from judge.grading.languages.cpp import CHECK_OF_DIVISORS
from problems.package import ProblemLimits
from sandbox.nsjail import NsjailSandbox
from sandbox.workdir import fresh_folder

WORK_ROOT = Path("/var/lib/tally/bench")
PROGRAMS = Path(__file__).parent / "compiling"
LIMITS = compile_limits(ProblemLimits())
HELPS = {
    "nothing": {"header": "", "mold_flags": ()},
    "header": {"mold_flags": ()},
    "mold": {"header": ""},
    "both": {},
}
STEPS: dict[str, tuple[Language, tuple[str, ...]]] = {
    "small.cpp": (CPP, tuple(HELPS)),
    "medium.cpp": (CPP, tuple(HELPS)),
    "small.rs": (RUST, ("nothing", "mold")),
}
CHECKS = {"none": (), "check": CHECK_OF_DIVISORS, "exceptions": ("-fnon-call-exceptions",)}
CHECKED = ("divide", "vectorise", "allocate")


def forget(compiler: Compiler) -> None:
    """Drop all kept results."""
    for kept in (compiler.cache / "compiled").glob("*"):
        kept.unlink()


def step_ms(compiler: Compiler, language: Language, source: bytes) -> float:
    """Wall time of one compile step, from the sources to a program that is ready to run."""
    with fresh_folder(compiler.work_root, "grade-") as folder:
        began = time.perf_counter()
        compilation = compiler.compile(single_file(language, source), LIMITS, folder)
        took = time.perf_counter() - began
    if compilation.executable is None:
        raise SystemExit(compilation.message)
    return took * 1_000


def measure_steps(compiler: Compiler, rounds: int) -> dict[str, dict[str, float]]:
    """Medians by program and help."""
    times: dict[str, dict[str, list[float]]] = {name: {} for name in STEPS}
    for _ in range(rounds):
        for name, (language, helps) in STEPS.items():
            source = (PROGRAMS / name).read_bytes()
            for helped in helps:
                forget(compiler)
                took = step_ms(compiler, replace(language, **HELPS[helped]), source)  # type: ignore[arg-type]
                times[name].setdefault(helped, []).append(took)
            times[name].setdefault("cache", []).append(step_ms(compiler, language, source))
    return {
        name: {key: round(statistics.median(found), 1) for key, found in each.items()} for name, each in times.items()
    }


def measure_header(work_root: Path, sandbox: NsjailSandbox, cpu: int) -> dict[str, float]:
    """Build the precompiled header, as a worker does."""
    began = time.perf_counter()
    precompiled_header.build_missing(sandbox, work_root, cpu)
    took = time.perf_counter() - began
    (built,) = work_root.glob("cache/headers/*/include/bits/*.gch")
    return {"header_build_ms": round(took * 1_000), "header_bytes": built.stat().st_size}


def measure_checks(folder: Path, rounds: int, cpu: int) -> dict[str, dict[str, float]]:
    """Median of the ratios, round by round, of CPU times of bare runs."""
    compiler, flags = CPP.toolchain().path, [flag for flag in CPP.compile_flags if flag not in CHECK_OF_DIVISORS]
    for name in CHECKED:
        for check, more in CHECKS.items():
            command = [compiler, *flags, *more, "-o", folder / f"{name}.{check}", PROGRAMS / f"{name}.cpp"]
            subprocess.run([str(part) for part in command], check=True)
    times: dict[str, dict[str, list[float]]] = {name: {check: [] for check in CHECKS} for name in CHECKED}
    for number in range(rounds):
        for name in CHECKED:
            for check in list(CHECKS)[:: 1 if number % 2 else -1]:
                times[name][check].append(_cpu_s(folder / f"{name}.{check}", cpu))
    return {
        name: {
            check: round(
                statistics.median(with_it / bare for with_it, bare in zip(found, each["none"], strict=True)), 3
            )
            for check, found in each.items()
            if check != "none"
        }
        for name, each in times.items()
    }


def _cpu_s(program: Path, cpu: int) -> float:
    pid = os.fork()
    if pid == 0:
        os.sched_setaffinity(0, {cpu})
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(program, [str(program)])  # noqa: S606 - without a shell, on purpose
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit(f"{program.name} failed: {status}")
    return usage.ru_utime + usage.ru_stime


def measure(rounds: int) -> dict[str, Any]:
    """The whole report but for the machine."""
    cpu = max(os.sched_getaffinity(0))
    sandbox = NsjailSandbox(WORK_ROOT)
    with fresh_folder(WORK_ROOT, "compile-") as work_root:
        report = measure_header(work_root, sandbox, cpu)
        steps = measure_steps(Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu), rounds)
        checks = measure_checks(work_root, rounds, cpu)
    ratio = round(steps["small.cpp"]["header"] / steps["small.cpp"]["nothing"], 3)
    return {"rounds": rounds, "header_ratio": ratio, **report, "steps": steps, "checks": checks}


def main() -> None:
    """Measure, write the report, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the report instead of a table")
    parser.add_argument("--rounds", type=int, default=9)
    reporting.add_switches(parser, "compile")
    options = parser.parse_args()
    described = reporting.begin(options)
    report = {"machine": described, **measure(options.rounds)}
    reporting.write(report, options)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    print(machine.in_words(report["machine"]))
    print(f"precompiled header: {report['header_build_ms']} ms to build, {report['header_bytes']:,} bytes")
    for kind, unit in (("steps", "ms"), ("checks", "x")):
        for name, figures in report[kind].items():
            print(f"{name:12}", *(f"{key} {value:g} {unit}" for key, value in figures.items()), sep="  ")


if __name__ == "__main__":
    main()
