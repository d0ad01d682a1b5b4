"""Units become words."""

from datetime import UTC, datetime, timedelta

import pytest

from web.presentation import units


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [
        (None, "\u2013"),
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
def test_a_time_has_about_three_digits(microseconds: int | None, words: str) -> None:
    assert units.duration(microseconds).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 B"), (6.9, "6.9 B"), (1_023, "1,023 B"), (1_024, "1 KiB"), (3_355_443, "3.2 MiB"), (2**38, "256 GiB")],
)
def test_a_size_is_in_binary_units(size: float, words: str) -> None:
    assert units.data_size(size).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("larger", "smaller", "words"), [(4.7, 1, "4.7\u00d7"), (38, 1, "38\u00d7"), (3_000_001, 640, "4,700\u00d7")]
)
def test_a_factor_has_two_digits(larger: float, smaller: float, words: str) -> None:
    assert units.factor(larger, smaller) == words


@pytest.mark.parametrize(
    ("milliseconds", "words"), [(50, "50 ms"), (600, "0.6 s"), (1_000, "1 s"), (1_500, "1.5 s"), (60_000, "60 s")]
)
def test_a_limit_has_no_idle_digits(milliseconds: int, words: str) -> None:
    assert units.limit(milliseconds).replace("\u00a0", " ") == words


def test_how_long_ago_is_said_in_one_unit() -> None:
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    assert units.ago(now - timedelta(seconds=20), now) == "just now"
    assert units.ago(now - timedelta(minutes=66), now).replace("\u00a0", " ") == "1 hour ago"


@pytest.mark.parametrize(("number", "rounded"), [(0, 0), (842, 842), (3_000_001, 3_000_000), (2_911_422, 2_910_000)])
def test_rounding_keeps_three_digits(number: int, rounded: int) -> None:
    assert units.significant(number) == rounded


def test_a_count_has_separators_and_its_noun() -> None:
    assert units.counted(1, "write call") == "1 write call"
    assert units.counted(3_000_000, "write call") == "3,000,000 write calls"
    assert units.counted(2, "submission waits", "submissions wait") == "2 submissions wait"
