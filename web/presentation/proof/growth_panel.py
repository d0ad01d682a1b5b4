"""The growth of a program by extra runs: what they told, or that they are made or may be asked for.

All numbers are those of secret inputs, generated or not, so whoever sees no numbers of secret cases sees none of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from judge.grading.languages import LANGUAGES
from judge.models import Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from judge.submissions.growth_requests import is_slow_by_computing, keeper, may_tell
from web.presentation.result.cases import BriefCase, CaseView
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.reruns import Asked
from web.presentation.visibility import Visibility


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowthPanel:
    """`case` keeps the result. `what`: what the runs would be made on, or were made for."""

    case: CaseView
    view: FindingView | None
    asked: Asked
    is_offered: bool
    what: str


def keeping_case(
    submission: Submission, results: Sequence[TestCaseResult], visibility: Visibility
) -> TestCaseResult | None:
    """Return the case of which this reader may ask for the growth; None if there is none."""
    if visibility.is_restricted or not may_tell(submission, results):
        return None
    return keeper(results)


def growth_panel(
    submission: Submission,
    results: Sequence[TestCaseResult],
    cases: Sequence[CaseView | BriefCase],
    visibility: Visibility,
) -> GrowthPanel | None:
    """Return the panel for a reader; None where nothing came of it and a quick program would gain nothing by it."""
    if visibility.is_restricted or (kept_by := keeper(results)) is None:
        return None
    case = next((case for case in cases if isinstance(case, CaseView) and case.position == kept_by.position), None)
    if case is None:
        return None
    view, asked = _view(submission, kept_by.growth, visibility), case.asked[RerunKind.GROWTH]
    is_offered = any(each.examination is RerunKind.GROWTH for each in case.offers)
    if not (view or asked.state or (is_offered and is_slow_by_computing(submission, results))):
        return None
    return GrowthPanel(case=case, view=view, asked=asked, is_offered=is_offered, what=_what(submission, view))


def _view(submission: Submission, found: Mapping[str, Any] | None, visibility: Visibility) -> FindingView | None:
    if found is None:
        return None
    shown, language = visibility.rounding_of_hidden(submission.problem_version), LANGUAGES.get(submission.language)
    return next(iter(finding_views([found], {}, shown, language)), None)


def _what(submission: Submission, view: FindingView | None) -> str:
    if view is not None:
        return _(
            "These runs came after the verdict and do not change it. They had the same limits; their output was not "
            "checked."
        )
    if submission.problem_version.has_growth_generator:
        return _(
            "Tally can run this program on inputs of many sizes, made by the problem's generator, and tell how its CPU "
            "time grows with the size. The verdict does not change."
        )
    return _(
        "Tally can run this program on the test cases of all sizes, also on those that it was not judged on, and tell "
        "how its CPU time grows with the size. The verdict does not change."
    )
