"""Benchmark reports are written as documented, and a busy machine replaces no committed report."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest

from bench import machine, reporting

QUIET = {"cores": 2, "load_at_start": 2.0}
BUSY = {"cores": 2, "load_at_start": 2.01}


@pytest.fixture
def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of before, in the folder of reports."""
    monkeypatch.setattr(reporting, "REPORTS", tmp_path)
    report = tmp_path / "speed.json"
    report.write_text("before")
    return report


def switches(*given: str) -> Namespace:
    parser = ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    reporting.add_switches(parser, "speed")
    return parser.parse_args(given)


def test_full_run_on_a_quiet_machine_replaces_the_report(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reporting.write({"machine": QUIET, "why": "größer"}, switches())
    assert json.loads(committed.read_text("utf-8")) == {"machine": QUIET, "why": "größer"}
    assert capsys.readouterr() == ("", "")


def test_run_on_a_busy_machine_is_not_kept_and_says_so(committed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not reporting.write({"machine": BUSY}, switches())
    assert committed.read_text() == "before"
    assert "THE MACHINE IS BUSY: a load of 2.01 on 2 cores" in capsys.readouterr().err


def test_who_insists_keeps_it(committed: Path) -> None:
    assert reporting.write({"machine": BUSY}, switches("--busy"))
    assert json.loads(committed.read_text()) == {"machine": BUSY}


def test_another_file_is_written_however_busy_it_is(committed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    other = tmp_path / "mine" / "speed.json"
    assert reporting.write({"figure": 1}, switches("--report", str(other)), BUSY)
    assert (json.loads(other.read_text()), committed.read_text()) == ({"figure": 1}, "before")


@pytest.mark.parametrize("switch", ["--quick", "--no-report"])
def test_what_is_not_to_be_kept_is_not(committed: Path, switch: str, capsys: pytest.CaptureFixture[str]) -> None:
    for described in (QUIET, BUSY):
        assert not reporting.write({"machine": described}, switches(switch))
    assert (committed.read_text(), capsys.readouterr().err) == ("before", "")


@pytest.mark.usefixtures("committed")
def test_it_is_said_at_once_that_nothing_will_be_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "describe", lambda: BUSY)
    assert reporting.begin(switches()) == BUSY
    assert "NOT kept; --busy keeps them" in capsys.readouterr().err
    reporting.begin(switches("--quick"))
    assert capsys.readouterr().err == ""
