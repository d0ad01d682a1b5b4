"""The input of the rules: one submission's cases, profiles and source, with questions that several rules ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.grading.events import CaseJudged
from judge.grading.explain.code import Code, read_code
from judge.grading.explain.cost import Calls, calls_of
from judge.grading.languages import Language
from judge.grading.running.case_order import LeftOut
from judge.grading.scoring.scoring import Scored
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.package import ProblemLimits
from sandbox.types import Profile

MANY_CALLS = 10_000  # fewer cost some milliseconds at most
KERNEL_SHARE = 20  # per cent of the CPU time that calls must have cost in the kernel before they are named
_NOTICEABLE_US = 100_000  # an accepted program that takes less has nothing to mend


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """A graded submission. `total_cases` counts those that were not run too."""

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
    _read: list[Code] = field(default_factory=list, init=False, repr=False, compare=False)  # once, if a rule asks

    @property
    def code(self) -> Code:
        """The deeds of the source by place. No rule asks for a program that did not compile."""
        if not self._read:
            self._read.append(read_code(self.source, self.language))
        return self._read[0]

    @property
    def first_failure(self) -> CaseJudged | None:
        """The first case that is not accepted; None when every one that was run is."""
        return next((case for case in self.cases if case.verdict is not Verdict.AC), None)

    @property
    def focus(self) -> CaseJudged | None:
        """The case to talk about: the first one over a time limit, else the slowest; None when none was run."""
        too_slow = next((case for case in self.cases if case.verdict is Verdict.TLE), None)
        return too_slow or max(self.cases, key=lambda case: case.usage.cpu_time_us, default=None)

    def where(self, case: CaseJudged) -> dict[str, object]:
        """Return the case as evidence beside counts, which stop where a limit ended the run."""
        is_stopped = case.verdict.record.is_stopped and case.exit_code is None  # some finish a little over their limit
        return {"test_case": case.name, "is_stopped": is_stopped}

    def is_slow(self, case: CaseJudged) -> bool:
        """Return whether anybody would want to know why it took so long."""
        return case.verdict is Verdict.TLE or case.usage.cpu_time_us >= _NOTICEABLE_US

    def calls(self, case: CaseJudged) -> Calls:
        """Count the case's system calls by kind."""
        return calls_of(case, self.profiles.get(case.name))

    def blamed_percent(self, case: CaseJudged, count: int) -> int:
        """Return the share of a case's CPU time that the kernel spent on so many of its calls."""
        return int(self.kernel_percent(case) * self.calls(case).share(count))

    def kernel_percent(self, case: CaseJudged) -> int:
        """Return the share of a case's CPU time that the kernel spent on it."""
        return percent(case.usage.system_time_us, case.usage.cpu_time_us)
