"""Grade the labelled programs, calls counted, and compare the findings with the labels.

A worker counts calls after the verdict. What it would have said then is made of the same runs (`_in_steps`).
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge.grading.events import (
    CaseJudged,
    CaseProfiled,
    CompileFinished,
    Event,
    Finding,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
    RerunEvidence,
)
from judge.grading.explain import OF_TIME, Explanation, explain_anew
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.rules.own_time import so_far
from judge.grading.reruns.line_times import measure_line_times
from judge.grading.reruns.reasons import worth_trying
from judge.grading.submission.conclusion import Graded as GradedSoFar, conclude, facts_of
from judge.grading.submission.grading import grade, source_of
from judge.grading.verdicts import Verdict
from judge.reruns.suggestions import NOT_COMPUTING
from problems.package import ProblemLimits
from sandbox.meter.perf import sampling_problem
from sandbox.types import MIB, Sandbox
from tests.explain.corpus import CAUSES, Lines, Program
from tests.explain.problems import package_of

STATEMENTS = OF_TIME | {"where-it-went", "growth"}  # codes that say what the time was spent on
Found = Mapping[str, tuple[int, ...]]  # causes to the lines that were pointed at


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What was said of one program."""

    program: Program
    found: Found
    statements: frozenset[str] = frozenset()  # the codes of all that was said about the time
    at_once: frozenset[str] = frozenset()  # and of what came with the verdict, before any call was counted by name
    is_too_slow: bool = False

    @property
    def right(self) -> tuple[str, ...]:
        """Expected and found."""
        return tuple(code for code in self.program.expect if code in self.found)

    @property
    def missed(self) -> tuple[str, ...]:
        """Expected and not found."""
        return tuple(code for code in self.program.expect if code not in self.found)

    @property
    def false(self) -> tuple[str, ...]:
        """Found, and not so."""
        return tuple(code for code in self.found if code not in {*self.program.expect, *self.program.may})

    @property
    def right_lines(self) -> tuple[int, ...]:
        """Lines pointed at that are the cause's."""
        return tuple(line for line, marks in self._pointed_at if line in marks.must | marks.may)

    @property
    def false_lines(self) -> tuple[int, ...]:
        """Lines pointed at that are not."""
        return tuple(line for line, marks in self._pointed_at if line not in marks.must | marks.may)

    @property
    def missed_lines(self) -> tuple[int, ...]:
        """Lines of expected causes that had to be pointed at and were not; of several to choose from the first."""
        missed: list[int] = []
        for code, marks in self._marks.items():
            if code in self.program.expect:
                named = set(self.found.get(code, ()))
                missed += sorted(marks.must - named)
                if not marks.must and not marks.may & named:
                    missed.append(min(marks.may))
        return tuple(missed)

    @property
    def demanded_lines(self) -> int:
        """How many lines had to be pointed at; of several to choose from one."""
        return sum(len(marks.must) or 1 for code, marks in self._marks.items() if code in self.program.expect)

    @property
    def _marks(self) -> dict[str, Lines]:
        return self.program.lines

    @property
    def _pointed_at(self) -> list[tuple[int, Lines]]:
        """The lines of causes that are so, each with the marks of its cause."""
        allowed = {*self.program.expect, *self.program.may}
        nothing = Lines(must=frozenset(), may=frozenset())
        return [
            (line, self._marks.get(code, nothing))
            for code, lines in self.found.items()
            if code in allowed
            for line in lines
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded(Said):
    """What was said of a program that was graded, and what was measured of its hidden test."""

    hidden: CaseJudged
    findings: tuple[Finding, ...]
    measured: tuple[Finding, ...]  # once the CPU time by line is known
    told: tuple[Event, ...]  # what a worker writes with the verdict
    counted: tuple[CaseProfiled, ...]  # and after it, of the cases whose calls the explanation waits for
    facts: Facts  # that the explanation then rests on
    first: Explanation  # what is said with the verdict, and which cases' calls are counted after it
    then: Explanation  # and when they are


def grade_all(programs: Sequence[Program], sandbox: Sandbox, work_root: Path, folder: Path) -> list[Graded]:
    """Grade them, two at a time on a core each; those that may use several cores come last and alone."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    on_one = [program for program in programs if program.cores == 1]

    def work(queue: Sequence[Program], cpu: int) -> list[Graded]:
        return [_grade(program, sandbox, work_root, folder, cpu) for program in queue]

    with ThreadPoolExecutor(len(cpus)) as pool:
        done = [graded for part in pool.map(work, _dealt(on_one, len(cpus)), cpus) for graded in part]
    done += work([program for program in programs if program.cores > 1], cpus[0])
    return sorted(done, key=lambda graded: programs.index(graded.program))


def _dealt(programs: Sequence[Program], hands: int) -> list[Sequence[Program]]:
    return [programs[i::hands] for i in range(hands)]


def _grade(program: Program, sandbox: Sandbox, work_root: Path, folder: Path, cpu: int) -> Graded:
    limits = ProblemLimits(
        time_limit_ms=program.limit_ms,
        memory_bytes=256 * MIB,
        output_bytes=program.output_mib * MIB,
        cores=program.cores,
    )
    package = package_of(program.problem, program.n, folder / program.file, limits)
    job = GradingJob(package=package, language=program.language, source=program.source, cpu=cpu)
    events = list(grade(job, sandbox, work_root))
    (hidden,) = (each for each in events if isinstance(each, CaseJudged) and not each.is_sample)
    last = events[-1]
    assert isinstance(last, GradingFinished)
    steps = _in_steps(job, events, (sandbox, work_root))
    measured = _with_line_times(job, hidden, last.explanation, steps["facts"], (sandbox, work_root))
    return Graded(
        program=program,
        found=_causes(measured),
        statements=frozenset(finding.code for finding in measured) & STATEMENTS,
        at_once=frozenset(finding.code for finding in steps["first"].findings) & (STATEMENTS | {so_far.CODE}),
        is_too_slow=hidden.verdict is Verdict.TLE,
        hidden=hidden,
        findings=last.explanation,
        measured=measured,
        **steps,
    )


def _with_line_times(
    job: GradingJob, case: CaseJudged, said: Sequence[Finding], facts: Facts, place: tuple[Sandbox, Path]
) -> tuple[Finding, ...]:
    """Return what is said once the CPU time by line is known, where a worker samples it without a request."""
    is_over = case.verdict is Verdict.TLE and case.usage.cpu_time_us > job.package.limits.time_limit_ms * 1_000
    is_explained = worth_trying(said) or any(finding.code in NOT_COMPUTING for finding in said)
    if not is_over or is_explained or sampling_problem() is not None:
        return tuple(said)
    times = measure_line_times(job, case.name, *place).result
    now = replace(facts, reruns={case.name: RerunEvidence(line_times=times)})
    return explain_anew(said, facts, now).findings


def _in_steps(job: GradingJob, events: Sequence[Event], place: tuple[Sandbox, Path]) -> dict[str, Any]:
    """Return what a worker says of these runs, before and after the passes that it asks for."""
    judged = [event for event in events if isinstance(event, CaseJudged)]
    told = [event for event in events[:-1] if not isinstance(event, CaseProfiled)]
    source, later = source_of(job, *place), replace(job, profile=ProfilePolicy.LATER)
    last = conclude(GradedSoFar(job=later, events=told, source=source), "")
    first = Explanation(findings=last.explanation, awaits=last.awaits)
    counted = [event for event in events if isinstance(event, CaseProfiled) and event.name in first.awaits]
    profiles = {event.name: event.result for event in counted if event.result}
    said = next((event.message for event in events if isinstance(event, CompileFinished)), "")
    facts = facts_of(GradedSoFar(job=job, events=judged, source=source), last.verdict, said)
    before, facts = facts.with_counts({}, frozenset(first.awaits)), facts.with_counts(profiles, frozenset())
    then = explain_anew(first.findings, before, facts) if first.awaits else first
    return {"told": (*told, last), "counted": tuple(counted), "facts": facts, "first": first, "then": then}


def _causes(findings: Sequence[Finding]) -> Found:
    return {finding.code: finding.lines for finding in findings if finding.code in CAUSES}
