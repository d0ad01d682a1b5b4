"""A run looked at while it goes on: its points are in order, count all of it, and end with its totals."""

import threading
from itertools import pairwise

import pytest

from sandbox.errors import CgroupError, LimitsError
from sandbox.jail.jail import OpenJail
from sandbox.meter.timeline import MOST_POINTS, Sampler, points_of
from sandbox.types import Command, Limits, Outcome, TimelinePoint, Usage

PYTHON = ("/usr/bin/python3", "-I", "-c")
LIMITS = Limits(cpu_time_ms=10_000, wall_time_ms=30_000)
SLEEPS = "import time\nfor _ in range(100): time.sleep(0.003)"
SPINS_THEN_SLEEPS = """if True:
    import time
    while time.process_time() < 0.3: pass
    time.sleep(0.4)
"""
IN_CHILDREN = """if True:
    import os, threading, time
    def sleep_often():
        for _ in range(100): time.sleep(0.003)
    def spin():
        while time.process_time() < 0.3: pass
    for work in (spin, sleep_often):
        if os.fork() == 0:
            thread = threading.Thread(target=work); thread.start(); thread.join(); os._exit(0)
        os.wait()
"""


def run(jail: OpenJail, code: str, sample_ms: int) -> Outcome:
    return jail.run(Command(argv=(*PYTHON, code), sample_ms=sample_ms), LIMITS)


def samplers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "timeline"]


def last_before(timeline: tuple[TimelinePoint, ...], share: float) -> TimelinePoint:
    """The last point within that share of the wall time."""
    return [point for point in timeline if point.at_us <= share * timeline[-1].at_us][-1]


def test_a_run_that_nobody_looks_at_has_no_timeline(jail: OpenJail) -> None:
    assert run(jail, "pass", sample_ms=0).timeline == ()
    assert samplers() == []


def test_points_only_rise_from_nothing_to_the_totals(jail: OpenJail) -> None:
    outcome = run(jail, SLEEPS, sample_ms=10)
    timeline, usage = outcome.timeline, outcome.usage
    assert timeline[0] == TimelinePoint(at_us=0, cpu_time_us=0, voluntary_switches=0, involuntary_switches=0)
    assert timeline[-1] == TimelinePoint(
        at_us=usage.wall_time_us,
        cpu_time_us=usage.cpu_time_us,
        voluntary_switches=usage.voluntary_switches,
        involuntary_switches=usage.involuntary_switches,
    )
    for before, after in pairwise(timeline):
        assert before.at_us < after.at_us
        assert before.cpu_time_us <= after.cpu_time_us
        assert before.voluntary_switches <= after.voluntary_switches
        assert before.involuntary_switches <= after.involuntary_switches
    assert samplers() == []


def test_sleeping_shows_as_voluntary_switches_all_along(jail: OpenJail) -> None:
    timeline = run(jail, SLEEPS, sample_ms=10).timeline
    first, second, total = (last_before(timeline, third / 3).voluntary_switches for third in (1, 2, 3))
    assert first < second < total
    assert total >= 100


def test_cpu_time_rises_while_the_program_computes_and_not_while_it_waits(jail: OpenJail) -> None:
    timeline = run(jail, SPINS_THEN_SLEEPS, sample_ms=10).timeline
    total = timeline[-1].cpu_time_us
    computing = [point for point in timeline[1:-1] if point.cpu_time_us < 0.8 * total]
    waiting = [point for point in timeline[1:-1] if point.cpu_time_us >= 0.9 * total]
    assert len(computing) >= 5
    assert len(waiting) >= 5
    assert computing[-1].at_us < waiting[0].at_us


def test_children_and_their_threads_count_also_after_they_ended(jail: OpenJail) -> None:
    timeline = run(jail, IN_CHILDREN, sample_ms=10).timeline
    total = timeline[-1]
    before_the_end = timeline[-2]
    assert before_the_end.cpu_time_us > 0.8 * total.cpu_time_us
    assert before_the_end.voluntary_switches > 0.6 * total.voluntary_switches


def test_a_long_run_keeps_so_many_points_evenly() -> None:
    seen = [
        TimelinePoint(at_us=5_000 + 10 * n, cpu_time_us=n, voluntary_switches=2 * n, involuntary_switches=3 * n)
        for n in range(1_000)
    ]
    usage = Usage(user_time_us=1_000, wall_time_us=10_000, voluntary_switches=2_000, involuntary_switches=3_000)
    points = points_of(seen, 5_000, usage)
    assert len(points) == MOST_POINTS
    assert (points[0].at_us, points[-1].at_us) == (0, 10_000)
    gaps = [after.at_us - before.at_us for before, after in pairwise(points)]
    assert max(gaps) <= 2 * min(gaps)


def test_what_was_seen_before_the_start_or_over_the_totals_is_not_shown() -> None:
    seen = [
        TimelinePoint(at_us=at_us, cpu_time_us=90, voluntary_switches=9, involuntary_switches=9)
        for at_us in (900, 1_500, 2_500)
    ]
    points = points_of(seen, 1_000, Usage(user_time_us=80, wall_time_us=1_000, voluntary_switches=5))
    assert points[1:-1] == (TimelinePoint(at_us=500, cpu_time_us=80, voluntary_switches=5, involuntary_switches=0),)


def test_looking_less_often_is_how_a_long_run_stays_small(jail: OpenJail) -> None:
    timeline = run(jail, "import time; time.sleep(0.9)", sample_ms=1).timeline
    assert 50 < len(timeline) <= MOST_POINTS


@pytest.mark.parametrize("sample_ms", [-1, 60_001, True])
def test_an_interval_that_is_none_is_refused(sample_ms: int, jail: OpenJail) -> None:
    with pytest.raises(LimitsError, match="sample_ms must be"):
        run(jail, "pass", sample_ms)


@pytest.mark.parametrize("error", [CgroupError("cannot read"), OSError("cannot read"), ValueError("cannot read")])
def test_a_counter_that_cannot_be_read_is_our_failure(
    error: Exception, jail: OpenJail, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(sampler: Sampler) -> TimelinePoint:
        raise error

    monkeypatch.setattr(Sampler, "_look", refuse)
    with pytest.raises(CgroupError, match="cannot read"):
        run(jail, "import time; time.sleep(0.1)", sample_ms=10)
    assert samplers() == []
    assert run(jail, "pass", sample_ms=0).exit_code == 0
