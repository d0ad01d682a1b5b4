"""A real difference is reported, and a difference is hardly ever reported where there is none."""

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from judge.grading.experiment.results import Outcome, RunMeasured, VariantFailed
from judge.grading.experiment.spec import METRICS, ExperimentSpec
from judge.grading.experiment.summary import _distribution, difference, estimate, summarise, with_shown_timelines
from sandbox.types import TimelinePoint
from tests.judge.experiment.specs import claiming, make_spec

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
    assert not estimate("voluntary_switches", [0] * 5).is_exact


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


@pytest.mark.parametrize(("runs", "outside"), [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (10, 1), (12, 2), (20, 5)])
def test_median_s_interval_is_the_book_s(runs: int, outside: int) -> None:
    found = estimate("cpu_time_us", list(range(runs)))
    assert (found.low, found.high) == (outside, runs - 1 - outside)


def _runs(
    variant: str,
    values: list[int],
    destination: str = "file",
    *,
    metric: str = "cpu_time_us",
    ending: str = "exited",
    verdict: str = "",
) -> list[RunMeasured]:
    return [
        RunMeasured(
            variant=variant,
            destination=destination,
            round=number,
            ending=ending,
            verdict=verdict,
            numbers={**dict.fromkeys(METRICS, 7), metric: value},
        )
        for number, value in enumerate(values)
    ]


@pytest.fixture
def spec() -> ExperimentSpec:
    """endl takes more than newline."""
    return claiming(make_spec(), "cpu_time_us", "endl", "newline")


_MUCH, _LITTLE = [900, 910, 920, 930, 940], [100, 110, 120, 130, 140]


@pytest.mark.parametrize(
    ("endl", "newline", "outcome"),
    [
        (_runs("endl", _MUCH), _runs("newline", _LITTLE), Outcome.REPRODUCED),
        (_runs("endl", _LITTLE), _runs("newline", _MUCH), Outcome.REVERSED),
        (_runs("endl", _MUCH), _runs("newline", _MUCH), Outcome.NOISE),
        (_runs("endl", _MUCH), [], Outcome.MISSING),
        # stopped: it has at least so much
        (_runs("endl", _MUCH, ending="cpu_limit"), _runs("newline", _LITTLE), Outcome.REPRODUCED),
        (_runs("endl", _LITTLE, ending="cpu_limit"), _runs("newline", _MUCH), Outcome.MISSING),
        (_runs("endl", _MUCH), _runs("newline", _LITTLE, ending="wall_limit"), Outcome.MISSING),
        (_runs("endl", _LITTLE), _runs("newline", _MUCH, ending="cpu_limit"), Outcome.REVERSED),
        (_runs("endl", _MUCH), _runs("newline", _MUCH, ending="cpu_limit"), Outcome.MISSING),
        # crashed: it has not done its work
        (_runs("endl", _MUCH), _runs("newline", _LITTLE, verdict="RE"), Outcome.MISSING),
    ],
)
def test_claim_is_decided_by_what_was_measured(
    spec: ExperimentSpec, endl: list[RunMeasured], newline: list[RunMeasured], outcome: Outcome
) -> None:
    results = summarise(spec, [*endl, *newline], [])
    assert [tested.outcome for tested in results.claims] == [outcome]


def test_claim_may_compare_two_destinations() -> None:
    spec = claiming(
        make_spec(destinations=("file", "pipe")),
        "cpu_time_us",
        "endl",
        "endl",
        destination="pipe",
        less_destination="file",
    )
    results = summarise(spec, [*_runs("endl", _LITTLE, "file"), *_runs("endl", _MUCH, "pipe")], [])
    assert [tested.outcome for tested in results.claims] == [Outcome.REPRODUCED]


def test_cells_come_in_the_spec_s_order_with_what_occurred(spec: ExperimentSpec) -> None:
    failure = VariantFailed(variant="printf", message="no")
    middle = (TimelinePoint(at_us=1, cpu_time_us=1, voluntary_switches=0, involuntary_switches=0),)
    endl = _runs("endl", [30, 10, 20], metric="wall_time_us")
    endl[2] = replace(endl[2], timeline=middle)
    results = summarise(spec, [*_runs("newline", [5], ending="cpu_limit", verdict="TLE"), *endl], [failure])
    assert [cell.variant for cell in results.cells] == ["endl", "newline"]
    assert results.cells[0].timeline == middle
    assert (results.cells[1].endings, results.cells[1].verdicts) == (("cpu_limit",), ("TLE",))
    assert results.failed == (failure,)
    writes = results.cells[0].estimates["write_calls"]
    assert (writes.median, writes.runs, writes.is_exact) == (7, 3, True)


def test_timelines_that_are_not_shown_are_left_out(spec: ExperimentSpec) -> None:
    sample = TimelinePoint(at_us=1, cpu_time_us=1, voluntary_switches=0, involuntary_switches=0)
    runs = [replace(run, timeline=(sample,)) for run in _runs("endl", [30, 10, 20, 20], metric="wall_time_us")]
    runs.append(replace(_runs("newline", [5])[0], timeline=(sample,)))
    kept = with_shown_timelines(runs)
    assert [bool(run.timeline) for run in kept] == [False, False, True, False, True]
    assert summarise(spec, kept, []) == summarise(spec, runs, [])


def test_count_of_a_run_that_was_stopped_is_not_exact(spec: ExperimentSpec) -> None:
    results = summarise(spec, _runs("endl", _MUCH, ending="output_limit"), [])
    assert not results.cells[0].estimates["write_calls"].is_exact
