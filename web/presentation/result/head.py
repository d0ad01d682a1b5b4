"""The head of the result page: the sentence below the verdict, what helps first with it, and where the time went.

Numbers are in the readings beside it, each once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.languages import LANGUAGES
from judge.grading.stages import TOTAL, Stage
from judge.grading.verdicts import Verdict
from judge.models import RejudgedSubmission, Submission
from web.access.rounding import LEAST_TIME_US, Rounded, Rounding
from web.presentation.result.case import BriefCase, CaseView, end_html
from web.presentation.result.cases import Cases
from web.presentation.result.explanations import POINTS, SUMMARY, Explanations
from web.presentation.result.points import ScoreView, score_view
from web.presentation.result.reader import Reader
from web.presentation.result.sentences import Waiting, waiting_for
from web.presentation.sources import Diagnosis, compile_diagnosis, linked_errors
from web.presentation.visible import visible_text

_PROGRAM, _WAITING, _JUDGE = "user", "waiting", "system"  # the classes of the charts' colours
_WORDS = {
    Stage.QUEUE: (gettext_noop("Waiting for its turn"), _WAITING),
    Stage.COMPILE: (gettext_noop("Compiling"), _PROGRAM),
    Stage.RUN: (gettext_noop("Running the test cases"), _PROGRAM),
    Stage.CHECK: (gettext_noop("Checking the output"), _JUDGE),
    Stage.PROFILE: (gettext_noop("Counting system calls in one more run"), _JUDGE),
    Stage.EXPLAIN: (gettext_noop("Finding out what to say of it"), _JUDGE),
    Stage.WRITE: (gettext_noop("Writing the results down"), _JUDGE),
    Stage.PUSH: (gettext_noop("Telling this page"), _JUDGE),
    Stage.OTHER: (gettext_noop("Setting up and tidying up"), _JUDGE),
}
_CASES = (Stage.RUN, Stage.CHECK, Stage.PROFILE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One part. `x` and `width` are per cent of the bar, `kind` is its colour class."""

    words: str
    kind: str
    us: int
    x: float
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Journey:
    """The total and its parts, in the order of the bar."""

    total_us: int
    parts: tuple[Part, ...]


def journey_of(
    stages: Mapping[str, int], rounding: Rounding, *, is_restricted: bool, makes_program: bool
) -> Journey | None:
    """Return the stages of a judged submission from its column `stages`; None if it was judged before they existed.

    Who may not see the numbers of the hidden cases gets running, checking and counting as one part, of all cases:
    the counting alone is one run of one case. Rounded parts make up the whole, which else told what they are.
    """
    total_us = stages.get(TOTAL, 0)
    if not total_us:
        return None
    rounded = []
    for stage, (words, kind) in _WORDS.items():
        us = stages.get(stage, 0)
        if stage is Stage.PROFILE and not us:
            continue  # as today: the calls are counted after the verdict
        if stage is Stage.COMPILE and not makes_program:
            words = gettext_noop("Checking the syntax")
        if is_restricted and stage in _CASES:
            if stage is not Stage.RUN:
                continue
            words = gettext_noop("Running and checking the test cases")
            us = sum(stages.get(stage, 0) for stage in _CASES)
        rounded.append((_(words), kind, rounding.time_us(us)))
    if not rounding.is_exact:
        total_us = Rounded(max(LEAST_TIME_US, sum(us for _words, _kind, us in rounded)))
    parts, begun_us = [], 0
    for words, kind, us in rounded:
        x, width = (round(100 * part / total_us, 3) for part in (begun_us, us))
        parts.append(Part(words=words, kind=kind, us=us, x=x, width=width))
        begun_us += us
    return Journey(total_us=total_us, parts=tuple(parts))


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


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a submission's page for one reader."""

    submission: Submission
    reader: Reader
    cases: Cases
    explanations: Explanations

    @property
    def verdict(self) -> Verdict | None:
        return Verdict(self.submission.verdict) if self.submission.is_done and self.submission.verdict else None

    @cached_property
    def waiting(self) -> Waiting | None:
        return None if self.submission.is_done else waiting_for(self.submission, self.cases.judged)

    @cached_property
    def score(self) -> ScoreView | None:
        return score_view(self.submission)

    @property
    def title(self) -> str:
        """The verdict with the points; what a submission waits for that has none."""
        if self.verdict is None:
            return self.waiting.title if self.waiting else ""
        return f"{self.verdict}, {self.score.words}" if self.score else self.verdict

    @property
    def announcement(self) -> str:
        """The same in sentences."""
        if self.verdict is None:
            return f"{self.waiting.title}. {self.waiting.sentence}" if self.waiting else ""
        meaning = _(self.verdict.meaning)
        return f"{meaning}. {self.score.words}." if self.score else f"{meaning}."

    @property
    def makes_program(self) -> bool:
        """Return whether compiling makes a program of the source; else it only checks it."""
        language = LANGUAGES.get(self.submission.language)
        return language is None or language.runtime.product is not None

    @property
    def judge_message(self) -> SafeString:
        return visible_text(self.submission.message_for_staff if self.reader.is_staff else "")

    @cached_property
    def judged_again(self) -> list[RejudgedSubmission]:
        """Each time that a rejudge was applied, the first one first."""
        return [] if self.submission.is_untouched else list(self.submission.rejudged.applied())

    @cached_property
    def journey(self) -> Journey | None:
        """Where the time until the verdict went."""
        sees = self.reader.visibility
        if self.verdict is None:
            return None
        return journey_of(
            self.submission.stages,
            sees.rounding_of_hidden(self.submission.problem_version),
            is_restricted=sees.is_restricted,
            makes_program=self.makes_program,
        )

    @property
    def points(self) -> SafeString:
        """The sentence about points, before the text."""
        return self.explanations.html_of(POINTS)

    @cached_property
    def text(self) -> SafeString:
        """The sentence below the verdict."""
        if self.verdict is None or (self.verdict is Verdict.AC and self.points):
            return SafeString()
        return self._said() or self.explanations.html_of(SUMMARY) or visible_text(_(self.verdict.record.sentence))

    @cached_property
    def case(self) -> BriefCase | None:
        """The case that decided: the first that failed like the submission; of an accepted one the slowest."""
        if self.verdict is not Verdict.AC:
            return next((case for case in self.cases.all if case.verdict is self.verdict), None)
        measured = self.cases.measured  # of cases whose times the reader is not told none is the slowest
        slowest = max(measured, key=lambda case: case.measures["cpu_time_us"], default=None)
        is_told = len(measured) == self.cases.judged and slowest and slowest.measures["cpu_time_us"]
        return slowest if is_told else None

    @cached_property
    def crash(self) -> SafeString | None:
        """What the program said when it failed on a sample, if it said anything."""
        if self.verdict is not Verdict.RE or not isinstance(self.case, CaseView) or not self.case.result.is_sample:
            return None
        stderr = bytes(self.case.result.stderr).decode("utf-8", "replace")
        return linked_errors(stderr, self.submission) if stderr else None

    @cached_property
    def compiler(self) -> Diagnosis | None:
        """What the compiler said, for who reads the source."""
        submission = self.submission
        if not self.reader.reads_source or not (submission.compile_message or submission.compile_problem):
            return None
        return compile_diagnosis(submission.compile_message, submission, submission.compile_problem)

    @property
    def marked_lines(self) -> frozenset[int]:
        """The lines of the source that are to be marked."""
        ending = self.case.ending if isinstance(self.case, CaseView) else None
        if ending is not None and ending.place:
            return frozenset({ending.place})
        return self.compiler.lines if self.compiler else frozenset()

    def _said(self) -> SafeString:
        """Return the sentence about the case that decided; empty where nothing of it is to be said."""
        verdict, case = self.verdict, self.case
        if verdict is Verdict.CE and self.compiler and (mistake := self.compiler.first):
            first, others = mistake.message, self.compiler.others
            if mistake.line:
                first = format_html(
                    _('<a href="#L{line}">Line {line}</a>: {message}'), line=mistake.line, message=first
                )
            if not others:
                return first
            sentence = ngettext("{first} (and {number} more error)", "{first} (and {number} more errors)", others)
            return format_html(sentence, first=first, number=others)
        if verdict is Verdict.AC and (judged := self.cases.judged):
            sentence = _("All {number} test cases are accepted. The slowest is {case}.")
            if case is None or judged == 1:
                sentence = ngettext("The test case is accepted.", "All {number} test cases are accepted.", judged)
            return format_html(sentence, case=_linked(case) if case else "", number=f"{judged:,}")
        if case is None or verdict not in _FAILED:
            return SafeString()
        if isinstance(case, CaseView) and case.ending is not None:
            ended = end_html(case.ending, self.submission.language, _linked(case))
            closed = "" if case.result.is_sample else _("The error output of hidden test cases is not shown.")
            return format_html("{} {}", ended, closed) if closed else ended
        sentence = _FAILED[verdict]
        if not (isinstance(case, CaseView) and case.result.is_sample):
            sentence = _FAILED_HIDDEN.get(verdict, sentence)
        if verdict is Verdict.WA and self.submission.problem_version.is_interactive:
            sentence = gettext_noop("The answers to {case} are wrong.")
        limit_us = self.submission.problem_version.time_limit_ms * 1_000
        if verdict is Verdict.TLE and isinstance(case, CaseView) and case.result.cpu_time_us <= limit_us:
            sentence = gettext_noop("{case} reached the limit on wall time, not the one on CPU time.")
        return format_html(_(sentence), case=_linked(case))


def _linked(case: BriefCase) -> SafeString:
    """Return the case's name, linked to what is known of it."""
    place = f"case-{case.number}-more" if isinstance(case, CaseView) else f"case-{case.number}"
    return format_html('<a href="#{}">{}</a>', place, case.name)
