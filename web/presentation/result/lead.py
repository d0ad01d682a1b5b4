"""The head of the result page: the sentence below the verdict, and what helps first with this verdict.

That is the first difference of a wrong answer, the last words of a program that failed, the first error of one that did
not compile. Numbers are in the readings beside it, each once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from judge.grading.case_ending import CaseEnding
from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from web.presentation.result.cases import BriefCase, CaseView
from web.presentation.result.diagnostics import Diagnosis, Mistake, compile_diagnosis, linked_errors
from web.presentation.result.difference import Difference
from web.presentation.result.endings import end_html
from web.presentation.result.findings import FindingView
from web.presentation.visible import visible_text

_SUMMARY, _POINTS = "summary", "points"
_FAILED = {
    Verdict.WA: gettext_noop("The output for {case} is wrong."),
    Verdict.TLE: gettext_noop("{case} reached the time limit."),
    Verdict.MLE: gettext_noop("{case} needed more memory than allowed."),
    Verdict.OLE: gettext_noop("{case} wrote more output than allowed."),
    Verdict.SLE: gettext_noop("The output for {case} is right, but it made more system calls than allowed."),
    Verdict.RE: gettext_noop("The program failed on {case}."),
}
_FAILED_HIDDEN = {
    Verdict.WA: gettext_noop(
        "The output for {case} is wrong. The input and output of hidden test cases are not shown."
    ),
    Verdict.RE: gettext_noop("The program failed on {case}. The error output of hidden test cases is not shown."),
}
_ON_THE_CLOCK = gettext_noop("{case} reached the limit on wall time, not the one on CPU time.")
_IN_A_CONVERSATION = gettext_noop("The answers to {case} are wrong.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Lead:
    """`text`: the sentence below the verdict; `points`: the one about points before it. `rest`: the other findings.

    `case`: the test case that decided, as far as this reader sees it. `difference` and `crash` are of a sample.
    """

    text: SafeString
    points: SafeString
    rest: list[FindingView]
    case: CaseView | BriefCase | None = None
    difference: Difference | None = None
    crash: SafeString | None = None
    compiler: Diagnosis | None = None

    @property
    def marked_lines(self) -> frozenset[int]:
        """The lines of the source that are to be marked."""
        ending = self.case.ending if isinstance(self.case, CaseView) else None
        if ending is not None and ending.place:
            return frozenset({ending.place})
        return self.compiler.lines if self.compiler else frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What one reader sees of a submission. `judged`: how many cases there are, seen or not."""

    verdict: Verdict | None
    results: Sequence[TestCaseResult]
    cases: Sequence[CaseView | BriefCase]
    findings: Sequence[FindingView]
    reads_source: bool

    @property
    def judged(self) -> int:
        return len(self.results)


def lead_of(submission: Submission, seen: Seen) -> Lead:
    """Return the head of a submission for the reader who sees this of it."""
    verdict = seen.verdict
    html = {finding.code: finding.html for finding in seen.findings}
    rest = [finding for finding in seen.findings if finding.code not in (_SUMMARY, _POINTS)]
    points = html.get(_POINTS, SafeString())
    compiler = _compiler(submission) if seen.reads_source and submission.compile_message else None
    if verdict is None:
        return Lead(text=SafeString(), points=points, rest=rest, compiler=compiler)
    case = _decisive(verdict, seen)
    crash = _crash(
        submission, verdict, next((each for each in seen.results if case and each.position == case.position), None)
    )
    says_all = verdict is Verdict.AC and points
    said = SafeString() if says_all else _said(submission, seen, case, compiler)
    if not said and not says_all:
        said = html.get(_SUMMARY) or visible_text(_(verdict.record.sentence))
    difference = case.difference if isinstance(case, CaseView) else None
    return Lead(text=said, points=points, rest=rest, case=case, difference=difference, crash=crash, compiler=compiler)


def _compiler(submission: Submission) -> Diagnosis:
    return compile_diagnosis(submission.compile_message, submission)


def _crash(submission: Submission, verdict: Verdict, result: TestCaseResult | None) -> SafeString | None:
    """Return what the program said when it failed on a sample, if it said anything."""
    if verdict is not Verdict.RE or result is None or not result.is_sample or not bytes(result.stderr):
        return None
    stderr = bytes(result.stderr).decode("utf-8", "replace")
    return linked_errors(stderr, submission)


def _decisive(verdict: Verdict, seen: Seen) -> CaseView | BriefCase | None:
    """Return the case that decided: the first that failed like the submission; of an accepted one the slowest.

    As the reader sees the times: of cases whose times are not told none is the slowest.
    """
    if verdict is not Verdict.AC:
        return next((case for case in seen.cases if case.verdict is verdict), None)
    measured = [case for case in seen.cases if isinstance(case, CaseView)]
    slowest = max(measured, key=lambda case: case.measures["cpu_time_us"], default=None)
    return slowest if len(measured) == seen.judged and slowest and slowest.measures["cpu_time_us"] else None


def _said(
    submission: Submission, seen: Seen, case: CaseView | BriefCase | None, compiler: Diagnosis | None
) -> SafeString:
    """Return the sentence; empty where nothing of a case is to be said."""
    verdict = seen.verdict
    if verdict is Verdict.CE and compiler and compiler.first:
        return _first_mistake(compiler.first, compiler.others)
    if verdict is Verdict.AC and seen.judged:
        return _accepted(case, seen.judged)
    if case is None or verdict not in _FAILED:
        return SafeString()
    name = _linked(case)
    if isinstance(case, CaseView) and case.ending is not None:
        return _ended(submission, case, case.ending)
    sentence = _FAILED[verdict]
    if not (isinstance(case, CaseView) and case.is_sample):
        sentence = _FAILED_HIDDEN.get(verdict, sentence)
    if verdict is Verdict.WA and submission.problem_version.is_interactive:
        sentence = _IN_A_CONVERSATION
    if verdict is Verdict.TLE and isinstance(case, CaseView) and not case.is_over_cpu_limit:
        sentence = _ON_THE_CLOCK
    return format_html(_(sentence), case=name)


def _accepted(slowest: CaseView | BriefCase | None, judged: int) -> SafeString:
    if slowest is None or judged == 1:
        sentence = ngettext("The test case is accepted.", "All {number} test cases are accepted.", judged)
        return format_html(sentence, number=f"{judged:,}")
    return format_html(
        _("All {number} test cases are accepted. The slowest is {case}."), case=_linked(slowest), number=f"{judged:,}"
    )


def _linked(case: CaseView | BriefCase) -> SafeString:
    """Return the case's name, linked to what is known of it."""
    place = f"case-{case.number}-more" if isinstance(case, CaseView) else f"case-{case.number}"
    return format_html('<a href="#{}">{}</a>', place, case.name)


def _ended(submission: Submission, case: CaseView, ending: CaseEnding) -> SafeString:
    """Return what ended the program on a case, and why no more of it is to be seen."""
    said = end_html(ending, submission.language, _linked(case))
    if case.is_sample:
        return said
    return format_html("{} {}", said, _("The error output of hidden test cases is not shown."))


def _first_mistake(mistake: Mistake, others: int) -> SafeString:
    message = mistake.message
    first = (
        format_html(_('<a href="#L{line}">Line {line}</a>: {message}'), line=mistake.line, message=message)
        if mistake.line
        else message
    )
    if not others:
        return first
    sentence = ngettext("{first} (and {number} more error)", "{first} (and {number} more errors)", others)
    return format_html(sentence, first=first, number=others)
