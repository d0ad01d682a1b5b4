"""How well the growth of a program's time is told: `python -m bench.growth [--quick]`, forty programs; writes a report.

Needs root, g++, rustc and python3, and takes about four minutes. Each program of bench/growing has a known number of
steps. It is graded as a submission is, on inputs of ten sizes: once with time for all of them, once with so little that
the largest are stopped.

    fits      by program and kind of limit: the exponent, its interval and the true one between the sizes that were
              fitted, which of `n log n` is a little over 1; null where nothing is said
    summary   by kind of limit: how many programs, of how many something is said, of how many the true exponent lies in
              the interval, and the largest distance between both
"""

import argparse
import math
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench import machine, reporting
from judge.grading.events import CaseJudged, GradingJob, ProfilePolicy
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.growth import Growth
from judge.grading.explain.rules.own_time.growing_time import fitted
from judge.grading.languages import language_by_id
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import Package, ProblemLimits, TestCase
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB

WORK_ROOT = Path("/var/lib/tally/bench")
PROGRAMS = Path(__file__).parent / "growing"
STEPS: dict[str, Callable[[float], float]] = {  # how many, of n values
    "n": lambda n: n,
    "n log n": lambda n: n * math.log(n),
    "n^1.5": lambda n: n**1.5,
    "n^2": lambda n: n**2,
    "n^3": lambda n: n**3,
}
OF = {
    **dict.fromkeys(("sum", "count", "window"), "n"),
    **dict.fromkeys(("sort", "heap", "merge"), "n log n"),
    **dict.fromkeys(("root_steps", "blocks"), "n^1.5"),
    **dict.fromkeys(("pairs", "bubble", "subsequence", "pops"), "n^2"),
    **dict.fromkeys(("triples", "floyd"), "n^3"),
}
LARGEST = {  # how many values take some tenths of a second
    "python": {"n": 1_000_000, "n log n": 200_000, "n^1.5": 30_000, "n^2": 3_000, "n^3": 200},
    "cpp": {"n": 3_000_000, "n log n": 800_000, "n^1.5": 200_000, "n^2": 16_000, "n^3": 500},
    "rust": {"n": 3_000_000, "n log n": 800_000, "n^1.5": 200_000, "n^2": 16_000, "n^3": 500},
}
SIZES = 10
ATTEMPTS = 3
SPAN = 32  # the largest over the smallest
LIMITS_MS = {"finished": 4_000, "stopped": 150}


def package_of(largest: int, folder: Path, limit_ms: int) -> Package:
    """A problem without answers: one sample of five values, and cases of these sizes."""
    sizes = [round(largest * SPAN ** (place / (SIZES - 1) - 1)) for place in range(SIZES)]
    cases = [_case(folder, "sample/1", 5), *(_case(folder, f"secret/{n:08}", n) for n in sizes)]
    limits = ProblemLimits(time_limit_ms=limit_ms, memory_bytes=512 * MIB)
    return Package(
        path=folder, short_name="growth", name="Growth", digest="0" * 64, limits=limits, test_cases=tuple(cases),
        statements=(), validator_flags=(), output_validator=None, submissions=(), is_interactive=False,
    )  # fmt: skip


def _case(folder: Path, name: str, n: int) -> TestCase:
    path = folder / f"{name.replace('/', '-')}.in"
    values = random.Random(n).choices(range(100_000, 1_000_000), k=n)  # noqa: S311 - no secret
    path.write_text(f"{n}\n" + "".join(f"{value}\n" for value in values))
    answer = path.with_suffix(".ans")
    answer.touch()
    return TestCase(name=name, input=path, answer=answer, is_sample=name.startswith("sample"))


def growth_of(program: Path, package: Package) -> Growth | None:
    """The growth as a submission's explanation would have it."""
    language = language_by_id(program.parent.name)
    job = GradingJob(
        package=package, language=language.id, source=program.read_bytes(), profile=ProfilePolicy.NONE, cpu=0,
        is_checked=False,
    )  # fmt: skip
    cases: list[CaseJudged] = []
    for _ in range(ATTEMPTS):  # a compilation that other load disturbs is no program of ours
        cases = cases or [
            event for event in grade(job, NsjailSandbox(WORK_ROOT), WORK_ROOT) if isinstance(event, CaseJudged)
        ]
    wrong = [case for case in cases if case.verdict not in (Verdict.AC, Verdict.TLE)]
    if wrong or not cases:
        raise SystemExit(f"{program}: {wrong[0].verdict if wrong else 'did not compile'}")
    facts = Facts(
        language=language,
        source=b"",
        limits=package.limits,
        verdict=cases[-1].verdict,
        cases=tuple(cases),
        profiles={},
        total_cases=len(cases),
        input_bytes={case.name: case.input.stat().st_size for case in package.test_cases},
    )
    found = fitted(facts)
    return found[1] if found else None


def told(growth: Growth | None, steps: Callable[[float], float]) -> dict[str, Any] | None:
    """The fit for the report."""
    if growth is None:
        return None
    least, most = (growth.points[place].size / 7 for place in (0, -1))  # seven bytes a value
    true = math.log(steps(most) / steps(least)) / math.log(most / least)
    return {
        "exponent": round(growth.exponent, 3),
        "low": round(growth.low, 3),
        "high": round(growth.high, 3),
        "true": round(true, 3),
        "points": len(growth.points),
        "is_inside": growth.low <= true <= growth.high,
    }


def summary_of(fits: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    """How many fits there are, and how many are right."""
    said = [fit for fit in fits if fit]
    return {
        "programs": len(fits),
        "said": len(said),
        "inside": sum(fit["is_inside"] for fit in said),
        "farthest": max((round(abs(fit["exponent"] - fit["true"]), 3) for fit in said), default=None),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one program of each kind in each language")
    reporting.add_switches(parser, "growth")
    options = parser.parse_args()
    WORK_ROOT.mkdir(parents=True, exist_ok=True)
    began_on = reporting.begin(options)
    programs = sorted(PROGRAMS.glob("*/*.*"))
    if options.quick:
        programs = [program for program in programs if program.stem in ("sum", "sort", "blocks", "pairs", "floyd")]
    fits: dict[str, dict[str, Any]] = {kind: {} for kind in LIMITS_MS}
    for program in programs:
        name, of = f"{program.parent.name}/{program.name}", OF[program.stem]
        for kind, limit_ms in LIMITS_MS.items():
            with tempfile.TemporaryDirectory() as folder:
                package = package_of(LARGEST[program.parent.name][of], Path(folder), limit_ms)
                fits[kind][name] = told(growth_of(program, package), STEPS[of])
            print(f"{name:28} {of:8} {kind:9} {fits[kind][name]}", flush=True)
    summary = {kind: summary_of(list(found.values())) for kind, found in fits.items()}
    for kind, numbers in summary.items():
        print(kind, numbers)
    reporting.write({"machine": began_on, "summary": summary, "fits": fits}, options)
    print(machine.in_words(began_on))


if __name__ == "__main__":
    main()
