"""The findings on the labelled programs: no false one, and nearly all expected ones."""

from collections.abc import Mapping

import pytest

from judge.grading.explain import Explanation
from tests.explain.corpus import CHOSEN, LABELLED, Program
from tests.explain.grading import Graded, Said
from tests.explain.report import REPORT, line_precision, line_recall, score_of, unexplained

pytestmark = pytest.mark.timeout(600)

_RECALL = 0.9
_AT_ONCE = 0.95  # of the programs over the time limit: with a statement on it in the event of the verdict


@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.file)
@pytest.mark.each
def test_nothing_false_is_said_of(program: Program, graded: Mapping[str, Graded]) -> None:
    said = graded[program.file]
    assert not said.false, f"{said.found} of a program that {program.why}"
    assert not said.false_lines, f"{said.found}, but the lines are {program.lines}"


def test_nearly_all_that_is_to_be_said_is_said(graded: Mapping[str, Graded]) -> None:
    said = list(graded.values())
    assert len(said) == len(CHOSEN)
    assert score_of(said).precision == line_precision(said) == 1.0
    score = score_of(said)
    assert score.missed <= 1 or score.recall > _RECALL, [
        (each.program.file, each.missed) for each in said if each.missed
    ]
    assert line_recall(said) > _RECALL, [(each.program.file, each.missed_lines) for each in said if each.missed_lines]


def test_no_finding_depends_on_when_the_calls_are_counted(graded: Mapping[str, Graded]) -> None:
    for said in graded.values():
        assert said.then == Explanation(findings=said.findings), said.program.file
        lasting = [finding for finding in said.first.findings if finding.code != "so-far"]
        assert [finding for finding in said.then.findings if finding in said.first.findings] == lasting, (
            said.program.file
        )


def test_calls_are_counted_for_few_programs_that_only_compute(graded: Mapping[str, Graded]) -> None:
    counted = {file for file, said in graded.items() if said.first.awaits}
    guilty = {file for file, said in graded.items() if said.program.is_guilty}
    assert 2 * len(counted - guilty) <= len(graded) - len(guilty), sorted(counted - guilty)
    of_calls = {"flush-per-line", "unbuffered-stderr", "tiny-reads", "allocation-storm", "taking-turns", "lock-storm"}
    assert {file for file, said in graded.items() if of_calls & set(said.found)} <= counted


def test_no_slow_program_is_without_a_statement(graded: Mapping[str, Graded]) -> None:
    assert unexplained(list(graded.values())) == []


def test_a_slow_verdict_comes_with_a_statement(graded: Mapping[str, Graded]) -> None:
    slow = [said for said in graded.values() if said.is_too_slow]
    without = [said.program.file for said in slow if not said.at_once]
    assert len(without) <= (1 - _AT_ONCE) * len(slow), without


def test_the_report_is_of_these_programs() -> None:
    text = REPORT.read_text("utf-8")
    assert not [program.file for program in LABELLED if f"(programs/{program.file})" not in text]


def _said(program: str, **found: tuple[int, ...]) -> Said:
    (labelled,) = (each for each in LABELLED if each.file == program)
    return Said(program=labelled, found={code.replace("_", "-"): lines for code, lines in found.items()})


def test_the_comparison_sees_what_is_false_and_what_is_missing() -> None:
    right = _said("cpp/endl_in_loop.cpp", flush_per_line=(9,))
    assert (right.right, right.false, right.missed) == (("flush-per-line",), (), ())
    assert (right.right_lines, right.false_lines, right.missed_lines) == ((9,), (), ())
    wrong = _said("cpp/endl_in_loop.cpp", algorithm=())
    assert (wrong.right, wrong.false, wrong.missed) == ((), ("algorithm",), ("flush-per-line",))
    beside = _said("cpp/endl_in_loop.cpp", flush_per_line=(7,))
    assert (beside.right_lines, beside.false_lines, beside.missed_lines) == ((), (7,), (9,))
    assert (line_precision([right, beside]), line_recall([right, beside])) == (0.5, 0.5)
    either = _said("cpp/macro_with_endl.cpp", flush_per_line=(10,))
    assert (either.demanded_lines, either.false_lines, either.missed_lines) == (1, (), ())
    allowed = _said("cpp/prints_its_work.cpp", leftover_output=(9,))
    assert (allowed.false, allowed.missed, allowed.demanded_lines) == ((), ("too-much-output",), 0)
    score = score_of([right, wrong, beside, either, allowed])
    assert (score.right, score.false, score.missed) == (3, 1, 2)
    assert (score.precision, score.recall) == (0.75, 0.6)
