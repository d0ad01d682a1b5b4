"""Load measurements: the reports in bench/reports/, with their figures in words."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

_FOLDER = Path("bench", "reports")  # an installation may have none


def load_cells(load: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the figures of one load: p95, accepted submissions per second, share dropped."""
    return f"{load['p95_ms']:,.0f} ms", f"{load['throughput']:.1f}/s", f"{load['dropped_pct']:.0f} %"


def machine_words(report: Mapping[str, Any]) -> str:
    """Describe the measuring machine."""
    machine = report["machine"]
    load = f"load {machine['load_at_start']:g} at the start"  # other work that it had makes the figures worth less
    return f"{machine['cores']} cores, {machine['cpu_model']}, {machine['kernel']}, {load}"


def read_report(name: str) -> dict[str, Any] | None:
    """Return the report with this name; None if it was not measured."""
    path = settings.BASE_DIR / _FOLDER / name
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None
