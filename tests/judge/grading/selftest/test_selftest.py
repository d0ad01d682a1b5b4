"""A worker's test of itself: real runs, and what comes of a sandbox that enforces nothing."""

from pathlib import Path

from judge.grading import selftest
from judge.grading.languages import LANGUAGES
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, Limits, Outcome
from tests.fakes import FakeSandbox, Scripted


def test_every_limit_bites_and_every_language_works_here(sandbox: NsjailSandbox, work_root: Path) -> None:
    tried = selftest.run(LANGUAGES, sandbox, work_root, None)
    assert [(each.name, each.verdict) for each in tried if each.language == "python"] == [
        ("a right answer", "AC"),
        ("wall time", "TLE"),
        ("CPU time", "TLE"),
        ("memory", "MLE"),
        ("output", "OLE"),
        ("processes", "RE"),
    ]
    assert {each.language for each in tried if each.name == "a right answer"} == set(LANGUAGES)
    assert all(each.is_ok for each in tried), tried
    assert "wall time limit" in tried[1].detail
    assert "CPU time limit" in tried[2].detail
    assert selftest.why_unfit(tried) == ""
    assert selftest.failed_languages(tried) == {}


def test_sandbox_that_enforces_nothing_is_found_out(tmp_path: Path) -> None:
    lax = FakeSandbox(lambda command, limits: Scripted(stdout=b"right\n"))
    tried = selftest.run({"python"}, lax, tmp_path, None)
    assert [each.is_ok for each in tried] == [True, False, False, False, False, False]
    assert selftest.why_unfit(tried).startswith("Self-test: a program over its limit of wall time got AC, not TLE.")


def test_what_was_unexpected_is_tried_once_more(tmp_path: Path) -> None:
    runs = []

    def at_second_try(command: object, limits: object) -> Scripted:
        runs.append(command)
        is_late = len(runs) > 8
        outcome = Outcome(ending=Ending.CPU_LIMIT if is_late else Ending.EXITED, exit_code=None if is_late else 0)
        return Scripted(outcome=outcome, stdout=b"right\n")

    (right, wait, spin, *_) = selftest.run({"python"}, FakeSandbox(at_second_try), tmp_path, None)
    assert len(runs) > 8
    assert right.is_ok
    assert wait.verdict == "TLE" or spin.verdict == "TLE"


def test_slow_machine_has_more_time_at_the_second_try(tmp_path: Path) -> None:
    def slow(command: Command, limits: Limits) -> Scripted:
        is_late = limits.cpu_time_ms < 1_000
        outcome = Outcome(ending=Ending.CPU_LIMIT if is_late else Ending.EXITED, exit_code=None if is_late else 0)
        return Scripted(outcome=outcome, stdout=b"right\n")

    sandbox = FakeSandbox(slow)
    assert selftest.run({"python"}, sandbox, tmp_path, None)[0].is_ok


def test_language_that_does_not_compile_is_named_with_the_compilers_words(tmp_path: Path) -> None:
    refusing = FakeSandbox(lambda command, limits: Scripted(outcome=Outcome(ending=Ending.EXITED, exit_code=1)))
    tried = selftest.run({"python"}, refusing, tmp_path, None)
    assert set(selftest.failed_languages(tried)) == {"python"}


def test_host_without_languages_tries_nothing(tmp_path: Path) -> None:
    assert selftest.run([], FakeSandbox(lambda command, limits: Scripted()), tmp_path, None) == []
