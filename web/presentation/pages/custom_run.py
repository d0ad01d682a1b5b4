"""A custom run as its page and the panel beside the editor show it. Its author sees all of it, exactly."""

from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.compile_problem import compile_words
from judge.grading.explain import REPEATING
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import CustomRun, CustomRunCase, MeasuredCase, Status, TestCaseResult, WorkerNode
from judge.queue import leases
from web import access
from web.access.rounding import EXACT
from web.access.visibility import Visibility
from web.presentation.charts import time_scale
from web.presentation.measures import measures_of
from web.presentation.result.case import CaseView, Excerpt, end_html, excerpt, excerpts_of
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.reader import Reader, Requests, hide_reruns, level_sentence, shown_findings
from web.presentation.result.sentences import Waiting, language_name
from web.presentation.result.source import Source
from web.presentation.sources import compile_diagnosis
from web.presentation.visible import visible_text

_MEASURED = [field.name for field in MeasuredCase._meta.fields]
_NO_WORKER = gettext_noop("No worker is running; your run is kept and starts when one does.")


class RunCase(CaseView):
    """A case of a run: one of the problem's samples, or the author's own input, which has no expected output."""

    sent: CustomRun

    @cached_property
    def excerpts(self) -> list[Excerpt]:
        """What it wrote, and what was expected where that is something else."""
        result, is_checked = self.result, self.sent.is_checked
        has_output = not is_checked or not (self.sent.problem_version.is_interactive or self.difference)
        has_expected = is_checked and bytes(result.output) != bytes(result.expected)
        return excerpts_of(result, self.sent.excerpt_bytes, has_output=has_output, has_expected=has_expected)


@dataclass(frozen=True, kw_only=True, slots=True)
class CustomRunView:
    """One run; templates of the result page's cases know it as `report`."""

    run: CustomRun
    waiting: Waiting | None
    verdict: Verdict | None  # None while it is not done, and when it ended well with nothing to compare its output with
    title: str
    lead: str  # may be safe HTML
    cases: list[RunCase]
    failed: RunCase | None  # the one that decided, if it says in the lead how it ended
    not_run: int  # samples that were left out after one over the time limit
    input: Excerpt | None  # the author's own
    source: Source
    findings: list[FindingView]
    compile_message: SafeString
    judge_message: SafeString
    source_address: str  # of the page that has the source's lines; "": this one
    is_capped: bool  # the problem allows more time than a run may have
    limit: str  # what the reader's instructor does not show; "": nothing
    kept_hours: int  # after its start it is deleted

    @property
    def is_live(self) -> bool:
        return self.waiting is not None


def custom_run_view(run: CustomRun, user: AbstractBaseUser | AnonymousUser, *, is_panel: bool = False) -> CustomRunView:
    """Return the view of a run whose reader has been checked. `is_panel`: the source stands on another page."""
    version = run.problem_version
    is_capped = run.time_limit_ms < version.time_limit_ms
    version.time_limit_ms = run.time_limit_ms  # unsaved: what bars and limits of this page mean
    waiting = None if run.is_done else waiting_for_run(run)
    verdict = Verdict(run.verdict) if run.is_done and run.verdict else None
    if verdict is Verdict.AC and not run.is_checked:
        verdict = None
    results = [] if run.status == Status.QUEUED else list(run.results.filter(attempt=run.attempt).order_by("position"))
    reader = Reader(
        visibility=Visibility(sees_all=access.reads_every_submission(user)),
        level=access.explained(user, version.problem),
        reads_source=True,
        requests=Requests(refusals={}, rows={}),
        results=[],
    )
    hide_reruns(results, reader.level)
    news = [finding for finding in run.findings if finding.code not in REPEATING]
    findings = finding_views(news, {}, EXACT, LANGUAGES.get(run.language))
    source_address = reverse("custom_run", args=[run.pk]) if is_panel else ""
    cases = _cases(run, results, reader)
    failed = next((case for case in cases if case.verdict is verdict and case.ending), None)
    ended = end_html(failed.ending, run.language, failed.name, source_address) if failed else ""
    return CustomRunView(
        run=run,
        waiting=waiting,
        verdict=verdict,
        title=waiting.title if waiting else verdict.meaning if verdict else _("Ended normally"),
        lead=ended or (waiting.sentence if waiting else _lead(verdict, len(cases))),
        cases=cases,
        failed=failed,
        not_run=max(0, (run.test_case_count or 0) - len(cases)) if run.is_done and run.compile_ok else 0,
        input=None if run.input is None else excerpt(_("Your input"), bytes(run.input), None, run.excerpt_bytes),
        source=Source(sent=run),
        findings=shown_findings(findings, reader.level) if run.is_done else [],
        limit=level_sentence(reader.level) if run.is_done and run.explanation else "",
        compile_message=visible_text(compile_words(run.compile_problem, run.compile_message).translated())
        if is_panel  # its places lead to lines that another page has
        else compile_diagnosis(run.compile_message, run, run.compile_problem).html,
        judge_message=visible_text(run.message_for_staff if reader.is_staff else ""),
        source_address=source_address,
        is_capped=is_capped,
        kept_hours=settings.CUSTOM_RUNS_KEPT_HOURS,
    )


def waiting_for_run(run: CustomRun) -> Waiting:
    """Return what this unfinished run waits for, or its progress."""
    if run.status == Status.QUEUED:
        title, languages = _("Waiting in the queue"), [set(node.languages) for node in WorkerNode.objects.grading()]
        if not languages:
            return Waiting(title=title, sentence=_(_NO_WORKER), is_stuck=True)
        if not any(run.language in group for group in languages):
            sentence = _("No running worker can run %(language)s; your run is kept and starts when one can.")
            return Waiting(title=title, sentence=sentence % {"language": language_name(run.language)}, is_stuck=True)
        if run.failures:
            sentence = _(
                "Running failed because of an error in Tally, not in your program. Tally retries it automatically "
                "(attempt %(number)s of %(most)s)."
            ) % {"number": run.failures + 1, "most": settings.MAX_ATTEMPTS}
            return Waiting(title=title, sentence=sentence)
        return Waiting(title=title, sentence=_("It starts as soon as a worker is free. Submissions go first."))
    if CustomRun.objects.filter(leases.run_out(), pk=run.pk).exists():
        sentence = _("The worker has stopped answering. Tally runs this again automatically.")
    elif run.compile_ok is None:
        sentence = _("Compiling your program.")
    elif run.results.filter(attempt=run.attempt).count() < (run.test_case_count or 0):
        sentence = _("Running your program.")
    else:
        sentence = _("Running your program once more to count its system calls.")
    return Waiting(title=_("Running"), sentence=sentence)


def _lead(verdict: Verdict | None, ran: int) -> str:
    if verdict is None:
        return _("There is no expected output for your own input, so there is no verdict.")
    if verdict is Verdict.AC:
        sentence = ngettext(
            "The output is right on %(number)s sample.", "The output is right on all %(number)s samples.", ran
        )
        return sentence % {"number": ran}
    return _(verdict.record.sentence)


def _cases(run: CustomRun, results: list[CustomRunCase], reader: Reader) -> list[RunCase]:
    rows = [TestCaseResult(**{name: getattr(case, name) for name in _MEASURED}) for case in results]
    measured = [measures_of(row, EXACT) for row in rows]
    scale = time_scale((measures.times for measures in measured), run.time_limit_ms * 1_000)
    return [
        RunCase(
            position=row.position,
            name=row.name if run.is_checked else _("Own input"),
            verdict=Verdict(row.verdict),
            result=row,
            sent=run,
            reader=reader,
            shown=EXACT,
            measures=measures,
            bar=scale.bar(measures.times),
            has_verdict=run.is_checked or row.verdict != Verdict.AC,
        )
        for row, measures in zip(rows, measured, strict=True)
    ]
