"""Everything that the result page of one submission shows, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.languages import LANGUAGES
from judge.grading.measures import Measure, Place, measures_at
from judge.grading.reruns.buffered import suggests
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, RejudgedSubmission, RerunKind, Status, Submission, TestCaseResult
from problems.models import ProblemVersion
from web import access
from web.presentation.charts import TimeScale, time_scale
from web.presentation.measures import measures_of
from web.presentation.result.cases import BriefCase, CaseView, Reader, brief_case, case_view
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.line_costs import LineCostsView, beside_source
from web.presentation.result.points import GroupView, ScoreView, Section, group_views, score_view, sections
from web.presentation.result.sentences import Waiting, examination_waiting, overhead_of, waiting_for
from web.presentation.result.stages import Journey, journey_of
from web.presentation.result.totals import Totals, totals_of
from web.presentation.rounding import Rounding
from web.presentation.visibility import Visibility
from web.presentation.visible import visible_text

_SAID_BY_THE_VERDICT = frozenset({"compile", "judge-error"})
_SUMMARY, _POINTS = "summary", "points"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One submission for one reader. `waiting` is None when it is done; `is_live` says that news may still come.

    `lead` is the sentence below the verdict, `points` the one about points before it, `findings` are what there is to
    say beyond. `hidden` counts the judged cases that are in no section, since the problem shows their totals only.
    """

    submission: Submission
    version: ProblemVersion
    language: str
    is_compiled: bool  # False: its source was checked only
    is_staff: bool
    visibility: Visibility
    waiting: Waiting | None
    verdict: Verdict | None
    lead: SafeString
    points: SafeString
    score: ScoreView | None
    findings: list[FindingView]
    cases: list[CaseView | BriefCase]
    groups: list[GroupView]
    sections: list[Section]
    hidden: int
    totals: Totals | None
    scale: TimeScale
    compile_message: SafeString
    judge_message: SafeString
    line_costs: LineCostsView | None  # of the case whose writes are shown beside the source
    suggested: CaseView | None  # the case that its findings suggest to try with its output buffered
    examining: Mapping[str, str]  # by judge.models.Examination, of those that are open: what they wait for
    overhead: str  # what the worker adds to each run, in words
    of_hidden: Rounding  # how the numbers of secret cases are seen
    journey: Journey | None  # where the time until the verdict went
    judged_again: list[RejudgedSubmission]  # each time that a rejudge was applied, the first one first
    is_preview: bool = False  # of a rejudge that is not applied: nothing can be asked for

    @property
    def is_live(self) -> bool:
        """Whether news may still come: the submission is unfinished, or one of its cases runs again."""
        return self.waiting is not None or bool(self.examining)

    @property
    def cases_to_come(self) -> range:
        """The numbers of the cases that are not judged yet, while it is judged."""
        total = self.submission.test_case_count or 0
        return range(self.judged + 1, total + 1) if self.waiting else range(0)

    @property
    def judged(self) -> int:
        """The number of judged cases, whether this reader sees them or not."""
        return len(self.cases) + self.hidden

    @property
    def measured(self) -> list[CaseView]:
        """The cases of which this reader sees the numbers."""
        return _measured(self.cases)

    @property
    def table_measures(self) -> tuple[Measure, ...]:
        """The columns of the table of all cases."""
        return measures_at(Place.CASES)

    @property
    def is_over_time(self) -> bool:
        """Return whether a case used more CPU time than the limit."""
        return self.totals is not None and self.totals.cpu_us > self.version.time_limit_ms * 1_000

    @property
    def can_profile(self) -> bool:
        """Return whether asking for the profile of a case makes sense: it is done, and its calls could be counted."""
        return self.waiting is None and not self.submission.meter_problem and not self.is_preview

    @property
    def can_try_buffered(self) -> bool:
        """Return whether a case may be tried with its output buffered: the program need not flush to get an answer."""
        version = self.version
        is_done = self.waiting is None and not self.is_preview
        return is_done and not version.is_interactive and version.most_passes <= 1

    @property
    def proof(self) -> CaseView | None:
        """The suggested case where something came of trying it, or where that may be asked for."""
        case = self.suggested
        has_news = case is not None and (case.buffered or case.asked[RerunKind.BUFFERED].state)
        return case if has_news or self.can_try_buffered else None

    @property
    def can_run_once_more(self) -> bool:
        """Whether a case can have line costs and a timeline: it is one run of the program."""
        return self.waiting is None and not self.is_preview and self.version.most_passes <= 1

    @property
    def numbers_to_open(self) -> set[int]:
        """The numbers of the cases that stand open at first: the first that failed, the first stopped and profiled."""
        failed = [case for case in self.cases if case.verdict is not Verdict.AC] if self.verdict else []
        profiled = [case for case in failed if isinstance(case, CaseView) and case.profile and case.measures.is_stopped]
        return {case.number for case in (*failed[:1], *profiled[:1])}

    @property
    def has_hidden_rounding(self) -> bool:
        """Return whether some numbers on the page are rounded for this reader."""
        return not self.of_hidden.is_exact and any(not case.is_sample for case in self.measured)


def report(
    submission: Submission,
    user: AbstractBaseUser | AnonymousUser,
    refusals: Mapping[tuple[int, str], str] | None = None,
    results: list[TestCaseResult] | None = None,
) -> Report:
    """Return the report on a submission whose reader has been checked.

    `refusals`: of what was asked for just now, by position and examination. `results` are not saved: of a preview.
    """
    visibility, is_preview = access.sight_of(user, submission.problem), results is not None
    reader = Reader(is_staff=visibility.sees_all, refusals=refusals or {}, requests=_requests(submission))
    seen = _seen(submission, _results(submission) if results is None else results, visibility, reader)
    verdict = Verdict(submission.verdict) if submission.is_done and submission.verdict else None
    said = _said(verdict, seen.findings)
    return Report(
        submission=submission,
        version=submission.problem_version,
        language=language_name(submission.language),
        is_compiled=_is_compiled(submission),
        is_staff=reader.is_staff,
        visibility=visibility,
        waiting=None if submission.is_done else waiting_for(submission, len(seen.results)),
        verdict=verdict,
        lead=said.lead,
        points=said.points,
        score=score_view(submission),
        findings=said.rest,
        cases=seen.cases,
        groups=seen.groups,
        sections=sections(seen.groups, seen.cases),
        hidden=len(seen.results) - len(seen.cases),
        totals=totals_of(seen.results, visibility, submission.problem_version, is_done=submission.is_done),
        scale=seen.scale,
        compile_message=visible_text(submission.compile_message),
        judge_message=visible_text(submission.judge_message if reader.is_staff else ""),
        line_costs=beside_source(case.line_costs for case in seen.measured),
        suggested=_suggested(seen),
        examining={each: examination_waiting(submission, each) for each in seen.examined},
        overhead=overhead_of(submission),
        of_hidden=visibility.rounding_of_hidden(submission.problem_version),
        journey=_journey(submission, visibility) if verdict and not is_preview else None,
        judged_again=[] if is_preview else list(submission.rejudged.applied()),
        is_preview=is_preview,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """The test cases and texts of a submission that one reader may see."""

    results: list[TestCaseResult]  # all that count, also those that this reader may not see
    cases: list[CaseView | BriefCase]
    scale: TimeScale
    groups: list[GroupView]
    news: list[dict[str, Any]]  # the findings as they are stored
    findings: list[FindingView]

    @property
    def measured(self) -> list[CaseView]:
        """The cases of which this reader sees the numbers."""
        return _measured(self.cases)

    @property
    def examined(self) -> list[RerunKind]:
        """For what cases are run once more just now."""
        return [each for each in RerunKind if any(case.asked[each].state == "pending" for case in self.measured)]


def _measured(cases: list[CaseView | BriefCase]) -> list[CaseView]:
    return [case for case in cases if isinstance(case, CaseView)]


def _seen(submission: Submission, results: list[TestCaseResult], visibility: Visibility, reader: Reader) -> _Seen:
    version = submission.problem_version
    measured = [result for result in results if visibility.sees_numbers(result)]
    limit_us = version.time_limit_ms * 1_000
    shown = {result.name: visibility.rounding_of(result, version) for result in results}
    scale = time_scale((measures_of(result, shown[result.name]).times for result in measured), limit_us)
    news = [finding for finding in _news(submission) if visibility.sees_finding(finding, results)]
    counts_verdicts = submission.is_done or visibility.sees_all_verdicts()
    return _Seen(
        results=results,
        cases=[
            case_view(result, scale, version, reader, shown[result.name])
            if visibility.sees_numbers(result)
            else brief_case(result)
            for result in results
            if visibility.sees_verdict(result)
        ],
        scale=scale,
        groups=group_views(submission, version, results, counts_verdicts=counts_verdicts),
        news=news,
        findings=finding_views(news, shown, visibility.rounding_of_hidden(version), LANGUAGES.get(submission.language)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Said:
    """The texts below the verdict, about the points before it, and beyond both."""

    lead: SafeString
    points: SafeString
    rest: list[FindingView]


def _said(verdict: Verdict | None, findings: list[FindingView]) -> _Said:
    """Return what the page says. The lead is the summary; without one, the verdict's meaning unless points say more."""
    html = {finding.code: finding.html for finding in findings}
    lead = html.get(_SUMMARY, SafeString())
    if not lead and verdict is not None and not (verdict is Verdict.AC and _POINTS in html):
        lead = visible_text(_(verdict.record.sentence))
    return _Said(
        lead=lead,
        points=html.get(_POINTS, SafeString()),
        rest=[finding for finding in findings if finding.code not in (_SUMMARY, _POINTS)],
    )


def _journey(submission: Submission, visibility: Visibility) -> Journey | None:
    shown = visibility.rounding_of_hidden(submission.problem_version)
    return journey_of(
        submission.stages, shown, is_restricted=visibility.is_restricted, is_compiled=_is_compiled(submission)
    )


def _is_compiled(submission: Submission) -> bool:
    language = LANGUAGES.get(submission.language)
    return language is None or language.is_compiled


def _suggested(seen: _Seen) -> CaseView | None:
    """Return the case that a finding suggests to try, if this reader sees its numbers."""
    suggestions = [each["evidence"].get("test_case") for each in seen.news if suggests(each["code"], each["evidence"])]
    return next((case for case in seen.measured if case.name in suggestions[:1]), None)


def _results(submission: Submission) -> list[TestCaseResult]:
    """Return the results that count: of the current attempt, none while it waits to be tried again."""
    if submission.status == Status.QUEUED:
        return []
    return list(submission.results.filter(attempt=submission.attempt).order_by("position"))


def _requests(submission: Submission) -> dict[int, list[CaseRerun]]:
    """Return what was asked for about its cases, by their ids. To be read before the cases."""
    requests: dict[int, list[CaseRerun]] = {}
    for request in CaseRerun.objects.filter(result__submission=submission):
        requests.setdefault(request.result_id, []).append(request)
    return requests


def language_name(language_id: str) -> str:
    """Return a language's name for people; its id if this version does not have it."""
    return LANGUAGES[language_id].name if language_id in LANGUAGES else language_id


def _news(submission: Submission) -> list[dict[str, Any]]:
    """Return the findings that say more than the verdict above them."""
    return [finding for finding in submission.explanation if finding["code"] not in _SAID_BY_THE_VERDICT]
