"""The input of the rules: one submission's cases, profiles and source, with questions that several rules ask."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace

from judge.grading.events import CaseJudged
from judge.grading.explain.evidence.cost import Calls, calls_of
from judge.grading.explain.evidence.texts import Shape
from judge.grading.languages import Language
from judge.grading.reading.code import Code
from judge.grading.scoring.case_order import LeftOut
from judge.grading.scoring.scoring import Scored
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.package import ProblemLimits
from sandbox.types import Profile

MANY_CALLS = 10_000  # fewer cost some milliseconds at most
KERNEL_SHARE = 20  # per cent of the CPU time that calls must have cost in the kernel before they are named
_NOTICEABLE_US = 100_000  # an accepted program that takes less has nothing to mend


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
    inputs: Mapping[str, Shape] = field(default_factory=dict)  # likewise; none of a dialogue's
    largest_input_bytes: int = 0  # of all cases of the package, run or not
    answers: Mapping[str, Shape] = field(default_factory=dict)  # of the cases with `answer_bytes`
    counts_later: Set[str] = frozenset()
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

    @property
    def _read_anyway(self) -> int:
        """The bytes that a run reads beside its input, such as an interpreter's modules."""
        readable = [case for case in self.cases if case.name in self.inputs and case.exit_code is not None]
        return min((max(0, case.io.read_bytes - self.inputs[case.name].bytes) for case in readable), default=0)

    def pieces(self, case: CaseJudged) -> Pieces:
        """Estimate how many lines and words a case's run read and printed, by its input, its answer and its bytes."""
        case_input, answer = self.inputs.get(case.name), self.answers.get(case.name)
        lines = words = printed = 0
        if case_input is not None and case_input.bytes:
            part = min(1.0, max(0, case.io.read_bytes - self._read_anyway) / case_input.bytes)
            lines, words = int(case_input.lines * part), int(case_input.words * part)
        if answer is not None and answer.bytes:
            printed = int(answer.lines * min(1.0, case.stdout_bytes / answer.bytes))
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

    def kernel_percent(self, case: CaseJudged) -> int:
        """Return the share of a case's CPU time that the kernel spent on it."""
        return percent(case.usage.system_time_us, case.usage.cpu_time_us)
