"""Changes in words: careful about noise, exact about counts, honest about runs that were stopped."""

import pytest

from judge.grading.measures import Kind
from web.presentation.compare.metrics import change

S = 1_000_000


@pytest.mark.parametrize(
    ("a", "b", "kind", "words"),
    [
        (1_000_000, 1_050_000, Kind.TIME, "the same"),
        (1_000_000, 950_000, Kind.TIME, "the same"),
        (1_000, 9_000, Kind.TIME, "the same"),
        (1_000_000, 1_300_000, Kind.TIME, "the same"),
        (1_000_000, 1_400_000, Kind.TIME, "40 % more"),
        (2_410_000, 60_000, Kind.TIME, "40\u00d7 less"),
        (3_000_001, 640, Kind.COUNT, "4,700\u00d7 fewer"),
        (640, 3_000_001, Kind.COUNT, "4,700\u00d7 more"),
        (1_000_000, 950_000, Kind.COUNT, "5 % fewer"),
        (1_000_000, 1_000_001, Kind.COUNT, "a little more"),
        (14, 12, Kind.COUNT, "2 fewer"),
        (500, 0, Kind.COUNT, "none any more"),
        (0, 500, Kind.COUNT, "new"),
        (7, 7, Kind.COUNT, "the same"),
        (3.0e6, 3.3e6, Kind.MEMORY, "the same"),
        (3.0e6, 60e6, Kind.MEMORY, "20\u00d7 more"),
        (10, 25, Kind.SWITCHES, "the same"),
        (None, None, Kind.SIZE, ""),
        (None, 12.0, Kind.SIZE, "cannot be told"),
    ],
)
def test_a_change_in_words(a: float | None, b: float | None, kind: Kind, words: str) -> None:
    assert change(a, b, kind).words.replace("\u00a0", " ") == words


def test_less_than_a_stopped_run_is_at_least_that_much_less() -> None:
    assert change(2.4 * S, 0.6 * S, Kind.TIME, a_stopped=True).words == "at least 4.0\u00d7 less"
    assert change(0.6 * S, 2.4 * S, Kind.TIME, b_stopped=True).words == "at least 4.0\u00d7 more"


def test_nothing_is_not_at_least_nothing() -> None:
    assert change(4_000_000, 0, Kind.BYTES, a_stopped=True).words == "none any more"
    assert change(0, 4_000_000, Kind.BYTES, b_stopped=True).words == "new"


def test_larger_writes_are_neither_better_nor_worse() -> None:
    larger = change(7.6, 8_192.0, Kind.SIZE)
    assert (larger.words, larger.direction) == ("1,100\u00d7 larger", "other")


def test_more_than_a_stopped_run_cannot_be_told() -> None:
    assert change(2.4 * S, 9 * S, Kind.TIME, a_stopped=True).direction == "untold"
    assert change(9 * S, 2.4 * S, Kind.TIME, b_stopped=True).direction == "untold"


def test_two_stopped_runs_that_differ_cannot_be_told_apart() -> None:
    assert change(3_000_000, 2_000_000, Kind.COUNT, a_stopped=True, b_stopped=True).direction == "untold"


def test_what_is_the_same_within_noise_of_a_stopped_run_is_so_only_so_far() -> None:
    assert change(3.0e6, 3.1e6, Kind.MEMORY, a_stopped=True).words == "the same so far"
    assert change(49, 49, Kind.COUNT, b_stopped=True).words == "the same so far"
