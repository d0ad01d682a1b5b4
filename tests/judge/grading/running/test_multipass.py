"""Multi-pass problems: a run per pass, the validator's notes from pass to pass, and what is told of all of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, CaseProfiled as Profiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.running.execution import Run
from judge.grading.running.multipass import MultiPass
from judge.grading.submission.grading import grade, profile_case
from judge.grading.verdicts import Verdict
from problems.package import Package, TestCase
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Ending, IoProfile, Outcome, Profile, StreamUse, Usage
from tests.judge.packages import LIMITS, make_package

# Wants each number doubled, as often as the answer file says; keeps a list of what it saw, in a folder of its own.
VALIDATOR = """
import sys
from pathlib import Path
given, answer, feedback = (Path(name) for name in sys.argv[1:4])
number, wanted = int(given.read_text()), int(answer.read_text())
assert not (feedback / "nextpass.in").exists()
notes = feedback / "notes" / "seen"
notes.parent.mkdir(exist_ok=True)
with notes.open("a") as file:
    print(number, file=file)
seen = notes.read_text().split()
with (feedback / "judgemessage.txt").open("a") as file:
    print("pass", len(seen), file=file)
got = sys.stdin.read().split()
if got != [str(2 * number)]:
    sys.exit(43)
if len(seen) < wanted:
    (feedback / "nextpass.in").write_text(str(2 * number))
sys.exit(42)
"""
INTERACTOR = VALIDATOR.replace("got = sys.stdin", "print(number, flush=True)\ngot = sys.stdin")
CASES = {"sample/1": ("3\n", "1\n"), "secret/1": ("5\n", "3\n")}
RIGHT = "print(2 * int(input()))"


def package_with(
    folder: Path, validator: str = VALIDATOR, *, most: int = 4, is_interactive: bool = False, time_limit_ms: int = 1_000
) -> Package:
    limits = replace(LIMITS, time_limit_ms=time_limit_ms)
    package = make_package(
        folder, CASES, validator=("passes.py", validator), limits=limits, is_interactive=is_interactive
    )
    return replace(package, most_passes=most)


def judged(
    package: Package,
    source: str,
    sandbox: NsjailSandbox,
    work_root: Path,
    profile: ProfilePolicy = ProfilePolicy.NONE,
) -> tuple[GradingFinished, list[CaseJudged], list[Profiled]]:
    job = GradingJob(package=package, language="python", source=source.encode(), profile=profile)
    *events, finished = grade(job, sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    cases = [event for event in events if isinstance(event, CaseJudged)]
    return finished, cases, [event for event in events if isinstance(event, Profiled)]


@pytest.mark.parametrize("is_interactive", [False, True])
def test_it_runs_until_no_next_input_comes_and_the_validator_finds_its_notes(
    tmp_path: Path, is_interactive: bool, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_with(tmp_path, INTERACTOR if is_interactive else VALIDATOR, is_interactive=is_interactive)
    finished, cases, _ = judged(package, RIGHT, sandbox, work_root)
    assert finished.verdict is Verdict.AC, finished.judge_message
    assert [case.passes for case in cases] == [1, 3]
    assert [case.judge_message for case in cases] == ["pass 1", "pass 1\npass 2\npass 3"]
    once, thrice = cases
    assert (once.io.write_calls, thrice.io.write_calls) == (1, 3)
    assert (once.stdout_bytes, thrice.stdout_bytes) == (2, 9)  # "6", and "10", "20", "40"
    assert thrice.usage.cpu_time_us > once.usage.cpu_time_us
    assert thrice.usage.peak_memory_bytes < 2 * once.usage.peak_memory_bytes


@pytest.mark.parametrize(
    ("source", "verdict", "passes"),
    [
        ("n = int(input())\nprint(2 * n if n < 10 else 0)", "WA", 2),
        ("n = int(input())\nassert n < 20\nprint(2 * n)", "RE", 3),
        ("n = int(input())\nwhile n > 10: pass\nprint(2 * n)", "TLE", 3),
        ("import os\nprint(2 * int(input()))\nassert not os.listdir(); open('left', 'w')", "AC", 3),
    ],
)
def test_the_first_pass_that_fails_gives_the_verdict(
    tmp_path: Path, source: str, verdict: str, passes: int, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_with(tmp_path, time_limit_ms=300)
    finished, cases, _ = judged(package, source, sandbox, work_root)
    assert (cases[-1].verdict.value, cases[-1].passes) == (verdict, passes), finished


def test_the_time_limit_is_for_each_pass(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.25: pass\nprint(2 * int(input()))"
    _, cases, _ = judged(package_with(tmp_path, time_limit_ms=500), busy, sandbox, work_root)
    assert [case.verdict for case in cases] == [Verdict.AC, Verdict.AC]
    assert cases[1].usage.cpu_time_us > 500_000
    assert [case.run_times for case in cases] == [(), ()]  # each pass is far from it


def test_passes_near_the_limit_are_told(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    busy = "import time\nnumber = int(input())\nwhile time.process_time() < number / 40: pass\nprint(2 * number)"
    finished, cases, _ = judged(package_with(tmp_path, time_limit_ms=540), busy, sandbox, work_root)
    assert cases[0].run_times == ()
    assert cases[1].passes == 3
    assert all(500_000 <= time_us < 600_000 for time_us in cases[1].run_times)  # of the third pass, not of all
    assert finished.near_limit == ("secret/1" if finished.verdict is Verdict.AC else "")
    assert cases[1].run_times


@pytest.mark.parametrize("is_interactive", [False, True])
@pytest.mark.parametrize(
    ("validator", "most", "words"),
    [
        (VALIDATOR, 2, "wants a pass more than the 2 that the problem allows on secret/1"),
        (VALIDATOR.replace("if got !=", "(feedback / 'nextpass.in').touch()\nif got =="), 4, "beside a rejection"),
        (VALIDATOR.replace("if len(seen) <", "sys.exit(len(seen) * 7)\nif len(seen) <"), 4, "exited with 7"),
    ],
)
def test_a_validator_that_breaks_the_rules_is_blamed(
    tmp_path: Path,
    validator: str,
    most: int,
    words: str,
    is_interactive: bool,
    sandbox: NsjailSandbox,
    work_root: Path,
) -> None:
    if is_interactive:
        validator = validator.replace("got = sys.stdin", "print(number, flush=True)\ngot = sys.stdin")
    package = package_with(tmp_path, validator, most=most, is_interactive=is_interactive)
    finished, _, _ = judged(package, RIGHT, sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert words in finished.judge_message


def test_a_next_input_means_nothing_in_an_ordinary_problem(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    finished, cases, _ = judged(package_with(tmp_path, most=1), RIGHT, sandbox, work_root)
    assert (finished.verdict, [case.passes for case in cases]) == (Verdict.AC, [1, 1])


@pytest.mark.parametrize("is_interactive", [False, True])
def test_the_profile_is_of_all_passes(
    tmp_path: Path, is_interactive: bool, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_with(tmp_path, INTERACTOR if is_interactive else VALIDATOR, is_interactive=is_interactive)
    _, _, profiles = judged(package, RIGHT, sandbox, work_root, ProfilePolicy.ALL)
    job = GradingJob(package=package, language="python", source=RIGHT.encode())
    for profiled in (profiles[1], profile_case(job, "secret/1", sandbox, work_root)):
        assert profiled.result is not None, profiled.problem
        assert (profiled.result.streams["stdout"].calls, profiled.result.streams["stdout"].bytes) == (3, 9)


class _Scripted:
    """A runner of passes that answers as it is told; remembers what it was asked."""

    def __init__(self, runs: list[Run]) -> None:
        self._runs = iter(runs)
        self.asked: list[tuple[str, bool]] = []

    def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
        self.asked.append((case.input.name, goes_on))
        return next(self._runs)

    def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
        self.asked.append((case.input.name, goes_on))
        return Profile(
            syscalls={"write": 1, case.input.name: 1},
            streams={"stdout": StreamUse(calls=2, bytes=10)},
            stopped_after_ms=5 if goes_on else 0,
        )


def test_what_is_told_is_the_sum_and_the_highest_peak(tmp_path: Path) -> None:
    (tmp_path / "next").write_text("2")

    def run(number: int, next_input: Path | None) -> Run:
        usage = Usage(user_time_us=number, wall_time_us=10 * number, peak_memory_bytes=1_000 // number)
        io = IoProfile(read_calls=number, write_bytes=5)
        outcome = Outcome(ending=Ending.EXITED, exit_code=0, usage=usage, io=io, stdout_bytes=4, limit=number)
        return Run(
            outcome=outcome,
            verdict=Verdict.AC,
            message=f"word {number}",
            stdout=tmp_path / "stdout",
            stderr=tmp_path / "stderr",
            expected=None,
            next_input=next_input,
            slowest_pass_us={1: 1, 2: 9, 3: 3}[number],
        )

    runner = _Scripted([run(1, tmp_path / "next"), run(2, tmp_path / "next"), run(3, None)])
    case = TestCase(name="secret/1", input=tmp_path / "1.in", answer=tmp_path / "1.ans", is_sample=False)
    passes = MultiPass(runner, 3, tmp_path)
    together = passes.run(case)
    assert together.outcome.usage == Usage(user_time_us=6, wall_time_us=60, peak_memory_bytes=1_000)
    assert together.outcome.io == IoProfile(read_calls=6, write_bytes=15)
    assert (together.outcome.stdout_bytes, together.outcome.limit) == (12, 3)
    assert (together.passes, together.message, together.slowest_pass_us) == (3, "word 3", 9)
    profile = passes.profile(case)
    assert profile.syscalls == {"write": 3, "1.in": 1, "pass-2.in": 1, "pass-3.in": 1}
    assert profile.streams == {"stdout": StreamUse(calls=6, bytes=30)}
    assert profile.stopped_after_ms == 5
    assert runner.asked == 2 * [("1.in", False), ("pass-2.in", True), ("pass-3.in", True)]
