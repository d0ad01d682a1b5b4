"""Custom runs in the real jail: verdict and output on samples, no verdict on an input of one's own."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from judge import custom_runs as requests
from judge.custom_runs import TestInput
from judge.grading.reruns.custom_test import OWN_INPUT
from judge.models import CustomRun, CustomRunCase, Status, Submission, WorkerNode
from judge.submissions import intake
from judge.submissions.intake import SentProgram
from judge.workers import tasks
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish

pytestmark = [pytest.mark.jail, pytest.mark.usefixtures("silent_wakeup", "living_worker")]
SUM = b"print(sum(map(int, input().split())))\n"
Run = Callable[..., CustomRun]


@pytest.fixture
def library(tmp_path: Path, settings: Settings) -> Callable[[str], Problem]:
    """A function that publishes a problem of the library, with its package in a store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    return lambda name: publish(LIBRARY / name, owner=None).problem


@pytest.fixture
def run(student: User, library: Callable[[str], Problem]) -> Run:
    """A function that runs a Python program and returns the row."""

    def do(source: bytes, test: TestInput, problem: str = "sumoftwo") -> CustomRun:
        row = requests.start(student, library(problem), SentProgram(language="python", source=source), test)
        tasks.run_custom_test.apply(args=[row.pk], throw=True)
        row.refresh_from_db()
        assert (row.status, row.failures, row.last_failure) == (Status.DONE, 0, "")
        return row

    return do


def _case(row: CustomRun) -> CustomRunCase:
    return row.results.get()


def test_who_sends_what_somebody_else_sent_learns_nothing_of_it(
    student: User, teacher: User, library: Callable[[str], Problem]
) -> None:
    """Also not by a compiler that has nothing to do: each author's programs are compiled for them alone."""
    problem, source = library("sumoftwo"), SUM + b"# %d\n" % uuid4().int

    def is_compiled(user: User, *, runs: bool) -> bool:
        row: CustomRun | Submission
        if runs:
            row = requests.start(user, problem, SentProgram(language="python", source=source), TestInput())
            tasks.run_custom_test.apply(args=[row.pk], throw=True)
        else:
            row = intake.submit(user, problem, "python", source)
            tasks.grade_submission.apply(args=[row.pk], throw=True)
        row.refresh_from_db()
        assert row.verdict == "AC"
        return row.compile_wall_time_us is not None

    asked = [(student, True), (student, False), (teacher, False), (teacher, True)]
    assert [is_compiled(user, runs=runs) for user, runs in asked] == [True, False, True, False]


def test_right_program_on_a_sample_is_accepted_with_all_its_numbers(run: Run) -> None:
    row = run(SUM, TestInput(sample="sample/1"))
    case = _case(row)
    assert (row.verdict, case.verdict, case.name) == ("AC", "AC", "sample/1")
    assert bytes(case.output) == bytes(case.expected) != b""
    assert case.peak_memory_bytes > 0
    assert case.write_calls == 1
    if row.meter_reason is None:
        assert case.profile is not None
        assert case.profile.syscalls["write"] == 1
        assert case.profile.streams["stdout"].calls == 1
    assert not Submission.objects.exists()


def test_wrong_program_on_all_samples_shows_what_it_wrote(run: Run) -> None:
    row = run(b"import sys\nprint(7)\nprint('why', file=sys.stderr)\n", TestInput())
    cases = list(row.results.all())
    assert row.verdict == "WA"
    assert all(case.is_sample for case in cases)
    assert len(cases) == (row.test_case_count or 0) > 0
    assert (bytes(cases[0].output), bytes(cases[0].stderr)) == (b"7\n", b"why\n")


def test_program_without_an_end_is_stopped_at_the_capped_limit(run: Run, settings: Settings) -> None:
    settings.CUSTOM_RUN_TIME_MS = 100
    row = run(b"while True: pass\n", TestInput())
    assert (row.verdict, row.results.count()) == ("TLE", 1)  # the other samples are not run
    assert 100_000 <= _case(row).cpu_time_us < 900_000


def test_program_that_does_not_compile_is_not_run(run: Run) -> None:
    row = run(b"print(1\nif\n", TestInput(content=b"1 2\n"))
    assert (row.verdict, row.compile_ok, row.results.count()) == ("CE", False, 0)
    assert "SyntaxError" in row.compile_message


def test_own_input_has_no_expected_output(run: Run) -> None:
    row = run(SUM, TestInput(content=b"40 2\n"))
    case = _case(row)
    assert (case.name, bytes(case.output), bytes(case.expected)) == (OWN_INPUT, b"42\n", b"")
    assert not row.is_checked
    assert case.verdict == "AC"  # it ended well


def test_own_input_that_makes_it_fail_says_so(run: Run) -> None:
    row = run(SUM, TestInput(content=b"forty two\n"))
    assert row.verdict == "RE"
    assert b"ValueError" in bytes(_case(row).stderr)


def test_output_is_kept_up_to_its_limit(run: Run) -> None:
    case = _case(run(b"print('x' * 100000)\n", TestInput(content=b"")))
    assert (len(case.output), case.stdout_bytes) == (16 * 1024, 100_001)


def test_other_side_of_an_interactive_problem_is_typed(run: Run) -> None:
    row = run(b"print(500, flush=True)\nprint(input())\n", TestInput(content=b"correct\n"), problem="guess")
    assert (row.verdict, bytes(_case(row).output)) == ("AC", b"500\ncorrect\n")


def test_call_limit_holds_for_samples_and_secret_cases_are_not_run(run: Run) -> None:
    row = run(
        b"import sys\nfor i in range(50): sys.stdout.write('1\\n'); sys.stdout.flush()\n", TestInput(), "fewwrites"
    )
    assert row.verdict in ("WA", "SLE")
    assert not row.results.filter(is_sample=False).exists()


def test_failure_of_ours_gives_the_row_back(
    student: User, library: Callable[[str], Problem], settings: Settings, tmp_path: Path
) -> None:
    program = SentProgram(language="python", source=SUM)
    row = requests.start(student, library("sumoftwo"), program, TestInput(sample="sample/1"))
    settings.STORE_DIR = tmp_path / "elsewhere"
    tasks.run_custom_test.apply(args=[row.pk], throw=True)
    row.refresh_from_db()
    assert (row.status, row.verdict) == (Status.QUEUED, "")
    assert row.last_failure
    assert WorkerNode.objects.exists()
