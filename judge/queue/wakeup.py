"""Notify others of changed rows: workers of work, pages of news.

Nothing depends on it: whoever waits also looks at the rows. So errors are logged and swallowed, whatever they are, and
no call takes longer than about a second when Redis is down, deaf or full. Connections belong to the process that opened
them: kombu closes what a child inherits that Celery forks.
"""

import logging
import os
import time
from functools import cache
from itertools import takewhile
from typing import Any

import kombu.exceptions
import redis
from celery.utils.nodenames import worker_direct
from django.conf import settings
from kombu.connection import ConnectionPool
from kombu.entity import Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from judge.celery import HEARTBEAT, QUEUE, app
from judge.models import QueuedWork
from judge.observability import logs
from judge.queue import leases
from judge.queue.leases import WorkT

MOST_WAKEUPS = 100  # wake-ups that may wait in Redis before we send no more
TIMEOUT_S = 0.5  # of connecting and of each command
SILENCE_S = 5  # after a failed announcement no further one is tried for so long: a grading has hundreds

_silent_until = 0.0
_logger = logging.getLogger(__name__)
_NO_RETRY = {"socket_connect_timeout": TIMEOUT_S, "socket_timeout": TIMEOUT_S, "max_retries": 0, "interval_start": 0}
_MOST_ROPES = 64
_TROUBLE = (redis.RedisError, kombu.exceptions.KombuError, OSError)


def notify(work: QueuedWork, node: str = "") -> bool:
    """Notify the workers, or the one called `node`, of work to take; return whether that worked.

    The row's id is a hint for people who read the queue: whoever hears it takes the row that goes first by then.
    """
    with logs.about_work(work):
        is_sent = _send(work.TASK, work.pk, worker_direct(node) if node else QUEUE)
        if is_sent:
            _logger.info("workers notified")
    return is_sent


def send_heartbeat(node: str) -> bool:
    """Send the worker `node` a message to prove that it listens; return whether Redis accepted it."""
    return _send(HEARTBEAT, node, worker_direct(node), expires_s=60)


def unread_wakeups(node: str = "") -> int | None:
    """Return how many unread notifications all workers, or this one, have; None if Redis does not answer."""
    try:
        with _client() as client:
            return int(client.llen(worker_direct(node).name if node else QUEUE))
    except _TROUBLE:
        return None
    except Exception:
        _logger.exception("what is left to hear was not counted")
        return None


def notify_again(model: type[WorkT]) -> int:
    """Notify workers of the first rows, unless many notifications are unread; return how many were sent."""
    unread = unread_wakeups()
    if unread is None or unread >= MOST_WAKEUPS:
        return 0
    rows = leases.waiting(model).only("attempt", *model.ORDER)[: MOST_WAKEUPS - unread]
    return sum(1 for _ in takewhile(notify, rows))


def announce(work: QueuedWork, news: str) -> None:
    """Tell pages on the work's channel to reload; `news` is one word, never content."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        with _client() as client:
            client.publish(work.channel, news)
        with logs.about_work(work):
            _logger.log(logging.INFO if work.is_done else logging.DEBUG, "pages are told: %s", news)
    except _TROUBLE as error:
        _silent_until = time.monotonic() + SILENCE_S
        _logger.warning("no page is told anything for %s s: %s", SILENCE_S, error)
    except Exception:
        _logger.exception("no page was told anything")


def _client() -> redis.Redis:
    return redis.Redis(connection_pool=_connections(settings.REDIS_URL, os.getpid()))


@cache
def _connections(url: str, _pid: int) -> redis.ConnectionPool:
    """Return this process's kept connections. One that a restarted Redis does not know is reopened at once."""
    return redis.ConnectionPool.from_url(
        url,
        socket_connect_timeout=TIMEOUT_S,
        socket_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
    )


def _send(task: str, argument: int | str, queue: str | Queue, *, expires_s: int | None = None) -> bool:
    how = {"queue": queue, "expires": expires_s, "retry": False}
    try:
        try:
            _send_once(task, argument, how)
        except redis.ConnectionError:  # a kept connection that a restarted Redis knows nothing of: the next one is new
            _send_once(task, argument, how)
    except _TROUBLE as error:
        _logger.warning("%s(%s) was not sent: %s", task, argument, error)
        return False
    except Exception:
        _logger.exception("%s(%s) was not sent", task, argument)
        return False
    return True


def _send_once(task: str, argument: int | str, how: dict[str, Any]) -> None:
    ropes = _broker_pools(os.getpid())
    connection = ropes.acquire(block=True, timeout=TIMEOUT_S)  # type: ignore[no-untyped-call]
    try:
        app.send_task(task, args=[argument], connection=connection, **how)
    except BaseException:
        ropes.replace(connection)  # type: ignore[no-untyped-call]
        raise
    connection.release()


@cache
def _broker_pools(_pid: int) -> ConnectionPool:
    """Return this process's kept connections for notifications: opening one costs a quarter of submitting."""
    connection = app.connection_for_write(connect_timeout=TIMEOUT_S, transport_options=_NO_RETRY)
    return ConnectionPool(connection, limit=_MOST_ROPES)  # type: ignore[no-untyped-call]
