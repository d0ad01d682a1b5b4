"""The page of experiments tells what was measured under load, where that was measured."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db
MACHINE = {"cores": 2, "cpu_model": "a processor", "kernel": "Linux 6.1"}


def _load(p95_ms: float, dropped_pct: float) -> dict[str, float]:
    return {"p95_ms": p95_ms, "throughput": 41.5, "dropped_pct": dropped_pct}


def _page(client: Client, settings: Settings, folder: Path, reports: dict[str, dict[str, Any]]) -> str:
    settings.BASE_DIR = folder
    (folder / "bench" / "reports").mkdir(parents=True)
    for name, report in reports.items():
        (folder / "bench" / "reports" / name).write_text(json.dumps({"machine": MACHINE, **report}))
    return client.get("/experiments/").content.decode()


def test_without_reports_the_page_promises_nothing(client: Client, settings: Settings, tmp_path: Path) -> None:
    assert "Measured from outside" not in _page(client, settings, tmp_path, {})


def test_web_tier_says_what_is_recommended(client: Client, settings: Settings, tmp_path: Path) -> None:
    cell = {"load": "typical", "processes": 2, "instances": 3, "requests_per_s": 48.5, "mean_ms": 12.0}
    cell |= {"median_ms": 10.0, "p95_ms": 31.0, "failures_pct": 6.25}
    page = _page(client, settings, tmp_path, {"web_load.json": {"because": "2 of one instance", "cells": [cell]}})
    for words in ("2 of one instance", "3 x 2", "48.5", "31 ms", "6.25 %", "a processor"):
        assert words in page
    assert "E6" not in page


def test_accepting_says_what_each_way_drops(client: Client, settings: Settings, tmp_path: Path) -> None:
    level = {"grading_ms": 1_040, "in_request": _load(10_000, 97.5), "queue": _load(33, 0)}
    report = {"rate": 50.0, "idle": _load(21, 0), "levels": [level], "worst_of_idle": 1.57}
    report |= {"dropped_through_queue": 0, "sent_through_queue": 7_500}
    page = _page(client, settings, tmp_path, {"accepting.json": report})
    for words in ("98 % were dropped", "0 of 7,500", "1.6 times", "1,040 ms", "10,000 ms", "33 ms", "21 ms"):
        assert words in page
