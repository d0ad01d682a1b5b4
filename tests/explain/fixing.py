"""Try the fixes on the programs that suffer from a cause, and run what comes of it on an input that it has not seen."""

import os
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.events import CaseJudged, FixedRun, GradingJob, ProfilePolicy, RerunEnded
from judge.grading.reruns.fix import rerun_fixed
from judge.grading.submission.grading import grade
from problems.package import Package, ProblemLimits
from sandbox.types import MIB, Sandbox
from tests.explain.corpus import FOLDER, LABELLED
from tests.explain.problems import package_of
from tests.extent import RUNS_ALL

CAUSES = frozenset({"flush-per-line", "unbuffered-stderr", "tiny-reads"})  # of labels.toml, that a fix answers
REPORT = FOLDER / "FIXES.md"
_UNSEEN = 777  # numbers of the input that no trial has seen
_PATIENT_MS = 10_000
_HEAD = """# Fixes of labelled programs

Written by `make test-explain`. Of {tried} programs that suffer from a known cause, {produced} got a fix ({share} %),
and {accepted} of these would be accepted. On an input that the trial had not seen, every changed program wrote the same
as the original, byte for byte. Times are those of one machine.

| program | fixes | CPU time | write calls | verdict |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Suffering:
    """A program that suffers from a cause. `found`: the findings that the trial is told of."""

    file: str
    folder: Path
    problem: str
    n: int
    limit_ms: int
    output_mib: int
    found: tuple[str, ...]
    source: bytes

    @property
    def language(self) -> str:
        """The id of its language."""
        return self.file.split("/")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """What came of one program. `is_same`: the changed one wrote the same on an unseen input; True without a fix."""

    program: Suffering
    came: RerunEnded[FixedRun]
    is_same: bool


def _suffering() -> tuple[Suffering, ...]:
    programs = [
        Suffering(
            file=each.file,
            folder=Path("programs"),
            problem=each.problem,
            n=each.n,
            limit_ms=each.limit_ms,
            output_mib=each.output_mib,
            found=each.expect,
            source=each.source,
        )
        for each in LABELLED
        if CAUSES & set(each.expect)
    ]
    folder = Path("fixable")
    for entry in tomllib.loads((FOLDER / "fixable.toml").read_text("utf-8"))["program"]:
        columns = {name: entry[name] for name in ("file", "problem", "n", "limit_ms")}
        source = (FOLDER / folder / entry["file"]).read_bytes()
        found = tuple(entry["found"])
        programs.append(Suffering(**columns, folder=folder, output_mib=16, found=found, source=source))
    return tuple(programs)


def _share(programs: Sequence[Suffering]) -> tuple[Suffering, ...]:
    """Of each language the first program."""
    first = {program.language: program for program in reversed(programs)}
    return tuple(program for program in programs if program in first.values())


SUFFERING = _suffering()
CHOSEN_TO_FIX = SUFFERING if RUNS_ALL else _share(SUFFERING)


def fix_all(sandbox: Sandbox, work_root: Path, folder: Path) -> list[Tried]:
    """Try the fixes on the chosen programs, two at a time on a core each."""
    cpus = sorted(os.sched_getaffinity(0))[:2]

    def work(programs: Sequence[Suffering], cpu: int) -> list[Tried]:
        return [_fix(program, sandbox, work_root, folder, cpu) for program in programs]

    hands = [CHOSEN_TO_FIX[i :: len(cpus)] for i in range(len(cpus))]
    with ThreadPoolExecutor(len(cpus)) as pool:
        done = [tried for part in pool.map(work, hands, cpus) for tried in part]
    return sorted(done, key=lambda tried: SUFFERING.index(tried.program))


def _fix(program: Suffering, sandbox: Sandbox, work_root: Path, folder: Path, cpu: int) -> Tried:
    limits = ProblemLimits(
        time_limit_ms=program.limit_ms, memory_bytes=256 * MIB, output_bytes=program.output_mib * MIB
    )
    package = package_of(program.problem, program.n, folder / program.folder / program.file, limits)
    job = GradingJob(
        package=package,
        language=program.language,
        source=program.source,
        cpu=cpu,
        judged_cases=tuple(case.name for case in package.test_cases),
        found=program.found,
    )
    came = rerun_fixed(job, "secret/1", sandbox, work_root)
    if came.result is None:
        return Tried(program=program, came=came, is_same=True)
    patient = ProblemLimits(time_limit_ms=_PATIENT_MS, memory_bytes=256 * MIB, output_bytes=MIB)
    unseen = package_of(program.problem, _UNSEEN, folder / "unseen" / program.folder / program.file, patient)
    written = [
        _written(program, source, unseen, (sandbox, work_root, cpu))
        for source in (program.source, came.result.source.encode())
    ]
    return Tried(program=program, came=came, is_same=written[0] == written[1])


def _written(
    program: Suffering, source: bytes, package: Package, where: tuple[Sandbox, Path, int]
) -> list[tuple[str, bytes, int | None]]:
    """Return what the program wrote to stdout on each case, with its verdict and its exit code."""
    sandbox, work_root, cpu = where
    cases = tuple(replace(case, is_sample=True) for case in package.test_cases)  # of a sample the output is kept
    job = GradingJob(
        package=replace(package, test_cases=cases),
        language=program.language,
        source=source,
        cpu=cpu,
        profile=ProfilePolicy.NONE,
        excerpt_bytes=MIB,
    )
    judged = [event for event in grade(job, sandbox, work_root) if isinstance(event, CaseJudged)]
    assert judged
    assert all(event.stdout_bytes == len(event.output) for event in judged)
    return [(event.verdict.value, event.output, event.exit_code) for event in judged]


def produced_share(tried: Sequence[Tried]) -> float:
    """Return the share of the programs that got a fix."""
    return sum(each.came.result is not None for each in tried) / len(tried)


def write_report(tried: Sequence[Tried]) -> None:
    """Write the report of all programs."""
    fixes = [each.came.result for each in tried if each.came.result is not None]
    head = _HEAD.format(
        tried=len(tried),
        produced=len(fixes),
        share=round(100 * produced_share(tried)),
        accepted=sum(fix.verdict == "AC" for fix in fixes),
    )
    REPORT.write_text(head + "".join(_row(each) for each in tried), "utf-8")


def _row(tried: Tried) -> str:
    name = f"[{tried.program.file}]({tried.program.folder}/{tried.program.file})"
    fix = tried.came.result
    if fix is None:
        return f"| {name} | none: {tried.came.problem} | | | |\n"
    times = [run.usage.cpu_time_us / 1e6 for run in (fix.plain, fix.fixed)]
    calls = [run.io.write_calls for run in (fix.plain, fix.fixed)]
    took = f"{'' if fix.is_whole else 'over '}{times[0]:.2f} -> {times[1]:.2f} s"
    codes = ", ".join(fix.codes)
    return (
        f"| {name} | {codes} | {took} | {calls[0]:,} -> {calls[1]:,} | {fix.plain.verdict} -> {fix.verdict or '?'} |\n"
    )
