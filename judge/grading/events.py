"""The events of grading, which travel from `judge.grading.submission.grading` to rows, pages and terminal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

from judge.grading.case_ending import CaseEnding
from judge.grading.compile_problem import CompileProblem, compile_words
from judge.grading.counted_work import CountedWork
from judge.grading.languages import file_name, language_by_id
from judge.grading.stages import Stopwatch
from judge.grading.verdicts import Verdict
from problems.package import Package
from problems.translation import Sentence
from sandbox.errors import MeterProblem, MeterStop
from sandbox.types import IoProfile, Profile, TimelinePoint, Usage

EXCERPT_BYTES = 4_096  # of each stream of a sample that is kept for people


class ProfilePolicy(StrEnum):
    """Which cases get a profile pass while they are graded.

    NEEDED: those whose calls by name the explanation needs. LATER: none, as a rerun after the verdict counts them, and
    what the explanation needs them for is said then.
    """

    SLOWEST = "slowest"  # and the first one over the time limit
    ALL = "all"
    NONE = "none"
    NEEDED = "needed"
    LATER = "later"


@dataclass(frozen=True, kw_only=True, slots=True)
class GradingJob:
    """One submission to grade. `cpu` is the core that all of it runs on, compiler and checker too; None: any.

    `judged_wall_us` is of a case that is run again: what it took when it was judged. The four before it are for the
    setter's own submissions, which may be folders and whose slowness is to be measured. `judged_cases` and `found` are
    of a submission that is tried with a fix: the names of its judged cases, and the codes of its findings; so are
    `is_refused`, whether the output of this case was, and the lines of prints that a finding takes for left in.
    `cpu_time_ms` is of submissions that are compared: the time of each run, if it is more than the limit. `author` is
    the key of the user whose program it is, who alone gets what is kept of compiling it; 0: a package's, or ours.
    """

    package: Package
    language: str  # id in judge.grading.languages
    source: bytes
    file_name: str = ""  # what its sender called it; `judge.grading.languages.file_name` says what becomes of that
    profile: ProfilePolicy = ProfilePolicy.SLOWEST
    cpu: int | None = None
    files: tuple[tuple[str, bytes], ...] = ()  # all files of one that is a folder, the one with `source` first
    runs_all: bool = False  # also the cases after the one over the time limit that else is the last
    keeps_stderr: bool = False  # of hidden cases too: their setter knows them
    overrun_percent: int | None = None  # how far a run over its limit goes on, to measure it; None: as usual
    judged_wall_us: int = 0
    cpu_time_ms: int = 0
    author: int = 0
    is_checked: bool = True  # False: the input is the author's own, so that there is no answer to compare with
    excerpt_bytes: int = EXCERPT_BYTES  # the most that is kept of output, error output and answer of a sample
    wants_tokens: bool = False  # of its source, whether or not the explanation needs it read
    judged_cases: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    is_refused: bool = False
    leftover_lines: tuple[int, ...] = ()
    # called where others may go first
    between: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    # asked in the middle of runs that take longer than a judged one: whether somebody waits who goes before them
    is_awaited: Callable[[], bool] = field(default=lambda: False, repr=False, compare=False)
    stopwatch: Stopwatch = field(default_factory=Stopwatch, repr=False, compare=False)  # where grading's time goes

    @property
    def students_file(self) -> str:
        """The file whose lines count, and which pages name; of several files it is the one shown."""
        expected = self.package.submitted.get(self.language)
        return self.files[0][0] if self.files else file_name(language_by_id(self.language), self.file_name, expected)


@dataclass(frozen=True, kw_only=True, slots=True)
class CompileFinished:
    """The compile step ended. `message` is the compiler's, capped at 64 KiB, undecodable bytes escaped, no NUL.

    `wall_time_us` is None when the result is that of an earlier compilation of the same, so that no compiler ran.
    """

    ok: bool
    message: str
    wall_time_us: int | None
    toolchain: str  # e.g. "g++ (Debian 12.2.0-14) 12.2.0"
    cases: int  # how many test cases there are to run
    problem: CompileProblem | None = None  # what the message does not say of a compiler without a program

    @property
    def words(self) -> Sentence:
        """The problem and the compiler's message, one below the other."""
        return compile_words(self.problem, self.message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Partner:
    """The interactor's behaviour during the run, as far as it explains the program's."""

    ended_first: bool
    cpu_time_us: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseJudged:
    """One test case ran and was checked. `output` and `expected` are excerpts for sample cases only, else empty."""

    __test__ = False  # not a test, whatever pytest thinks of the name

    name: str  # e.g. "sample/1", "secret/03-big"
    is_sample: bool
    verdict: Verdict
    usage: Usage
    io: IoProfile
    exit_code: int | None
    signal: int | None
    stdout_bytes: int
    stderr_bytes: int
    output: bytes = b""  # the job's `excerpt_bytes` of stdout, samples only
    stderr: bytes = b""  # likewise of stderr
    expected: bytes = b""  # likewise of the answer
    judge_message: str = ""  # for staff only: the checker's words, and a Sentence on what contestants are not told
    team_message: str = ""  # the checker's words for the contestant; samples only
    score: float | None = None  # what the checker gave; None: it gave none
    multiplier: float | None = None  # likewise, as a share of what the case can give
    same_as: str = ""  # the earlier case of the same digest whose run this is; "": it was run itself
    repeated_lines: int = 0  # times in a row that stdout ends with the same line, if it is long and the run was stopped
    passes: int = 1  # how often the program ran, of a multi-pass problem; usage and io are those of all together
    # CPU times in us of all its runs in their order, where it was over its limit and run again (the fastest counts), or
    # had several passes and came near it; of a run of several passes that of the slowest, which the limit is for
    run_times: tuple[int, ...] = ()
    printed_lines: int = 0  # on stdout, of a batch case that took over half of its limit; else 0
    partner: Partner | None = None  # of an interactive problem
    ending: CaseEnding | None = None  # of one that is not accepted; of a hidden one what may be shown

    @property
    def too_many(self) -> str:
        """Which calls were too many, "write" or "read"; "" if none were."""
        return self.ending.calls.what if self.ending and self.ending.calls else ""


Judged = Mapping[str, CaseJudged]  # the cases that were run, by name


Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class RerunEnded(Generic[Result]):
    """A rerun of one judged case. `result` is None when there is nothing to show; `problem` tells the student why."""

    __test__ = False  # not a test, whatever pytest thinks of the name

    name: str  # of the case
    result: Result | None
    problem: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseProfiled(RerunEnded[Profile]):
    """The profile pass of one case, after grading. `meter`: why the calls were not counted."""

    meter: MeterProblem | None = None

    @property
    def has_meter(self) -> bool:
        """Return whether the host could have counted."""
        return self.meter is None or self.meter.code is MeterStop.FAILED


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredRun:
    """A rerun of a case after judging, checked like a judged run."""

    verdict: Verdict
    usage: Usage
    io: IoProfile
    stdout_bytes: int
    stderr_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferedRun:
    """One case with the unchanged program and with its output buffered: same input, same limits but for `plain`.

    `plain` had more time than the limit, so that its output is whole where it ended by itself. Without identical
    output nothing may be claimed.
    """

    plain: MeasuredRun
    buffered: MeasuredRun
    is_identical: bool  # both ended by themselves, with the same bytes on stdout and on stderr and the same exit code
    is_whole: bool  # both ended by themselves; False: `plain` was stopped even so
    same_bytes: int  # of stdout and stderr together: how far `plain` wrote the same, from their beginnings
    has_all_stderr: bool = True  # False: more was written there than is kept, so only stdout was compared


class BufferChange(StrEnum):
    """How the buffers of a program changed its output."""

    NONE = "none"
    LOST = "lost"  # some of it was never written
    DOUBLED = "doubled"  # some of it was written more than once
    REORDERED = "reordered"  # the same came in another order
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnbufferedTwin:
    """One case with the unchanged program, and with nothing of its output left in a buffer: each wrote the same twice,
    and all runs ended in the same way.
    """

    change: BufferChange
    stdout_bytes: int
    twin_bytes: int  # on stdout, unbuffered
    is_right: bool  # the checker accepts what the twin wrote
    lost: str = ""  # of a sample, how what was never written begins; "": it cannot be quoted


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCost:
    """The writes that one line of the source caused."""

    line: int  # from 1
    writes: int
    bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCosts:
    """The writes of one case by source line, the most expensive first. `elsewhere`: writes without a known line;
    `sampled_every`: 1 when each write was looked at, else the factor by which the counts were scaled.
    """

    lines: tuple[LineCost, ...]
    elsewhere: int
    sampled_every: int
    is_whole: bool  # False: the run was stopped, these are the writes until then


@dataclass(frozen=True, kw_only=True, slots=True)
class LineTime:
    """The samples of CPU time at one line of the source. `own`: spent there, or by what it called that is not the
    student's; `total`: by all that it called, too.
    """

    line: int  # from 1
    own: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LineStack:
    """Lines that called each other, innermost first, and how many samples have just these."""

    lines: tuple[int, ...]
    samples: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LineTimes:
    """The CPU time of one case by source line, as samples, those with the most own time first.

    `elsewhere`: samples without a known line; `cut`: with one, but without the outer calls; `lost`: not among
    `samples`, since they came too fast.
    """

    lines: tuple[LineTime, ...]
    stacks: tuple[LineStack, ...]  # the most frequent first; rare ones are left out
    samples: int
    elsewhere: int
    lost: int
    cut: int
    period_us: int  # CPU time between two samples
    cpu_time_us: int  # of the sampled run
    is_whole: bool  # False: the run was stopped, this is the time until then


@dataclass(frozen=True, kw_only=True, slots=True)
class StatesSeen:
    """The whole state of a program repeated, so that it never ends. `line`: where it was, 0 if that is not known;
    `visits`: so often it came there again until all was the same; `reads`, `writes`: its calls between the two.
    """

    line: int
    visits: int
    reads: int  # each got nothing: the input was at its end
    writes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RerunEvidence:
    """What reruns of one case told that rules speak of: a field for each kind whose record says `is_evidence`, called
    like the kind's column.
    """

    line_times: LineTimes | None = None
    unbuffered: UnbufferedTwin | None = None
    counted_work: CountedWork | None = None
    states: StatesSeen | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineRun:
    """A rerun of a case that was sampled while it ran: timeline and totals."""

    points: tuple[TimelinePoint, ...]
    usage: Usage
    cores: int  # how many it could use at once
    is_whole: bool  # False: it did not come to its end by itself


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsOfCase:
    """The runs of a changed program on one case: their CPU times in us, in their order.

    `over`: so many of them broke a limit on time.
    """

    name: str
    cpu_times_us: tuple[int, ...]
    over: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LineShare:
    """A line of a source, and its share of the CPU time of a run, in per cent."""

    line: int  # from 1
    percent: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FixedRun:
    """A program that Tally changed, on the case `plain` is of, and then on all cases.

    `plain` and `fixed` are the median runs, and had more time than the limit. Every run that is counted in `compared`
    wrote the same as the original to the byte, with the same exit code; of a case that the original did not finish,
    what it wrote is the beginning, and the checker decided. `verdict` is None when not all cases were run; of a case
    that was run several times it is AC if any of them was in time, and `runs` say how sure that is.
    """

    source: str
    diff: tuple[str, ...]  # a unified diff of the submission's source, without the names of the files
    codes: tuple[str, ...]  # of judge.grading.fixes, in the order in which they were applied
    plain: MeasuredRun
    fixed: MeasuredRun
    is_whole: bool  # the original came to its end
    cases: int  # how many there are; of equal ones one is run
    run: int
    compared: int
    verdict: Verdict | None  # what it would get: of the first case that is not accepted
    failed_case: str  # the name of that case; "": there is none
    has_all_stderr: bool  # False: what is left out was written to stderr, so only stdout was compared
    # older rows do not have these
    plain_times_us: tuple[int, ...] = ()  # of the original on that case, in their order
    runs: tuple[RunsOfCase, ...] = ()  # of the changed one on that case, then on each that came near the limit
    stopped: int = 0  # of `compared`: so many where the original was stopped
    right: int = 0  # on so many cases it was accepted
    next_line: LineShare | None = None  # of `source`: what takes most of its time, where that is still over the limit


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedRuns:
    """Further runs of a case near its time limit, in their order. `within`: so many kept the limits on time.

    `stopped_by_clock`: so many of the others kept the limit on CPU time, but not that on wall time.
    """

    cpu_times_us: tuple[int, ...]
    within: int
    stopped_by_clock: int = 0  # older rows do not have it
    clock_times_us: tuple[int, ...] = ()  # what the wall limit is for; () of several passes, and in older rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One statement about why the program took its time; `judge.grading.explain.in_words` makes its sentences."""

    code: str  # e.g. "flush-per-line"
    evidence: dict[str, Any]  # what triggered it and what its sentences tell: names to numbers or short strings
    lines: tuple[int, ...] = ()  # of the source, from 1: where it comes from


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingOfOlderRow(Finding):
    """A finding that a row keeps with its English sentences; the oldest have the lines in their evidence."""

    text: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupJudged:
    """The result of a test group, in a scoring problem only."""

    name: str  # below data/: "secret", "secret/1-small"
    verdict: Verdict | None  # None: it was not run
    score: float
    max_score: float | None  # None: unbounded
    cases: int  # of the group and those below it
    accepted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class GradingFinished:
    """The last event: the verdict of the whole submission, of a scoring problem with its points."""

    verdict: Verdict
    explanation: tuple[Finding, ...]
    score: float | None = None  # None: not a scoring problem, or no judgement (CE, JE)
    max_score: float | None = None  # None: not a scoring problem, or unbounded
    groups: tuple[GroupJudged, ...] = ()  # by order; those below `secret` one level deep
    judge_message: str = ""  # for JE: what went wrong and whose fault it is, for staff
    near_limit: str = ""  # name of the case that decided barely within the time limit; "": none did
    awaits: tuple[str, ...] = ()  # names of cases whose calls by name the explanation still needs
    tokens: tuple[int, ...] | None = None  # of the source: judge.grading.bounded.SourceRead; None: it was not read


Event = CompileFinished | CaseJudged | CaseProfiled | GradingFinished
