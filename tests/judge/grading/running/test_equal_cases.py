"""Test cases of equal digest run once for all, and reveal nothing of a hidden one."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, CaseProfiled as Profiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.testgroups import Points, TestGroup
from sandbox.jail.nsjail import NsjailSandbox
from tests.fakes import FakeSandbox, Scripted
from tests.judge.grading.scoring.scores import group
from tests.judge.packages import make_package

CASES = dict.fromkeys(("sample/1", "sample/2", "secret/1", "secret/2", "secret/3"), ("1\n", "1\n"))
DIGESTS = {"sample/1": "a", "secret/1": "a", "secret/2": "b", "secret/3": "b"}


def run(
    tmp_path: Path, digests: dict[str, str], output: bytes = b"1", language: str = "python"
) -> tuple[list[CaseJudged], list[Profiled], FakeSandbox]:
    """Grade a program that prints this. The first run in the sandbox is the compiler's."""
    sandbox = FakeSandbox(lambda command, limits: Scripted(stdout=output, stderr=b"chatter"))
    package = make_package(tmp_path / "package", CASES)
    cases = tuple(replace(case, digest=digests.get(case.name, "")) for case in package.test_cases)
    job = GradingJob(
        package=replace(package, test_cases=cases), language=language, source=b"x", profile=ProfilePolicy.ALL
    )
    events = list(grade(job, sandbox, tmp_path / "work"))
    judged = [event for event in events if isinstance(event, CaseJudged)]
    return judged, [event for event in events if isinstance(event, Profiled)], sandbox


@pytest.mark.parametrize("output", [b"1", b"2"])
def test_the_later_one_is_not_run_and_gets_the_same(tmp_path: Path, output: bytes) -> None:
    judged, profiled, sandbox = run(tmp_path, DIGESTS, output)
    assert [(case.name, case.same_as) for case in judged] == [
        ("sample/1", ""),
        ("sample/2", ""),
        ("secret/1", "sample/1"),
        ("secret/2", ""),
        ("secret/3", "secret/2"),
    ]
    assert {case.verdict.value for case in judged} == {"AC" if output == b"1" else "WA"}
    graded = len(sandbox.commands) - len(sandbox.profiled) - 1
    assert (graded, len(sandbox.profiled)) == (3, 3)
    assert [event.name for event in profiled] == [case.name for case in judged]
    first, _, same, hidden, again = judged
    assert (same.usage, same.io, same.judge_message) == (first.usage, first.io, first.judge_message)
    assert replace(again, name=hidden.name, same_as="") == hidden


def test_a_hidden_one_that_is_like_a_sample_shows_no_files(tmp_path: Path) -> None:
    judged, _, _ = run(tmp_path, DIGESTS, b"2")
    first, same = judged[0], judged[2]
    assert (first.output, first.stderr, first.expected) == (b"2", b"chatter", b"1\n")
    assert first.ending
    assert first.ending.difference
    assert same.ending == first.ending.bounded(frozenset())
    assert same.ending.difference is None
    assert (same.output, same.stderr, same.expected, same.team_message) == (b"", b"", b"", "")


def test_without_a_digest_each_is_run(tmp_path: Path) -> None:
    judged, _, sandbox = run(tmp_path, {})
    assert not any(case.same_as for case in judged)
    assert len(sandbox.commands) - len(sandbox.profiled) - 1 == 5


@pytest.mark.parametrize("most", [100, None])
def test_points_of_a_hidden_one_that_is_like_a_sample_are_the_checkers(
    most: float | None, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    checker = "import pathlib, sys\npathlib.Path(sys.argv[3], 'score.txt').write_text('1')\nsys.exit(42)\n"
    names = ("sample/1", "secret/1", "secret/2")
    package = make_package(tmp_path, dict.fromkeys(names, ("1\n", "1\n")), validator=("check.py", checker))
    secret = group("secret", Points(max_score=most), "1", "2")
    root = TestGroup(name="", rule=Points(), parts=(group("sample", Points(), "1"), secret))
    cases = tuple(replace(case, digest="a") for case in package.test_cases)
    package = replace(package, test_cases=cases, groups=root, is_legacy=False)
    job = GradingJob(package=package, language="python", source=b"print(1)", profile=ProfilePolicy.NONE)
    *events, finished = grade(job, sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    assert (finished.verdict, finished.score) == (Verdict.AC, 2.0), finished.judge_message
    judged = [event for event in events if isinstance(event, CaseJudged)]
    assert [case.same_as for case in judged] == ["", "", "secret/1"]
