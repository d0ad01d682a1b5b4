"""What a file has in it, against a plain count of the same bytes."""

from pathlib import Path

import pytest

from judge.grading.explain.evidence import shapes
from judge.grading.explain.evidence.shapes import Mark, Shape, Shapes, shape_of

KIB = 1024
FILES = {
    "a table": b"3 4\n" + b"12 -7\n" * 9,
    "no end of the last line": b"5\n1 2\n3",
    "spaces of every kind": b" \t5\r\n\n  7\x0b8\x0c9 \n ",
    "one word of several pieces": b"2\n" + b"ab" * 400 * KIB,
    "words that pieces cut": b"abcdefg " * 100 * KIB,
    "a word that ends with a piece": b"a" * 256 * KIB + b" " + b"b" * 256 * KIB,
    "short lines, then long ones": b"1\n" * 300 * KIB + b"1 2 3 4 5 6 7 8 9 10\n" * 40 * KIB,
    "nothing": b"",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_all_of_a_file_is_counted(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "1.in"
    path.write_bytes(text)
    shape, words = shape_of(path), text.split()
    assert (shape.bytes, shape.lines, shape.words) == (len(text), text.count(b"\n"), len(words))
    assert shape.longest == max(map(len, words), default=0)


def test_the_lines_of_the_beginning_are_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "1.in"
    for text in FILES.values():
        path.write_bytes(text)
        for size in (*range(0, len(text), 99_991), len(text)):
            counted = shape_of(path).until(size)
            # between two marks lines lie unevenly, here by so many at most
            assert abs(counted.lines - text[:size].count(b"\n")) <= 256 * KIB // 4
            assert abs(counted.words - len(text[:size].split())) <= 256 * KIB // 4
    assert shape_of(path).until(9) == Mark(bytes=0, lines=0, words=0)


@pytest.mark.parametrize(
    ("text", "first", "number"),
    [
        (b"3 -7\n1 2 3\n", (3, -7), None),
        (b"20000000\n", (20_000_000,), 20_000_000),
        (b"20000000", (20_000_000,), 20_000_000),
        (b"5\n7\n", (5,), None),
        (b"1 20000000\n", (1, 20_000_000), 20_000_000),
        (b"5 7\n\n", (5, 7), 7),
        (b"1 2 3 4 5\n", (1, 2, 3, 4, 5), None),
        (b"3 rows\n", (), None),
        (b"+-5\n", (), None),
        (b"1" * 30 + b"\n", (), None),
        (b"7" + b" 7" * 5_000, (), None),
        (b"\n5\n", (), None),
    ],
)
def test_the_numbers_of_the_first_line_are_read(
    text: bytes, first: tuple[int, ...], number: int | None, tmp_path: Path
) -> None:
    path = tmp_path / "1.in"
    path.write_bytes(text)
    assert (shape_of(path).first, shape_of(path).number) == (first, number)


def test_the_largest_number_of_a_small_file_is_known(tmp_path: Path) -> None:
    path = tmp_path / "1.in"
    path.write_bytes(b"3 -70\nabc 12\n")
    assert shape_of(path).largest == 70
    path.write_bytes(b"99\n" * 100 * KIB)
    assert shape_of(path).largest is None


def test_of_a_huge_file_nothing_is_known_but_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "1.in"
    path.write_bytes(b"1 2\n" * 9)
    monkeypatch.setattr(shapes, "MOST_BYTES", 35)
    assert shape_of(path) == Shape(bytes=36, lines=0, words=0)


def test_a_file_is_read_when_a_rule_asks(tmp_path: Path) -> None:
    path = tmp_path / "1.in"
    inputs = Shapes({"sample/1": path, "secret/1": tmp_path / "2.in"})
    assert list(inputs) == ["sample/1", "secret/1"]
    path.write_bytes(b"1\n")
    assert inputs["sample/1"].lines == 1
    path.write_bytes(b"1\n2\n")  # a changed file is another one
    assert inputs["sample/1"].lines == 2
    assert inputs.get("secret/9") is None
