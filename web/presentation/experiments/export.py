"""A run of an experiment as files: JSON with all of it, CSV with one line per run."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from judge.experiment.jsonvalues import to_json
from judge.experiment.results import RunMeasured
from judge.experiment.spec import METRICS
from judge.models import ExperimentRun
from web.presentation.experiments.run import RunShown
from web.presentation.spreadsheets import harmless

_COLUMNS = ("variant", "destination", "round", "ending", "verdict", *METRICS)


def run_as_json(run: ExperimentRun, shown: RunShown) -> str:
    """What was run, every run and what they come to, as its page shows it to this reader."""
    value: dict[str, Any] = {
        "experiment": run.key,
        "run": run.pk,
        "started_at": run.started_at.isoformat() if run.started_at else None,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "numbers_are_rounded": shown.sight.is_rounded,
        "toolchains": run.toolchains,
        "machine": run.machine,
        "spec": shown.spec.as_json(),
        "runs": [to_json(each) for each in shown.runs],
        "results": to_json(shown.results) | {"failed": run.failed},
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def runs_as_csv(runs: Sequence[RunMeasured]) -> str:
    """One line per run, with a heading (RFC 4180). No cell is a formula for a spreadsheet."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(_COLUMNS)
    for run in runs:
        told = (run.variant, run.destination, run.round, run.ending, run.verdict)
        writer.writerow([harmless(cell) for cell in (*told, *(run.numbers.get(name, "") for name in METRICS))])
    return target.getvalue()
