"""Medians with their intervals, and the outcomes of claims."""

from dataclasses import replace

import pytest

from judge.grading.experiment.results import (
    Outcome,
    RunMeasured,
    VariantFailed,
    estimate,
    summarise,
    with_shown_timelines,
)
from judge.grading.experiment.spec import METRICS, ExperimentSpec
from sandbox.types import TimelinePoint
from tests.judge.grading.experiment.specs import claiming, make_spec


@pytest.mark.parametrize(("runs", "outside"), [(1, 0), (5, 0), (6, 0), (8, 0), (9, 1), (10, 1), (12, 2), (20, 5)])
def test_median_s_interval_is_the_book_s(runs: int, outside: int) -> None:
    found = estimate("cpu_time_us", list(range(runs)))
    assert (found.low, found.high) == (outside, runs - 1 - outside)


def test_time_that_did_not_vary_is_not_exact() -> None:
    assert not estimate("voluntary_switches", [0] * 5).is_exact


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
