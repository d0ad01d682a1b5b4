"""The input of the rules: one submission's cases, profiles and source, with questions that several rules ask.

The kernel's share of the CPU time is measured, but not call by call. It is divided among all that the program had the
kernel do, so that no rule blames its own calls for what others cost.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace

from judge.grading.events import CaseJudged, RerunEvidence
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.languages import Language
from judge.grading.reading.places import Code
from judge.grading.scoring.case_order import LeftOut
from judge.grading.scoring.scoring import Scored
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.package import ProblemLimits
from sandbox.types import Profile

MANY_CALLS = 10_000  # fewer cost some milliseconds at most
KERNEL_SHARE = 20  # per cent of the CPU time that calls must have cost in the kernel before they are named
_NOTICEABLE_US = 100_000  # an accepted program that takes less has nothing to mend
_MORE_THAN_ASKED = 1.1  # times the answer's bytes: an output of other lines than the answer's
# A small write to a file takes about half a microsecond, a first touch of a page, which the kernel has to clear, as
# much again: 1.0 us in a virtual machine against 0.5. Too high only makes the rules say less.
CALLS_PER_FAULT = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Calls:
    """Calls of a graded run. By name and stream they come from the profile pass, scaled to the length of this run."""

    reads: int  # of the kernel's own books
    writes: int
    to_stdout: int  # of the writes; without a profile, by the share of the bytes
    to_stderr: int
    total: int  # all system calls; without a profile, the reads and writes
    faults: int

    def share(self, count: int) -> float:
        """Return the share, from 0 to 1, of so many of these calls in the kernel's work."""
        done = max(self.total, count) + CALLS_PER_FAULT * self.faults
        return count / done if done else 0.0


def calls_of(case: CaseJudged, profile: Profile | None) -> Calls:
    """Count a case's calls by kind."""
    io = case.io
    moving = io.read_calls + io.write_calls
    if profile is None:
        stdout, stderr, whole, total = case.stdout_bytes, case.stderr_bytes, io.write_bytes, moving
    else:
        use = {name: stream.calls for name, stream in profile.streams.items()}
        stdout, stderr = use.get("stdout", 0), use.get("stderr", 0)
        whole = stdout + stderr + use.get("files", 0)
        counted = whole + use.get("stdin", 0)
        total = sum(profile.syscalls.values()) * moving // counted if counted else moving
    return Calls(
        reads=io.read_calls,
        writes=io.write_calls,
        to_stdout=io.write_calls * min(stdout, whole) // whole if whole else 0,
        to_stderr=io.write_calls * min(stderr, whole) // whole if whole else 0,
        total=max(total, moving),
        faults=case.usage.minor_faults,
    )


class CountsAwaited(Exception):
    """A rule needs the calls by name of the case `case_name`, which are counted later. No rule catches it."""

    def __init__(self, case_name: str) -> None:
        super().__init__(case_name)
        self.case_name = case_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Pieces:
    """About how much a run handled piece by piece. `values`: how many the case has, if the run had gone on."""

    lines: int  # read
    words: int  # read
    printed: int  # lines
    values: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A graded submission. `total_cases` counts those that were not run too.

    `counts_later`: names of cases whose profile is taken later, unless it is in `profiles` already. Of all others
    without a profile nobody could count the calls by name.
    """

    language: Language
    source: bytes
    limits: ProblemLimits
    verdict: Verdict
    cases: tuple[CaseJudged, ...]
    profiles: Mapping[str, Profile]
    total_cases: int
    is_interactive: bool = False  # then a program has to flush and to wait for replies
    scored: Scored | None = None  # of a scoring problem
    left_out: tuple[LeftOut, ...] = ()  # the cases that were not run
    answer_bytes: Mapping[str, int] = field(default_factory=dict)  # by case; of hidden ones for the rules only
    input_bytes: Mapping[str, int] = field(
        default_factory=dict
    )  # likewise, also of cases not run; none of a dialogue's
    inputs: Mapping[str, Shape] = field(default_factory=dict)  # of these cases: to ask for one may read the file
    answers: Mapping[str, Shape] = field(default_factory=dict)  # of the cases with `answer_bytes`
    counts_later: Set[str] = frozenset()
    reruns: Mapping[str, RerunEvidence] = field(default_factory=dict)  # by case; none beside the verdict
    # reads what a source does; it takes time, so only if a rule asks
    read_code: Callable[[bytes, Language], Code] = field(default=lambda *_: Code(), repr=False, compare=False)
    file_name: str = ""  # of the source, where it was compiled
    compile_message: str = ""  # of the compiler, where it was told
    _read: list[Code] = field(default_factory=list, init=False, repr=False, compare=False)  # once, if a rule asks

    @property
    def code(self) -> Code:
        """The deeds of the source by place. No rule asks for a program that did not compile."""
        return self.read_code(self.source, self.language)

    @property
    def first_failure(self) -> CaseJudged | None:
        """The first case that is not accepted; None when every one that was run is."""
        return next((case for case in self.cases if case.verdict is not Verdict.AC), None)

    @property
    def focus(self) -> CaseJudged | None:
        """The case to talk about: the first one over a time limit, else the slowest; None when none was run."""
        too_slow = next((case for case in self.cases if case.verdict is Verdict.TLE), None)
        return too_slow or max(self.cases, key=lambda case: case.usage.cpu_time_us, default=None)

    def about(self, case: CaseJudged) -> dict[str, object]:
        """Return like `where`, and whether the case is accepted: then there is nothing that must be mended."""
        accepted = {"is_accepted": True} if case.verdict is Verdict.AC else {}
        return {**self.where(case), **accepted}

    def where(self, case: CaseJudged) -> dict[str, object]:
        """Return the case as evidence beside counts, which stop where a limit ended the run."""
        is_stopped = case.verdict.record.is_stopped and case.exit_code is None  # some finish a little over their limit
        return {"test_case": case.name, "is_stopped": is_stopped}

    def is_slow(self, case: CaseJudged) -> bool:
        """Return whether anybody would want to know why it took so long."""
        return case.verdict is Verdict.TLE or case.usage.cpu_time_us >= _NOTICEABLE_US

    def wants_cause(self, case: CaseJudged) -> bool:
        """Return whether the case must not stay unexplained: it was too slow, or took over half of the limit."""
        if self.is_interactive or case.passes > 1:
            return False
        return case.verdict is Verdict.TLE or (
            case.verdict is Verdict.AC and 2 * case.usage.cpu_time_us > self.limit_us
        )

    @property
    def limit_us(self) -> int:
        """The limit on CPU time."""
        return self.limits.time_limit_ms * 1_000

    def handling_percent(self, case: CaseJudged) -> int:
        """Return the share of the CPU time that turning input and output to values and back can have taken at most."""
        handled = (case.io.read_bytes + case.io.write_bytes) * self.language.costs.handling_ns_per_byte // 1_000
        return percent(handled, case.usage.cpu_time_us)

    def read_files(self, name: str) -> None:
        """Read the input and the answer of a case now, so that no rule reads them later."""
        for shapes in (self.inputs, self.answers):
            shapes.get(name)

    def pieces(self, case: CaseJudged) -> Pieces:
        """Return how many lines and words a case's run read and printed, by its input, its answer and its bytes."""
        case_input, answer = self.inputs.get(case.name), self.answers.get(case.name)
        lines = words = printed = 0
        if case_input is not None and case_input.bytes:
            readable = [case for case in self.cases if case.name in self.input_bytes and case.exit_code is not None]
            beside = (max(0, case.io.read_bytes - self.input_bytes[case.name]) for case in readable)
            read_anyway = min(beside, default=0)  # such as an interpreter's modules
            read = case_input.until(max(0, case.io.read_bytes - read_anyway))
            lines, words = read.lines, read.words
        if case.printed_lines:
            printed = case.printed_lines
        elif answer is not None and case.stdout_bytes <= _MORE_THAN_ASKED * answer.bytes:
            printed = answer.until(case.stdout_bytes).lines
        values = max(case_input.words if case_input else 0, answer.lines if answer else 0)
        return Pieces(lines=lines, words=words, printed=printed, values=values)

    def with_counts(self, profiles: Mapping[str, Profile], counts_later: Set[str]) -> "Facts":
        """Return the same with other profiles."""
        return replace(self, profiles=profiles, counts_later=counts_later)

    def profile(self, case: CaseJudged) -> Profile | None:
        """Return the case's calls by name; None if nobody could count them. Raises CountsAwaited.

        A rule asks for them after all that the free counts can answer, so that no more passes are made than needed.
        """
        profile = self.profiles.get(case.name)
        if profile is None and case.name in self.counts_later:
            raise CountsAwaited(case.name)
        return profile

    def calls(self, case: CaseJudged) -> Calls:
        """Count the case's system calls by kind. Raises CountsAwaited."""
        return calls_of(case, self.profile(case))

    def most_blamed_percent(self, case: CaseJudged, count: int) -> int:
        """Return the share of a case's CPU time that the kernel spent on so many of its reads and writes at most.

        It is as if the program had made no other calls. Those that the profile pass counts can only lower it.
        """
        return int(self.kernel_percent(case) * calls_of(case, None).share(count))

    def blamed_percent(self, case: CaseJudged, count: int, *, matters_from: int) -> int:
        """Return the share of a case's CPU time that the kernel spent on so many of its reads and writes.

        If it is less than `matters_from` whatever other calls there were, the most that it can be. Raises
        CountsAwaited.
        """
        most = self.most_blamed_percent(case, count)
        return most if most < matters_from else int(self.kernel_percent(case) * self.calls(case).share(count))

    def kernel(self, case: CaseJudged) -> dict[str, object]:
        """Return the kernel's share of a case's CPU time as evidence (`Telling.kernel`)."""
        usage = case.usage
        times = {"system_time_us": usage.system_time_us, "cpu_time_us": usage.cpu_time_us}
        return {**times, "kernel_percent": self.kernel_percent(case)}

    @property
    def slow_case(self) -> CaseJudged | None:
        """The case to talk about, if it must not stay unexplained (`wants_cause`)."""
        case = self.focus
        return case if case is not None and self.wants_cause(case) else None

    def kernel_percent(self, case: CaseJudged) -> int:
        """Return the share of a case's CPU time that the kernel spent on it."""
        return percent(case.usage.system_time_us, case.usage.cpu_time_us)
