"""The result page of one submission, in sections. A section makes its parts when the page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from judge.models import CaseRerun, Submission, TestCaseResult
from web.presentation.result.cases import Cases
from web.presentation.result.explanations import Explanations
from web.presentation.result.head import Head
from web.presentation.result.proofs import Proofs
from web.presentation.result.reader import Reader, reader_of
from web.presentation.result.source import Source


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One submission for one reader."""

    submission: Submission
    reader: Reader
    head: Head
    cases: Cases
    explanations: Explanations
    proofs: Proofs
    source: Source

    @property
    def is_live(self) -> bool:
        """Whether news may still come: the submission is unfinished, or one of its cases runs again."""
        return self.head.waiting is not None or self.cases.is_rerun


def report(
    submission: Submission,
    user: AbstractBaseUser | AnonymousUser,
    requests: Sequence[CaseRerun],
    refusals: Mapping[tuple[int, str], str] | None = None,
    results: list[TestCaseResult] | None = None,
) -> Report:
    """Return the report on a submission whose reader has been checked.

    `requests`: all reruns of its cases, as read before this. `refusals`: of what was asked for just now, by position
    and examination. `results` are not saved: of a preview.
    """
    reader = reader_of(submission, user, requests, refusals, results)
    cases = Cases(submission=submission, reader=reader)
    explanations = Explanations(submission=submission, reader=reader, cases=cases)
    head = Head(submission=submission, reader=reader, cases=cases, explanations=explanations)
    return Report(
        submission=submission,
        reader=reader,
        head=head,
        cases=cases,
        explanations=explanations,
        proofs=Proofs(submission=submission, reader=reader, cases=cases, explanations=explanations),
        source=Source(sent=submission, head=head, cases=cases),
    )
