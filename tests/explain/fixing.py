"""Try the fixes on the programs that suffer from a cause, run what comes of it on an input that it has not seen, and
send what is said to be accepted five times.
"""

import os
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.events import CaseJudged, FixedRun, GradingJob, ProfilePolicy, RerunEnded
from judge.grading.fixes import LEFTOVER
from judge.grading.margin import Standing, standing
from judge.grading.reruns.fix import rerun_fixed
from judge.grading.reruns.reasons import TOO_SLOW
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.loading.loading import load_package
from problems.management.commands.load_library import LIBRARY
from problems.package import Package, ProblemLimits
from sandbox.types import MIB, Sandbox
from tests.explain.corpus import FOLDER, LABELLED
from tests.explain.problems import package_of
from tests.extent import RUNS_ALL

CAUSES = frozenset({"flush-per-line", "unbuffered-stderr", "tiny-reads"})  # of labels.toml, that a fix answers
REPORT = FOLDER / "FIXES.md"
_UNSEEN = 777  # numbers of the input that no trial has seen
_PATIENT_MS = 10_000
_SENT = 5  # times
_HEAD = """# Fixes of labelled programs

Written by `make test-explain`. Of {tried} programs that suffer from a known cause, {produced} got a fix ({share} %),
and {accepted} of these are said to be accepted. Each of them was sent {sent} times, and {kept} were accepted each time.
On an input that the trial had not seen, every changed program wrote the same as the original, byte for byte (without
a print that was left in: the answer). Times are those of one machine with {cores} cores, while it had a load of {load}.
The slowest of the {sent} runs that were sent took at most {scatter:.2f} times the slowest of the runs of the trial.

"accepted": the slowest of the trial's runs was within the limit with a margin; "near": too near to tell.

| program | fixes | CPU time | write calls | verdict | sent |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Suffering:
    """A program that suffers from a cause. `found`: the findings that the trial is told of.

    Its problem is one of `tests.explain.problems` of a size, or one of the library.
    """

    file: str
    folder: Path
    problem: str = ""
    n: int = 0
    limit_ms: int = 0
    output_mib: int = 16
    library: str = ""
    found: tuple[str, ...]
    source: bytes

    @property
    def language(self) -> str:
        """The id of its language."""
        return self.file.split("/")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """What came of one program. `is_same`: the changed one wrote the same on an unseen input; True without a fix.

    `sent`: what it got, and its CPU time in us on the case that decides, each time that it was sent; () if it is not
    said to be accepted.
    """

    program: Suffering
    came: RerunEnded[FixedRun]
    limit_ms: int
    is_same: bool = True
    sent: tuple[tuple[Verdict, int], ...] = ()

    @property
    def claim(self) -> str:
        """What is said of the changed program: "accepted", "near", another verdict, or "none"."""
        fix = self.came.result
        if fix is None or fix.verdict is not Verdict.AC:
            return "none" if fix is None else str(fix.verdict or "?")
        limit_us = self.limit_ms * 1_000
        stand = {standing(runs.cpu_times_us, runs.over, limit_us) for runs in fix.runs}
        return "accepted" if stand == {Standing.WITHIN} else "near"

    @property
    def is_kept(self) -> bool:
        """Whether it is accepted each time, if it is said to be."""
        return all(verdict is Verdict.AC for verdict, _time in self.sent)


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
        columns = {name: entry[name] for name in ("file", "problem", "n", "limit_ms", "library") if name in entry}
        source = (FOLDER / folder / entry["file"]).read_bytes()
        found = tuple(entry["found"])
        programs.append(Suffering(**columns, folder=folder, found=found, source=source))
    return tuple(programs)


def _share(programs: Sequence[Suffering]) -> tuple[Suffering, ...]:
    """Of each language the first program."""
    first = {program.language: program for program in reversed(programs)}
    return tuple(program for program in programs if program in first.values())


SUFFERING = _suffering()
CHOSEN_TO_FIX = SUFFERING if RUNS_ALL else _share(SUFFERING)


def fix_all(
    sandbox: Sandbox, work_root: Path, folder: Path, programs: Sequence[Suffering] = CHOSEN_TO_FIX
) -> list[Tried]:
    """Try the fixes on programs, two at a time on a core each."""
    cpus = sorted(os.sched_getaffinity(0))[:2]

    def work(hand: Sequence[Suffering], cpu: int) -> list[Tried]:
        return [_fix(program, sandbox, work_root, folder, cpu) for program in hand]

    hands = [programs[i :: len(cpus)] for i in range(len(cpus))]
    with ThreadPoolExecutor(len(cpus)) as pool:
        done = [tried for part in pool.map(work, hands, cpus) for tried in part]
    return sorted(done, key=lambda tried: SUFFERING.index(tried.program))


def _fix(program: Suffering, sandbox: Sandbox, work_root: Path, folder: Path, cpu: int) -> Tried:
    where = (sandbox, work_root, cpu)
    if program.library:
        package = load_package(LIBRARY / program.library)
    else:
        limits = ProblemLimits(
            time_limit_ms=program.limit_ms, memory_bytes=256 * MIB, output_bytes=program.output_mib * MIB
        )
        package = package_of(program.problem, program.n, folder / program.folder / program.file, limits)
    job = GradingJob(
        package=package, language=program.language, source=program.source, cpu=cpu, profile=ProfilePolicy.NONE
    )
    judged = _judged(job, where) if program.library else []
    slow = next((case.name for case in judged if case.verdict in TOO_SLOW), package.test_cases[-1].name)
    names = tuple(case.name for case in judged or package.test_cases)
    came = rerun_fixed(replace(job, judged_cases=names, found=program.found), slow, sandbox, work_root)
    tried = Tried(program=program, came=came, limit_ms=package.limits.time_limit_ms)
    if came.result is None:
        return tried
    changed = came.result.source.encode()
    if tried.claim == "accepted":
        sent = tuple(_sent(replace(job, source=changed), slow, where) for _ in range(_SENT))
        tried = replace(tried, sent=sent)
    if program.library:
        return tried
    patient = ProblemLimits(time_limit_ms=_PATIENT_MS, memory_bytes=256 * MIB, output_bytes=MIB)
    unseen = package_of(program.problem, _UNSEEN, folder / "unseen" / program.folder / program.file, patient)
    written = [_written(program, source, unseen, where) for source in (program.source, changed)]
    if LEFTOVER.code in came.result.codes:  # it is meant to write something else: the answer
        return replace(tried, is_same=all(verdict == Verdict.AC for verdict, _output, _code in written[1]))
    return replace(tried, is_same=written[0] == written[1])


def _judged(job: GradingJob, where: tuple[Sandbox, Path, int]) -> list[CaseJudged]:
    sandbox, work_root, _cpu = where
    return [event for event in grade(job, sandbox, work_root) if isinstance(event, CaseJudged)]


def _sent(job: GradingJob, slow: str, where: tuple[Sandbox, Path, int]) -> tuple[Verdict, int]:
    """Return the verdict of the changed program when it is sent, and its CPU time in us on this case."""
    judged = _judged(job, where)
    verdict = next((case.verdict for case in judged if case.verdict is not Verdict.AC), Verdict.AC)
    return verdict, next((case.usage.cpu_time_us for case in judged if case.name == slow), 0)


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


def scatter(tried: Sequence[Tried]) -> float:
    """Return how many times the slowest run of a trial the slowest one that was sent took, at most."""
    ratios = [
        max(time_us for _verdict, time_us in each.sent) / max(each.came.result.runs[0].cpu_times_us)
        for each in tried
        if each.sent and each.came.result is not None
    ]
    return max(ratios, default=1.0)


def write_report(tried: Sequence[Tried]) -> None:
    """Write the report of all programs."""
    head = _HEAD.format(
        tried=len(tried),
        produced=sum(each.came.result is not None for each in tried),
        share=round(100 * produced_share(tried)),
        accepted=sum(each.claim == "accepted" for each in tried),
        kept=sum(each.claim == "accepted" and each.is_kept for each in tried),
        sent=_SENT,
        scatter=scatter(tried),
        cores=os.cpu_count(),
        load=round(os.getloadavg()[1], 1),
    )
    REPORT.write_text(head + "".join(_row(each) for each in tried), "utf-8")


def _row(tried: Tried) -> str:
    name = f"[{tried.program.file}]({tried.program.folder}/{tried.program.file})"
    fix = tried.came.result
    if fix is None:
        return f"| {name} | none: {tried.came.problem} | | | | |\n"
    times = [run.usage.cpu_time_us / 1e6 for run in (fix.plain, fix.fixed)]
    calls = [run.io.write_calls for run in (fix.plain, fix.fixed)]
    took = f"{'' if fix.is_whole else 'over '}{times[0]:.2f} -> {times[1]:.2f} of {tried.limit_ms / 1e3:g} s"
    codes = ", ".join(fix.codes)
    accepted = sum(verdict is Verdict.AC for verdict, _time in tried.sent)
    sent = f"{accepted} of {len(tried.sent)}" if tried.sent else ""
    verdicts = f"{fix.plain.verdict} -> {tried.claim}"
    return f"| {name} | {codes} | {took} | {calls[0]:,} -> {calls[1]:,} | {verdicts} | {sent} |\n"
