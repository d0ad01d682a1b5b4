"""The verdict of an interactive case: every row of the table in `judge.grading.running.interaction`."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.running.interaction import decide, missed_its_partner, was_flooded
from judge.grading.verdicts import Verdict
from sandbox.jail.pair import PairOutcome
from sandbox.types import Ending, IoProfile, Outcome
from tests.judge.packages import make_package

GOOD = Outcome(ending=Ending.EXITED, exit_code=0)
FAILED = Outcome(ending=Ending.EXITED, exit_code=1)
CRASHED = Outcome(ending=Ending.SIGNALLED, signal=11)
PIPE = Outcome(ending=Ending.SIGNALLED, signal=13)
LIMITED = [
    (Ending.CPU_LIMIT, Verdict.TLE),
    (Ending.WALL_LIMIT, Verdict.TLE),
    (Ending.MEMORY_LIMIT, Verdict.MLE),
    (Ending.OUTPUT_LIMIT, Verdict.OLE),
]
OWN_ENDINGS = [(Outcome(ending=ending, signal=9), verdict) for ending, verdict in LIMITED]
OWN_ENDINGS += [(FAILED, Verdict.RE), (CRASHED, Verdict.RE)]
ACCEPTS, REJECTS, NO_WORD = True, False, None


def verdict_of(program: Outcome, word: bool | None, *, first: bool, alone: bool = False) -> Verdict:
    return decide(PairOutcome(program=program, interactor=GOOD, interactor_ended_first=first), word, is_alone=alone)


@pytest.mark.parametrize("program", [GOOD, *(outcome for outcome, _ in OWN_ENDINGS)])
def test_a_rejection_that_came_first_is_a_wrong_answer_whatever_follows(program: Outcome) -> None:
    assert verdict_of(program, REJECTS, first=True) is Verdict.WA


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(("program", "own"), OWN_ENDINGS)
def test_the_programs_own_ending_counts_before_an_acceptance(program: Outcome, own: Verdict, first: bool) -> None:
    assert verdict_of(program, ACCEPTS, first=first) is own


@pytest.mark.parametrize(("program", "own"), OWN_ENDINGS)
def test_the_programs_own_ending_counts_before_a_rejection_that_it_brought_about(
    program: Outcome, own: Verdict
) -> None:
    assert verdict_of(program, REJECTS, first=False) is own


@pytest.mark.parametrize("first", [True, False])
def test_after_a_clean_exit_the_word_counts(first: bool) -> None:
    assert verdict_of(GOOD, ACCEPTS, first=first) is Verdict.AC
    assert verdict_of(GOOD, REJECTS, first=first) is Verdict.WA


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("program", [GOOD, *(outcome for outcome, _ in OWN_ENDINGS)])
def test_an_interactor_that_fails_while_the_program_lives_is_a_judge_error(program: Outcome, alone: bool) -> None:
    assert verdict_of(program, NO_WORD, first=True, alone=alone) is Verdict.JE


@pytest.mark.parametrize(("program", "own"), [(GOOD, Verdict.WA), *OWN_ENDINGS])
def test_a_program_that_hung_up_and_lived_on_was_the_first_to_leave(program: Outcome, own: Verdict) -> None:
    pair = PairOutcome(program=program, interactor=FAILED, interactor_ended_first=True, program_left_early=True)
    assert decide(pair, NO_WORD, is_alone=True) is own
    assert decide(pair, NO_WORD, is_alone=False) is Verdict.JE
    assert decide(pair, REJECTS, is_alone=False) is own
    assert decide(pair, ACCEPTS, is_alone=False) is (own if program is not GOOD else Verdict.AC)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(("program", "own"), OWN_ENDINGS)
def test_an_interactor_that_was_left_alone_by_a_failing_program_changes_nothing(
    program: Outcome, own: Verdict, alone: bool
) -> None:
    assert verdict_of(program, NO_WORD, first=False, alone=alone) is own


@pytest.mark.parametrize(("program", "own"), [(GOOD, Verdict.OLE), *OWN_ENDINGS])
def test_a_program_that_flooded_its_reader_gets_no_judge_error(program: Outcome, own: Verdict) -> None:
    for first, verdict in ((True, Verdict.OLE), (False, own)):
        pair = PairOutcome(program=program, interactor=FAILED, interactor_ended_first=first)
        assert decide(pair, NO_WORD, is_alone=False, is_flooded=True) is verdict
        assert decide(pair, REJECTS, is_alone=False, is_flooded=True) is decide(pair, REJECTS, is_alone=False)


@pytest.mark.parametrize(
    ("ending", "read", "is_flooded"),
    [
        (Ending.MEMORY_LIMIT, 1_008, True),
        (Ending.CPU_LIMIT, 1_008, True),
        (Ending.MEMORY_LIMIT, 1_007, False),  # seven of these were the case's own
        (Ending.SIGNALLED, 9_999, False),  # its own crash
        (Ending.EXITED, 9_999, False),
    ],
)
def test_only_a_limit_over_more_than_the_output_limit_is_a_flood(
    tmp_path: Path, ending: Ending, read: int, is_flooded: bool
) -> None:
    (case,) = make_package(tmp_path, {"secret/1": ("1 2\n", "3 4")}).test_cases
    assert was_flooded(Outcome(ending=ending, io=IoProfile(read_bytes=read)), case, 1_000) is is_flooded


def test_a_program_that_leaves_in_mid_conversation_is_wrong() -> None:
    assert verdict_of(GOOD, NO_WORD, first=False, alone=True) is Verdict.WA


def test_an_interactor_that_fails_over_a_whole_conversation_is_a_judge_error() -> None:
    assert verdict_of(GOOD, NO_WORD, first=False, alone=False) is Verdict.JE


@pytest.mark.parametrize(
    ("outcome", "stderr", "is_alone"),
    [
        (PIPE, "", True),
        (FAILED, "Traceback (most recent call last):\n  File ...\nEOFError: EOF when reading a line", True),
        (FAILED, "Traceback ...\nBrokenPipeError: [Errno 32] Broken pipe", True),
        (replace(FAILED, exit_code=120), "Exception ignored in: <stdout>\nBrokenPipeError: [Errno 32] ...", True),
        (FAILED, "EOFError: handled\nValueError: a bug", False),
        (FAILED, "ValueError: no EOFError: this", False),
        (FAILED, "", False),
        (CRASHED, "EOFError: said and then crashed", False),
        (Outcome(ending=Ending.CPU_LIMIT, signal=9), "EOFError", False),
    ],
)
def test_only_what_proves_it_counts_as_having_missed_the_partner(outcome: Outcome, stderr: str, is_alone: bool) -> None:
    assert missed_its_partner(outcome, stderr) is is_alone
