"""What web processes count of themselves: whichever is asked tells of all."""

import asyncio
import os
import signal
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from tests.waiting import PATIENCE_S, wait_for
from tests.web.served import Served, served, stopped
from web.live.hub import hub
from web.operations import process_counters
from web.server import serving


def _ask(site: Served, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{site.port}{path}", timeout=PATIENCE_S) as answer:
        text: str = answer.read().decode()
        return text


def _number(text: str, name: str, **labels: str) -> float:
    samples = [each for family in text_string_to_metric_families(text) for each in family.samples]
    (value,) = [each.value for each in samples if each.name == name and labels.items() <= each.labels.items()]
    return value


def _asked_for(site: Served) -> tuple[float, float]:
    """How often /healthz was answered, and of how many answers the time was measured."""
    text = _ask(site, "/metrics")
    assert _number(text, "tally_streams_open") == 0
    number = _number(text, "tally_http_requests_total", page="healthz", status="200")
    return number, _number(text, "tally_http_request_seconds_count", page="healthz")


@pytest.mark.timeout(240)
@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_every_process_tells_what_all_of_them_counted(tmp_path: Path) -> None:
    with served(tmp_path, TALLY_WEB_PROCESSES="2") as site:
        folder = tmp_path / "var" / f"counts-{site.port}"
        wait_for(lambda: len(list(folder.glob("gauge_livesum_*.db"))) == 2, "both processes are there")
        before, _ = _asked_for(site)
        for at in (0, 1):
            with stopped(site.children()[at]):  # so the other one answers
                _ask(site, "/healthz")
        assert len(list(folder.glob("counter_*.db"))) >= 2
        for at in (0, 1):
            with stopped(site.children()[at]):
                assert _asked_for(site) == (before + 2, before + 2)
        gone = site.children()[0]
        os.kill(gone, signal.SIGKILL)
        wait_for(lambda: not Path(f"/proc/{gone}").exists(), "it is gone")
        assert _asked_for(site) == (before + 2, before + 2)
        assert not (folder / f"gauge_livesum_{gone}.db").exists()


def test_site_that_starts_again_counts_from_nothing(settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"
    folder = tmp_path / "var" / f"counts-{settings.PORT}"
    assert f"PROMETHEUS_MULTIPROC_DIR={folder}" in serving.command()
    (folder / "counter_1.db").write_bytes(b"of an earlier start")
    serving.command()
    assert list(folder.iterdir()) == []


def test_open_streams_are_counted() -> None:
    async def numbers() -> list[float]:
        streams = [hub().join(name, lambda: "a mark", "somebody", "a mark") for name in ("one", "another")]
        found = [_number(process_counters.told().decode(), "tally_streams_open")]
        for stream in streams:
            hub().leave(stream)
            found.append(_number(process_counters.told().decode(), "tally_streams_open"))
        await asyncio.sleep(0)  # what was cancelled ends
        return found

    assert asyncio.run(numbers()) == [2, 1, 0]
