"""Findings that wait for a rerun: what is said once calls are counted by name, or a rerun told what rules speak of.

How it works: the verdict names the cases whose calls by name its explanation needs (`Submission.awaits_counts`, by the
rule of `judge.grading.explain.explain_so_far`); other reruns tell evidence of their own (`RerunRecord.is_evidence`).
When such a rerun has ended, the submission's facts are read again from the rows and the package and the source is
parsed, all before its transaction. In it the submission is locked, so that of two reruns that end at the same time the
later one knows of the other, and the rules are asked with and without what it told: what their answers changed by is
written.
"""

import signal
from dataclasses import fields
from pathlib import Path

from judge.grading.case_ending import SHOWN_SIGNALS
from judge.grading.events import CaseJudged, GradingFinished, GradingJob, RerunEvidence
from judge.grading.explain import main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.submission.conclusion import Graded, facts_of
from judge.grading.submission.grading import source_of
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, JudgedProgram, Submission, TestCaseResult
from judge.reruns.explaining import Told, explained_after
from judge.reruns.kinds import RerunKind
from problems.columns import clean
from sandbox.types import IoProfile, Sandbox, Usage

_USAGE, _IO, _EVIDENCE = ([field.name for field in fields(kind)] for kind in (Usage, IoProfile, RerunEvidence))


def facts_for(
    result: TestCaseResult, kind: RerunKind, job: GradingJob, sandbox: Sandbox, work_root: Path
) -> Facts | None:
    """Return the facts of the submission, its source parsed; None if no rule speaks of what the rerun told."""
    submission = result.submission
    if result.attempt != submission.attempt or not _is_for_rules(submission, result, kind):
        return None
    judged = judged_cases(submission)
    source = source_of(job, sandbox, work_root)
    source.read()  # now, before any transaction
    graded = Graded(job=job, events=judged, source=source)
    facts = facts_of(graded, Verdict(submission.verdict), submission.compile_message)
    for name in {result.name, *submission.awaits_counts}:
        facts.read_files(name)
    return facts


def _is_for_rules(submission: Submission, result: TestCaseResult, kind: RerunKind) -> bool:
    return result.name in submission.awaits_counts if kind is RerunKind.PROFILE else kind.record.is_evidence


def hold(request_id: int) -> Submission | None:
    """Return the submission of a rerun, locked: before the rerun, as whoever applies a rejudge does."""
    requests = CaseRerun.objects.filter(pk=request_id).values("submission")
    return Submission.objects.select_for_update(no_key=True).filter(pk__in=requests).first()


def explain(submission: Submission, result: TestCaseResult, kind: RerunKind, facts: Facts) -> GradingFinished | None:
    """Write what the explanation of the locked submission is after the rerun, whose row is written.

    Return it as an event; None if no rule speaks of this case's rerun any more.
    """
    if result.attempt != submission.attempt or not _is_for_rules(submission, result, kind):
        return None
    rows = list(submission.results.filter(attempt=submission.attempt))
    told = Told(
        profiles={row.name: row.profile for row in rows if row.profile},
        reruns={row.name: RerunEvidence(**{name: getattr(row, name) for name in _EVIDENCE}) for row in rows},
        awaited=submission.awaits_counts,
    )
    explanation = explained_after(kind, result.name, submission.explanation, facts, told)
    event = GradingFinished(
        verdict=Verdict(submission.verdict), explanation=explanation.findings, awaits=explanation.awaits
    )
    submission.save(update_fields=note_findings(submission, event))
    return event


def note_findings(program: JudgedProgram, event: GradingFinished) -> list[str]:
    """Put the findings into the row, and which of them is the cause; the columns that it changed."""
    awaited, cause = tuple(clean(name)[:200] for name in event.awaits), main_cause(event.explanation, event.verdict)
    return program.note(explanation=event.explanation, awaits_counts=awaited, cause=cause)


def judged_cases(submission: Submission) -> list[CaseJudged]:
    """Return the events of the submission's cases as far as late rules know them: without excerpts and messages."""
    return [_as_judged(row) for row in submission.results.filter(attempt=submission.attempt)]


def _as_judged(row: TestCaseResult) -> CaseJudged:
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
