"""Conclude a submission from the events of its grading: verdict, points, explanation.

The verdict of a pass-fail problem is that of the first case in order that is not accepted; that of a scoring problem
comes from `judge.grading.scoring.scoring`. A package at fault gives JE, and nobody points.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from judge.grading.bounded import SourceOnce
from judge.grading.events import (
    CaseJudged,
    CaseProfiled,
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
)
from judge.grading.explain import explain_so_far
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.shapes import Shapes
from judge.grading.languages import language_by_id
from judge.grading.near_limit import worth_repeating
from judge.grading.scoring.case_order import left_out
from judge.grading.scoring.scoring import Scored, score
from judge.grading.stages import Stage
from judge.grading.verdicts import Verdict
from problems.groups.points import rules_of
from problems.package import PackageError, TestCase
from problems.translation import Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    """A grading so far, and the job's source."""

    job: GradingJob
    events: Sequence[Event]
    source: SourceOnce

    @property
    def judged(self) -> list[CaseJudged]:
        """The cases that were run."""
        return [event for event in self.events if isinstance(event, CaseJudged)]


def conclude(graded: Graded, package_problem: str) -> GradingFinished:
    """Return the last event of a grading. `package_problem`: why the package stopped it, if it did."""
    job, judged = graded.job, graded.judged
    verdict, judge_message, scored = decide(job, graded.events, package_problem)
    with job.stopwatch.timed(Stage.EXPLAIN):
        is_later = job.profile is ProfilePolicy.LATER and verdict.record.is_judged
        later = frozenset(case.name for case in judged if is_later)
        explanation = explain_so_far(_facts(graded, verdict, scored, later))
    return GradingFinished(
        verdict=verdict,
        explanation=explanation.findings,
        score=scored.score if scored else None,
        max_score=scored.max_score if scored else None,
        groups=scored.groups if scored else (),
        judge_message=judge_message,
        near_limit=worth_repeating(verdict, judged, job.package.limits.time_limit_ms),
        awaits=explanation.awaits,
        tokens=graded.source.tokens,
    )


def decide(job: GradingJob, events: Sequence[Event], package_problem: str = "") -> tuple[Verdict, str, Scored | None]:
    """Return the verdict, for JE what went wrong, and of a scoring problem the points."""
    judged = [event for event in events if isinstance(event, CaseJudged)]
    is_compiled = any(isinstance(event, CompileFinished) and event.ok for event in events)
    verdict, judge_message = _decide(judged, is_compiled, package_problem)
    if not verdict.record.is_judged:
        return verdict, judge_message, None
    try:
        rules = rules_of(job.package)
        scored = score(rules, {case.name: case for case in judged}) if rules else None
    except PackageError as error:
        return Verdict.JE, error.sentence, None
    return scored.verdict if scored else verdict, judge_message, scored


def names_to_count(graded: Graded) -> tuple[str, ...]:
    """Return the names of the cases whose calls by name the explanation needs, by the rule of `explain_so_far`."""
    judged = graded.judged
    facts = _facts(graded, _decide(judged, True, "")[0], None, frozenset(case.name for case in judged))
    with graded.job.stopwatch.timed(Stage.EXPLAIN):
        return explain_so_far(facts).awaits


def facts_of(graded: Graded, verdict: Verdict, compile_message: str) -> Facts:
    """Return what the rules that need calls by name know of a submission, before any is counted."""
    return replace(_facts(graded, verdict, None, frozenset()), compile_message=compile_message)


def _decide(judged: Sequence[CaseJudged], is_compiled: bool, package_problem: str) -> tuple[Verdict, str]:
    if package_problem:
        return Verdict.JE, package_problem
    if not is_compiled:
        return Verdict.CE, ""
    if not judged:
        return Verdict.JE, Sentence("the package has no test cases")
    for case in judged:
        if case.verdict is Verdict.JE:
            return Verdict.JE, case.judge_message
    return next((case.verdict for case in judged if case.verdict is not Verdict.AC), Verdict.AC), ""


def _facts(graded: Graded, verdict: Verdict, scored: Scored | None, later: Set[str]) -> Facts:
    job, judged = graded.job, graded.judged
    profiled = [event for event in graded.events if isinstance(event, CaseProfiled)]
    by_name = {case.name: case for case in judged}
    answered: list[TestCase] = []  # an answer is what the output is compared with; a validator may take it for a hint
    if job.package.output_validator is None and not job.package.is_interactive:
        answered = [case for case in job.package.test_cases if case.answer.is_file()]
    half_us = job.package.limits.time_limit_ms * 500
    slow = {case.name for case in judged if case.verdict is Verdict.TLE or case.usage.cpu_time_us > half_us}
    # inputs are worth a look if a case took so much time, or failed
    is_read = (slow or verdict in (Verdict.WA, Verdict.RE)) and not job.package.is_interactive
    read = [case for case in job.package.test_cases if case.input.is_file()] if is_read else []
    return Facts(
        language=language_by_id(job.language),
        source=job.source,
        limits=job.package.limits,
        verdict=verdict,
        cases=tuple(judged),
        profiles={event.name: event.result for event in profiled if event.result},
        total_cases=len(job.package.test_cases),
        is_interactive=job.package.is_interactive,
        scored=scored,
        left_out=left_out(job.package, by_name) if verdict.record.is_judged else (),
        answer_bytes={case.name: case.answer.stat().st_size for case in answered},
        input_bytes={case.name: case.input.stat().st_size for case in read},
        inputs=Shapes({case.name: case.input for case in read}),
        answers=Shapes({case.name: case.answer for case in answered if case.name in slow}),
        counts_later=later,
        file_name=job.students_file,
        compile_message=next((event.message for event in graded.events if isinstance(event, CompileFinished)), ""),
        read_code=lambda *_: graded.source.read().code,
    )
