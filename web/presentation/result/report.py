"""The result page of one submission, in sections. A section makes its parts when the page shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from judge.grading.reruns.reasons import suggests
from judge.models import CaseRerun, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from judge.submissions.growth_requests import is_slow_by_computing, keeper
from web.presentation.proof.buffered import BufferedView
from web.presentation.proof.fix import FixView, fix_view
from web.presentation.result.case import CaseView
from web.presentation.result.cases import Cases
from web.presentation.result.explanations import Explanations
from web.presentation.result.findings import FindingView
from web.presentation.result.head import Head
from web.presentation.result.reader import Asked, Reader, reader_of, shows_rerun
from web.presentation.result.source import Source


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """A rerun of a case that has shown something, is under way, has failed or may be asked for."""

    kind: RerunKind
    case: CaseView
    view: BufferedView | FixView | FindingView | None

    @property
    def asked(self) -> Asked:
        return self.case.asked[self.kind]

    @property
    def is_offered(self) -> bool:
        return any(offer.examination is self.kind for offer in self.case.offers)


@dataclass(frozen=True, kw_only=True)
class Proofs:
    """The reruns of a submission that its page shows above the cases."""

    submission: Submission
    reader: Reader
    cases: Cases
    explanations: Explanations

    @cached_property
    def buffered(self) -> Proof | None:
        """Of the case that a finding suggests to try with its output buffered."""
        if not shows_rerun(self.reader.level, RerunKind.BUFFERED):
            return None
        case = self.explanations.first_case(suggests)
        return _proof(RerunKind.BUFFERED, case, case.buffered) if case else None

    @cached_property
    def fix(self) -> Proof | None:
        """Of the case with a changed source, else the one that it is or was tried on, else one that has a remedy."""
        case = next((case for case in self.cases.measured if case.result.fix), None)
        case = case or next((case for case in self.cases.measured if case.asked[RerunKind.FIX].state), None)
        case = case or self.explanations.with_remedy
        if case is None:
            return None
        names_cases = self.reader.visibility.sees_all_verdicts()
        asked = case.asked[RerunKind.FIX]
        if asked.state == "failed" and asked.is_automatic:
            return None  # nobody has asked: that Tally can change nothing by itself says nothing about advice
        view = fix_view(self.submission, case.result, case.shown, names_cases=names_cases)
        return _proof(RerunKind.FIX, case, view)

    @cached_property
    def growth(self) -> Proof | None:
        """Of the case that keeps the growth; None where a quick program would gain nothing by it."""
        results = self.reader.results
        kept_by = None if self.reader.visibility.is_restricted else keeper(results)
        case = next((case for case in self.cases.measured if case.result is kept_by), None)
        proof = _proof(RerunKind.GROWTH, case, self.explanations.growth) if case else None
        if proof is None or proof.view or proof.asked.state or is_slow_by_computing(self.submission, results):
            return proof
        return None

    @property
    def growth_words(self) -> str:
        """What the extra runs would be made on, or were made for."""
        if self.explanations.growth:
            return _(
                "These runs came after the verdict and do not change it. They had up to ten times the time limit; "
                "their output was not checked."
            )
        if self.submission.problem_version.has_growth_generator:
            return _(
                "Tally can run this program on inputs of many sizes, made by the problem's generator, and tell how its "
                "CPU time grows with the size. The verdict does not change."
            )
        return _(
            "Tally can run this program on the test cases of all sizes, also on those that it was not judged on, and "
            "tell how its CPU time grows with the size. The verdict does not change."
        )

    def kinds_of(self, case: CaseView) -> set[RerunKind]:
        """Return which reruns of a case are shown here."""
        proofs = (proof for proof in (self.buffered, self.fix, self.growth) if proof)
        return {proof.kind for proof in proofs if proof.case.number == case.number}


def _proof(kind: RerunKind, case: CaseView, view: BufferedView | FixView | FindingView | None) -> Proof | None:
    proof = Proof(kind=kind, case=case, view=view)
    return proof if view or proof.asked.state or proof.is_offered else None


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
