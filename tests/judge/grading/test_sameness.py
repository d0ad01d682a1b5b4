"""A real difference is reported, and a difference is hardly ever reported where there is none."""

import itertools
import math
import random
from collections.abc import Callable

import pytest

from judge.grading.measures import Kind
from judge.grading.sameness import MISS, NOISE, Difference, _distribution, difference, is_counted, is_faster, is_same

MS = 1_000
Noise = Callable[[random.Random], float]


def _normal(source: random.Random) -> float:
    return source.gauss(1, 0.02)


def _with_outliers(source: random.Random) -> float:
    return source.gauss(1, 0.02) + (source.expovariate(2) if source.random() < 0.15 else 0)


def _coarse(source: random.Random) -> float:
    return source.choice([0.9, 1.0, 1.0, 1.1])


def _wide(source: random.Random) -> float:
    return source.lognormvariate(0, 0.5)


def _told(noise: Noise, rounds: int, factor: float = 1.0, drift: float = 0.0, tries: int = 600) -> float:
    """In how many of the experiments a difference is told, as a share."""
    source = random.Random(5)  # noqa: S311
    count = 0
    for _ in range(tries):
        sides: tuple[list[int], list[int]] = [], []
        for number in range(rounds):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            for turn, side in enumerate(order):
                pace = 1 + drift * (2 * number + turn)
                sides[side].append(round(100_000 * noise(source) * pace * (factor if side == 0 else 1)))
        count += difference("cpu_time_us", *sides).is_told
    return count / tries


@pytest.mark.parametrize("noise", [_normal, _with_outliers, _coarse, _wide])
@pytest.mark.parametrize("rounds", [4, 5, 7, 10, 20])
def test_equal_programs_are_hardly_ever_told_apart(noise: Noise, rounds: int) -> None:
    assert _told(noise, rounds) <= 0.04  # 3 % at most, and what 600 tries add by chance


def test_drift_of_the_machine_is_no_difference() -> None:
    assert _told(_normal, 10, drift=0.02) <= 0.03


@pytest.mark.parametrize("rounds", [5, 10, 20])
def test_ten_percent_are_found_in_noise_of_two(rounds: int) -> None:
    assert _told(_normal, rounds, factor=1.1) > 0.95
    assert _told(_normal, rounds, factor=1 / 1.1) > 0.95


def test_three_runs_of_each_tell_nothing_but_counts() -> None:
    assert not difference("cpu_time_us", [200] * 3, [100, 101, 102]).is_told
    counts = difference("write_calls", [200] * 3, [100] * 3)
    assert (counts.is_told, counts.is_exact, counts.ratio, counts.low, counts.high) == (True, True, 2.0, 2.0, 2.0)


def test_one_run_of_each_is_not_exact() -> None:
    counts = difference("write_calls", [200], [100])
    assert (counts.is_told, counts.is_exact, counts.ratio) == (False, False, 2.0)


def test_difference_that_two_copies_of_a_program_have_is_not_told() -> None:
    assert not difference("cpu_time_us", [1_020] * 20, [1_000] * 20).is_told
    assert difference("cpu_time_us", [1_040] * 20, [1_000] * 20).is_told


def test_time_that_did_not_vary_is_not_exact() -> None:
    assert not difference("cpu_time_us", [200] * 5, [100] * 5).is_exact


@pytest.mark.parametrize(("a", "b"), [([580, 570, 590, 600, 610], [0] * 5), ([3] * 5, [0] * 5)])
def test_something_against_nothing_is_told_without_a_ratio(a: list[int], b: list[int]) -> None:
    for metric in ("voluntary_switches", "read_calls"):
        found = difference(metric, a, b)
        assert (found.is_told, found.ratio) == (True, None)
        assert difference(metric, b, a).ratio == 0


def test_nothing_against_nothing_is_no_difference() -> None:
    found = difference("voluntary_switches", [0] * 5, [0] * 5)
    assert (found.is_told, found.ratio) == (False, 1.0)


def test_turned_around_the_ratio_is_turned_over() -> None:
    source = random.Random(1)  # noqa: S311
    for rounds in range(1, 12):
        a = [source.randint(50, 200) for _ in range(rounds)]
        b = [source.randint(50, 200) for _ in range(rounds)]
        there, back = difference("cpu_time_us", a, b), difference("cpu_time_us", b, a)
        assert there.ratio is not None
        assert back.ratio == pytest.approx(1 / there.ratio)
        assert back.low == pytest.approx(1 / (there.high or 0))
        assert back.is_told is there.is_told


def test_interval_holds_the_true_ratio() -> None:
    source = random.Random(2)  # noqa: S311
    held = 0
    for _ in range(400):
        a = [round(150_000 * source.gauss(1, 0.05)) for _ in range(8)]
        found = difference("wall_time_us", a, [round(100_000 * source.gauss(1, 0.05)) for _ in range(8)])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1.5 <= found.high
    assert held >= 0.95 * 400


@pytest.mark.parametrize(("runs_a", "runs_b"), [(1, 1), (2, 3), (3, 4), (5, 5)])
def test_distribution_is_what_counting_all_orders_gives(runs_a: int, runs_b: int) -> None:
    counted = [0] * (runs_a * runs_b + 1)
    for places in itertools.combinations(range(runs_a + runs_b), runs_a):
        counted[sum(place - number for number, place in enumerate(places))] += 1
    assert list(_distribution(runs_a, runs_b)) == counted
    assert sum(_distribution(50, 50)) == math.comb(100, 50)


def _answer(found: Difference) -> str:
    return "differ" if found.is_told else "alike" if found.is_alike else "untold"


@pytest.mark.parametrize(
    ("metric", "a", "b", "answer"),
    [
        ("cpu_time_us", [1_100, 1_101, 1_102, 1_103, 1_104], [1_000] * 5, "differ"),
        ("cpu_time_us", [1_000, 1_001, 1_002, 1_003, 1_004], [1_000] * 5, "alike"),
        ("cpu_time_us", [1_020] * 5, [1_000] * 5, "alike"),  # all of it within 3 %, though not at 1
        ("cpu_time_us", [1_015, 1_025, 1_035, 1_045, 1_020], [1_000] * 5, "untold"),  # perhaps more than 3 %
        ("cpu_time_us", [900, 1_300, 1_000, 1_200, 1_100], [1_000] * 5, "untold"),
        ("cpu_time_us", [1_000] * 3, [1_000] * 3, "untold"),
        ("write_calls", [5] * 2, [5] * 2, "alike"),
        ("write_calls", [1_001] * 2, [1_000] * 2, "differ"),
        ("write_calls", [1_001, 1_002, 1_003, 1_004, 1_005], [1_000, 999, 998, 997, 996], "differ"),
    ],
)
def test_repeated_runs_differ_or_are_alike_or_cannot_be_told(
    metric: str, a: list[int], b: list[int], answer: str
) -> None:
    assert _answer(difference(metric, a, b)) == answer
    assert _answer(difference(metric, b, a)) == answer


def test_copies_of_a_program_are_mostly_called_alike_and_never_both() -> None:
    source = random.Random(7)  # noqa: S311
    answers = []
    for _ in range(300):
        a, b = ([round(100_000 * source.gauss(1, 0.01)) for _ in range(10)] for _ in range(2))
        found = difference("cpu_time_us", a, b)
        assert not (found.is_told and found.is_alike)
        answers.append(_answer(found))
    assert answers.count("differ") <= MISS * 300
    assert answers.count("alike") > 0.9 * 300


@pytest.mark.parametrize(
    ("kind", "a", "b", "is_the_same"),
    [
        (Kind.TIME, 1_000 * MS, 751 * MS, True),
        (Kind.TIME, 1_000 * MS, 750 * MS, False),
        (Kind.TIME, 20 * MS, 11 * MS, True),
        (Kind.TIME, 20 * MS, 10 * MS, False),
        (Kind.COUNT, 1_000_000, 1_000_001, False),
        (Kind.BYTES, 7, 7, True),
        (Kind.SWITCHES, 10, 25, True),
        (Kind.SWITCHES, 10, 31, False),
        (Kind.MEMORY, 3.0e6, 3.3e6, True),
        (Kind.MEMORY, 30e6, 20e6, False),
    ],
)
def test_of_single_runs_counts_have_no_noise_and_all_else_has(
    kind: Kind, a: float, b: float, is_the_same: bool
) -> None:
    assert is_same(kind, a, b) is is_same(kind, b, a) is is_the_same
    assert is_counted(kind) is (kind not in NOISE)


@pytest.mark.parametrize(("before", "after", "gained"), [(100, 75, True), (100, 76, False), (75, 100, False)])
def test_single_run_is_faster_by_more_than_noise_or_not(before: int, after: int, gained: bool) -> None:
    assert is_faster(after * MS, before * MS) is gained
