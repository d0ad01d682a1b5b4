"""What a validator leaves in its feedback directory: which of it counts, in which format, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.checkers.feedback import Feedback, FeedbackError
from problems.package import Package
from problems.testgroups import Grading, Points, TestGroup
from sandbox.types import Limits
from tests.judge.packages import make_package

LEGACY = TestGroup(name="", rule=Grading())
NEWER = TestGroup(name="", rule=Points())


def package(tmp_path: Path, *, is_legacy: bool, is_scoring: bool = True, passes: int = 1) -> Package:
    groups = (LEGACY if is_legacy else NEWER) if is_scoring else None
    return replace(make_package(tmp_path / "package"), is_legacy=is_legacy, groups=groups, most_passes=passes)


def left(of: Package, tmp_path: Path, **files: bytes) -> Feedback:
    """The feedback of a run that left these files, named without their extension."""
    feedback = Feedback(of, tmp_path / "feedback")
    for collect in feedback.collect(Limits()):
        name = collect.target.stem
        if name in files:
            collect.target.write_bytes(files[name])
    return feedback


@pytest.mark.parametrize(
    ("text", "score"),
    [
        *((b"1", 1.0), (b"0.5\n", 0.5), (b" .25 ", 0.25), (b"3.", 3.0), (b"+2", 2.0), (b"1e2", 100.0), (b"0", 0.0)),
        *((b"1E-3", 0.001), (b"\t7\r\n", 7.0)),
    ],
)
@pytest.mark.parametrize("is_legacy", [True, False])
def test_a_score_is_a_decimal_number(tmp_path: Path, text: bytes, score: float, is_legacy: bool) -> None:
    feedback = left(package(tmp_path, is_legacy=is_legacy), tmp_path, score=text)
    assert feedback.points(is_accepted=True, is_sample=False) == (score, None)


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"  ", b"nan", b"inf", b"-inf", b"1e999", b"0x10", b"1_000", b"1,5", b"1 2", b"five", b"1\0", b"1e"),
        *("\u0661".encode(), "1\u00a0".encode(), b"\xff", b"1" * 300, b" " * 300 + b"1"),
    ],
)
@pytest.mark.parametrize("is_legacy", [True, False])
def test_anything_else_is_a_judge_error(tmp_path: Path, text: bytes, is_legacy: bool) -> None:
    feedback = left(package(tmp_path, is_legacy=is_legacy), tmp_path, score=text)
    with pytest.raises(FeedbackError, match=r"left a score\.txt with .*which is no decimal number"):
        feedback.points(is_accepted=True, is_sample=False)


def test_points_below_zero_are_for_the_legacy_format_alone(tmp_path: Path) -> None:
    feedback = left(package(tmp_path / "a", is_legacy=True), tmp_path / "a", score=b"-3")
    assert feedback.points(is_accepted=True, is_sample=True) == (-3.0, None)
    feedback = left(package(tmp_path / "b", is_legacy=False), tmp_path / "b", score=b"-3")
    with pytest.raises(FeedbackError, match="never below 0"):
        feedback.points(is_accepted=True, is_sample=False)
    assert feedback.points(is_accepted=True, is_sample=True) == (None, None)  # nobody looks


def test_points_beside_a_rejection_are_ignored_or_refused(tmp_path: Path) -> None:
    feedback = left(package(tmp_path / "a", is_legacy=True), tmp_path / "a", score=b"50")
    assert feedback.points(is_accepted=False, is_sample=False) == (None, None)
    feedback = left(package(tmp_path / "b", is_legacy=False), tmp_path / "b", score=b"50")
    with pytest.raises(FeedbackError, match=r"left score\.txt beside a rejection"):
        feedback.points(is_accepted=False, is_sample=False)


@pytest.mark.parametrize("is_legacy", [True, False])
def test_points_of_a_problem_without_points_are_nobodys_business(tmp_path: Path, is_legacy: bool) -> None:
    feedback = left(package(tmp_path, is_legacy=is_legacy, is_scoring=False), tmp_path, score=b"much")
    assert feedback.points(is_accepted=True, is_sample=False) == (None, None)


def test_a_multiplier_is_a_share_and_stands_alone(tmp_path: Path) -> None:
    newer = package(tmp_path, is_legacy=False)
    feedback = left(newer, tmp_path, score_multiplier=b"0.75")
    assert feedback.points(is_accepted=True, is_sample=False) == (None, 0.75)
    feedback = left(newer, _empty(tmp_path), score_multiplier=b"1.5")
    with pytest.raises(FeedbackError, match="between 0 and 1"):
        feedback.points(is_accepted=True, is_sample=False)
    feedback = left(newer, _empty(tmp_path), score_multiplier=b"1", score=b"1")
    with pytest.raises(FeedbackError, match="one of them at most"):
        feedback.points(is_accepted=True, is_sample=False)


def _empty(tmp_path: Path) -> Path:
    """Another folder for the next feedback."""
    folder = tmp_path / f"more-{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    return folder


def test_a_next_input_is_asked_for_in_a_multi_pass_problem_only(tmp_path: Path) -> None:
    single = left(package(tmp_path / "a", is_legacy=False), tmp_path / "a", nextpass=b"1")
    assert single.next_input(is_accepted=True) is None
    several = left(package(tmp_path / "b", is_legacy=False, passes=2), tmp_path / "b", nextpass=b"1")
    made = several.next_input(is_accepted=True)
    assert made is not None
    assert made.read_bytes() == b"1"
    with pytest.raises(FeedbackError, match=r"nextpass\.in beside a rejection"):
        several.next_input(is_accepted=False)


def test_what_the_run_before_left_is_gone(tmp_path: Path) -> None:
    feedback = left(
        package(tmp_path, is_legacy=False, passes=2), tmp_path, judgemessage=b"old", nextpass=b"1", score=b"1"
    )
    assert feedback.judge_message() == "old"
    feedback.collect(Limits())
    assert (feedback.judge_message(), feedback.team_message()) == ("", "")
    assert feedback.next_input(is_accepted=True) is None
    assert feedback.points(is_accepted=True, is_sample=False) == (None, None)


def test_words_are_made_readable_and_not_endless(tmp_path: Path) -> None:
    feedback = left(
        package(tmp_path, is_legacy=True), tmp_path, judgemessage=b"\xff\0" + b"x" * 100_000, teammessage=b"\n hint \n"
    )
    assert feedback.judge_message().startswith("\\xff\N{SYMBOL FOR NULL}xxx")
    assert len(feedback.judge_message()) < 20_000
    assert feedback.team_message() == "hint"
