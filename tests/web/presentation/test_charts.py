"""Geometry of the pictures."""

import pytest
from hypothesis import given, settings, strategies as st

from web.presentation.charts import LogScale, RunTimes, count_bars, time_scale

LIMIT_US = 2_000_000
times = st.builds(
    RunTimes,
    user_us=st.integers(0, 10**8),
    system_us=st.integers(0, 10**8),
    waiting_us=st.integers(0, 10**8),
)


def _run(user: int, system: int = 0, waiting: int = 0) -> RunTimes:
    return RunTimes(user_us=user, system_us=system, waiting_us=waiting)


def test_segments_follow_one_another_in_their_order() -> None:
    bar = time_scale([], LIMIT_US).bar(_run(500_000, 250_000, 250_000))
    assert [(s.kind, s.x, s.width) for s in bar.segments] == [
        ("user", 0, 20.0),
        ("system", 20.0, 10.0),
        ("waiting", 30.0, 10.0),
    ]
    assert bar.limit_x == 80.0
    assert bar.overrun is None


def test_all_cases_share_one_scale() -> None:
    slow, quick = _run(5_000_000), _run(500_000)
    scale = time_scale([slow, quick], LIMIT_US)
    assert scale.bar(slow).segments[0].width == pytest.approx(10 * scale.bar(quick).segments[0].width, rel=0.01)
    assert scale.bar(slow).limit_x == scale.bar(quick).limit_x


def test_an_overrun_runs_from_the_limit_to_the_end_of_the_cpu_time() -> None:
    scale = time_scale([_run(1_000_000, 1_400_000, 300_000)], LIMIT_US)
    bar = scale.bar(_run(1_000_000, 1_400_000, 300_000))
    assert bar.overrun is not None
    assert bar.overrun.x == bar.limit_x
    assert bar.overrun.x + bar.overrun.width == pytest.approx(scale.x(2_400_000), abs=0.02)


def test_waiting_beyond_the_limit_is_no_overrun() -> None:
    assert time_scale([_run(1_000, 0, 5_000_000)], LIMIT_US).bar(_run(1_000, 0, 5_000_000)).overrun is None


def test_something_tiny_is_still_drawn() -> None:
    bar = time_scale([], LIMIT_US).bar(_run(1))
    assert bar.segments[0].width > 0


@settings(deadline=None)
@given(st.lists(times, min_size=1, max_size=8))
def test_no_bar_leaves_the_drawing(runs: list[RunTimes]) -> None:
    scale = time_scale(runs, LIMIT_US)
    for bar in map(scale.bar, runs):
        assert 0 <= (bar.limit_x or 0) <= 100
        for segment in bar.segments:
            assert segment.x >= 0
            assert segment.width >= 0
            assert segment.x + segment.width <= 100.01


@settings(deadline=None)
@given(st.lists(times, max_size=4), st.one_of(st.none(), st.integers(1_000, 10**8)))
def test_ticks_stay_clear_of_the_limits_words(runs: list[RunTimes], limit_us: int | None) -> None:
    scale = time_scale(runs, limit_us)
    ticks = scale.ticks()
    assert len(ticks) <= 7
    assert all(0 <= tick.x <= 100 for tick in ticks)
    if scale.limit_x is not None:
        limit = scale.limit_tick
        assert limit is not None
        assert all(bool(tick.label) == (abs(tick.middle - limit.middle) > 16) for tick in ticks)


def test_a_mark_near_the_limit_loses_its_words_only() -> None:
    scale = time_scale([_run(1_780_000)], 1_000_000)
    assert [(tick.x, tick.label) for tick in scale.ticks()] == [
        (0, "0"),
        (27.54, "0.5\u00a0s"),
        (55.08, ""),
        (82.62, "1.5\u00a0s"),
    ]


def test_calls_are_sorted_and_the_most_frequent_fills_the_width() -> None:
    bars = count_bars({"read": 3, "write": 300, "brk": 3})
    assert [(bar.name, bar.count) for bar in bars] == [("write", 300), ("brk", 3), ("read", 3)]
    assert bars[0].width == 100
    assert bars[1].width == 1


def test_a_logarithmic_scale_shows_both_a_million_and_one() -> None:
    scale = LogScale(largest=1_000_000)
    assert scale.x(0) == 0
    assert 0 < scale.x(1) < scale.x(1_000) < scale.x(1_000_000) == 100
    assert [tick.label for tick in scale.ticks()] == ["1", "100", "10,000", "1,000,000"]
