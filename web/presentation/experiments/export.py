"""Export a run of an experiment: JSON with everything, CSV with one line per run."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from judge.models import ExperimentRun
from problems.jsonvalues import to_json
from web.access.rounding import plain
from web.presentation.experiments.run import RunShown
from web.presentation.submission_export import BYTE_ORDER_MARK, harmless

_COLUMNS = ("variant", "destination", "round", "ending", "verdict", *METRICS)


def run_as_json(run: ExperimentRun, view: RunShown) -> str:
    """Return the spec, every run and the results, as the run's page shows them to this reader."""
    value: dict[str, Any] = {
        "experiment": run.key,
        "run": run.pk,
        "started_at": _moment(run.started_at, view),
        "finished_at": _moment(run.finished_at, view),
        "numbers_are_rounded": view.visibility.is_rounded,
        "toolchains": run.toolchains,
        "machine": run.machine,
        "spec": to_json(view.spec),
        "runs": [_told(to_json(run)) | {"detail": run.detail} for run in view.runs],
        "results": _told(to_json(view.results))
        | {"failed": [{"variant": failed.variant, "message": str(failed.words)} for failed in run.failed]},
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _moment(moment: datetime | None, view: RunShown) -> str | None:
    """Return a time; in whole seconds for a hidden case, because two of them enclose the wall times of all runs."""
    return moment.isoformat(timespec="seconds" if view.visibility.is_rounded else "auto") if moment else None


def _told(value: Any) -> Any:
    """Replace each number of which only a bound is shown by a text, in the unit of its name."""
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_told(item) for item in value]
    return plain(value)


def runs_as_csv(runs: Sequence[RunMeasured]) -> str:
    """Return one line per run, with a heading (RFC 4180). No cell is a formula for a spreadsheet."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(_COLUMNS)
    for run in runs:
        columns = (run.variant, run.destination, run.round, run.ending, run.verdict)
        writer.writerow(
            [harmless(cell) for cell in (*columns, *(plain(run.numbers.get(name, "")) for name in METRICS))]
        )
    return BYTE_ORDER_MARK + target.getvalue()
