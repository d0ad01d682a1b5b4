"""Write a benchmark's report to bench/reports/NAME.json, which is committed, and parse the switches that control it.

Other load makes figures worthless. So a run that began on a busy machine says so and leaves the committed report as it
was, unless its caller insists.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import machine

REPORTS = Path(__file__).with_name("reports")
BUSY_PER_CORE = 1.0  # of the load of the last minute


def add_switches(parser: ArgumentParser, name: str) -> None:
    """The switches that every benchmark has."""
    parser.add_argument("--report", type=Path, default=REPORTS / f"{name}.json", help="file to write: %(default)s")
    parser.add_argument("--no-report", action="store_true", help="only print")
    parser.add_argument("--busy", action="store_true", help="replace the committed report whatever else runs here")


def begin(options: Namespace) -> dict[str, object]:
    """The machine as it is now, for the report; says at once when this run will not be kept."""
    described = machine.describe()
    if _is_spoilt(described, options):
        print(_complaint(described), file=sys.stderr, flush=True)
    return described


def write(report: Mapping[str, Any], options: Namespace, began_on: Mapping[str, Any] | None = None) -> bool:
    """Keep the report; whether it was kept. `began_on`: the machine, where the report has none of its own."""
    described = began_on or report["machine"]
    if not _is_wanted(options):
        return False
    if _is_spoilt(described, options):
        print(_complaint(described), file=sys.stderr, flush=True)
        return False
    options.report.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return True


def is_committed(options: Namespace) -> bool:
    """Whether the report goes where the documents quote it from."""
    return bool(options.report.resolve().parent == REPORTS)


def _is_wanted(options: Namespace) -> bool:
    return not options.no_report and not getattr(options, "quick", False)


def _is_spoilt(described: Mapping[str, Any], options: Namespace) -> bool:
    """Whether other work than ours had the cores, so that the committed report has to stay as it is."""
    is_busy = described["load_at_start"] > BUSY_PER_CORE * described["cores"]
    return bool(is_busy and _is_wanted(options) and is_committed(options) and not options.busy)


def _complaint(described: Mapping[str, Any]) -> str:
    return (
        f"\n*** THE MACHINE IS BUSY: a load of {described['load_at_start']} on {described['cores']} cores at the start."
        "\n*** These figures say little. They are printed and NOT kept; --busy keeps them all the same.\n"
    )
