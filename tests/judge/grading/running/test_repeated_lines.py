"""How often an output repeats its last line, counted in real files."""

from pathlib import Path

import pytest

from judge.grading.running.repeated_lines import repeated_lines


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"7\n" * 400_000, 400_000),
        (b"7\n" * 400_000 + b"7", 400_000),
        (b"1\n2\n" + b"7 8\n" * 1_234_567, 1_234_567),
        (b"17\n" + b"7\n" * 100_000, 100_000),  # the end of another line is not the line
        (b"7\n" * 100_000 + b"8\n", 1),
        (b"\n" * 100_000, 100_000),
        (b"7\n" * 100, 0),
        (b"7" * 100_000, 0),
        (b"x" * 2_000 + b"\n" + b"y" * 100_000 + b"\n", 0),
    ],
)
def test_the_last_line_is_counted_as_far_as_it_goes_back(content: bytes, count: int, tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(content)
    assert repeated_lines(path) == count


def test_without_a_file_nothing_is_repeated() -> None:
    assert repeated_lines(None) == 0
