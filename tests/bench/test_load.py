"""The load reports: their arithmetic, and each driver once against the real site, so that all keep working."""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bench import draining, web_load
from bench.draining import Round, grade_directly, programs_of
from bench.experiment.page import placed
from bench.load.arrivals import Arrival, due_times, load_of, send_at_rate
from bench.load.page import PAGE, draining_figures, web_figures
from bench.load.site import Site, open_site
from bench.web_load import Cell, cell_of, quantile_of_counts, recommend

MACHINE: dict[str, object] = {
    "cores": 2,
    "cpu_model": "a processor",
    "kernel": "Linux 6.1",
    "cgroup_version": 2,
    "compilers": {},
    "load_at_start": 0.0,
}
CELL = Cell(
    load="typical",
    processes=1,
    instances=1,
    requests=1_000,
    requests_per_s=100.0,
    mean_ms=10.0,
    median_ms=9.0,
    p95_ms=20.0,
    failures=0,
    cores={"web": 0.5},
    pages={},
)


def _arrivals(*ended_s: float | None) -> list[Arrival]:
    """Due at each second; None: dropped after 10 s."""
    return [
        Arrival(due_s=due, ended_s=due + 10.0 if ended is None else ended, is_taken=ended is not None)
        for due, ended in enumerate(ended_s)
    ]


def test_requests_are_due_evenly() -> None:
    assert due_times(50, 30)[:3] == [0, 0.02, 0.04]
    assert len(due_times(50, 30)) == 1_500


def test_latency_counts_from_when_it_was_due() -> None:
    load = load_of(_arrivals(2.0, 3.0, 4.0), timeout_s=10)
    assert (load.p50_ms, load.max_ms, load.taken, load.dropped) == (2_000, 2_000, 3, 0)


def test_what_is_dropped_counts_with_the_time_out() -> None:
    refused_at_once = [Arrival(due_s=0, ended_s=0.001, is_taken=False)]
    load = load_of([*refused_at_once, *_arrivals(0.1)], timeout_s=10)
    assert (load.dropped, load.dropped_pct, load.max_ms) == (1, 50, 10_000)


def test_throughput_counts_until_the_last_answer() -> None:
    assert load_of(_arrivals(0.0, 1.0, 2.0, 3.0), timeout_s=10).throughput == 1
    assert load_of(_arrivals(0.0, 1.0, 2.0, 8.0), timeout_s=10).throughput == 0.5
    assert load_of(_arrivals(None, None), timeout_s=10).throughput == 0


def test_slow_answers_do_not_hold_back_later_requests() -> None:
    under_way, most = 0, 0

    async def send(number: int) -> bool:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        while most < 10:  # nobody answers before all ten are sent
            await asyncio.sleep(0.001)
        under_way -= 1
        return number != 3

    load = load_of(asyncio.run(send_at_rate(send, rate=1_000, seconds=0.01, timeout_s=60)), timeout_s=60)
    assert (load.sent, load.taken, most) == (10, 9, 10)


def test_no_answer_in_time_is_a_drop() -> None:
    async def send(number: int) -> bool:
        await asyncio.sleep(60 if number else 0)
        return True

    load = load_of(asyncio.run(send_at_rate(send, rate=1_000, seconds=0.002, timeout_s=0.5)), timeout_s=0.5)
    assert (load.sent, load.taken, load.dropped) == (2, 1, 1)


def test_a_broken_connection_is_a_drop() -> None:
    async def send(_: int) -> bool:
        raise ConnectionResetError

    assert load_of(asyncio.run(send_at_rate(send, rate=100, seconds=0.02, timeout_s=9)), timeout_s=9).dropped == 2


def test_quantiles_of_counted_times() -> None:
    counts: dict[float, int] = {10: 90, 50: 6, 900: 4}
    assert [quantile_of_counts(counts, share) for share in (0.5, 0.95, 0.99)] == [10, 50, 900]
    with pytest.raises(ValueError, match="nothing was counted"):
        quantile_of_counts({}, 0.5)


def test_pages_of_a_cell_are_taken_together() -> None:
    page = {"name": "a", "num_requests": 3, "num_failures": 1, "total_response_time": 60, "start_time": 100.0}
    page |= {"last_request_timestamp": 102.0, "response_times": {"10": 2, "40": 1}}
    other = {**page, "name": "b", "num_requests": 1, "total_response_time": 20, "response_times": {"20": 1}}
    cell = cell_of([page, {**other, "num_failures": 0}], load="simple", processes=2, instances=1, cores={})
    assert (cell.requests, cell.requests_per_s, cell.mean_ms, cell.failures_pct) == (4, 2, 20, 25)
    assert (cell.median_ms, cell.p95_ms, cell.pages) == (10, 40, {"a": 40, "b": 20})


def test_fewest_processes_are_recommended_that_serve_as_well() -> None:
    two = replace(CELL, processes=2, requests_per_s=102, p95_ms=18)
    assert recommend([CELL, two])[0] == 1
    assert recommend([CELL, replace(two, requests_per_s=150)])[0] == 2
    assert recommend([CELL, replace(two, p95_ms=5)])[0] == 2
    assert recommend([CELL, replace(two, requests_per_s=150, failures=60)])[0] == 1
    assert recommend([CELL, replace(two, instances=2, requests_per_s=150)])[0] == 1


def test_share_of_the_machines_speed() -> None:
    report = draining.report_of([_round(4, 0.1), _round(5, 0.3)])
    assert (report["of_machine_speed_pct"], report["submissions_per_core_and_hour"]) == (90, 7_200)
    assert report["more_ms"] == 50
    assert report["cpu_ms"] == {"direct": 20, "worker": 100, "database": 5, "broker": 1}


def _round(direct_s: float, direct_cpu_s: float) -> Round:
    cpu_s = {"direct": direct_cpu_s, "worker": 1, "database": 0.05, "broker": 0.01}
    return Round(programs=10, drained_s=5, direct_s=direct_s, cpu_s=cpu_s)


def test_figures_have_their_places_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    cell = {**_as_json(CELL), "failures_pct": 0.0}
    web = web_figures({"machine": MACHINE, "took_s": 1, "because": "1 of one instance", "cells": [cell]})
    limit = draining_figures({"machine": MACHINE, "took_s": 1, **draining.report_of([_round(1, 0.1)])})
    for key, writer, figures in (
        ("e5-web-tier", "bench/web_load.py", web),
        ("e6-limit", "bench/draining.py", limit),
    ):
        assert figures in placed(page, key, figures, writer)


def _as_json(cell: Cell) -> dict[str, object]:
    return {name: getattr(cell, name) for name in Cell.__slots__}


def test_gevent_stays_out_of_this_process() -> None:
    assert not [name for name in sys.modules if name.partition(".")[0] in {"gevent", "locust", "pytest_locust"}]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with open_site() as opened:
        yield opened


@pytest.mark.thorough
def test_every_driver_runs_against_the_real_site(site: Site) -> None:
    people = site.populate(people=100, submissions=100)
    cells = web_load.measure(site, people, matrix=((1, 1),), seconds=1)
    assert [(cell.load, cell.failures, cell.requests > 0) for cell in cells] == [
        ("simple", 0, True),
        ("typical", 0, True),
    ]
    assert len(grade_directly(site, programs_of(3, "once"))) == 3
