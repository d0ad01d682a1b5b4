"""The reasons to run a case again after its submission was judged, each with a complete record, and which cases a
verdict has run again without a request.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from django.db.models import F

from judge.grading.events import GradingFinished
from judge.grading.explain import RULES
from judge.grading.fixes import FIXES
from judge.grading.languages import LANGUAGES
from judge.grading.languages.runtime import Runtime
from judge.grading.reruns.reasons import is_locatable, lacks_line, worth_fixing, worth_trying
from judge.grading.verdicts import Verdict
from judge.models import Assignment, ExplanationLevel, MeasuredCase, Submission, TestCaseResult
from problems.columns import clean
from problems.translation import gettext_noop
from sandbox.meter.perf import sampling_problem

Cases = Iterable[TestCaseResult]
# Findings that name something else than computing as what took the time.
NOT_COMPUTING = frozenset(rule.code for rule in RULES if not rule.leaves_time_open)


def awaiting_counts(submission: Submission, event: GradingFinished) -> Cases:
    """Return the cases whose calls by name findings wait for."""
    if not event.awaits:
        return ()
    return submission.results.filter(attempt=submission.attempt, name__in=event.awaits)


def near_limit(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case that was accepted barely within the time limit."""
    return _case(submission, event.near_limit)


def small_writes(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case with small writes. No other finding may still be to come."""
    return () if event.awaits else _single_run(submission, worth_trying(event.explanation))


def computing(submission: Submission, event: GradingFinished) -> Cases:
    """Return the first case that was over the time limit by computing, where this host can sample."""
    if event.awaits or worth_trying(event.explanation) or submission.verdict != Verdict.TLE:
        return ()
    if any(finding.code in NOT_COMPUTING for finding in event.explanation) or not _can_sample():
        return ()
    over = submission.results.filter(attempt=submission.attempt, verdict=Verdict.TLE, passes__lte=1).alias(
        cpu_time=F("user_time_us") + F("system_time_us")
    )
    limit_us = submission.problem_version.time_limit_ms * 1_000
    return over.filter(cpu_time__gt=limit_us).order_by("position")[:1]


def fixable(submission: Submission, event: GradingFinished) -> Cases:
    """Return the case with a finding that some fix answers, where its author may see a changed source: an instructor
    can choose that students do not.
    """
    name = "" if event.awaits else worth_fixing(event.explanation, event.verdict, submission.language)
    cases = _single_run(submission, name)
    if not cases:
        return ()
    level = Assignment.objects.level_for(submission.user_id, submission.problem_id)
    return cases if level is ExplanationLevel.FIX else ()


def crashed(submission: Submission, _event: GradingFinished) -> Cases:
    """Return the first case that failed, where a signal ended it in a line that another run can tell."""
    if submission.verdict != Verdict.RE or not is_locatable(LANGUAGES.get(submission.language)):
        return ()
    failed = submission.results.filter(attempt=submission.attempt, verdict=Verdict.RE).order_by("position")[:1]
    return [case for case in failed if lacks_line(case.ending, case.passes)]


def _single_run(submission: Submission, case_name: str) -> list[TestCaseResult]:
    """Return the case, where its output may be held back or its source changed."""
    if not case_name or submission.problem_version.is_interactive:
        return []
    return [case for case in _case(submission, case_name) if case.passes == 1]


def _case(submission: Submission, case_name: str) -> list[TestCaseResult]:
    if not case_name:
        return []
    return list(submission.results.filter(attempt=submission.attempt, name=clean(case_name)[:200])[:1])


@cache
def _can_sample() -> bool:
    return sampling_problem() is None


def _every(_language: str) -> bool:
    return True


def _by_runtime(part: Callable[[Runtime], object]) -> Callable[[str], bool]:
    """Return which languages have this part of their runtime; one that this version does not know may have it."""
    return lambda language: language not in LANGUAGES or part(LANGUAGES[language].runtime) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class RerunRecord:
    """Everything that depends on the kind of a rerun alone. The texts are English: whoever shows one translates it."""

    name: str
    column: str  # of a test case's row, where the result is; of a crash a part of it
    # module and name of what carries it out: a function of the job, the case's name, the sandbox and a folder, which
    # returns judge.grading.events.RerunEnded. By name, since the pages' process loads no jail
    runner: str
    button: str
    what: str  # it does
    under_way: str
    already: str  # done: why it is not made again
    level: ExplanationLevel  # of explanations, from which on a reader may see what it shows
    serves: Callable[[str], bool]  # which languages, by id
    serves_conversations: bool  # with an interactor
    serves_passes: bool  # of multi-pass problems
    # for rules: after it the findings are made anew. judge.grading.events.RerunEvidence has a field like its column
    is_evidence: bool = False
    most_runs: int = 2  # so many runs with more time than the limit it makes at most
    searching_s: int = 0  # after so long it starts no further run
    # the cases that it comes for without a request; none: somebody has to ask
    suggested: Callable[[Submission, GradingFinished], Cases] = lambda submission, event: ()


class RerunKind(StrEnum):
    """A kind of rerun by its name, which rows, addresses and forms use; `record` has everything else.

    Verdicts suggest them, and pages offer them, in this order.
    """

    record: RerunRecord

    def __new__(cls, record: RerunRecord | str) -> "RerunKind":
        """Create a member whose value is its name; `RerunKind("fix")` finds it."""
        assert isinstance(record, RerunRecord)
        member = str.__new__(cls, record.name)
        member._value_, member.record = record.name, record
        return member

    PROFILE = RerunRecord(
        name="profile",
        column="profile",
        runner="judge.grading.submission.grading.profile_case",
        button=gettext_noop("Profile this case"),
        what=gettext_noop("Reruns this case and counts every system call by name."),
        under_way=gettext_noop("The case is being run once more to count its calls."),
        already=gettext_noop("This test case is already profiled."),
        level=ExplanationLevel.NOTHING,
        serves=_every,
        serves_conversations=True,
        serves_passes=True,
        suggested=awaiting_counts,
    )
    BUFFERED = RerunRecord(
        name="buffered",
        column="buffered",
        runner="judge.grading.reruns.buffered.rerun_buffered",
        button=gettext_noop("Rerun buffered"),
        what=gettext_noop("Reruns this case twice, as it is and with output buffered, and compares time and output."),
        under_way=gettext_noop("The case is being run once more as it is and with output buffered."),
        already=gettext_noop("This test case has already been tried with its output buffered."),
        level=ExplanationLevel.CAUSE,
        serves=_by_runtime(lambda runtime: runtime.buffered_flags),
        serves_conversations=False,
        serves_passes=False,
        most_runs=8,
        suggested=small_writes,
    )
    LINE_TIMES = RerunRecord(
        name="cputime",
        column="line_times",
        runner="judge.grading.reruns.line_times.measure_line_times",
        button=gettext_noop("Measure CPU time by line"),
        what=gettext_noop("Reruns this case and samples each millisecond which source line uses the CPU."),
        under_way=gettext_noop("The case is being run once more to sample its CPU time by line."),
        already=gettext_noop("The CPU time of this test case has already been sampled by line."),
        level=ExplanationLevel.LINE,
        serves=_by_runtime(lambda runtime: runtime.line_times),
        serves_conversations=True,
        serves_passes=False,
        is_evidence=True,
        suggested=computing,
    )
    FIX = RerunRecord(
        name="fix",
        column="fix",
        runner="judge.grading.reruns.fix.rerun_fixed",
        button=gettext_noop("Try a fix"),
        what=gettext_noop(
            "Changes what is known to be slow in a copy of your source, runs it on all test cases and compares "
            "time and output."
        ),
        under_way=gettext_noop("A changed source is being compiled, run and compared with yours."),
        already=gettext_noop("A fix has already been tried on this test case."),
        level=ExplanationLevel.FIX,
        serves=FIXES.__contains__,
        serves_conversations=False,
        serves_passes=False,
        searching_s=150,
        suggested=fixable,
    )
    LINES = RerunRecord(
        name="lines",
        column="line_costs",
        runner="judge.grading.reruns.line_costs.measure_line_costs",
        button=gettext_noop("Measure line costs"),
        what=gettext_noop("Reruns this case and counts the write calls of each source line."),
        under_way=gettext_noop("The case is being run once more to count its writes by line."),
        already=gettext_noop("The writes of this test case have already been counted by line."),
        level=ExplanationLevel.LINE,
        serves=_by_runtime(lambda runtime: runtime.line_costs),
        serves_conversations=True,
        serves_passes=False,
    )
    TIMELINE = RerunRecord(
        name="timeline",
        column="timeline",
        runner="judge.grading.reruns.timeline.record_timeline",
        button=gettext_noop("Record timeline"),
        what=gettext_noop(
            "Reruns this case and samples, every few milliseconds, how many cores work for it and how often it "
            "gives them up."
        ),
        under_way=gettext_noop("The case is being run once more to record its timeline."),
        already=gettext_noop("This test case already has a timeline."),
        level=ExplanationLevel.NOTHING,
        serves=_every,
        serves_conversations=True,
        serves_passes=False,
    )
    REPEATS = RerunRecord(
        name="repeats",
        column="repeats",
        runner="judge.grading.reruns.repeats.repeat_case",
        button=gettext_noop("Repeat this case"),
        what=gettext_noop("Reruns this case a few times and shows how much its CPU time differs from run to run."),
        under_way=gettext_noop("The case is being run a few times more."),
        already=gettext_noop("This test case has already been repeated."),
        level=ExplanationLevel.NOTHING,
        serves=_every,
        serves_conversations=True,
        serves_passes=True,
        most_runs=6,
        suggested=near_limit,
    )
    GROWTH = RerunRecord(
        name="growth",
        column="growth",
        runner="judge.grading.reruns.growth_runs.measure_growth",
        button=gettext_noop("Measure the growth"),
        what=gettext_noop("Runs this program on inputs of many sizes and tells how its CPU time grows with the size."),
        under_way=gettext_noop("The program is being run on inputs of many sizes."),
        already=gettext_noop("The growth of this program has already been measured."),
        level=ExplanationLevel.CAUSE,
        serves=_every,
        serves_conversations=True,
        serves_passes=False,
        searching_s=60,
    )
    CRASH = RerunRecord(
        name="crash",
        column="ending",
        runner="judge.grading.reruns.crash_line.locate_crash",
        button=gettext_noop("Find the line where it ended"),
        what=gettext_noop("Reruns this case and notes in which line of your source the signal ended it."),
        under_way=gettext_noop("The case is being run once more to find the line where it ended."),
        already=gettext_noop("There is no further line to find of how this test case ended."),
        level=ExplanationLevel.LINE,
        serves=lambda language: is_locatable(LANGUAGES.get(language)),
        serves_conversations=True,
        serves_passes=False,
        most_runs=1,
        suggested=crashed,
    )

    def is_known_of(self, case: MeasuredCase) -> bool:
        """Return whether the case already has what this rerun would tell."""
        if self is RerunKind.CRASH:
            return not lacks_line(case.ending, case.passes)
        return getattr(case, self.record.column) is not None

    def hide_of(self, case: MeasuredCase) -> None:
        """Take what this rerun tells out of a row, which is not saved."""
        if self is not RerunKind.CRASH:
            setattr(case, self.record.column, None)
        elif case.ending:
            case.ending = replace(case.ending, line=0)

    def serves(self, submission: Submission) -> bool:
        """Return whether it makes sense for this program and its problem; calls by name need a meter, too."""
        version = submission.problem_version
        return (
            self.record.serves(submission.language)
            and (self.record.serves_conversations or not version.is_interactive)
            and (self.record.serves_passes or version.most_passes == 1)
            and not (self is RerunKind.PROFILE and submission.meter_reason)
        )
