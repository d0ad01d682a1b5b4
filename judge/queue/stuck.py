"""List overdue rows, the likely reason and the remedy."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import KINDS, CustomRun, QueuedWork, RejudgedSubmission, Status, Submission, WorkerNode
from judge.queue import capability, fairness, leases, wakeup
from judge.queue.leases import WorkT
from problems.store.store import StoreUnavailable
from problems.store.stores import package_store

WAITS_TOO_LONG = timedelta(minutes=2)
WORKS_TOO_LONG = timedelta(minutes=10)  # on a program; verifying a package or an experiment may take an hour
_WORKS_FOR_HOURS = timedelta(hours=1)
MOST = 50  # of each kind
ASKED_FOR_S = 3.0  # whether the storage has the packages; a page waits for it
_ASKING_THREADS = 4
_VERSION: dict[type[QueuedWork], str] = {
    Submission: "problem_version",
    CustomRun: "problem_version",
    RejudgedSubmission: "rejudge__version",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """One row: since when, why it is not done, and what to do. `can_try`: staff may retry it now."""

    row: QueuedWork
    since: datetime
    reason: str
    remedy: str
    can_try: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Scene:
    """Facts common to all rows."""

    now: datetime
    nodes: tuple[WorkerNode, ...]  # that are alive
    hears: bool  # Redis answers


def unfinished() -> list[Stuck]:
    """Return overdue rows, the oldest of each kind first."""
    living = tuple(WorkerNode.objects.alive())
    scene = _Scene(now=timezone.now(), nodes=living, hears=wakeup.unread_wakeups() is not None)
    return [stuck for kind in KINDS for stuck in _of_kind(kind, scene)]


def judge_errors() -> list[Stuck]:
    """Return the newest submissions that ended as JE: our error, or the package's."""
    rows = Submission.objects.filter(verdict=Verdict.JE, status=Status.DONE).order_by("-id")
    remedy = _("Mend the cause, then have it judged again. It costs the contestant nothing until then.")
    return [
        Stuck(row=row, since=row.created_at, reason=_sentence(row.message_for_staff), remedy=remedy, can_try=True)
        for row in rows.select_related("user", "problem")[:MOST]
    ]


def try_again(kind: type[QueuedWork], number: int) -> bool:
    """Retry a pausing row, or judge a JE submission again; return whether that was possible."""
    with transaction.atomic():
        row = kind._default_manager.select_for_update(of=("self",)).filter(pk=number).first()
        if isinstance(row, Submission) and row.is_done and row.verdict == Verdict.JE:
            row.status, row.verdict, row.judge_message, row.judge_sentence = Status.QUEUED, "", "", None
            row.failures, row.last_failure, row.finished_at = 0, "", None
            get_user_model()._default_manager.select_for_update(no_key=True).values_list("pk").get(pk=row.user_id)
            fairness.take_turn(row)
            row.queued_again_at = Now()
            row.save()
        elif row is None or row.status != Status.QUEUED:
            return False
        kind._default_manager.filter(pk=number).update(next_try_at=None)
        transaction.on_commit(partial(wakeup.notify, row))
    return True


def _of_kind(kind: type[WorkT], scene: _Scene) -> Iterator[Stuck]:
    works_too_long = WORKS_TOO_LONG if kind in (Submission, CustomRun) else _WORKS_FOR_HOURS
    late = Q(status=Status.QUEUED) & (Q(created_at__lt=Now() - WAITS_TOO_LONG) | Q(failures__gt=0))
    late |= leases.run_out() | Q(status=Status.JUDGING, started_at__lt=Now() - works_too_long)
    rows: QuerySet[WorkT] = kind._default_manager.exclude(status=Status.DONE).filter(late).order_by("pk")
    rows_late = list(rows[:MOST])
    queued = [row.pk for row in rows_late if row.status == Status.QUEUED]
    judgeable = set[int]()  # those of them that some living worker can judge
    for node in scene.nodes if queued else ():
        judgeable |= set(capability.judgeable(kind, node.name).filter(pk__in=queued).values_list("pk", flat=True))
    missing = _missing_packages(kind, judgeable) if judgeable and scene.hears else dict[int, str]()
    waiting = leases.waiting(kind).count() if queued else 0
    for row in rows_late:
        if row.status == Status.JUDGING:
            why = _why_judging(row, scene)
        elif row.pk in missing and not _pauses(row, scene):
            why = missing[row.pk], _("Bring the package store back from its backup, or upload the package again.")
        else:
            why = _why_queued(row, scene, judgeable, waiting)
        yield Stuck(row=row, since=row.created_at, reason=why[0], remedy=why[1], can_try=_pauses(row, scene))


def _pauses(row: QueuedWork, scene: _Scene) -> bool:
    return row.status == Status.QUEUED and row.next_try_at is not None and row.next_try_at > scene.now


def _why_judging(row: QueuedWork, scene: _Scene) -> tuple[str, str]:
    minutes = int((scene.now - (row.started_at or row.created_at)).total_seconds() // 60)
    if row.lease_until is not None and row.lease_until >= scene.now:
        words = ngettext(
            "Worker %(worker)s has worked on it for %(minutes)s minute, and still keeps its lease.",
            "Worker %(worker)s has worked on it for %(minutes)s minutes, and still keeps its lease.",
            minutes,
        )
        reason = words % {"worker": row.worker, "minutes": minutes}
        return reason, _("Wait. If it never ends, restart that worker: the row goes back into the queue.")
    reason = _("Worker %(worker)s fell silent: its lease ran out.") % {"worker": row.worker}
    if scene.nodes:
        return reason, _("Nothing: a living worker takes it back within seconds.")
    return reason, _("Start a worker: it takes the row back.")


def _why_queued(row: QueuedWork, scene: _Scene, judgeable: set[int], waiting: int) -> tuple[str, str]:
    if row.next_try_at is not None and _pauses(row, scene):
        seconds = int((row.next_try_at - scene.now).total_seconds()) + 1
        words = {"seconds": seconds, "number": row.failures, "failure": _sentence(row.last_failure)}
        reason = _("It pauses for %(seconds)s s after failure %(number)s: %(failure)s") % words
        return reason, _("It is tried again by itself. Try it now if the cause is mended.")
    if not scene.nodes:
        remedy = _("Start one, or see on the page of workers what is wrong with those there are.")
        return _("No worker takes work."), remedy
    if not scene.hears:
        reason = _("Redis does not answer, so no worker hears that there is work.")
        return reason, _("Start Redis again: it may be empty.")
    if row.pk not in judgeable:
        reason = _("No living worker has its language, the role for it, or the cores and the memory that it needs.")
        language = row.language if isinstance(row, Submission | CustomRun) else ""
        if language and not any(language in node.languages for node in scene.nodes):
            name = LANGUAGES[language].name if language in LANGUAGES else language
            reason = _("No living worker has %(language)s.") % {"language": name}
        return reason, _("Start a worker that can, or mend one that could.")
    reason = ngettext(
        "It waits for its turn; %(number)s of its kind wait.",
        "It waits for its turn; %(number)s of its kind wait.",
        waiting,
    ) % {"number": waiting}
    if row.failures:
        failed = ngettext(
            "It failed %(number)s time before: %(failure)s",
            "It failed %(number)s times before: %(failure)s",
            row.failures,
        )
        reason = f"{reason} {failed % {'number': row.failures, 'failure': _sentence(row.last_failure)}}"
    return reason, _("Wait, or start more workers: see how long the queue is on the page of workers.")


def _missing_packages(kind: type[QueuedWork], numbers: set[int]) -> dict[int, str]:
    """Return, by row, what is wrong with its version's package, as far as this machine can tell.

    Each version is asked for once, and what is not answered within ASKED_FOR_S counts as a storage that is away.
    """
    if kind not in _VERSION:
        return {}
    rows = kind._default_manager.filter(pk__in=numbers)
    digests: dict[int, str] = dict(rows.values_list("pk", f"{_VERSION[kind]}__digest"))
    threads = ThreadPoolExecutor(_ASKING_THREADS, thread_name_prefix="stuck")
    looks = {digest: threads.submit(_trouble, digest) for digest in set(digests.values())}
    wait(looks.values(), timeout=ASKED_FOR_S)
    threads.shutdown(wait=False, cancel_futures=True)
    late = _("The storage of packages does not answer in time.")
    troubles = {
        digest: look.result() if look.done() and not look.cancelled() else late for digest, look in looks.items()
    }
    return {number: troubles[digest] for number, digest in digests.items() if troubles[digest]}


def _trouble(digest: str) -> str:
    try:
        is_there = package_store().has(digest)
    except StoreUnavailable as error:
        return _("The storage of packages cannot be reached: %(error)s") % {"error": _sentence(str(error))}
    words = _("The package store has no version %(version)s of its problem.")
    return "" if is_there else words % {"version": digest[:12]}


def _sentence(text: str) -> str:
    text = text.strip() or _("no reason was kept")
    return text if text.endswith((".", "!", "?")) else f"{text}."
