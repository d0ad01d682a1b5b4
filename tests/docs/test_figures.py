"""The figures in docs/ and sandbox/README.md are those of the committed reports."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.channels import figures as channel_figures
from bench.experiment.page import machine_line
from bench.jail.page import cost_figures, with_cost_figures
from bench.peer.page import PAGE as PAGE_OF_SANDBOX, peer_figures, with_peer_figures

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "experiments.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"<!-- figures of (\S+): [^\n]* -->\n(.*?)<!-- end of figures -->", PAGE, re.DOTALL))
REPORTS = {"e5-web-tier": "web_load", "e6-limit": "draining"}


def report_of(key: str) -> dict[str, Any]:
    """What was measured last."""
    file = ROOT / "bench" / "reports" / f"{REPORTS.get(key, 'experiments')}.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found if key in REPORTS else dict(found[key])


def test_each_block_is_whole() -> None:
    assert PAGE.count("<!-- figures of ") == PAGE.count("<!-- end of figures -->") == len(BLOCKS)
    assert [key for key in BLOCKS if key in REPORTS] == list(REPORTS)
    assert len(BLOCKS) == 6


@pytest.mark.parametrize("key", BLOCKS)
def test_no_block_of_figures_is_empty(key: str) -> None:
    rows = [line for line in BLOCKS[key].splitlines() if line.startswith("| ")]
    if key == "e6-limit":  # one sentence says it
        assert re.search(r"drains at [\d.]+ %", BLOCKS[key])
    else:
        assert len(rows) > 3


@pytest.mark.parametrize("key", BLOCKS)
def test_the_figures_are_those_of_the_report(key: str) -> None:
    report = report_of(key)
    assert f"{report['took_s']} s; {machine_line(report)}." in BLOCKS[key]


def test_the_table_of_other_sandboxes_is_that_of_the_report() -> None:
    report = json.loads((ROOT / "bench" / "reports" / "peers.json").read_text("utf-8"))
    page = PAGE_OF_SANDBOX.read_text("utf-8")
    assert peer_figures(report) in page
    assert with_peer_figures(page, report) == page


def test_the_channels_are_those_of_the_report() -> None:
    report = json.loads((ROOT / "bench" / "reports" / "channels.json").read_text("utf-8"))
    assert channel_figures(report) in (ROOT / "docs" / "security.md").read_text("utf-8")


def test_what_the_sandbox_costs_is_that_of_the_report() -> None:
    report = json.loads((ROOT / "bench" / "reports" / "sandbox.json").read_text("utf-8"))
    page = PAGE_OF_SANDBOX.read_text("utf-8")
    assert cost_figures(report) in page
    assert with_cost_figures(page, report) == page
