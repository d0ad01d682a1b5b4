"""A custom run as its page and the panel beside the editor show it. Its author sees all of it, exactly."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from judge.grading.explain import REPEATING
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import CustomRun, CustomRunCase, MeasuredCase, Status, TestCaseResult, WorkerNode
from judge.queue import leases
from problems.models import ProblemVersion
from web import access
from web.presentation.charts import time_scale
from web.presentation.measures import measures_of
from web.presentation.proof import limits
from web.presentation.result.cases import CaseView, Excerpt, Reader, case_view, excerpt, excerpts_of
from web.presentation.result.diagnostics import compile_diagnosis
from web.presentation.result.endings import end_html
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.report import language_name
from web.presentation.result.reruns import Requests
from web.presentation.result.sentences import Waiting
from web.presentation.rounding import EXACT
from web.presentation.visible import visible_text

_MEASURED = [field.name for field in MeasuredCase._meta.fields]
_NO_WORKER = gettext_noop("No worker is running; your run is kept and starts when one does.")


@dataclass(frozen=True, kw_only=True, slots=True)
class CustomRunView:
    """One run. `verdict` is None while it is not done, and when it ended well with nothing to compare the output with.

    Templates of the result page's cases know it as `report`.
    """

    run: CustomRun
    version: ProblemVersion
    language: str
    waiting: Waiting | None
    verdict: Verdict | None
    title: str
    lead: str  # may be safe HTML
    cases: list[CaseView]
    not_run: int  # samples that were left out after one over the time limit
    input: Excerpt | None  # the author's own
    findings: list[FindingView]
    compile_message: SafeString
    judge_message: SafeString
    source_address: str  # of the page that has the source's lines; "": this one
    is_capped: bool  # the problem allows more time than a run may have
    limit: str  # what the reader's instructor does not show; "": nothing
    kept_hours: int  # after its start it is deleted
    can_profile: bool = False  # nothing is to be asked for: a run is counted as it is made

    @property
    def is_live(self) -> bool:
        """Return whether news may still come."""
        return self.waiting is not None


def custom_run_view(run: CustomRun, user: AbstractBaseUser | AnonymousUser, *, is_panel: bool = False) -> CustomRunView:
    """Return the view of a run whose reader has been checked. `is_panel`: the source stands on another page."""
    version = run.problem_version
    is_capped = run.time_limit_ms < version.time_limit_ms
    version.time_limit_ms = run.time_limit_ms  # unsaved: what bars and limits of this page mean
    verdict = _verdict(run)
    results = [] if run.status == Status.QUEUED else list(run.results.filter(attempt=run.attempt).order_by("position"))
    reader = Reader(
        is_staff=access.reads_every_submission(user), requests=Requests(refusals={}, rows={}), language=run.language
    )
    level = access.explained(user, version.problem)
    limits.hide(results, level)
    source_address = reverse("custom_run", args=[run.pk]) if is_panel else ""
    cases = _cases(run, results, version, reader)
    failed = next((case for case in cases if case.verdict is verdict and case.ending), None)
    return CustomRunView(
        run=run,
        version=version,
        language=language_name(run.language),
        waiting=None if run.is_done else waiting_for_run(run),
        verdict=verdict,
        title=_title(run, verdict),
        lead=_ended(run, failed, source_address) or _lead(run, verdict, len(cases)),
        cases=[replace(case, detail="") if case is failed else case for case in cases],
        not_run=max(0, (run.test_case_count or 0) - len(cases)) if run.is_done and run.compile_ok else 0,
        input=None if run.input is None else excerpt(_("Your input"), bytes(run.input), None, run.excerpt_bytes),
        findings=limits.shown_findings(_findings(run), level) if run.is_done else [],
        limit=limits.sentence(level) if run.is_done and run.explanation else "",
        compile_message=_compiler_output(run, is_panel=is_panel),
        judge_message=visible_text(run.judge_message if reader.is_staff else ""),
        source_address=source_address,
        is_capped=is_capped,
        kept_hours=settings.CUSTOM_RUNS_KEPT_HOURS,
    )


def waiting_for_run(run: CustomRun) -> Waiting:
    """Return what this unfinished run waits for, or its progress."""
    if run.status == Status.QUEUED:
        return _queued(run)
    title = _("Running")
    if CustomRun.objects.filter(leases.run_out(), pk=run.pk).exists():
        return Waiting(
            title=title, sentence=_("The worker has stopped answering. Tally runs this again automatically.")
        )
    if run.compile_ok is None:
        return Waiting(title=title, sentence=_("Compiling your program."))
    if run.results.filter(attempt=run.attempt).count() < (run.test_case_count or 0):
        return Waiting(title=title, sentence=_("Running your program."))
    return Waiting(title=title, sentence=_("Running your program once more to count its system calls."))


def _queued(run: CustomRun) -> Waiting:
    title = _("Waiting in the queue")
    languages = [set(node.languages) for node in WorkerNode.objects.grading()]
    if not languages:
        return Waiting(title=title, sentence=_(_NO_WORKER), is_stuck=True)
    if not any(run.language in each for each in languages):
        sentence = _("No running worker can run %(language)s; your run is kept and starts when one can.")
        return Waiting(title=title, sentence=sentence % {"language": language_name(run.language)}, is_stuck=True)
    if run.failures:
        sentence = _(
            "Running failed because of an error in Tally, not in your program. Tally retries it automatically "
            "(attempt %(number)s of %(most)s)."
        ) % {"number": run.failures + 1, "most": settings.MAX_ATTEMPTS}
        return Waiting(title=title, sentence=sentence)
    return Waiting(title=title, sentence=_("It starts as soon as a worker is free. Submissions go first."))


def _verdict(run: CustomRun) -> Verdict | None:
    if not run.is_done or not run.verdict:
        return None
    verdict = Verdict(run.verdict)
    return None if verdict is Verdict.AC and not run.is_checked else verdict


def _title(run: CustomRun, verdict: Verdict | None) -> str:
    if not run.is_done:
        return waiting_for_run(run).title
    return verdict.meaning if verdict else _("Ended normally")


def _ended(run: CustomRun, failed: CaseView | None, source_address: str) -> SafeString:
    """Return what ended the program on the case that decided; empty if none failed."""
    return end_html(failed.ending, run.language, failed.name, source_address) if failed else SafeString()


def _lead(run: CustomRun, verdict: Verdict | None, ran: int) -> str:
    if not run.is_done:
        return waiting_for_run(run).sentence
    if verdict is None:
        return _("There is no expected output for your own input, so there is no verdict.")
    if verdict is Verdict.AC:
        sentence = ngettext(
            "The output is right on %(number)s sample.", "The output is right on all %(number)s samples.", ran
        )
        return sentence % {"number": ran}
    return _(verdict.record.sentence)


def _cases(run: CustomRun, results: list[CustomRunCase], version: ProblemVersion, reader: Reader) -> list[CaseView]:
    shown = [TestCaseResult(**{name: getattr(case, name) for name in _MEASURED}) for case in results]
    scale = time_scale((measures_of(result, EXACT).times for result in shown), version.time_limit_ms * 1_000)
    return [_case(run, result, case_view(result, scale, version, reader, EXACT), version) for result in shown]


def _case(run: CustomRun, result: TestCaseResult, view: CaseView, version: ProblemVersion) -> CaseView:
    if run.is_checked:
        has_output = not version.is_interactive and view.difference is None
        has_expected = bytes(result.output) != bytes(result.expected)
        excerpts = excerpts_of(result, run.excerpt_bytes, has_output=has_output, has_expected=has_expected)
        return replace(view, excerpts=excerpts)
    excerpts = excerpts_of(result, run.excerpt_bytes, has_expected=False)
    return replace(view, name=_("Own input"), excerpts=excerpts, has_verdict=view.verdict is not Verdict.AC)


def _compiler_output(run: CustomRun, *, is_panel: bool) -> SafeString:
    """Return what the compiler said; its places lead to the lines of the source where those are on the page."""
    if is_panel:
        return visible_text(run.compile_message)
    return compile_diagnosis(run.compile_message, run).html


def _findings(run: CustomRun) -> list[FindingView]:
    told = [finding for finding in run.findings if finding["code"] not in REPEATING]
    return finding_views(told, {}, EXACT, LANGUAGES.get(run.language))
