"""What is shown of a hidden case's numbers: two digits, a floor for each kind, and never the wrong side of a limit."""

import pytest

from judge.grading.measures import Kind
from web.access.rounding import EXACT, Rounded, Rounding, Under, mean, plain
from web.presentation.compare.metrics import change
from web.presentation.units import count, counted, data_size, duration

MIB = 1024 * 1024
HIDDEN = Rounding(is_exact=False)
LIMITED = Rounding(
    is_exact=False,
    time_limit_us=2_000_000,
    memory_limit_bytes=256 * MIB,
    write_calls_limit=2_000,
    read_calls_limit=20,
)
_SPACE = "\u00a0"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "under 100"),
        (73, "under 100"),
        (99, "under 100"),
        (100, "100"),
        (104, "100"),
        (4_711, "4,700"),
        (9_960, "10,000"),
        (3_000_001, "3,000,000"),
    ],
)
def test_a_count_has_two_digits_and_none_below_a_hundred(number: int, words: str) -> None:
    assert count(HIDDEN.count(number)).replace(_SPACE, " ") == words
    assert count(EXACT.count(number)) == f"{number:,}"


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [
        (0, "under 10 ms"),
        (9_999, "under 10 ms"),
        (14_999, "10 ms"),
        (45_678, "50 ms"),
        (123_456, "0.12 s"),
        (999_999, "1 s"),
        (1_234_567, "1.2 s"),
        (12_345_678, "12 s"),
        (123_456_789, "120 s"),
    ],
)
def test_a_time_is_never_finer_than_ten_milliseconds(microseconds: int, words: str) -> None:
    assert duration(HIDDEN.time_us(microseconds)).replace(_SPACE, " ") == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (MIB - 1, "under 1 MiB"),
        (3_456_789, "3 MiB"),
        (123_456_789, "120 MiB"),
        (1_234_567_890, "1.2 GiB"),
    ],
)
def test_memory_is_never_finer_than_a_mebibyte(size: int, words: str) -> None:
    assert data_size(HIDDEN.memory_bytes(size)).replace(_SPACE, " ") == words


@pytest.mark.parametrize(("size", "words"), [(99, "under 100 bytes"), (4_711, "4.6 KiB"), (68_321, "66 KiB")])
def test_bytes_are_rounded_like_counts(size: int, words: str) -> None:
    assert data_size(HIDDEN.count(size)).replace(_SPACE, " ") == words


def test_no_number_is_rounded_across_its_limit() -> None:
    assert LIMITED.cpu_time_us(2_004_000) == 2_100_000
    assert LIMITED.cpu_time_us(1_996_000) == 2_000_000
    assert LIMITED.memory_bytes(256 * MIB) == 256 * MIB
    assert LIMITED.memory_bytes(258 * MIB) == 260 * MIB
    assert data_size(LIMITED.memory_bytes(256 * MIB)).replace(_SPACE, " ") == "256 MiB"
    assert LIMITED.write_calls(2_003) == 2_010
    assert LIMITED.write_calls(1_998) == 2_000


def test_near_a_limit_on_calls_there_is_a_digit_more() -> None:
    assert LIMITED.write_calls(999) == 1_000
    assert LIMITED.write_calls(1_234) == 1_230
    assert LIMITED.write_calls(3_996) == 4_000
    assert LIMITED.write_calls(4_711) == 4_700
    assert count(LIMITED.write_calls(73)) == "under 100"
    assert [LIMITED.read_calls(number) for number in (10, 21, 73, 100, 123)] == [10, 21, 73, 100, 120]
    assert count(LIMITED.read_calls(9)) == "under 10", "half of the limit"


def test_rounding_twice_is_rounding_once() -> None:
    for name in ("cpu_time_us", "wall_time_us", "peak_memory_bytes", "write_calls", "read_calls", "write_bytes"):
        for number in (0, 9, 73, 119, 1_949, 2_003, 9_999, 123_456, 2_004_000, 257 * MIB, 1_234_567_890):
            once = LIMITED.named(name, number)
            twice = LIMITED.named(name, once)
            assert (twice, type(twice)) == (once, type(once)), (name, number)


def test_means_are_made_of_rounded_numbers() -> None:
    assert mean(HIDDEN.count(20_700_007), HIDDEN.count(3_000_001)) == 7
    assert mean(HIDDEN.count(73), HIDDEN.count(3_000_001)) is None
    assert mean(HIDDEN.count(4_711), HIDDEN.count(1)) is None
    assert mean(EXACT.count(30), EXACT.count(4)) == 7.5


def test_names_are_few_and_their_order_tells_no_more_than_their_numbers() -> None:
    counts = {"write": 5_000, "read": 4_960, "rare": 49, **{f"other{place}": 400 + place for place in range(9)}}
    shown = HIDDEN.names_that_matter(counts)
    assert len(shown) == 8
    assert list(shown)[:2] == ["read", "write"], "both 5,000: by name"
    assert "rare" not in HIDDEN.names_that_matter({"write": 5_000, "rare": 49})
    assert EXACT.names_that_matter(counts) == counts


def test_rates_over_time_are_coarse() -> None:
    assert [HIDDEN.rate(number) for number in (0, 99, 123, 400, 4_711)] == [0, 0, 100, 1_000, 10_000]
    assert HIDDEN.cores(0.777) == 0.8


@pytest.mark.parametrize(
    ("a", "b", "kind", "words"),
    [
        (73, 12, Kind.COUNT, "cannot be told"),
        (4_711, 73, Kind.COUNT, "at least 47\u00d7 fewer"),
        (73, 4_711, Kind.COUNT, "at least 47\u00d7 more"),
        (4_711, 4_690, Kind.COUNT, "the same to two digits"),
        (4_711, 2_345, Kind.COUNT, "2.0\u00d7 fewer"),
    ],
)
def test_a_change_is_told_as_far_as_both_numbers_are(a: int, b: int, kind: Kind, words: str) -> None:
    assert change(HIDDEN.count(a), HIDDEN.count(b), kind).words == words


def test_times_under_the_least_are_the_same() -> None:
    assert change(HIDDEN.time_us(1_000), HIDDEN.time_us(9_000), Kind.TIME).words == "the same"


def test_what_is_under_a_bound_has_no_number_in_it() -> None:
    made = HIDDEN.count(73)
    assert isinstance(made, Under)
    assert made + 0 == 0
    assert counted(made, "write call") == "under 100 write calls"
    assert plain(made) == "under 100"
    assert plain(HIDDEN.time_us(7_300), 1_000, ".3f") == "under 10"
    assert plain(HIDDEN.time_us(73_000), 1_000, ".3f") == "70.000"
    assert plain(Rounded(4_700)) == 4_700
