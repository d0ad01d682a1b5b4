"""Load measurements: the reports in bench/reports/, with their figures in words."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import ngettext

from web.presentation.units import per_cent

_FOLDER = Path("bench", "reports")  # an installation may have none


def load_cells(load: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the figures of one load: p95, accepted submissions per second, share dropped."""
    return f"{load['p95_ms']:,.0f} ms", f"{load['throughput']:.1f}/s", per_cent(f"{load['dropped_pct']:.0f}")


def machine_words(report: Mapping[str, Any]) -> str:
    """Describe the measuring machine."""
    machine = report["machine"]
    return ngettext(
        "%(cores)s core, %(cpu_model)s, %(kernel)s, load %(load)s at the start",
        "%(cores)s cores, %(cpu_model)s, %(kernel)s, load %(load)s at the start",
        machine["cores"],
    ) % {
        "cores": machine["cores"],
        "cpu_model": machine["cpu_model"],
        "kernel": machine["kernel"],
        "load": f"{machine['load_at_start']:g}",  # other work that it had makes the figures worth less
    }


def read_report(name: str) -> dict[str, Any] | None:
    """Return the report with this name; None if it was not measured."""
    path = settings.BASE_DIR / _FOLDER / name
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None
