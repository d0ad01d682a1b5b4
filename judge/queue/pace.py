"""Tell how long a submission occupies a process, by the newest judged submissions.

How it works: grading takes as long as the newest ones of the same problem and language took. Between two of them a
process does other things: it claims, counts calls, runs cases again. Which share of their time the processes spent
grading lately is known from those that found all of them busy.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from statistics import mean

from django.db.models.functions import Now

from judge.grading.stages import TOTAL, Stage
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission

_NEWEST = 300  # judged submissions that are looked at
_OF_A_KIND = 20  # of these, for one problem and language: when a rush ends, the next ones take less
_OF_BUSY = 100  # of these, for the share of time spent grading
_LEAST = 5  # fewer judged ones say nothing
_LATELY = timedelta(seconds=60)
_BEHIND_S = 1.0  # a submission that waited so long found all processes busy
_LEAST_BUSY = 0.1

Kind = tuple[str, int]  # language, version of the problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A submission that was judged lately."""

    kind: Kind
    worker: str  # the process
    started_at: datetime
    finished_at: datetime
    waited_s: float  # 0: not lately
    took_s: float  # without what others took that it let pass


class Pace:
    """How long grading takes, by the newest judged submissions, the last one first."""

    def __init__(self, judged: Sequence[Judged]) -> None:
        by_kind: dict[Kind, list[float]] = defaultdict(list)
        for row in judged:
            by_kind[row.kind].append(row.took_s)
        self._took_s = {kind: mean(took_s[:_OF_A_KIND]) for kind, took_s in by_kind.items()}
        self._typical_s = mean(row.took_s for row in judged) if judged else 0.0
        self.is_known = len(judged) >= _LEAST
        self.busy = _busy(judged)

    def seconds(self, kind: Kind | None = None) -> float:
        """Return how long a process is expected to be occupied by such a submission; None: by any."""
        return (self._took_s.get(kind, self._typical_s) if kind else self._typical_s) / self.busy


def recent_pace() -> Pace:
    """Return the pace of the newest judged submissions: one statement."""
    done = Submission.objects.filter(status=Status.DONE, started_at__isnull=False, finished_at__isnull=False)
    newest = done.exclude(verdict=Verdict.JE).order_by("-finished_at").annotate(now=Now())
    columns = ("language", "problem_version", "worker", "started_at", "finished_at", "stages", "now")
    judged = []
    for language, version, worker, started_at, finished_at, stages, now in newest.values_list(*columns)[:_NEWEST]:
        held_s = (finished_at - started_at).total_seconds()
        waited_s = stages.get(Stage.QUEUE, 0) / 1e6
        row = Judged(
            kind=(language, version),
            worker=worker,
            started_at=started_at,
            finished_at=finished_at,
            waited_s=waited_s if finished_at > now - _LATELY else 0.0,
            took_s=stages[TOTAL] / 1e6 - waited_s if stages else held_s,
        )
        judged.append(row)
    return Pace(judged)


def _busy(judged: Sequence[Judged]) -> float:
    """Return the share of their time that processes spent grading, of the newest ones that found all of them busy."""
    behind = list(takewhile(lambda row: row.waited_s > _BEHIND_S, judged[:_OF_BUSY]))
    if len(behind) < _LEAST:
        return 1.0
    had_s = 0.0
    for worker in {row.worker for row in behind}:
        own = [row for row in behind if row.worker == worker]
        had_s += (max(row.finished_at for row in own) - min(row.started_at for row in own)).total_seconds()
    return min(1.0, max(_LEAST_BUSY, sum(row.took_s for row in behind) / had_s)) if had_s > 0 else 1.0
