"""A wrong output of a sample beside the expected one: where they differ, and what is invisible."""

import re

import pytest

from judge.grading.case_ending import CaseEnding, TokenDifference
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from problems.package import Sample
from sandbox.types import Ending
from web.presentation.difference import MOST_LINES, Difference, Side, difference_of

SAMPLES = (Sample(name="sample/1", input="3 4\n", answer="7\n"),)


def made(expected: bytes, output: bytes, **columns: object) -> TestCaseResult:
    given = {"name": "sample/1", "is_sample": True, "verdict": Verdict.WA, "stdout_bytes": len(output)}
    return TestCaseResult(**{**given, "expected": expected, "output": output, **columns})


def difference(expected: bytes, output: bytes, **columns: object) -> Difference:
    found = difference_of(made(expected, output, **columns), SAMPLES)
    assert found
    return found


def words(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def marked(side: Side) -> list[tuple[int, str]]:
    """The marked part, by its line."""
    return [
        (line.number, words(match[1])) for line in side.lines for match in re.finditer(r"<mark>(.*?)</mark>", line.html)
    ]


def test_the_first_different_word_is_marked_on_both_sides() -> None:
    found = difference(b"1\n2 3\n", b"1\n2 4\n")
    assert words(found.sentence) == "First difference: line 2. Expected 3, got 4."
    given, expected, output = found.sides
    assert [line.html for line in given.lines] == ["3 4"]
    assert (marked(expected), marked(output)) == ([(2, "3")], [(2, "4")])


def test_a_hidden_case_has_no_difference_whatever_its_row_keeps() -> None:
    assert difference_of(made(b"1\n", b"2\n", is_sample=False), SAMPLES) is None


def test_words_are_compared_as_the_default_checker_does() -> None:
    """Upper case and the kind of white space do not count while something else differs."""
    found = difference(b"YES 1\n2 9\n", b"yes\n1 2\n8\n")
    assert (marked(found.sides[1]), marked(found.sides[2])) == ([(2, "9")], [(3, "8")])


def test_the_token_that_the_checker_names_is_marked_though_an_earlier_one_differs_too() -> None:
    """An earlier float may lie within the tolerance."""
    token = TokenDifference(number=2, expected="'1.0'", got="'3.0'")
    ending = CaseEnding(how=Ending.EXITED, exit_code=0, difference=token)
    found = difference(b"0.5 1.0\n", b"0.50001 3.0\n", ending=ending)
    assert (marked(found.sides[1]), marked(found.sides[2])) == ([(1, "1.0")], [(1, "3.0")])


@pytest.mark.parametrize(
    ("expected", "output", "sentence"),
    [
        (b"1\n2\n", b"1\n", "Your output ends too early: 2 is missing."),
        (b"1\n2\n", b"", "Your output ends too early: 1 is missing."),
        (b"1\n", b"1\n5\n", "First difference: line 2. 5 is too much: nothing more is expected there."),
        (b"a b\n", b"a  b\n", "First difference: line 1. Only white space differs."),
        (b"a\n", b"a", "First difference: line 1. Only white space differs."),
        (b"a\n", b"a\r\n", "First difference: line 1. Only white space differs."),
        (b"<b>\n", b"<i>\n", "First difference: line 1. Expected &lt;b&gt;, got &lt;i&gt;."),
    ],
)
def test_each_kind_of_difference_has_its_sentence(expected: bytes, output: bytes, sentence: str) -> None:
    assert words(difference(expected, output).sentence) == sentence


def test_blanks_of_the_line_and_at_line_ends_are_made_visible() -> None:
    _, expected, output = difference(b"x 7\n", b"x\t8 \r\nnext \n").sides
    assert words(output.lines[0].html) == "x\u21928\u00b7\\r\u21b5"
    assert words(output.lines[1].html) == "next\u00b7"
    assert words(expected.lines[0].html) == "x\u00b77\u21b5"


def test_a_missing_line_end_is_said() -> None:
    _, expected, output = difference(b"7\n", b"8").sides
    assert (expected.note, output.note) == ("", "No line end after the last line.")


def test_only_lines_around_a_late_difference_are_shown() -> None:
    lines = [b"%d" % number for number in range(200)]
    _, expected, output = difference(b"\n".join(lines), b"\n".join([*lines[:100], b"x", *lines[101:]])).sides
    assert (output.lines[0].number, output.lines_before, output.is_cut) == (98, 97, True)
    assert len(output.lines) == len(expected.lines) == MOST_LINES
    assert marked(output) == [(101, "x")]


def test_of_a_long_line_the_part_around_the_difference_is_shown() -> None:
    _, _, output = difference(b"1 " * 900 + b"2\n", b"1 " * 900 + b"3\n").sides
    assert marked(output) == [(1, "3")]
    assert len(words(output.lines[0].html)) < 200


def test_a_difference_beyond_what_is_kept_is_not_invented() -> None:
    found = difference(b"1\n" * 2_048, b"1\n" * 2_048, stdout_bytes=9_000)
    assert words(found.sentence) == "The first difference is not in the part that is shown."
    assert marked(found.sides[1]) == marked(found.sides[2]) == []


def test_without_a_statement_sample_of_that_name_there_is_no_input() -> None:
    assert len(difference(b"1\n", b"2\n", name="sample/9").sides) == 2
    assert len(difference(b"1\n", b"2\n", passes=2).sides) == 2


@pytest.mark.parametrize(
    "output", [b"\xff\xfe\n", b"\x00", "\u202e".encode(), b"\n" * 4_096, b" " * 4_096, b"\r" * 4_096]
)
def test_untrusted_bytes_do_no_harm(output: bytes) -> None:
    html = "".join(line.html for side in difference(b"<script>\n", output).sides for line in side.lines)
    assert "<script>" not in html
    assert "\u202e" not in html
