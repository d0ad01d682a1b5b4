"""Each number that a sentence tells of a run, against the number that was counted while its files were made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.shapes import Shapes
from judge.grading.languages import PYTHON
from sandbox.types import IoProfile
from tests.judge.grading.explain.own_time_stories import (
    COPIES,
    ERASES,
    MAPS,
    READS,
    STREAMS,
    slow,
    story,
)
from tests.judge.spoken import findings

_ROUNDING = 0.01  # of the counted number: "about"


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    """Facts, the finding, and the number in its evidence as it was counted."""

    make: Callable[[Path], Facts]
    code: str
    evidence: str
    number: int


def uneven(lines: int) -> list[bytes]:
    """Lines that are short in the first half and long in the second one: no sample of a few is like all of them."""
    return [b"7\n" if number < lines // 2 else b"1234567 1234567\n" for number in range(lines)]


def files(folder: Path, source: str, told: IoProfile, text: bytes, answer: bytes, stdout_bytes: int = 0) -> Facts:
    """A slow program whose case has these files."""
    (folder / "1.in").write_bytes(text)
    (folder / "1.ans").write_bytes(answer)
    facts = story(source, slow(io=told, stdout_bytes=stdout_bytes))
    return replace(
        facts,
        input_bytes={"secret/1": len(text)},
        inputs=Shapes({"secret/1": folder / "1.in"}),
        answers=Shapes({"secret/1": folder / "1.ans"}),
    )


def read_until(lines: int, source: str) -> Callable[[Path], Facts]:
    """A program that was stopped when it had read so many of 6,000,000 uneven lines, through a buffer."""

    def make(folder: Path) -> Facts:
        text = uneven(6_000_000)
        read = sum(map(len, text[:lines]))
        io = IoProfile(read_calls=read // 4_096, read_bytes=read)
        return files(folder, source, io, b"".join(text), b"1\n")

    return make


def printed_until(lines: int) -> Callable[[Path], Facts]:
    """A program that was stopped when it had printed so many of 6,000,000 uneven lines, through a buffer."""

    def make(folder: Path) -> Facts:
        text = uneven(6_000_000)
        printed = sum(map(len, text[:lines]))
        io = IoProfile(read_calls=12, read_bytes=5, write_calls=printed // 4_096, write_bytes=printed)
        facts = files(folder, "for i in range(n):\n    print(i)", io, b"3\n", b"".join(text), printed)
        return replace(facts, language=PYTHON)

    return make


def whole(source: str, text: bytes) -> Callable[[Path], Facts]:
    """A program that read all of its input at once."""
    io = IoProfile(read_calls=12, read_bytes=len(text))
    return lambda folder: files(folder, source, io, text, b"1\n")


VALUES = b"300000\n" + b"7 " * 300_000 + b"\n"
LETTERS = b"2400000\n" + b"ab" * 1_200_000 + b"\n"
WAGONS = b"300000\n" + b"a" * 300_000 + b"\n" + b"F" * 300_000 + b"\n"  # "66,667 values", by a sample
TABLE = {
    "words read, of short lines": Counted(
        make=read_until(2_900_000, READS), code="line-by-line", evidence="pieces", number=2_900_000
    ),
    "words read, of long lines too": Counted(
        make=read_until(4_000_000, READS), code="line-by-line", evidence="pieces", number=3_000_000 + 2 * 1_000_000
    ),
    "lines printed": Counted(make=printed_until(4_000_000), code="print-by-print", evidence="pieces", number=4_000_000),
    "lines converted": Counted(
        make=read_until(4_000_000, STREAMS), code="conversion", evidence="pieces", number=4_000_000
    ),
    "values moved": Counted(make=whole(ERASES, VALUES), code="costly-container", evidence="values", number=300_001),
    "steps for them": Counted(
        make=whole(ERASES, VALUES), code="costly-container", evidence="most_steps", number=300_001**2 // 2
    ),
    "letters copied": Counted(make=whole(COPIES, LETTERS), code="copying", evidence="values", number=2_400_000),
    "wagons copied": Counted(make=whole(COPIES, WAGONS), code="copying", evidence="values", number=300_000),
    "copies of them": Counted(
        make=whole(COPIES, WAGONS), code="copying", evidence="most_steps", number=300_000**2 // 2
    ),
    "values looked up": Counted(
        make=whole(MAPS, b"7 " * 1_300_000 + b"\n"), code="costly-map", evidence="values", number=1_300_000
    ),
}


@pytest.mark.parametrize("label", TABLE)
def test_the_number_of_a_sentence_is_the_one_that_was_counted(label: str, tmp_path: Path) -> None:
    counted = TABLE[label]
    told = findings(counted.make(tmp_path))
    assert counted.code in told, list(told)
    number = told[counted.code].evidence[counted.evidence]
    assert abs(number - counted.number) <= _ROUNDING * counted.number
    assert f"{number:,}" in told[counted.code].text


def test_of_an_output_that_is_not_the_answer_s_no_lines_are_told(tmp_path: Path) -> None:
    io = IoProfile(read_calls=12, read_bytes=5, write_calls=12_000, write_bytes=48_000_000)
    source, answer = "for i in range(n):\n    print(i)", b"7\n" * 3_000_000
    same, other = (
        replace(files(tmp_path, source, io, b"3\n", answer, size), language=PYTHON) for size in (6_000_000, 48_000_000)
    )
    assert "print-by-print" in findings(same)
    assert "print-by-print" not in findings(other)


def test_a_word_of_many_letters_is_told_as_such(tmp_path: Path) -> None:
    text = findings(whole(COPIES, WAGONS)(tmp_path))["copying"].text
    assert "for a word of 300,000 characters this can be 45,000,000,000 characters copied" in text
