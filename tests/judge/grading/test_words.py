"""Numbers become words."""

import pytest

from judge.grading.words import calls, counted, duration, lines, percent, points, size, time_limit


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [
        (0, "0 ms"),
        (412, "0.41 ms"),
        (9_994, "9.99 ms"),
        (12_400, "12.4 ms"),
        (99_499, "99.5 ms"),
        (99_600, "0.10 s"),
        (210_000, "0.21 s"),
        (2_410_000, "2.41 s"),
        (12_440_000, "12.4 s"),
        (3_600_000_000, "3,600 s"),
    ],
)
def test_a_time_has_about_three_digits(microseconds: int, words: str) -> None:
    assert duration(microseconds) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"), [(50, "50 ms"), (600, "0.6 s"), (1_000, "1 s"), (1_500, "1.5 s"), (60_000, "60 s")]
)
def test_a_limit_has_no_idle_digits(milliseconds: int, words: str) -> None:
    assert time_limit(milliseconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        *((0, "0 bytes"), (1, "1 byte"), (6.94, "6.9 bytes"), (150.4, "150 bytes"), (1_023, "1,023 bytes")),
        *((1_023.6, "1.0 KiB"), (1_024, "1 KiB"), (8_200, "8.0 KiB"), (3_355_443, "3.2 MiB"), (2**38, "256 GiB")),
        (2**51, "2,097,152 GiB"),
    ],
)
def test_a_size_is_in_binary_units(number: float, words: str) -> None:
    assert size(number) == words


def test_a_share_is_rounded_down_and_whole_hundredths_stay_whole() -> None:
    assert [percent(1, 0), percent(999, 1000), percent(1, 1)] == [0, 99, 100]
    assert [percent(number / 100, 1) for number in range(101)] == list(range(101))


def test_a_count_has_separators_and_its_noun() -> None:
    assert counted(1, "submission") == "1 submission"
    assert counted(2, "submission waits", "submissions wait") == "2 submissions wait"
    assert [calls(1, "read"), calls(3_000_000, "write")] == ["1 read call", "3,000,000 write calls"]


def test_points_have_two_decimals_at_most() -> None:
    assert [points(number) for number in (0, 40, 37.5, 100 / 3, 1_200)] == ["0", "40", "37.5", "33.33", "1,200"]


def test_lines_of_a_source_are_named_as_people_do() -> None:
    assert [lines((7,)), lines((7, 9)), lines((1, 2, 3, 4)), lines((1, 2, 3, 4, 5))] == [
        *("line 7", "lines 7 and 9", "lines 1, 2, 3 and 4", "lines 1, 2, 3 and 2 more"),
    ]
