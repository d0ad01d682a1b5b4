"""Tell where a queued submission stands and when it will begin: by turn, living workers and the recent pace of grading.

How it works: a process reads the unfinished submissions once for all pages that wait, at most every FRESH_S and in at
most a twentieth of its time, so what a page asks does not grow with the queue. Then it plays the queue to its end: each
process of a living worker takes the next submission in turn whose language it has (`judge.queue.fairness`), and is
occupied by it as long as `judge.queue.pace` says.

Others may still be sent in that go before a waiting one. As many are expected within its wait as came in the same time
until now, but from each user at most one for each turn that is left before it, and no more than one may have at once.
"""

import heapq
import threading
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q
from django.db.models.functions import Now

from judge.models import Status, Submission, WorkerNode
from judge.queue import leases
from judge.queue.pace import Kind, Pace, recent_pace

FRESH_S = 1.0  # so old may be what a page says
_NOTHING = timedelta()
_SHARE = 20  # of a process's time, reading the queue takes no more than one part in so many


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """How many submissions go before one, and in how many seconds it begins; None: too little is known."""

    ahead: int
    wait_s: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Unfinished:
    """A submission that waits or is being judged (`judged_for_s`)."""

    id: int
    turn: int
    user: int
    kind: Kind
    sent_for_s: float  # since it was sent
    judged_for_s: float | None


class Queue:
    """The waiting submissions at one moment, each with its place."""

    def __init__(self, rows: Sequence[Unfinished], nodes: Iterable[WorkerNode], pace: Pace) -> None:
        self._pace = pace
        self._slots = _Slots(nodes)
        self._places: dict[int, Place] = {}
        self._order: list[tuple[int, int]] = []
        self._occupy([row for row in rows if row.judged_for_s is not None])
        waiting = sorted((row for row in rows if row.judged_for_s is None), key=lambda row: (row.turn, row.id))
        newcomers = _Newcomers(waiting)
        for row in waiting:
            start_s = self._slots.take(row.kind, self._pace.seconds(row.kind))
            if start_s is not None:
                start_s += newcomers.before(row, start_s) * self._pace.seconds() / self._slots.number
                self._places[row.id] = self._place(start_s)
                self._order.append((row.turn, row.id))

    @property
    def has_worker(self) -> bool:
        """Return whether a living worker grades."""
        return self._slots.number > 0

    def can_judge(self, language: str) -> bool:
        """Return whether a living worker has the language."""
        return self._slots.has(language)

    def place_of(self, submission: Submission) -> Place:
        """Return the place of a waiting submission, also of one that came since the queue was read."""
        known = self._places.get(submission.pk)
        if known is not None:
            return known
        at = bisect_left(self._order, (submission.turn, submission.pk))
        if at < len(self._order):
            return self._places[self._order[at][1]]
        return self._place(self._slots.next_s(submission.language))

    def place_of_id(self, submission_id: int) -> Place | None:
        """Return the place of a submission that waited when the queue was read; None: of any other."""
        return self._places.get(submission_id)

    def _occupy(self, judged: Iterable[Unfinished]) -> None:
        for row in judged:
            took_s = self._pace.seconds(row.kind)
            self._slots.take(row.kind, max(took_s - (row.judged_for_s or 0), took_s / 10))

    def _place(self, start_s: float) -> Place:
        return Place(ahead=len(self._order), wait_s=start_s if self._pace.is_known else None)


class _Slots:
    """The processes of the living workers, each with the time at which it is free; alike are those of one heap."""

    def __init__(self, nodes: Iterable[WorkerNode]) -> None:
        alike: dict[frozenset[str], list[float]] = defaultdict(list)
        for node in nodes:
            alike[frozenset(node.languages)] += [0.0] * (node.processes or 1)
        self._alike = alike
        self.number = sum(map(len, alike.values()))
        self._by_language: dict[str, list[list[float]]] = {}

    def take(self, kind: Kind, seconds: float) -> float | None:
        """Occupy the first free process that has the language; return from when on, None: there is none."""
        free = self._free(kind[0])
        if free is None:
            return None
        return heapq.heapreplace(free, free[0] + seconds)

    def has(self, language: str) -> bool:
        """Return whether a process has the language."""
        return self._free(language) is not None

    def next_s(self, language: str) -> float:
        """Return when a process with the language is free after all that was taken."""
        free = self._free(language)
        return free[0] if free else 0.0

    def _free(self, language: str) -> list[float] | None:
        heaps = self._by_language.get(language)
        if heaps is None:
            heaps = [heap for languages, heap in self._alike.items() if language in languages or not languages]
            self._by_language[language] = heaps
        return min(heaps, key=lambda heap: heap[0], default=None)


class _Newcomers:
    """The submissions that are still to be sent and go before a waiting one. Ask in the order of the queue."""

    def __init__(self, waiting: Sequence[Unfinished]) -> None:
        self._turn = -1
        self._bound = 0
        self._same_turn: list[float] = []
        self._earlier: list[float] = []  # how long ago those of earlier turns were sent, the last one first
        last, sent = dict[int, int](), Counter[int]()
        for row in waiting:
            last[row.user] = row.turn
            sent[row.user] += 1
        most = settings.MAX_IN_FLIGHT_PER_USER
        # last turn of a user, how many the user may still send -> so many users
        self._users = Counter((turn, max(0, most - sent[user])) for user, turn in last.items())

    def before(self, row: Unfinished, wait_s: float) -> int:
        """Return how many are expected to be sent within its wait that go before it."""
        if row.turn != self._turn:
            self._turn = row.turn
            self._earlier = sorted([*self._earlier, *self._same_turn])
            self._same_turn = []
            self._bound = sum(
                number * min(left, max(0, row.turn - 1 - last)) for (last, left), number in self._users.items()
            )
        self._same_turn.append(row.sent_for_s)
        return min(self._bound, bisect_right(self._earlier, wait_s))


class _Kept:
    """The queue as this process read it last, for all its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: Queue | None = None
        self._until = 0.0

    def get(self) -> Queue:
        with self._lock:
            began = time.monotonic()
            if self._queue is None or began >= self._until:
                self._queue = read()
                ended = time.monotonic()
                self._until = ended + max(FRESH_S, _SHARE * (ended - began))
            return self._queue

    def forget(self) -> None:
        with self._lock:
            self._queue = None


_kept = _Kept()


def lately() -> Queue:
    """Return the queue as it was about a second ago at most, later where reading it takes long."""
    return _kept.get()


def forget() -> None:
    """Have the queue read anew: for tests, whose rows go when they end."""
    _kept.forget()


def read() -> Queue:
    """Return the queue as it is now: three statements."""
    rows = Submission.objects.filter(leases.due() | Q(status=Status.JUDGING))
    ages = rows.annotate(sent_for=Now() - F("created_at"), judged_for=Now() - F("started_at"))
    columns = ("pk", "turn", "user", "language", "problem_version", "status", "sent_for", "judged_for")
    unfinished = [
        Unfinished(
            id=key,
            turn=turn,
            user=user,
            kind=(language, version),
            sent_for_s=sent_for.total_seconds(),
            judged_for_s=(judged_for or _NOTHING).total_seconds() if status == Status.JUDGING else None,
        )
        for key, turn, user, language, version, status, sent_for, judged_for in ages.values_list(*columns)
    ]
    return Queue(unfinished, WorkerNode.objects.grading().only("languages", "processes"), recent_pace())
