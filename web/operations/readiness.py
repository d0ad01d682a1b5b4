"""Check everything the site needs, one by one.

Without the database, its migrations or the folder of packages, this process can take nothing and show nothing: not
ready. Redis only wakes workers up, submissions wait in the database for a worker, and pages and submitting need nothing
of the storage of packages: without one of these the site is *degraded*, which no other web process would be less. A
load balancer should go on sending people here; somebody should be told.
The sentences name no addresses, since everybody may read them; the log has the errors.
"""

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from django.conf import settings
from django.db import Error, close_old_connections, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from judge.models import WorkerNode
from judge.queue import wakeup
from problems.store.stores import remote

if TYPE_CHECKING:  # importing it takes a third of a second: only where there is a storage
    from problems.store.remote import Remote

STORAGE_FRESH_S = 5.0  # everybody may ask, and each look is a request to the storage
_NO_DATABASE = "The database does not answer."
_NO_FOLDER = "The folder of packages is not there or cannot be read."
_NO_REDIS = "Redis does not answer: submissions are taken, but no worker hears of them until it does."
_AWAY = "The storage of packages does not answer: uploads are refused, and what no worker has a copy of waits."
_NOBODY_COUNTS = (
    "No worker counts system calls by name, since each has the role grade: findings that depend on them are missing."
)
FoundT = TypeVar("FoundT")
_logger = logging.getLogger(__name__)


class Probe(Generic[FoundT]):
    """Asks something that may not answer, without waiting long for it: `silent` if it takes longer than PATIENCE_S.

    How it works: one thread looks, once at a time. Who asks gets what was found less than `fresh_s` ago, or waits for
    the look that is under way, which may take longer than anybody's patience. So a service that hangs holds one thread
    and one database connection at most, however often it is asked for.
    """

    PATIENCE_S = 2.0

    def __init__(self, look: Callable[[], FoundT], *, silent: FoundT, fresh_s: float = 0.0) -> None:
        self._look = look
        self._silent = silent
        self._fresh_s = fresh_s
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._looking: Future[FoundT] | None = None
        self._began = 0.0

    def found(self) -> FoundT:
        """Return the current result. Raises what `look` raises."""
        with self._lock:
            is_old = time.monotonic() - self._began >= self._fresh_s
            if self._looking is None or (self._looking.done() and is_old):
                self._looking, self._began = self._thread.submit(self._once), time.monotonic()
            looking = self._looking
        try:
            return looking.result(timeout=self.PATIENCE_S)
        except TimeoutError:
            return self._silent

    def _once(self) -> FoundT:
        try:
            return self._look()
        finally:
            close_old_connections()


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """One check. `problem` is a sentence, empty when all is well."""

    name: str
    problem: str
    is_essential: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Readiness:
    """All checks."""

    needs: tuple[Need, ...]

    @property
    def is_ready(self) -> bool:
        """Return whether the site can accept submissions and show pages."""
        return not any(need.problem and need.is_essential for need in self.needs)

    def as_json(self) -> dict[str, object]:
        """Return the JSON for `/readyz`."""
        missing = [need.name for need in self.needs if need.problem and need.is_essential]
        degraded = [need.name for need in self.needs if need.problem and not need.is_essential]
        return {
            "status": "not ready" if missing else "degraded" if degraded else "ready",
            "missing": missing,
            "degraded": degraded,
            "checks": {need.name: need.problem or "ok" for need in self.needs},
        }


def examine(*, is_hurried: bool = False) -> Readiness:
    """Check everything now, without waiting for anything that hangs. Never raises."""
    needs = [*(_DATABASE.found() if is_hurried else _database())]
    is_there = settings.STORE_DIR.is_dir() and os.access(settings.STORE_DIR, os.R_OK | os.X_OK)
    needs.append(Need(name="package store", problem="" if is_there else _NO_FOLDER, is_essential=True))
    is_there = wakeup.unread_wakeups() is not None
    needs.append(Need(name="redis", problem="" if is_there else _NO_REDIS, is_essential=False))
    behind = remote()
    if behind is not None:
        needs.append(Need(name="package storage", problem=_storage(behind).found(), is_essential=False))
    return Readiness(needs=tuple(needs))


def _database() -> tuple[Need, ...]:
    database = _need("database", _connection)
    if database.problem:
        return (database,)
    return database, _need("migrations", _migrations), _need("worker", _worker, is_essential=False)


_DATABASE: Probe[tuple[Need, ...]] = Probe(
    _database, silent=(Need(name="database", problem=_NO_DATABASE, is_essential=True),)
)


def _need(name: str, look: Callable[[], str], *, is_essential: bool = True) -> Need:
    try:
        problem = look()
    except Error as error:
        _logger.warning("%s: %s", name, error)
        problem = _NO_DATABASE
    return Need(name=name, problem=problem, is_essential=is_essential)


def _connection() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)


def _migrations() -> str:
    missing = _known_migrations() - set(MigrationRecorder(connection).applied_migrations())
    return f"{len(missing)} migrations are not applied: run manage.py prepare." if missing else ""


@lru_cache(maxsize=1)
def _storage(behind: "Remote") -> Probe[str]:
    return Probe(lambda: _storage_problem(behind), silent=_AWAY, fresh_s=STORAGE_FRESH_S)


def _storage_problem(behind: "Remote") -> str:
    why = behind.why_unfit()
    if why:
        _logger.warning("package storage: %s", why)
    return _AWAY if why else ""


def _worker() -> str:
    if WorkerNode.objects.grading().exists():
        return "" if WorkerNode.objects.counting().exists() else _NOBODY_COUNTS
    is_sick = WorkerNode.objects.heard().filter(problem__startswith=WorkerNode.SICK).exists()
    sick = " The host of one is sick: the page of workers says why." if is_sick else ""
    return f"No worker takes work: submissions are taken and wait for one.{sick}"
