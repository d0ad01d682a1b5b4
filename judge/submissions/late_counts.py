"""System calls that are counted by name after the verdict: what the findings that waited for them say.

How it works: the verdict names the cases whose calls by name its explanation needs (`Submission.awaits_counts`, by the
rule of `judge.grading.explain.explain_so_far`). The rerun that counts them reads the submission's facts again from the
rows and the package and parses the source, all before its transaction. In it the submission is locked, so that of two
cases that are counted at the same time the later one knows of the other, and the rules that waited are asked again.
What was said with the verdict stays as it is.
"""

import signal
from dataclasses import fields
from pathlib import Path

from judge.grading.case_ending import SHOWN_SIGNALS
from judge.grading.events import CaseJudged, GradingFinished, GradingJob
from judge.grading.explain import explain_anew, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.submission.conclusion import Graded, facts_of
from judge.grading.submission.grading import source_of
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, JudgedProgram, Submission, TestCaseResult
from problems.columns import clean
from sandbox.types import IoProfile, Sandbox, Usage

_USAGE, _IO = ([field.name for field in fields(kind)] for kind in (Usage, IoProfile))


def awaiting_facts(result: TestCaseResult, job: GradingJob, sandbox: Sandbox, work_root: Path) -> Facts | None:
    """Return the facts of the submission, its source parsed; None if its explanation awaits no calls of this case."""
    submission = result.submission
    if result.name not in submission.awaits_counts or result.attempt != submission.attempt:
        return None
    judged = [_as_judged(result) for result in submission.results.filter(attempt=submission.attempt)]
    source = source_of(job, sandbox, work_root)
    source.read()  # now, before any transaction
    graded = Graded(job=job, events=judged, source=source)
    facts = facts_of(graded, Verdict(submission.verdict), submission.compile_message)
    return facts.with_counts({}, frozenset(submission.awaits_counts))


def hold(request_id: int) -> Submission | None:
    """Return the submission of a rerun, locked: before the rerun, as whoever applies a rejudge does."""
    requests = CaseRerun.objects.filter(pk=request_id).values("submission")
    return Submission.objects.select_for_update(no_key=True).filter(pk__in=requests).first()


def explain(submission: Submission, result: TestCaseResult, facts: Facts) -> GradingFinished | None:
    """Write what the explanation of the locked submission is now that the case was counted, or cannot be.

    Return it as an event; None if it does not wait for this case any more.
    """
    awaited = frozenset(submission.awaits_counts)
    if result.name not in awaited or result.attempt != submission.attempt:
        return None
    counted = submission.results.filter(attempt=submission.attempt, name__in=awaited, profile__isnull=False)
    profiles = {name: profile for name, profile in counted.values_list("name", "profile") if profile}
    explanation = explain_anew(submission.explanation, facts.with_counts(profiles, awaited - {result.name}), awaited)
    event = GradingFinished(
        verdict=Verdict(submission.verdict), explanation=explanation.findings, awaits=explanation.awaits
    )
    submission.save(update_fields=note_findings(submission, event))
    return event


def note_findings(program: JudgedProgram, event: GradingFinished) -> list[str]:
    """Put the findings into the row, and which of them is the cause; the columns that it changed."""
    awaited, cause = tuple(clean(name)[:200] for name in event.awaits), main_cause(event.explanation, event.verdict)
    return program.note(explanation=event.explanation, awaits_counts=awaited, cause=cause)


def _as_judged(row: TestCaseResult) -> CaseJudged:
    """Return the event of a case as far as rules that need calls by name know it: without excerpts and messages."""
    ending = row.ending
    return CaseJudged(
        name=row.name,
        is_sample=row.is_sample,
        verdict=Verdict(row.verdict),
        usage=Usage(**{name: getattr(row, name) for name in _USAGE}),
        io=IoProfile(**{name: getattr(row, name) for name in _IO}),
        exit_code=row.exit_code,
        signal=signal.Signals[ending.signal] if ending and ending.signal in SHOWN_SIGNALS else None,
        ending=ending,
        stdout_bytes=row.stdout_bytes,
        stderr_bytes=row.stderr_bytes,
        score=row.score,
        same_as=row.same_as,
        passes=row.passes,
    )
