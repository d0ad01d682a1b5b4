"""The reasons to run a case again after its submission was judged, each with a complete record."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from judge.grading.fixes import FIXES
from judge.grading.languages import LANGUAGES
from judge.grading.languages.runtime import Runtime
from judge.grading.reruns.reasons import is_locatable, lacks_line
from judge.models import ExplanationLevel, MeasuredCase, Submission
from judge.reruns import suggestions
from judge.reruns.suggestions import Concluded
from problems.translation import gettext_noop


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
    # the names of the cases that it comes for without a request; none: somebody has to ask
    suggested: Callable[[Concluded], Iterable[str]] = lambda concluded: ()


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
        suggested=suggestions.awaiting_counts,
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
        most_runs=10,
        suggested=suggestions.small_writes,
    )
    TWIN = RerunRecord(
        name="twin",
        column="unbuffered",
        runner="judge.grading.reruns.unbuffered.rerun_unbuffered",
        button=gettext_noop("Rerun unbuffered"),
        what=gettext_noop(
            "Reruns this case with nothing of its output left in a buffer, and tells whether some was lost, doubled or "
            "reordered."
        ),
        under_way=gettext_noop("The case is being run once more with its output unbuffered."),
        already=gettext_noop("This test case has already been tried with its output unbuffered."),
        level=ExplanationLevel.CAUSE,
        serves=_by_runtime(lambda runtime: runtime.unbuffered_flags),
        serves_conversations=False,
        serves_passes=False,
        is_evidence=True,
        most_runs=4,
        suggested=suggestions.doubtful_output,
    )
    ENDLESS = RerunRecord(
        name="endless",
        column="states",
        runner="judge.grading.reruns.endless.search_states",
        button=gettext_noop("Find out whether it ever ends"),
        what=gettext_noop(
            "Reruns this case, stops the program now and then, and tells whether its whole state repeats: then it "
            "never ends."
        ),
        under_way=gettext_noop("The case is being run once more to find out whether its state repeats."),
        already=gettext_noop("It is already known that the state of this program repeats."),
        level=ExplanationLevel.LINE,
        serves=_by_runtime(lambda runtime: runtime.line_times),
        serves_conversations=False,
        serves_passes=False,
        is_evidence=True,
        most_runs=1,
        suggested=suggestions.standing_still,
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
        suggested=suggestions.sampled,
    )
    COUNTS = RerunRecord(
        name="counts",
        column="counted_work",
        runner="judge.grading.reruns.counts.count_work",
        button=gettext_noop("Count how often each line runs"),
        what=gettext_noop(
            "Runs this program on inputs of many sizes, counts how often each source line runs, and tells how that "
            "depends on the size."
        ),
        under_way=gettext_noop("The program is being run on inputs of many sizes to count how often each line runs."),
        already=gettext_noop("The lines of this program have already been counted for this test case."),
        level=ExplanationLevel.LINE,
        serves=lambda language: language not in LANGUAGES or LANGUAGES[language].counting is not None,
        serves_conversations=False,
        serves_passes=False,
        is_evidence=True,
        searching_s=60,
        suggested=suggestions.computing,
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
        most_runs=4,  # after its search: of either program, and each again where stderr is too much to keep
        searching_s=150,
        suggested=suggestions.fixable,
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
        suggested=suggestions.near_limit,
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
        suggested=suggestions.crashed,
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
        is_served = self.serves_program(submission.language, version.is_interactive, version.most_passes)
        return is_served and not (self is RerunKind.PROFILE and submission.meter_reason)

    def serves_program(self, language: str, is_interactive: bool, most_passes: int) -> bool:
        """Return whether it makes sense for a program in a language, on a problem of this kind."""
        return (
            self.record.serves(language)
            and (self.record.serves_conversations or not is_interactive)
            and (self.record.serves_passes or most_passes == 1)
        )
