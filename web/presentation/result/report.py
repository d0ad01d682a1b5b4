"""Everything that the result page of one submission shows, as plain values."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.fixes.catalogue import has_remedy
from judge.grading.languages import LANGUAGES
from judge.grading.measures import Measure, Place, measures_at
from judge.grading.reruns.reasons import suggests
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, ExplanationLevel, RejudgedSubmission, Status, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from problems.models import ProblemVersion
from web import access
from web.presentation.charts import TimeScale, time_scale
from web.presentation.measures import measures_of
from web.presentation.proof import limits
from web.presentation.proof.fix import FixView, fix_view
from web.presentation.proof.growth_panel import GrowthPanel, growth_panel, keeping_case
from web.presentation.result import lead, line_times
from web.presentation.result.cases import BriefCase, CaseView, Reader, brief_case, case_view
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.line_costs import LineCostsView, beside_source
from web.presentation.result.line_times import LineTimesView
from web.presentation.result.points import GroupView, ScoreView, Section, group_views, score_view, sections
from web.presentation.result.reruns import Asked, Requests
from web.presentation.result.sentences import Waiting, examination_waiting, expired_note, overhead_of, waiting_for
from web.presentation.result.stages import Journey, journey_of
from web.presentation.result.totals import Totals, kept_totals, totals_of
from web.presentation.rounding import Rounding
from web.presentation.visibility import Visibility
from web.presentation.visible import visible_text

Person = AbstractBaseUser | AnonymousUser
_SAID_BY_THE_VERDICT = frozenset({"compile", "judge-error"})


@dataclass(frozen=True, kw_only=True, slots=True)
class FixPanel:
    """A case with the fix that was tried on it, or is being tried, or may be asked for."""

    case: CaseView
    view: FixView | None
    asked: Asked
    is_offered: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One submission for one reader. `waiting` is None when it is done; `is_live` says that news may still come.

    `hidden` counts the judged cases that are in no section, since the problem shows their totals only.
    """

    submission: Submission
    version: ProblemVersion
    language: str
    is_compiled: bool  # False: its source was checked only
    is_staff: bool
    visibility: Visibility
    waiting: Waiting | None
    verdict: Verdict | None
    lead: lead.Lead
    score: ScoreView | None
    cases: list[CaseView | BriefCase]
    groups: list[GroupView]
    sections: list[Section]
    hidden: int
    totals: Totals | None
    scale: TimeScale
    judge_message: SafeString
    line_costs: LineCostsView | None  # of the case whose writes are shown beside the source
    line_times: LineTimesView | None  # likewise of the case whose CPU time is
    suggested: CaseView | None  # the case that its findings suggest to try with its output buffered
    fix: FixPanel | None  # of the case whose changed source is shown, or may be asked for
    growth: GrowthPanel | None  # by extra runs
    limit: str  # what the reader's instructor does not show; "": nothing
    to_count: SafeString  # which findings are still to come, and what they wait for; empty: none
    examining: Mapping[str, str]  # by kind, of those that are open: what they wait for
    overhead: str  # what the worker adds to each run, in words
    of_hidden: Rounding  # how the numbers of secret cases are seen
    journey: Journey | None  # where the time until the verdict went
    expired: str  # that the results of its cases were deleted, when and by which rule; "": they were not
    judged_again: list[RejudgedSubmission]  # each time that a rejudge was applied, the first one first
    is_preview: bool = False  # of a rejudge that is not applied: nothing can be asked for

    @property
    def is_live(self) -> bool:
        """Whether news may still come: the submission is unfinished, or one of its cases runs again."""
        return self.waiting is not None or bool(self.examining)

    @property
    def verdict_meanings(self) -> str:
        """The meaning of each verdict, as JSON: for a page that hears the verdict before it is rendered."""
        return json.dumps({verdict.value: verdict.meaning for verdict in Verdict})

    @property
    def findings(self) -> list[FindingView]:
        """What there is to say beyond the sentence below the verdict, without a growth that extra runs tell better."""
        is_measured = self.growth is not None and self.growth.view is not None
        return [finding for finding in self.lead.rest if not (is_measured and finding.code == "growth")]

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
    def proof(self) -> CaseView | None:
        """The suggested case where something came of trying it, or where that may be asked for."""
        case = self.suggested
        has_news = case is not None and (case.buffered or case.asked[RerunKind.BUFFERED].state)
        return case if has_news or self.can_try_buffered else None

    @property
    def can_try_buffered(self) -> bool:
        """Return whether the suggested case may be rerun with its output buffered."""
        case = self.suggested
        return case is not None and any(offer.examination is RerunKind.BUFFERED for offer in case.offers)

    @property
    def has_hidden_rounding(self) -> bool:
        """Return whether some numbers on the page are rounded for this reader."""
        return not self.of_hidden.is_exact and any(not case.is_sample for case in self.measured)


def report(
    submission: Submission,
    user: Person,
    requests: Sequence[CaseRerun],
    refusals: Mapping[tuple[int, str], str] | None = None,
    results: list[TestCaseResult] | None = None,
) -> Report:
    """Return the report on a submission whose reader has been checked.

    `requests`: all reruns of its cases, as read before this. `refusals`: of what was asked for just now, by position
    and examination. `results` are not saved: of a preview.
    """
    visibility, is_preview = access.sight_of(user, submission.problem), results is not None
    level = access.explained(user, submission.problem)
    possible = _possible_reruns(submission, level) if submission.is_done and not is_preview else frozenset()
    judged = _results(submission) if results is None else results
    keeping = keeping_case(submission, judged, visibility)
    asked = Requests(
        refusals=refusals or {},
        rows=_by_case(requests, level),
        possible=possible,
        growth_position=keeping.position if keeping else None,
    )
    reader = Reader(is_staff=visibility.sees_all, requests=asked, language=submission.language)
    limits.hide(judged, level)
    seen = _seen(submission, judged, visibility, reader)
    verdict = _verdict(submission)
    growth = None if is_preview else growth_panel(submission, judged, seen.cases, visibility)
    expired = "" if judged or is_preview else expired_note(submission)
    return Report(
        submission=submission,
        version=submission.problem_version,
        language=language_name(submission.language),
        is_compiled=_is_compiled(submission),
        is_staff=reader.is_staff,
        visibility=visibility,
        waiting=None if submission.is_done else waiting_for(submission, len(seen.results)),
        verdict=verdict,
        lead=_lead(submission, user, seen, level),
        score=score_view(submission),
        cases=seen.cases,
        groups=seen.groups,
        sections=sections(seen.groups, seen.cases),
        hidden=len(seen.results) - len(seen.cases),
        totals=_totals(submission, seen, visibility, is_expired=bool(expired)),
        scale=seen.scale,
        judge_message=visible_text(submission.judge_message if reader.is_staff else ""),
        line_costs=beside_source(case.line_costs for case in seen.measured),
        line_times=line_times.beside_source(case.line_times for case in seen.measured),
        suggested=_suggested(seen) if limits.shows(level, RerunKind.BUFFERED) else None,
        fix=None if is_preview else _fix(submission, seen, visibility),
        growth=growth,
        limit=_limit(submission, seen, level),
        to_count=_to_count(submission, seen) if level.reaches(ExplanationLevel.CAUSE) else SafeString(),
        examining={each: examination_waiting(submission, each) for each in seen.examined},
        overhead=overhead_of(submission),
        of_hidden=visibility.rounding_of_hidden(submission.problem_version),
        journey=_journey(submission, visibility) if verdict and not is_preview else None,
        expired=expired,
        judged_again=[] if is_preview or submission.is_untouched else list(submission.rejudged.applied()),
        is_preview=is_preview,
    )


def _lead(submission: Submission, user: Person, seen: "_Seen", level: ExplanationLevel) -> lead.Lead:
    known = lead.Seen(
        verdict=_verdict(submission),
        results=seen.results,
        cases=seen.cases,
        findings=limits.shown_findings(seen.findings, level),
        reads_source=access.reads_source(user, submission),
    )
    return lead.lead_of(submission, known)


def _totals(submission: Submission, seen: "_Seen", visibility: Visibility, *, is_expired: bool) -> Totals | None:
    if is_expired:
        return kept_totals(submission, visibility)
    return totals_of(seen.results, visibility, submission.problem_version, is_done=submission.is_done)


def _verdict(submission: Submission) -> Verdict | None:
    return Verdict(submission.verdict) if submission.is_done and submission.verdict else None


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
    measures = {result.position: measures_of(result, shown[result.name]) for result in measured}
    scale = time_scale((each.times for each in measures.values()), limit_us)
    news = [finding for finding in _news(submission) if visibility.sees_finding(finding, results)]
    counts_verdicts = submission.is_done or visibility.sees_all_verdicts()
    return _Seen(
        results=results,
        cases=[
            case_view(result, scale, version, reader, shown[result.name], measures[result.position])
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


def _possible_reruns(submission: Submission, level: ExplanationLevel) -> frozenset[RerunKind]:
    """Return what makes sense for the submission and the reader may see."""
    return frozenset(kind for kind in RerunKind if limits.shows(level, kind) and kind.serves(submission))


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


def _fix(submission: Submission, seen: _Seen, visibility: Visibility) -> FixPanel | None:
    """Return the case with a fix, else the one that it is or was tried on, else the one that a finding suggests."""
    results = {result.position: result for result in seen.results}
    found = next((case for case in seen.measured if results[case.position].fix), None)
    found = found or next((case for case in seen.measured if case.asked[RerunKind.FIX].state), None)
    found = found or _with_remedy(submission, seen)
    if found is None:
        return None
    result, is_offered = results[found.position], any(each.examination is RerunKind.FIX for each in found.offers)
    shown = visibility.rounding_of(result, submission.problem_version)
    view = fix_view(submission, result, shown, names_cases=visibility.sees_all_verdicts())
    asked = found.asked[RerunKind.FIX]
    has_something = view or asked.state or is_offered
    return FixPanel(case=found, view=view, asked=asked, is_offered=is_offered) if has_something else None


def _with_remedy(submission: Submission, seen: _Seen) -> CaseView | None:
    """Return the case of the first finding that some fix answers, if this reader sees its numbers."""
    named = [each["evidence"].get("test_case") for each in seen.news if has_remedy(submission.language, each["code"])]
    return next((case for case in seen.measured if case.name in named[:1]), None)


def _limit(submission: Submission, seen: _Seen, level: ExplanationLevel) -> str:
    """Return what to say of explanations that are not shown, where there would be some."""
    if not submission.is_done or (level is ExplanationLevel.LINE and _with_remedy(submission, seen) is None):
        return ""
    hidden = len(seen.findings) > len(limits.shown_findings(seen.findings, ExplanationLevel.NOTHING))
    return limits.sentence(level) if hidden else ""


def _to_count(submission: Submission, seen: _Seen) -> SafeString:
    """Return what the findings wait for that need calls by name of a case whose numbers this reader sees."""
    waiting = [case for case in seen.measured if case.name in submission.awaits_counts]
    if not submission.is_done or not waiting:
        return SafeString()
    counting = next((case for case in waiting if case.asked[RerunKind.PROFILE].state == "pending"), None)
    case = counting or waiting[0]
    sentence = (
        _("More findings may follow: the system calls of {case} are being counted by name in one more run.")
        if counting
        else _(
            "More findings may follow when the system calls of {case} are counted by name. Open the test case to have "
            "them counted."
        )
    )
    return format_html(sentence, case=format_html('<a href="#case-{}-more">{}</a>', case.number, case.name))


def _results(submission: Submission) -> list[TestCaseResult]:
    """Return the results that count: of the current attempt, none while it waits to be tried again."""
    if submission.status == Status.QUEUED:
        return []
    return list(submission.results.filter(attempt=submission.attempt).order_by("position"))


def _by_case(requests: Iterable[CaseRerun], level: ExplanationLevel) -> dict[int, list[CaseRerun]]:
    """Return what was asked for and may be seen, by the ids of the cases."""
    by_case: dict[int, list[CaseRerun]] = {}
    for request in requests:
        if limits.shows(level, RerunKind(request.examination)):
            by_case.setdefault(request.result_id, []).append(request)
    return by_case


def language_name(language_id: str) -> str:
    """Return a language's name for people; its id if this version does not have it."""
    return LANGUAGES[language_id].name if language_id in LANGUAGES else language_id


def _news(submission: Submission) -> list[dict[str, Any]]:
    """Return the findings that say more than the verdict above them, the cause first."""
    return [finding for finding in submission.findings if finding["code"] not in _SAID_BY_THE_VERDICT]
