"""Run the examples of sandbox/README.md."""

import re
from pathlib import Path
from typing import Any

import pytest

import sandbox as public
from sandbox.jail.pair import PairOutcome
from sandbox.types import Ending, Limits, Outcome
from tests.sandbox.conftest import WORK_ROOT

DOCUMENT = (Path(__file__).parents[2] / "sandbox" / "README.md").read_text("utf-8")


@pytest.fixture
def names(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Where an example leaves what it made; its files are in the folder."""
    monkeypatch.chdir(folder)
    return {}


def carry_out(number: int, names: dict[str, Any]) -> None:
    examples = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    assert len(examples) == 3
    exec(examples[number].replace("/var/lib/tally/work", str(WORK_ROOT)), names)  # noqa: S102 - our own words


def test_the_first_example_runs_a_program_and_counts_its_calls(names: dict[str, Any]) -> None:
    Path("in").write_text("hello\n")
    carry_out(0, names)
    assert Path("out").read_text() == "hello\n"
    assert names["profile"].syscalls["write"] == 1


def test_the_second_compiles_a_program_and_runs_it(names: dict[str, Any]) -> None:
    Path("source").mkdir()
    Path("source/hello.cpp").write_text('#include <cstdio>\nint main() { puts("compiled"); }\n')
    carry_out(1, names)
    assert Path("messages").read_text() == ""
    assert Path("said").read_text() == "compiled\n"


def test_the_third_has_two_programs_talk(names: dict[str, Any]) -> None:
    carry_out(2, names)
    both: PairOutcome = names["both"]
    assert (both.program.exit_code, both.interactor.exit_code) == (0, 0)


def test_every_ending_and_every_error_that_can_be_raised_is_told_of() -> None:
    errors = {name for name in public.__all__ if name.endswith(("Error", "Unavailable"))}
    assert {name for name in errors if f"`{name}`" in DOCUMENT} == errors
    assert {each for each in Ending if f"`{each.value}`" in DOCUMENT} == {*Ending}


def test_every_name_that_is_offered_is_there_and_no_other() -> None:
    offered = {name: getattr(public, name) for name in public.__all__}
    assert offered["Limits"] is Limits
    assert offered["Outcome"] is Outcome
    with pytest.raises(AttributeError, match="module 'sandbox' has no attribute 'Limit'"):
        public.Limit  # type: ignore[attr-defined]  # noqa: B018
