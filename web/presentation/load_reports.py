"""What was measured under load, as the page of experiments shows it: E5 and E6, from the reports in bench/reports/."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

_FOLDER = Path("bench", "reports")  # an installation may have none
_LOADS = {"simple": "one query", "typical": "pages"}


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadReport:
    """One experiment's figures: what follows from them, and the table."""

    title: str
    sentence: str
    machine: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def web_tier() -> LoadReport | None:
    """E5; None when it was not measured."""
    report = _read("web_load.json")
    if report is None:
        return None
    return LoadReport(
        title="Web tier: how many processes and instances",
        sentence=f"Recommended on that machine: {report['because']}.",
        machine=_machine(report),
        heading=("Load", "Instances x processes", "Requests/s", "Mean", "Median", "p95", "Failures"),
        rows=tuple(
            (
                _LOADS[cell["load"]],
                f"{cell['instances']} x {cell['processes']}",
                f"{cell['requests_per_s']:g}",
                *(f"{cell[name]:g} ms" for name in ("mean_ms", "median_ms", "p95_ms")),
                f"{cell['failures_pct']:g} %",
            )
            for cell in sorted(report["cells"], key=lambda cell: str(cell["load"]))
        ),
    )


def accepting() -> LoadReport | None:
    """E6; None when it was not measured."""
    report = _read("accepting.json")
    if report is None:
        return None
    dropped = max(level["in_request"]["dropped_pct"] for level in report["levels"])
    return LoadReport(
        title="Heavy work in the request, or handed over",
        sentence=(
            f"At {report['rate']:g} submissions a second {dropped:.0f} % were dropped when the request graded. Through "
            f"the queue {report['dropped_through_queue']} of {report['sent_through_queue']:,} were, and "
            f"p95 was {report['worst_of_idle']:.1f} times its idle value at most, however heavy the grading."
        ),
        machine=_machine(report),
        heading=(
            "One grading takes",
            *(f"{way}: {what}" for way in _WAYS.values() for what in ("p95", "taken", "dropped")),
        ),
        rows=(
            ("nothing is graded", *2 * load_cells(report["idle"])),
            *(
                (f"{level['grading_ms']:,} ms", *(word for way in _WAYS for word in load_cells(level[way])))
                for level in report["levels"]
            ),
        ),
    )


_WAYS = {"in_request": "In the request", "queue": "Queue"}


def load_cells(load: Mapping[str, Any]) -> tuple[str, str, str]:
    """What came of one load of submissions: its p95, how many were taken a second, the share that was dropped."""
    return f"{load['p95_ms']:,.0f} ms", f"{load['throughput']:.1f}/s", f"{load['dropped_pct']:.0f} %"


def _machine(report: Mapping[str, Any]) -> str:
    machine = report["machine"]
    load = f"load {machine['load_at_start']:g} at the start"  # other work that it had makes the figures worth less
    return f"{machine['cores']} cores, {machine['cpu_model']}, {machine['kernel']}, {load}"


def _read(name: str) -> dict[str, Any] | None:
    path = settings.BASE_DIR / _FOLDER / name
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None
