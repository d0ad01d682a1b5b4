"""Verdicts and measurements of runs during which the machine, or a part of it, stood still."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.bounded import reader_in
from judge.grading.compiling.compilation import Executable
from judge.grading.events import CaseJudged, GradingJob, ProfilePolicy
from judge.grading.experiment.engine import run_experiment
from judge.grading.experiment.results import RunMeasured
from judge.grading.languages import CPP
from judge.grading.languages.runtime import NATIVE
from judge.grading.running.cases import CaseRunner
from judge.grading.running.execution import Run
from judge.grading.running.interaction import Conversation
from judge.grading.running.multipass import MultiPass
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from sandbox.errors import DisturbedError
from sandbox.jail.doubt import MOST_RUNS, Doubt
from sandbox.jail.pair import PairOutcome
from sandbox.types import Command, Ending, Limits, Mount, Outcome, Profile, Usage, Watch
from tests.fakes import EXITED, PROFILE, FakeSandbox, Scripted
from tests.judge.grading.experiment.specs import make_spec
from tests.judge.packages import make_package

STILL = Watch(late_us=90_000_000, longest_late_us=90_000_000, gap_us=90_000_000)
CASES = {"secret/1": ("1\n", "1\n")}
RIGHT, WRONG = Scripted(stdout=b"1\n"), Scripted(stdout=b"2\n")
CRASHED = Scripted(outcome=Outcome(ending=Ending.SIGNALLED, signal=14))
TOO_SLOW = Scripted(outcome=Outcome(ending=Ending.CPU_LIMIT, signal=9, usage=Usage(user_time_us=9_000_000)))
SLEPT = Scripted(outcome=Outcome(ending=Ending.WALL_LIMIT, signal=9))


def still(scripted: Scripted) -> Scripted:
    """The same while the machine stood still."""
    return replace(scripted, outcome=replace(scripted.outcome, watch=STILL))


def sandbox_of(*runs: Scripted) -> tuple[FakeSandbox, list[Scripted]]:
    """A sandbox whose runs go like these, one after the other; the second holds those that did not come."""
    left = list(runs)

    def script(command: Command, limits: Limits) -> Scripted:
        return Scripted(files={"main": b"\x7fELF"}) if command.stdin is None else left.pop(0)

    return FakeSandbox(script), left


@pytest.mark.parametrize(
    ("runs", "verdict"),
    [
        ((still(CRASHED), RIGHT), Verdict.AC),  # its own alarm went off
        ((still(WRONG), RIGHT), Verdict.AC),  # it looked at the clock
        ((still(WRONG), WRONG), Verdict.WA),
        ((still(WRONG), still(WRONG)), Verdict.WA),  # twice the same
        ((still(RIGHT),), Verdict.AC),
        ((still(TOO_SLOW),), Verdict.TLE),  # nobody uses CPU time while he stands still
        ((still(SLEPT),), Verdict.TLE),  # the sandbox has looked into that
        ((WRONG,), Verdict.WA),
    ],
)
def test_a_verdict_that_time_of_ours_may_have_decided_is_tried_again(
    tmp_path: Path, runs: tuple[Scripted, ...], verdict: Verdict
) -> None:
    sandbox, left = sandbox_of(*runs)
    package = make_package(tmp_path / "package", CASES)
    job = GradingJob(package=package, language="cpp", source=b"source", profile=ProfilePolicy.NONE)
    [judged] = [each for each in grade(job, sandbox, tmp_path / "work") if isinstance(each, CaseJudged)]
    assert judged.verdict is verdict
    assert left == []


class OneRun:
    """A runner whose runs are these."""

    def __init__(self, *runs: Run) -> None:
        self.left = list(runs)

    def run(self, case: TestCase) -> Run:
        return self.left.pop(0)

    def profile(self, case: TestCase) -> Profile:
        return PROFILE


def run_with(doubt: Doubt, verdict: Verdict = Verdict.TLE, stderr: Path = Path("/dev/null")) -> Run:
    outcome = Outcome(ending=Ending.EXITED if verdict is Verdict.AC else Ending.WALL_LIMIT, exit_code=0)
    return Run(outcome=outcome, verdict=verdict, message="", stdout=None, stderr=stderr, expected=None, doubt=doubt)


def bench_of(tmp_path: Path, *runs: Run) -> CaseRunner:
    package = make_package(tmp_path / "package", CASES)
    mount = Mount(source=tmp_path, target="/program")
    executable = Executable(runtime=NATIVE, start=CPP.start("main.cpp"), mount=mount)
    job = GradingJob(package=package, language="cpp", source=b"source")
    reader = reader_in(FakeSandbox(lambda *_: Scripted()), tmp_path)
    return CaseRunner(job=job, executable=executable, runner=OneRun(*runs), reader=reader)


def test_a_pass_in_doubt_has_its_whole_case_run_again(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, run_with(Doubt.OURS), run_with(Doubt.OURS), run_with(Doubt.NONE, Verdict.AC))
    assert bench.judge(bench.job.package.test_cases[0]).verdict is Verdict.AC


def test_a_program_that_stops_itself_in_each_run_is_too_slow(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, *[run_with(Doubt.UNTIL_REPEATED)] * 2)
    assert bench.judge(bench.job.package.test_cases[0]).verdict is Verdict.TLE


def test_time_of_ours_in_each_run_is_our_failure(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, *[run_with(Doubt.OURS)] * MOST_RUNS)
    with pytest.raises(DisturbedError):
        bench.judge(bench.job.package.test_cases[0])


def test_the_last_pass_tells_the_doubt_and_all_tell_how_they_were_watched(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.write_text("2\n")
    first = replace(run_with(Doubt.NONE, Verdict.AC), next_input=made)
    first = replace(first, outcome=replace(first.outcome, watch=STILL))

    class Passes:
        def __init__(self) -> None:
            self.left = [first, run_with(Doubt.OURS)]

        def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
            return self.left.pop(0)

        def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
            return PROFILE

    package = make_package(tmp_path / "package", CASES)
    run = MultiPass(Passes(), 4, tmp_path).run(package.test_cases[0])
    assert (run.passes, run.doubt, run.outcome.watch) == (2, Doubt.OURS, STILL)


def test_what_disturbed_the_interactor_disturbed_the_program() -> None:
    program = replace(EXITED, watch=Watch(late_us=1, host_gap_us=300_000))
    interactor = replace(EXITED, watch=replace(STILL, host_gap_us=300_000))
    pair = PairOutcome(program=program, interactor=interactor, interactor_ended_first=False)
    watch = Conversation._outcome(None, pair, Verdict.AC).watch  # type: ignore[arg-type] # it asks nothing of it
    assert watch == replace(STILL, late_us=STILL.late_us + 1, host_gap_us=300_000)


def test_an_experiment_measures_again_and_marks_what_stays_disturbed(tmp_path: Path) -> None:
    counts: dict[str, int] = {}

    def script(command: Command, limits: Limits) -> Scripted:
        if command.collect:
            return Scripted(files={"main": b"\x7fELF"})
        counts["runs"] = counts.get("runs", 0) + 1
        return still(RIGHT) if counts["runs"] in (1, 3, 4) else RIGHT

    spec = replace(make_spec(), rounds=2)
    told = [each for each in run_experiment(spec, FakeSandbox(script), tmp_path) if isinstance(each, RunMeasured)]
    assert counts["runs"] == len(told) + 2
    assert ["stood still" in each.detail for each in told] == [False, True, *[False] * (len(told) - 2)]
