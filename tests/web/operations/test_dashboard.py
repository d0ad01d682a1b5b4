"""The ready Grafana dashboard and the alert rules name what there is."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from judge.models import Count, WorkerNode
from judge.observability.counting import What
from web.operations.process_counters import REQUESTS, SECONDS

ROOT = Path(__file__).resolve().parents[3]
NAME = re.compile(r"\btally_\w+")


@pytest.fixture
def exported(client: Client, db: None) -> set[str]:
    """The names of all samples of a Tally in which everything has happened once."""
    now = timezone.now()
    for what in What:
        Count.objects.create(what=what, first="x", second="1.0" if what == What.STAGE else "JE", number=1)
    numbers = {"processes": 1, "overhead_wall_us": 1}
    WorkerNode.objects.create(name="w", started_at=now, last_seen_at=now, languages={"cpp": "12"}, **numbers)
    REQUESTS.labels("healthz", "GET", 200).inc()
    SECONDS.labels("healthz").observe(0.1)
    families = text_string_to_metric_families(client.get("/metrics", headers={"Host": "localhost"}).content.decode())
    return {sample.name for family in families for sample in family.samples}


def _expressions() -> Iterator[str]:
    for panel in json.loads((ROOT / "setup" / "grafana.json").read_text())["panels"]:
        assert panel["targets"], panel["title"]
        for target in panel["targets"]:
            yield target["expr"]


def _rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((ROOT / "setup" / "alerts.yml").read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def test_every_metric_of_the_dashboard_and_the_alerts_exists(exported: set[str]) -> None:
    named = {name for text in (*_expressions(), *(rule["expr"] for rule in _rules())) for name in NAME.findall(text)}
    assert len(named) > 20
    assert named - exported == set()


def test_every_metric_is_on_the_dashboard(exported: set[str]) -> None:
    shown = {name for text in _expressions() for name in NAME.findall(text)}
    ours = {
        name for name in exported if name.startswith("tally_") and not name.endswith(("_created", "_count", "_sum"))
    }
    assert ours - shown == set()


def test_every_alert_says_what_it_means_and_is_in_the_docs() -> None:
    rows = (ROOT / "docs" / "alerts.md").read_text()
    assert len(_rules()) > 10
    for rule in _rules():
        assert rule["annotations"]["summary"].endswith(".")
        assert len(rule["annotations"]["meaning"]) > 20
        assert f"| {rule['alert']} |" in rows
    assert len(re.findall(r"^\| Tally\w+ \|", rows, re.MULTILINE)) == len(_rules())


def test_panels_do_not_lie_on_each_other() -> None:
    taken: set[tuple[int, int]] = set()
    panels = json.loads((ROOT / "setup" / "grafana.json").read_text())["panels"]
    assert len(panels) > 10
    for panel in panels:
        place = panel["gridPos"]
        columns = range(place["x"], place["x"] + place["w"])
        cells = {(x, y) for x in columns for y in range(place["y"], place["y"] + place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells
