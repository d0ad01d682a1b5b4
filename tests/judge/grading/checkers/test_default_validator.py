"""The default validator against the truth table, and against what makes Python's own number parsing unfit."""

import codecs
from pathlib import Path

import pytest

from judge.grading.checkers import checking
from judge.grading.checkers.checking import find_difference
from judge.grading.ending_words import of_tokens
from problems.format.flags import parse_flags
from problems.package import PackageError

# flags, answer, output, verdict: measured with two public tools. Where they differ the table has the 2025-09 grammar's
# word, and JE for what is an error of the package already.
TRUTH = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("default_validator_truth.tsv").read_text("utf-8").splitlines()[1:]
]
MANY_THREES = "3" * 1_001


def unescape(text: str) -> bytes:
    return codecs.escape_decode(text.encode())[0]


def verdict(tmp_path: Path, flags: str, answer: bytes, output: bytes) -> str:
    (tmp_path / "answer").write_bytes(answer)
    (tmp_path / "output").write_bytes(output)
    try:
        parsed = parse_flags(tuple(flags.split()))
    except PackageError:
        return "JE"
    return "WA" if find_difference(tmp_path / "answer", tmp_path / "output", parsed) else "AC"


def test_the_truth_table_is_whole() -> None:
    assert len(TRUTH) == 50


@pytest.mark.parametrize(("flags", "answer", "output", "expected"), TRUTH)
def test_truth_table(tmp_path: Path, flags: str, answer: str, output: str, expected: str) -> None:
    assert verdict(tmp_path, flags, unescape(answer), unescape(output)) == expected


@pytest.mark.parametrize("flags", ["", "case_sensitive", "space_change_sensitive", "float_tolerance 1e-6"])
@pytest.mark.parametrize(
    "output",
    [
        *("0_3", "0x3", "nan", "inf", "infinity", "1e999999999", "1e-999999999", "3e" + "9" * 900),
        *("\u0663", "\uff13", "\u00a03\u00a0\u2003", "3\x00", MANY_THREES, "-3", "3f", "3L", "(3)"),
    ],
    ids=ascii,
)
def test_what_python_would_take_for_a_three_is_wrong(tmp_path: Path, flags: str, output: str) -> None:
    assert verdict(tmp_path, flags, b"3\n", output.encode() + b"\n") == "WA"


@pytest.mark.parametrize(
    ("flags", "answer", "output", "expected"),
    [
        ("float_absolute_tolerance 0", b"9007199254740993", b"9007199254740992", "WA"),  # equal as doubles
        ("float_absolute_tolerance 0.1", b"1", b"1.1", "AC"),  # 0.10000000000000009 apart as doubles
        ("float_absolute_tolerance 0.1", b"1", b"1.1000000000000001", "WA"),
        ("float_relative_tolerance 0.5", b"-2", b"-3", "AC"),
        ("float_relative_tolerance 0.5", b"-2", b"2", "WA"),
        ("float_tolerance 1e-6", b"1e500", b"1e500", "AC"),
        ("float_tolerance 1e-6", b"1e500", b"1.0e500", "AC"),
        ("float_tolerance 1e-6", b"1e500", b"1e501", "WA"),
        ("float_tolerance 1e-6", b"1e500", b"nan", "WA"),
    ],
)
def test_tolerances_are_exact(tmp_path: Path, flags: str, answer: bytes, output: bytes, expected: str) -> None:
    assert verdict(tmp_path, flags, answer, output) == expected


@pytest.mark.parametrize("flags", ["", "space_change_sensitive"])
def test_tokens_across_blocks_are_whole(tmp_path: Path, flags: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_BLOCK", 4)
    answer = b"Yes one  twenty\n\n1234567890123456789 x\n"
    assert verdict(tmp_path, flags, answer, answer.swapcase()) == "AC"
    assert verdict(tmp_path, flags, answer, answer.swapcase().replace(b"89 X", b"88 X")) == "WA"
    assert verdict(tmp_path, flags, answer, answer.replace(b"  ", b" ")) == ("WA" if flags else "AC")


def test_the_sentence_names_the_first_difference(tmp_path: Path) -> None:
    (tmp_path / "answer").write_bytes(b"1 2 3")
    for output, sentence in (
        (b"1 5", "token 2: expected '2', got '5'"),
        (b"1 2", "token 3: expected '3', got the end of the output"),
        (b"1 2 3 \xff\x00", r"token 4: expected the end of the output, got '\\xff\x00'"),
    ):
        (tmp_path / "output").write_bytes(output)
        difference = find_difference(tmp_path / "answer", tmp_path / "output", parse_flags(()))
        assert difference
        assert of_tokens(difference) == sentence
