"""The list of submissions as CSV, however long it is, and a run of an experiment as JSON and CSV.

How the list works: the heading goes out at once, then chunk after chunk of rows, each found by the last one's id, so
that the millionth row costs what the first one does and none is kept. Between two chunks no transaction is open. Its
times are in the reader's zone, which has a column of its own, in the form that spreadsheets read as times.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.utils.timezone import get_current_timezone

from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from judge.models import ExperimentRun, ExplanationLevel, Status, Submission
from problems.jsonvalues import to_json
from problems.models import Problem, ProblemVersion
from web import access
from web.access.rounding import plain
from web.access.visibility import SHOWN_BY, Visibility
from web.presentation.experiments.run import RunShown

BYTE_ORDER_MARK = "\ufeff"  # without it, a spreadsheet on a Korean Windows reads a CSV file as CP949
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: object) -> object:
    """Prefix an apostrophe to text that a spreadsheet would evaluate (OWASP, "CSV injection")."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_FORMULA) else cell


FIRST_CHUNK, CHUNK = 200, 2_000  # rows: the first ones soon, then few trips to the database
_COLUMNS = (
    *("submission", "submitted_at", "time_zone", "user", "problem", "title", "version", "language", "status"),
    *("verdict", "cause", "score", "max_score", "cpu_time_ms", "peak_memory_bytes"),
)
_READ = (
    *("pk", "created_at", "user__username", "problem_id", "language", "status", "verdict", "cause"),
    *("score", "max_score", "max_cpu_time_us", "max_peak_memory_bytes", "problem_version_id"),
)
Keys = Callable[[int | None, int], list[int]]


class SubmissionExport:
    """The submissions that one reader may see, as lines of CSV (RFC 4180, UTF-8). Staff see the users' names."""

    def __init__(self, user: AbstractBaseUser | AnonymousUser) -> None:
        self._user = user
        self._zone = get_current_timezone()  # of the request: the rows go out when it is over
        self._is_for_staff = access.reads_every_submission(user)
        # by a problem's key; whether the reader sees why its programs are slow
        self._problems: dict[int, tuple[Problem, Visibility, bool]] = {}
        self._versions: dict[int, ProblemVersion] = {}

    def chunks(self, keys: Keys) -> Iterator[bytes]:
        """Yield the heading, then the rows, newest first. `keys(before, most)`: the next readable ids."""
        yield BYTE_ORDER_MARK.encode() + self._lines([_COLUMNS])
        ids = keys(None, FIRST_CHUNK)
        while ids:
            rows = list(Submission.objects.filter(pk__in=ids).order_by("-pk").values_list(*_READ))
            problems = Problem.objects.filter(pk__in={row[3] for row in rows} - self._problems.keys())
            levels = access.explained_of(self._user, problems)
            for problem in problems:
                visibility = access.sight_of(self._user, problem)
                sees_causes = not visibility.is_restricted and levels[problem.pk].reaches(ExplanationLevel.CAUSE)
                self._problems[problem.pk] = problem, visibility, sees_causes
            new_versions = {row[-1] for row in rows} - self._versions.keys()
            self._versions |= ProblemVersion.objects.only(*SHOWN_BY, "number").in_bulk(new_versions)
            yield self._lines(map(self._line, rows))
            ids = keys(ids[-1], CHUNK)

    def _line(self, row: tuple[Any, ...]) -> Sequence[object]:
        """Return one line; what the result page hides or rounds is hidden and rounded here."""
        key, created_at, user, problem, language, status, verdict, cause, score, max_score, *used, version = row
        cpu_us, memory_bytes = used
        shown_problem, visibility, sees_causes = self._problems[problem]
        is_done = status == Status.DONE
        if not is_done or not visibility.sees_totals(is_done):
            cpu_us = memory_bytes = None
        rounding = visibility.rounding_of_hidden(self._versions[version])
        cpu_ms = None if cpu_us is None else plain(rounding.cpu_time_us(cpu_us), 1_000, ".3f")
        memory_bytes = None if memory_bytes is None else plain(rounding.memory_bytes(memory_bytes))
        sent_at = created_at.astimezone(self._zone).strftime("%Y-%m-%d %H:%M:%S")
        asked_in = (shown_problem.slug, shown_problem.title, self._versions[version].number)
        numbers = (score, max_score, cpu_ms, memory_bytes)
        sent = (key, sent_at, self._zone, user, *asked_in, language, status, verdict)
        return (*sent, cause if sees_causes else "", *numbers)

    def _lines(self, rows: Iterable[Sequence[object]]) -> bytes:
        target = io.StringIO()
        writer = csv.writer(target)
        whose = _COLUMNS.index("user")
        for row in rows:
            cells = row if self._is_for_staff else (*row[:whose], *row[whose + 1 :])
            writer.writerow([harmless(cell) for cell in cells])
        return target.getvalue().encode()


_RUN_COLUMNS = ("variant", "destination", "round", "ending", "verdict", *METRICS)


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
    writer.writerow(_RUN_COLUMNS)
    for run in runs:
        columns = (run.variant, run.destination, run.round, run.ending, run.verdict)
        writer.writerow(
            [harmless(cell) for cell in (*columns, *(plain(run.numbers.get(name, "")) for name in METRICS))]
        )
    return BYTE_ORDER_MARK + target.getvalue()
