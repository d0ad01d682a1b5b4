"""The labels themselves: of every program there is one, and it is what was measured."""

from collections.abc import Mapping

import pytest

from judge.grading.verdicts import Verdict
from problems.languages import language_of
from tests.explain.corpus import CAUSES, CHOSEN, LABELLED, PROGRAMS, WITH_LINES, Program
from tests.explain.grading import Graded

pytestmark = pytest.mark.timeout(600)

_MANY = 10_000  # calls of programs whose calls are the cause
_FEW = 5_000  # and the most of those whose calls are not: what a fast machine writes, 4 KiB a call, until it is stopped


@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.file)
@pytest.mark.each
def test_a_label_is_what_was_measured(program: Program, graded: Mapping[str, Graded]) -> None:
    hidden, expect = graded[program.file].hidden, set(program.expect)
    usage = hidden.usage
    if expect & {"flush-per-line", "unbuffered-stderr"}:
        assert hidden.io.write_calls > _MANY
        assert usage.system_time_us > usage.cpu_time_us / 16
    elif not expect & {"too-much-output", "algorithm"} and "flush-per-line" not in program.may:
        assert hidden.io.write_calls < _FEW
    if "failed-read" not in expect:  # which makes a call for each read, or none
        assert hidden.io.read_calls > _MANY if "tiny-reads" in expect else hidden.io.read_calls < _FEW
    takes_turns = "taking-turns" in {*expect, *program.may}  # of several threads not all that they queue for is known
    if program.cores == 1 and not takes_turns:
        assert ("waiting" in expect) == (usage.waiting_time_us > usage.wall_time_us / 2)
    if "algorithm" in expect:
        assert hidden.verdict is Verdict.TLE
        assert usage.system_time_us < usage.cpu_time_us / 10
    if not expect and not program.may:
        assert hidden.verdict is Verdict.AC


def test_the_labels_name_each_program_once_and_only_known_causes() -> None:
    files = sorted(str(path.relative_to(PROGRAMS)) for path in PROGRAMS.rglob("*.*"))
    assert sorted(program.file for program in LABELLED) == files
    for program in LABELLED:
        assert language_of(program.file) == program.language
        assert {*program.expect, *program.may} <= set(CAUSES)
        assert not set(program.expect) & set(program.may)
        assert set(program.expect) & WITH_LINES <= set(program.lines) <= {*program.expect, *program.may}
        assert b"~" not in program.source


def test_every_cause_that_a_program_here_can_have_is_on_a_label() -> None:
    assert {code for program in LABELLED for code in (*program.expect, *program.may)} == set(CAUSES)


@pytest.mark.parametrize("language", sorted({program.language for program in LABELLED}))
def test_there_are_enough_programs_of_both_kinds(language: str) -> None:
    programs = [program for program in LABELLED if program.language == language]
    assert len(programs) >= 22
    assert sum(program.is_guilty for program in programs) >= 11
    assert sum(not program.is_guilty for program in programs) >= 11
