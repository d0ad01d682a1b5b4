"""Telling others that a row changed: workers that there is work, pages that there is news.

Nothing depends on it: whoever waits also looks at the rows. So errors are logged and swallowed, and no call takes
longer than about a second when Redis is down, deaf or full.
"""

import logging
import time

import kombu.exceptions
import redis
from celery.utils.nodenames import worker_direct
from django.conf import settings
from kombu.entity import Queue
from redis.backoff import NoBackoff
from redis.retry import Retry

from judge.celery import GRADE, HEARTBEAT, PROFILE, QUEUE, app
from judge.models import ProfileRequest, Submission

TIMEOUT_S = 0.5  # of connecting and of each command
SILENCE_S = 5  # after a failed announcement no further one is tried for so long: a grading has hundreds

_silent_until = 0.0
_logger = logging.getLogger(__name__)
_NO_RETRY = {"socket_connect_timeout": TIMEOUT_S, "socket_timeout": TIMEOUT_S, "max_retries": 0, "interval_start": 0}
_TROUBLE = (redis.RedisError, kombu.exceptions.KombuError, OSError)


def ring(work: Submission | ProfileRequest) -> bool:
    """Tell the workers that there is this row to take; whether that worked."""
    task = GRADE if isinstance(work, Submission) else PROFILE
    return _send(task, work.pk, QUEUE)


def send_heartbeat(node: str) -> bool:
    """Let the worker `node` prove that it hears; whether Redis took the message."""
    return _send(HEARTBEAT, node, worker_direct(node), expires_s=60)


def ringing() -> int | None:
    """How many rings no worker has heard yet; None when Redis does not answer."""
    try:
        with _client() as client:
            return int(client.llen(QUEUE))
    except _TROUBLE:
        return None


def announce(work: Submission | ProfileRequest, news: str) -> None:
    """Tell pages that follow the work's submission to look again; `news` is one word, never content."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    submission_id = work.pk if isinstance(work, Submission) else work.result.submission_id
    try:
        with _client() as client:
            client.publish(channel_of(submission_id), news)
    except _TROUBLE as error:
        _silent_until = time.monotonic() + SILENCE_S
        _logger.warning("no page is told anything for %s s: %s", SILENCE_S, error)


def channel_of(submission_id: int) -> str:
    """The Redis channel on which news of a submission is announced."""
    return f"submission:{submission_id}"


def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=TIMEOUT_S,
        socket_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
    )


def _send(task: str, argument: int | str, queue: str | Queue, expires_s: int | None = None) -> bool:
    try:
        with app.connection_for_write(connect_timeout=TIMEOUT_S, transport_options=_NO_RETRY) as connection:
            app.send_task(task, args=[argument], queue=queue, connection=connection, retry=False, expires=expires_s)
    except _TROUBLE as error:
        _logger.warning("%s(%s) was not sent: %s", task, argument, error)
        return False
    return True
