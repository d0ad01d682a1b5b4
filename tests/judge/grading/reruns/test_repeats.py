"""Further runs of a case near its time limit, in the real jail, and which verdicts bring them."""

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, GradingJob, RepeatedRuns, RerunEnded
from judge.grading.near_limit import is_barely_over, is_near, limited_us, stopped_at_us, wall_limit_ms, worth_repeating
from judge.grading.reruns.again import PACKAGE_IS_BROKEN
from judge.grading.reruns.repeats import FEWEST_RUNS, MOST_RUNS, number_of_runs, repeat_case
from judge.grading.verdicts import Verdict
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import IoProfile, Usage
from tests.judge.packages import LIMITS, make_package

LIMIT_MS = 400
SPINS = "import time\nwhile time.process_time() < {seconds}: pass\nprint(1)"
# Wants two passes, each with another number.
IN_PASSES = """
import sys
from pathlib import Path
given, feedback = Path(sys.argv[1]), Path(sys.argv[3])
number = int(given.read_text())
if int(sys.stdin.read()) != number:
    sys.exit(43)
if number == 1:
    (feedback / "nextpass.in").write_text("2")
sys.exit(42)
"""
INTERACTOR = "import sys\nprint(1, flush=True); input(); sys.exit(42)"
Repeat = Callable[..., RerunEnded[RepeatedRuns]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path, {"secret/1": ("1\n", "1\n")}, limits=replace(LIMITS, time_limit_ms=LIMIT_MS))


@pytest.fixture
def repeat(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Repeat:
    """A function that repeats a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package, **changes: object) -> RerunEnded[RepeatedRuns]:
        code = textwrap.dedent(source).encode()
        job = GradingJob(package=given, language=language, source=code, cpu=0, judged_wall_us=300_000)
        return repeat_case(replace(job, **changes), "secret/1", sandbox, work_root)  # type: ignore[arg-type]

    return run


def test_a_program_far_within_its_limit_is_within_it_each_time(repeat: Repeat) -> None:
    found = repeat("python", SPINS.format(seconds=0.1)).result
    assert found is not None
    assert (len(found.cpu_times_us), found.within) == (MOST_RUNS, MOST_RUNS)
    assert all(100_000 <= time_us <= LIMIT_MS * 1_000 for time_us in found.cpu_times_us)
    assert len(found.clock_times_us) == MOST_RUNS


@pytest.mark.thorough
def test_a_program_over_its_limit_is_measured_beyond_it(repeat: Repeat) -> None:
    found = repeat("python", SPINS.format(seconds=9)).result
    assert found is not None
    assert (found.within, found.stopped_by_clock) == (0, 0)
    assert min(found.cpu_times_us) >= stopped_at_us(LIMIT_MS)


@pytest.mark.thorough
def test_a_run_that_sleeps_over_the_wall_limit_is_not_within(repeat: Repeat, package: Package) -> None:
    short = replace(package, limits=replace(package.limits, time_limit_ms=100))  # 2 s more on the clock
    found = repeat("cpp", "#include <unistd.h>\nint main() { sleep(9); }", short, judged_wall_us=10_000_000).result
    assert found is not None
    assert (len(found.cpu_times_us), found.within, found.stopped_by_clock) == (FEWEST_RUNS, 0, FEWEST_RUNS)
    assert min(found.clock_times_us) >= wall_limit_ms(100) * 1_000


def test_others_may_go_first_between_two_runs(repeat: Repeat) -> None:
    turns: list[int] = []
    repeat("python", "print(1)", between=lambda: turns.append(1))
    assert len(turns) == MOST_RUNS - 1


def test_a_conversation_is_repeated_with_its_interactor(repeat: Repeat, tmp_path: Path) -> None:
    talks = make_package(
        tmp_path / "talk", {"secret/1": ("1\n", "1\n")}, validator=("talk.py", INTERACTOR), is_interactive=True
    )
    found = repeat("python", "input()\nprint(2)", talks).result
    assert found is not None
    assert found.within == MOST_RUNS


SLOW_SECOND_PASS = """
import time
number = int(input())
while time.process_time() < 0.15 * number: pass
print(number)
"""


def passes_package(folder: Path, validator: str = IN_PASSES) -> Package:
    limits = replace(LIMITS, time_limit_ms=LIMIT_MS)
    cases = {"secret/1": ("1\n", "1\n")}
    return replace(make_package(folder, cases, validator=("passes.py", validator), limits=limits), most_passes=2)


def test_of_several_passes_the_slowest_counts_in_each_run(repeat: Repeat, tmp_path: Path) -> None:
    found = repeat("python", SLOW_SECOND_PASS, passes_package(tmp_path / "passes")).result
    assert found is not None
    assert (len(found.cpu_times_us), found.within) == (MOST_RUNS, MOST_RUNS)
    assert all(300_000 <= time_us <= LIMIT_MS * 1_000 for time_us in found.cpu_times_us)  # not both together
    assert found.clock_times_us == ()


def test_passes_of_a_broken_package_are_not_repeated(repeat: Repeat, tmp_path: Path) -> None:
    broken = passes_package(tmp_path / "passes", "import sys\nsys.exit(1)")
    assert repeat("python", "print(1)", broken).problem == PACKAGE_IS_BROKEN


def test_what_cannot_be_repeated_says_why(repeat: Repeat) -> None:
    assert "compiled" in repeat("cpp", "int main() { return 0").problem


@pytest.mark.parametrize(("wall_us", "number"), [(0, 5), (1_000_000, 5), (5_000_000, 4), (60_000_000, 3)])
def test_an_expensive_case_is_repeated_less_often(wall_us: int, number: int) -> None:
    assert number_of_runs(wall_us) == number


@pytest.mark.parametrize(
    ("time_us", "near", "barely_over"),
    [
        (849_999, False, True),
        (850_000, True, True),
        (1_150_000, True, True),
        (1_150_001, False, True),
        (1_250_000, False, True),
        (1_250_001, False, False),
    ],
)
def test_near_is_fifteen_per_cent_on_both_sides_and_barely_over_a_quarter(
    time_us: int, near: bool, barely_over: bool
) -> None:
    assert (is_near(time_us, 1_000), is_barely_over(time_us, 1_000)) == (near, barely_over)


@pytest.mark.parametrize(
    ("passes", "run_times", "time_us"),
    [(1, (), 700), (1, (900, 700), 700), (2, (), None), (2, None, None), (2, (500,), 500), (3, (900, 500), 500)],
)
def test_the_limit_is_for_one_pass(passes: int, run_times: tuple[int, ...] | None, time_us: int | None) -> None:
    assert limited_us(700, passes, run_times) == time_us


def case(name: str, usage: Usage, passes: int = 1, run_times: tuple[int, ...] = ()) -> CaseJudged:
    return CaseJudged(
        name=name,
        is_sample=False,
        verdict=Verdict.AC,
        usage=usage,
        io=IoProfile(),
        exit_code=0,
        signal=None,
        stdout_bytes=0,
        stderr_bytes=0,
        passes=passes,
        run_times=run_times,
    )


QUICK = case("quick", Usage(user_time_us=10_000, wall_time_us=20_000))
COMPUTES = case("computes", Usage(user_time_us=900_000, wall_time_us=900_000))
WAITS = case("waits", Usage(user_time_us=10_000, wall_time_us=2_900_000))
QUEUED = case("queued", Usage(user_time_us=10_000, wall_time_us=2_900_000, queued_time_us=2_000_000))
IN_PASSES_NEAR = case("passes", Usage(user_time_us=2_000_000, wall_time_us=2_900_000), 3, (950_000,))
IN_PASSES_FAR = case("passes", Usage(user_time_us=950_000, wall_time_us=2_900_000), 3)


@pytest.mark.parametrize(
    ("cases", "name"),
    [
        ([QUICK], ""),
        ([QUICK, COMPUTES], "computes"),
        ([QUICK, WAITS], "waits"),
        ([WAITS, COMPUTES], "computes"),
        ([QUICK, QUEUED], ""),
        ([QUICK, IN_PASSES_FAR], ""),
        ([COMPUTES, IN_PASSES_NEAR], "passes"),
        ([], ""),
    ],
)
def test_the_case_that_decided_barely_is_repeated(cases: list[CaseJudged], name: str) -> None:
    assert worth_repeating(Verdict.AC, cases, 1_000) == name
    assert worth_repeating(Verdict.TLE, cases, 1_000) == ""
