"""Sleeping submissions delay others by at most one running case (found_21 of the corpus)."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judge.grading.events import CaseProfiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import Package, ProblemLimits
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.passes.rules import PASS_S
from sandbox.types import MIB
from tests.judge.packages import make_package

LIMITS = ProblemLimits(time_limit_ms=2_000, memory_bytes=64 * MIB, output_bytes=MIB)  # 6 s on the clock
SLEEPS_S = 5
SLEEPER = f"import time\na, b = map(int, input().split())\ntime.sleep({SLEEPS_S})\nprint(a + b)\n".encode()
HONEST = b"print(sum(map(int, input().split())))\n"


@pytest.fixture
def sums(tmp_path: Path) -> Package:
    """With four cases that differ, one of them for sleepers."""
    return make_package(tmp_path, {f"secret/{n}": (f"{n} 1\n", f"{n + 1}\n") for n in range(4)}, limits=LIMITS)


@pytest.fixture
def sleepers_case(tmp_path: Path) -> Package:
    """The one case that sleepers run."""
    return make_package(tmp_path / "one", {"secret/0": ("1 1\n", "2\n")}, limits=LIMITS)


@pytest.mark.parametrize(
    ("slots", "profile", "most_s"),
    [
        # held up by the passes of sleepers alone
        pytest.param(1, ProfilePolicy.NONE, SLEEPS_S / 2, marks=pytest.mark.thorough),
        (3, ProfilePolicy.NONE, SLEEPS_S),  # a sleeper's pass may have to wait for another's running case besides
        # its own pass waits for a sleeper's running case
        pytest.param(1, ProfilePolicy.SLOWEST, SLEEPS_S + 2 * PASS_S, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.thorough
def test_three_sleepers_hold_an_honest_submission_up_for_one_of_their_cases_at_most(
    sandbox: NsjailSandbox,
    work_root: Path,
    sums: Package,
    sleepers_case: Package,
    slots: int,
    profile: ProfilePolicy,
    most_s: float,
) -> None:
    def graded(
        package: Package, source: bytes, profile: ProfilePolicy = ProfilePolicy.SLOWEST
    ) -> tuple[float, list[CaseProfiled]]:
        """How long it took, and its profiles."""
        job = GradingJob(package=package, language="python", source=source, profile=profile)
        began = time.monotonic()
        events = list(grade(job, sandbox, work_root))
        assert isinstance(events[-1], GradingFinished)
        assert events[-1].verdict is Verdict.AC
        return time.monotonic() - began, [event for event in events if isinstance(event, CaseProfiled)]

    alone_s = max(graded(sums, HONEST, profile)[0] for _ in range(3))
    beside = []
    with ThreadPoolExecutor(slots) as pool:
        sleepers = [pool.submit(graded, sleepers_case, SLEEPER) for _ in range(3)]
        while not all(sleeper.done() for sleeper in sleepers):
            beside.append(graded(sums, HONEST, profile)[0])
    assert max(beside) < 3 * alone_s + most_s
    for sleeper in sleepers:
        (case,) = sleeper.result()[1]
        assert case.result is not None
        assert 1_000 * PASS_S / 2 < case.result.stopped_after_ms < SLEEPS_S * 1_000
