"""Everything that the result page of one submission shows, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.safestring import SafeString

from judge.languages import LANGUAGES
from judge.models import CaseRequest, Examination, RejudgedSubmission, Status, Submission, TestCaseResult
from judge.rerun.whatif import suggests
from judge.verdicts import Verdict
from problems.models import ProblemVersion
from web.presentation.cases import BriefCase, CaseView, Reader, brief_case, case_view
from web.presentation.charts import TimeScale, time_scale
from web.presentation.findings import FindingView, finding_views
from web.presentation.line_costs import LineCostsView, beside_source
from web.presentation.measures import is_exact_for, measures_of
from web.presentation.points import GroupView, ScoreView, Section, group_views, score_view, sections
from web.presentation.sentences import VERDICT_SENTENCES, Waiting, examination_waiting, overhead_of, waiting_for
from web.presentation.sight import Sight, sight_of
from web.presentation.stages import Journey, journey_of
from web.presentation.units import significant
from web.presentation.visible import visible_text

_SAID_BY_THE_VERDICT = frozenset({"compile", "judge-error"})
_SUMMARY, _POINTS = "summary", "points"


@dataclass(frozen=True, kw_only=True, slots=True)
class Totals:
    """The numbers of all judged cases together: the largest time and memory, the sums of calls.

    `is_of_samples`: only of those, since the reader may not see those of all before all are judged. `accepted` is of
    all cases, None where the reader may not follow it.
    """

    is_of_samples: bool
    accepted: int | None
    judged: int
    cpu_us: int
    peak_memory_bytes: int
    read_calls: int
    write_calls: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """One submission for one reader. `waiting` is None when it is done; `is_live` says that news may still come.

    `lead` is the sentence below the verdict, `points` the one about points before it, `findings` are what there is to
    say beyond. `hidden` counts the judged cases that are in no section, since the problem shows their totals only.
    """

    submission: Submission
    version: ProblemVersion
    language: str
    is_staff: bool
    sight: Sight
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
    journey: Journey | None  # where the time until the verdict went
    judged_again: list[RejudgedSubmission]  # each time that a rejudge was applied, the first one first
    is_preview: bool = False  # of a rejudge that is not applied: nothing can be asked for

    @property
    def is_live(self) -> bool:
        """Whether the page must go on looking: the submission is unfinished, or a case of it is run once more."""
        return self.waiting is not None or bool(self.examining)

    @property
    def cases_to_come(self) -> range:
        """The numbers of the cases that are not judged yet, while it is judged."""
        total = self.submission.test_case_count or 0
        return range(self.judged + 1, total + 1) if self.waiting else range(0)

    @property
    def judged(self) -> int:
        """How many cases are judged, whether this reader sees them or not."""
        return len(self.cases) + self.hidden

    @property
    def measured(self) -> list[CaseView]:
        """The cases of which this reader sees the numbers."""
        return [case for case in self.cases if isinstance(case, CaseView)]

    @property
    def is_over_time(self) -> bool:
        """Whether a case used more CPU time than the limit."""
        return self.totals is not None and self.totals.cpu_us > self.version.time_limit_ms * 1_000

    @property
    def can_profile(self) -> bool:
        """Whether asking for the profile of a case makes sense: it is done, and its calls could be counted."""
        return self.waiting is None and not self.submission.meter_problem and not self.is_preview

    @property
    def can_try_buffered(self) -> bool:
        """Whether a case may be tried with its output buffered: the program need not flush to get an answer."""
        version = self.version
        is_done = self.waiting is None and not self.is_preview
        return is_done and not version.is_interactive and version.most_passes <= 1

    @property
    def proof(self) -> CaseView | None:
        """The suggested case where something came of trying it, or where that may be asked for."""
        case = self.suggested
        has_news = case is not None and (case.trial or case.asked[Examination.BUFFERED].state)
        return case if has_news or self.can_try_buffered else None

    @property
    def can_run_once_more(self) -> bool:
        """Whether the writes of a case can be counted by line, and it be watched: it is one run of the program."""
        return self.waiting is None and not self.is_preview and self.version.most_passes <= 1

    @property
    def numbers_to_open(self) -> set[int]:
        """The numbers of the cases that stand open at first: the first that failed, the first stopped and profiled."""
        failed = [case for case in self.cases if case.verdict is not Verdict.AC] if self.verdict else []
        profiled = [case for case in failed if isinstance(case, CaseView) and case.profile and case.measures.is_stopped]
        return {case.number for case in (*failed[:1], *profiled[:1])}

    @property
    def has_hidden_rounding(self) -> bool:
        """Whether some numbers on the page are rounded for this reader."""
        return not self.is_staff and any(not case.is_sample for case in self.measured)


def report(
    submission: Submission,
    user: AbstractBaseUser | AnonymousUser,
    refusals: Mapping[tuple[int, str], str] | None = None,
    results: list[TestCaseResult] | None = None,
) -> Report:
    """The report on a submission whose reader has been checked.

    `refusals`: of what was asked for just now, by position and examination. `results` are not saved: of a preview.
    """
    sight = sight_of(user, submission.problem)
    reader = Reader(is_staff=sight.sees_all, refusals=refusals or {}, requests=_requests(submission))
    is_preview = results is not None
    results = _results(submission) if results is None else results
    version = submission.problem_version
    shown = [result for result in results if sight.sees_verdict(result)]
    scale = time_scale(
        (measures_of(result, reader.is_staff).times for result in shown if sight.sees_numbers(result)),
        version.time_limit_ms * 1_000,
    )
    cases = [
        case_view(result, scale, version, reader) if sight.sees_numbers(result) else brief_case(result)
        for result in shown
    ]
    verdict = Verdict(submission.verdict) if submission.is_done and submission.verdict else None
    news = [finding for finding in _news(submission) if sight.sees_finding(finding, results)]
    findings = finding_views(news, _exact_cases(results, reader.is_staff))
    counts_verdicts = submission.is_done or sight.sees_all_verdicts()
    groups = group_views(submission, version, results, counts_verdicts=counts_verdicts)
    return Report(
        submission=submission,
        version=version,
        language=language_name(submission.language),
        is_staff=reader.is_staff,
        sight=sight,
        waiting=None if submission.is_done else waiting_for(submission, len(results)),
        verdict=verdict,
        lead=_lead(verdict, findings),
        points=next((finding.html for finding in findings if finding.code == _POINTS), SafeString()),
        score=score_view(submission),
        findings=[finding for finding in findings if finding.code not in (_SUMMARY, _POINTS)],
        cases=cases,
        groups=groups,
        sections=sections(groups, cases),
        hidden=len(results) - len(shown),
        totals=_totals(results, sight, is_done=submission.is_done),
        scale=scale,
        compile_message=visible_text(submission.compile_message),
        judge_message=visible_text(submission.judge_message if reader.is_staff else ""),
        line_costs=beside_source(case.line_costs for case in cases if isinstance(case, CaseView)),
        suggested=_suggested(news, cases),
        examining={each: examination_waiting(submission, each) for each in Examination if _is_open(each, cases)},
        overhead=overhead_of(submission),
        journey=_journey(submission, sight) if verdict and not is_preview else None,
        judged_again=[] if is_preview else list(submission.rejudged.applied()),
        is_preview=is_preview,
    )


def _journey(submission: Submission, sight: Sight) -> Journey | None:
    language = LANGUAGES.get(submission.language)
    is_compiled = language is None or language.program_name is not None
    return journey_of(submission.stages, is_restricted=sight.is_restricted, is_compiled=is_compiled)


def _suggested(news: list[dict[str, Any]], cases: list[CaseView | BriefCase]) -> CaseView | None:
    """The case that a finding suggests to try, if this reader sees its numbers."""
    names = [each["evidence"].get("test_case") for each in news if suggests(each["code"], each["evidence"])]
    return next((case for case in cases if isinstance(case, CaseView) and case.name in names[:1]), None)


def _is_open(examination: Examination, cases: list[CaseView | BriefCase]) -> bool:
    return any(isinstance(case, CaseView) and case.asked[examination].state == "pending" for case in cases)


def _results(submission: Submission) -> list[TestCaseResult]:
    """The results that count: of the current attempt, none while it waits to be tried again."""
    if submission.status == Status.QUEUED:
        return []
    return list(submission.results.filter(attempt=submission.attempt).order_by("position"))


def _requests(submission: Submission) -> dict[int, list[CaseRequest]]:
    """What was asked for about its cases, by their ids. To be read before the cases."""
    requests: dict[int, list[CaseRequest]] = {}
    for request in CaseRequest.objects.filter(result__submission=submission):
        requests.setdefault(request.result_id, []).append(request)
    return requests


def language_name(language_id: str) -> str:
    """A language's name for people; its id when this version does not know it."""
    return LANGUAGES[language_id].name if language_id in LANGUAGES else language_id


def _news(submission: Submission) -> list[dict[str, Any]]:
    """The findings that say more than the verdict above them."""
    return [finding for finding in submission.explanation if finding["code"] not in _SAID_BY_THE_VERDICT]


def _lead(verdict: Verdict | None, findings: list[FindingView]) -> SafeString:
    """The summary with its numbers; what the verdict means when there is none, but not beside points that say more."""
    said = {finding.code: finding.html for finding in findings}
    if verdict is None or _SUMMARY in said or (verdict is Verdict.AC and _POINTS in said):
        return said.get(_SUMMARY, SafeString())
    return visible_text(VERDICT_SENTENCES[verdict])


def _exact_cases(results: list[TestCaseResult], is_staff: bool) -> set[str]:
    return {result.name for result in results if is_exact_for(result, is_staff)}


def _totals(results: list[TestCaseResult], sight: Sight, *, is_done: bool) -> Totals | None:
    sees_totals = sight.sees_totals(is_done)
    counted = [result for result in results if sees_totals or sight.sees_numbers(result)]
    if not counted:
        return None
    shown = [measures_of(result, sight.sees_all) for result in counted]
    is_exact = sight.sees_all or all(result.is_sample for result in counted)
    reads, writes = sum(each.read_calls for each in shown), sum(each.write_calls for each in shown)
    return Totals(
        is_of_samples=not sees_totals,
        accepted=_accepted(results) if is_done or sight.sees_all_verdicts() else None,
        judged=len(results),
        cpu_us=max(each.cpu_us for each in shown),
        peak_memory_bytes=max(each.peak_memory_bytes for each in shown),
        read_calls=reads if is_exact else significant(reads),
        write_calls=writes if is_exact else significant(writes),
    )


def _accepted(results: list[TestCaseResult]) -> int:
    return sum(result.verdict == Verdict.AC for result in results)
