"""The checkers that DMOJ brings decide as its documentation says."""

from pathlib import Path

import pytest

from problems.convert.dmoj.dmoj_checker import judge


@pytest.mark.parametrize(
    ("name", "output", "answer", "code"),
    [
        ("standard", b"a b\n\n c\n", b"a  b\nc", 42),
        ("standard", b"a\nb c\n", b"a b c\n", 43),
        ("standard", b"A b\n", b"a b\n", 43),
        ("standard", b"a\r\nb\r\n", b"a\nb\n", 42),
        ("standard", b"", b"\n \n", 42),
        ("standard", b"a b", b"a", 43),
        ("easy", b"B a\n", b"A b", 42),
        ("easy", b"a b b", b"a b", 43),
        ("sorted", b"b 1\na\n\n", b"a\nb  1\n", 42),
        ("sorted", b"1 b\na\n", b"a\nb 1\n", 43),
        ("unordered", b"1 b\na\n", b"a\nb 1\n", 42),
        ("unordered", b"1 b b\na\n", b"a\nb 1\n", 43),
        ("rstripped", b"a  \nb", b"a\nb ", 42),
        ("rstripped", b" a\nb", b"a\nb", 43),
        ("rstripped", b"a\n\nb", b"a\nb", 43),
        ("rstripped-full-lines", b"a\n\nb", b"a\nb", 42),
        ("linecount", b"a\nb\n", b"a \nb\n", 42),
        ("linecount", b"x\ny\n", b"a\nb\n", 43),
        ("linecount", b"a\nb\nc\n", b"a\nb\n", 43),
    ],
)
def test_checkers_decide(tmp_path: Path, name: str, output: bytes, answer: bytes, code: int) -> None:
    assert judge(name, [], output, answer, tmp_path) == code
    assert not (tmp_path / "score.txt").exists()


def test_right_lines_are_worth_their_part(tmp_path: Path) -> None:
    assert judge("linecount", ["20"], b"a\nx\nc\nd\n", b"a\nb\nc\nd\n", tmp_path) == 42
    assert float((tmp_path / "score.txt").read_text()) == 15
    assert (tmp_path / "judgemessage.txt").read_text() == "3 of 4 lines are right\n"
