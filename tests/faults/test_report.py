"""The table of faults as it is kept: for scripts, and the same for people."""

from pathlib import Path

import pytest

from tests.faults import report
from tests.faults.trial import Line

_MACHINE = {
    "cores": 2,
    "cpu_model": "CPU",
    "kernel": "Linux 6",
    "cgroup_version": 2,
    "compilers": {},
    "load_at_start": 1.5,
}


def _line(fault: str, *, submissions: int = 1, verdicts: int = 1, recover_s: float = 0.5) -> Line:
    lost = submissions - verdicts
    return Line(
        fault=fault,
        injected=2,
        submissions=submissions,
        verdicts=verdicts,
        lost=lost,
        double=0,
        recover_s=recover_s,
    )


def test_the_page_has_the_machine_a_row_for_each_fault_and_the_sums() -> None:
    text = report.page([_line("killed", submissions=2_001, verdicts=1_999), _line("a | b", recover_s=12.5)], _MACHINE)
    assert "2 cores, CPU, Linux 6, cgroup v2, load 1.5 at the start" in text
    assert text.splitlines()[-3:] == [
        "| killed | 2 | 2,001 | 1,999 | 2 | 0 | 0.5 s |",
        "| a \\| b | 2 | 1 | 1 | 0 | 0 | 12.5 s |",
        "| all | 4 | 2,002 | 2,000 | 2 | 0 | 12.5 s |",
    ]


def test_both_reports_are_written_and_tell_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "REPORT", tmp_path / "faults.json")
    monkeypatch.setattr(report, "PAGE", tmp_path / "faults.md")
    lines = [_line("killed"), _line("deaf", recover_s=73.7)]
    report.write(lines, _MACHINE)
    assert report.read(report.REPORT.read_text()) == (lines, _MACHINE)
    assert report.PAGE.read_text() == report.page(lines, _MACHINE)


def test_the_kept_page_is_that_of_the_kept_report() -> None:
    assert report.PAGE.read_text() == report.page(*report.read(report.REPORT.read_text()))
