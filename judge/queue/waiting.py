"""Tell where a queued submission stands and about when it begins: its number in the queue, times the recent pace.

How it works: a process reads the unfinished submissions once for all pages that wait, at most every FRESH_S and in at
most a twentieth of its time, so what a page asks does not grow with the queue. The wait is an estimate: as many as go
before take what the newest judged ones took, shared by the processes of the living workers.
"""

import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from django.db.models import Q

from judge.grading.stages import TOTAL, Stage
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, WorkerNode
from judge.queue import leases

FRESH_S = 1.0  # so old may be what a page says
_SHARE = 20  # of a process's time, reading the queue takes no more than one part in so many
_NEWEST = 20  # judged submissions whose times count
_LEAST = 5  # fewer judged ones say nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """How many submissions go before one, and in how many seconds it begins; None: too little is known."""

    ahead: int
    wait_s: float | None


class Queue:
    """The waiting submissions at one moment, as (turn, id, language), and those that judge them: only what one of them
    can judge has a place.

    `judged`: how many are being judged; `took_s`: what the newest ones took, without what others took meanwhile.
    """

    def __init__(
        self, waiting: Iterable[tuple[int, int, str]], judged: int, nodes: Sequence[WorkerNode], took_s: Sequence[float]
    ) -> None:
        self._nodes = nodes
        self._order = sorted((turn, key) for turn, key, language in waiting if self.can_judge(language))
        self._places = {key: ahead for ahead, (_, key) in enumerate(self._order)}
        self._judged = judged
        self._processes = sum(node.processes or 1 for node in nodes)
        self._took_s = mean(took_s) if len(took_s) >= _LEAST else None

    @property
    def has_worker(self) -> bool:
        """Return whether a living worker grades."""
        return bool(self._nodes)

    def can_judge(self, language: str) -> bool:
        """Return whether a living worker has the language."""
        return any(language in node.languages or not node.languages for node in self._nodes)

    def place_of(self, submission: Submission) -> Place:
        """Return the place of a waiting submission, also of one that came since the queue was read."""
        place = self._places.get(submission.pk)
        return self._place(bisect_left(self._order, (submission.turn, submission.pk)) if place is None else place)

    def place_of_id(self, submission_id: int) -> Place | None:
        """Return the place of one that waited when the queue was read and can be judged; None: of any other."""
        ahead = self._places.get(submission_id)
        return None if ahead is None else self._place(ahead)

    def _place(self, ahead: int) -> Place:
        if self._took_s is None or not self._processes:
            return Place(ahead=ahead, wait_s=None)
        before = max(0, ahead + self._judged - self._processes + 1)
        return Place(ahead=ahead, wait_s=before * self._took_s / self._processes)


# the queue as this process read it last, for all its threads
_lock = threading.Lock()
_latest: Queue | None = None
_fresh_until = 0.0


def lately() -> Queue:
    """Return the queue as it was about a second ago at most, later where reading it takes long."""
    global _latest, _fresh_until
    with _lock:
        began = time.monotonic()
        if _latest is None or began >= _fresh_until:
            _latest = read()
            ended = time.monotonic()
            _fresh_until = ended + max(FRESH_S, _SHARE * (ended - began))
        return _latest


def forget() -> None:
    """Have the queue read anew: for tests, whose rows go when they end."""
    global _latest
    with _lock:
        _latest = None


def read() -> Queue:
    """Return the queue as it is now: three statements."""
    rows = Submission.objects.filter(leases.due() | Q(status=Status.JUDGING))
    unfinished = list(rows.values_list("status", "turn", "pk", "language"))
    waiting = [row[1:] for row in unfinished if row[0] == Status.QUEUED]
    nodes = list(WorkerNode.objects.grading().only("languages", "processes"))
    done = Submission.objects.filter(status=Status.DONE, started_at__isnull=False, finished_at__isnull=False)
    newest = done.exclude(verdict=Verdict.JE).order_by("-finished_at")
    times = newest.values_list("stages", "started_at", "finished_at")[:_NEWEST]
    took_s = [  # how long they occupied a process
        (stages[TOTAL] - stages.get(Stage.QUEUE, 0)) / 1e6 if stages else (ended - began).total_seconds()
        for stages, began, ended in times
        if began and ended
    ]
    return Queue(waiting, len(unfinished) - len(waiting), nodes, took_s)
