"""What was measured under load has a card on the page of experiments, and a page that draws it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from tests.web.test_experiments import text_of

pytestmark = pytest.mark.django_db
MACHINE = {"cores": 2, "cpu_model": "a processor", "kernel": "Linux 6.1", "load_at_start": 1.5}
WEB_TIER, ACCEPTING = "/experiments/e5-web-tier/", "/experiments/e6-accepting/"


def _cell(load: str, instances: int, processes: int, p95_ms: float, **others: float) -> dict[str, Any]:
    figures = {"requests_per_s": 48.5, "mean_ms": 12.0, "median_ms": 10.0, "p95_ms": p95_ms, "failures_pct": 0}
    return {"load": load, "instances": instances, "processes": processes, **figures, **others}


def _load(p95_ms: float, dropped_pct: float) -> dict[str, float]:
    return {"p95_ms": p95_ms, "throughput": 41.5, "dropped_pct": dropped_pct}


def _level(grading_ms: int, p95_ms: float, dropped_pct: float) -> dict[str, Any]:
    return {"grading_ms": grading_ms, "in_request": _load(p95_ms, dropped_pct), "queue": _load(33, 0)}


TYPICAL = [_cell("typical", 1, 1, 800.0), _cell("typical", 1, 2, 400.0), _cell("typical", 3, 2, 200.0)]
SIMPLE = [_cell("simple", 1, 4, 31.0, failures_pct=6.25)]
TIERS = {"recommended_processes": 2, "visitors": 70, "cells": TYPICAL + SIMPLE}
LEVELS = [_level(30, 99.0, 25.0), _level(1_040, 9_999.0, 97.5)]
TAKEN = {"rate": 50.0, "timeout_s": 10.0, "idle": _load(9, 0), "levels": LEVELS, "worst_of_idle": 1.57}
TAKEN |= {"dropped_through_queue": 0, "sent_through_queue": 7_500}


@pytest.fixture
def reports(settings: Settings, tmp_path: Path) -> Path:
    """Where reports are looked for; none is there."""
    settings.BASE_DIR = tmp_path
    folder = tmp_path / "bench" / "reports"
    folder.mkdir(parents=True)
    return folder


def _keep(reports: Path, name: str, report: dict[str, Any]) -> None:
    (reports / name).write_text(json.dumps({"machine": MACHINE, **report}))


def _widths(html: str, kind: str) -> list[float]:
    """How wide the bars of a kind are, in their order, without the legend's."""
    return [float(found) for found in re.findall(rf'<rect class="{kind}" x="0.0%" y="3" width="([\d.]+)%"', html)]


def test_without_reports_the_page_promises_nothing(client: Client, reports: Path) -> None:
    assert "Load reports" not in client.get("/experiments/").content.decode()
    assert [client.get(address).status_code for address in (WEB_TIER, ACCEPTING)] == [404, 404]


def test_card_is_there_for_what_was_measured(client: Client, reports: Path) -> None:
    _keep(reports, "web_load.json", TIERS)
    html = client.get("/experiments/").content.decode()
    assert WEB_TIER in html
    assert ACCEPTING not in html
    fast, slow = sorted(_widths(html, "series-b"))  # of one instance
    assert slow == pytest.approx(2 * fast, abs=0.1)


def test_web_tier_says_and_draws_what_is_recommended(
    client: Client, reports: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _keep(reports, "web_load.json", TIERS)
    with django_assert_num_queries(0):
        answer = client.get(WEB_TIER)
    said = text_of(answer.content).replace("\u00a0", " ")
    assert (
        "2 processes of one instance, for 48.5 pages a second at a p95 of 0.4 s, against 0.8 s with 1 process." in said
    )
    assert "1 instance, 2 processes 48.5 requests/s, recommended median 10 ms p95 0.4 s" in said
    assert said.count("recommended") == 1
    assert "1 x 4 311 48.5 12 ms 31 ms 6.25 %" in said  # the published figure, then ours
    assert "a processor, Linux 6.1, load 1.5 at the start" in said
    one, two, many = _widths(answer.content.decode(), "series-b")
    assert (one, one) == pytest.approx((2 * two, 4 * many), abs=0.1)
    assert len(_widths(answer.content.decode(), "series-a")) == 3


def test_accepting_says_and_draws_what_each_way_drops(
    client: Client, reports: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    _keep(reports, "accepting.json", TAKEN)
    with django_assert_num_queries(0):
        answer = client.get(ACCEPTING)
    said = text_of(answer.content).replace("\u00a0", " ")
    for words in ("up to 98 % were dropped", "0 of 7,500", "1.6 times", "gives up after 10 s", "1 ms 10 ms 0.1 s 1 s"):
        assert words in said
    assert "One grading takes 1,040 ms in the request 9,999 ms through the queue 33 ms" in said
    assert "One grading takes 1,040 ms in the request 98 % through the queue 0 %" in said
    assert "2 4.1 s 22/s 47 % 11 to 18 ms 1,040 ms 9,999 ms 41.5/s 98 % 33 ms" in said  # published, then ours
    assert _widths(answer.content.decode(), "series-b") == [50.0, 100.0, 25.0, 97.5]  # log 100 of log 10,000; dropped
    assert len(_widths(answer.content.decode(), "series-a")) == 2  # nothing is drawn of what was not dropped


def test_fewer_weights_than_were_published_leave_places_empty(client: Client, reports: Path) -> None:
    _keep(reports, "accepting.json", TAKEN)
    html = client.get(ACCEPTING).content.decode()
    rows = re.findall(r"<tr>.*?</tr>", html)
    last = next(row for row in rows if "25.2 s" in row)
    assert last.count("<td") == 9
    assert last.count("></td>") == 5
