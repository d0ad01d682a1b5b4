"""The measure on packages that nobody here wrote: which programs it takes, what it says of one, and its scores."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from bench import real_tle
from judge.management.terminal import open_package
from problems.management.commands.load_library import LIBRARY

COUNT = LIBRARY / "countton"


@pytest.fixture
def one_program(tmp_path: Path) -> Path:
    """A folder with the package `countton`, which has one slow program left."""
    folder = tmp_path / "packages" / "countton"
    shutil.copytree(COUNT, folder)
    for program in (folder / "submissions" / "time_limit_exceeded").iterdir():
        if program.name != "println.rs":
            program.unlink()
    return folder.parent


def test_packages_are_found_below_and_programs_by_their_marks(one_program: Path) -> None:
    (path,) = real_tle.packages_below([one_program])
    with open_package(path) as package:
        names = [submission.name for submission in real_tle.marked(package)]
    assert names == ["time_limit_exceeded/println.rs"]


@pytest.mark.jail
@pytest.mark.thorough
def test_a_slow_program_is_told_what_a_page_tells(one_program: Path) -> None:
    real_tle.WORK_ROOT.mkdir(parents=True, exist_ok=True)
    with open_package(one_program / "countton") as package:
        told = real_tle.told_of(package, real_tle.marked(package)[0])
    assert told is not None
    assert (told["package"], told["program"]) == ("countton", "time_limit_exceeded/println.rs")
    assert (told["has_statement_at_once"], told["cause"]) == (True, "flush-per-line")
    assert any(sentence.startswith("flush-per-line[8]: Your program made") for sentence in told["said"])
    assert {"buffered", "fix"} <= set(told["reruns"])
    assert told["last_word_s"] >= told["verdict_s"] > 0


def program(**told: Any) -> dict[str, Any]:
    """What is told of a program of one second and two."""
    return {"has_statement_at_once": True, "cause": "", "is_false": None, "verdict_s": 1.0, "last_word_s": 2.0, **told}


def test_the_summary_counts_statements_causes_and_what_was_judged_false() -> None:
    programs = [program(cause="copying", is_false=False), program(is_false=True), program(has_statement_at_once=False)]
    assert real_tle.summary_of(programs) == {
        "programs": 3,
        "with_statement_at_once": 2,
        "with_named_cause": 1,
        "judged_by_hand": 2,
        "false": 1,
        "verdict_s": 1.0,
        "last_word_s": 2.0,
    }
    assert real_tle.summary_of([])["false"] is None


@pytest.mark.parametrize(
    ("named", "is_false", "is_kept"), [(6, None, True), (6, False, True), (5, None, False), (6, True, False)]
)
def test_the_bar_is_kept_with_enough_causes_and_nothing_false(named: int, is_false: bool | None, is_kept: bool) -> None:
    programs = [program(cause="copying" if number < named else "", is_false=is_false) for number in range(10)]
    assert real_tle.is_kept(real_tle.summary_of(programs)) == is_kept
