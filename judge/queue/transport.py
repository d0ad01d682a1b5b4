"""kombu's Redis transport, hardened so that malformed queue messages do not stop workers.

A wake-up that this module understands goes on to Celery. Whatever else comes out of Redis is dropped with one line of
the log: no JSON, no envelope of kombu's, a task that no worker here has, other arguments than a wake-up's. That is
never a loss: the rows are the truth, and waiting rows get another wake-up.

How it works: a message has left Redis when it is looked at, so dropping it is to return. kombu would raise out of
Celery's event loop instead, which ends the worker, or have Celery log all that is in it. `judge.celery` names this
transport as that of Redis.
"""

import base64
import binascii
import json
import logging
from queue import Empty
from typing import Any

import redis
from kombu.transport.redis import Channel as RedisChannel, Transport as RedisTransport

from judge.celery import HEARTBEAT
from judge.models import KINDS

TASKS = frozenset({HEARTBEAT, *(kind.TASK for kind in KINDS)})
_MOST_BYTES = 4_096  # of a body: an id or a worker's name
_MOST_SHOWN = 80  # characters of what is dropped
# What Celery would act upon, and wake-ups never ask for.
_HEADERS: dict[str, object] = {
    "eta": None,
    "group": None,
    "group_index": None,
    "replaced_task_nesting": 0,
    "retries": 0,
    "shadow": None,
    "stamped_headers": None,
    "stamps": {},
    "timelimit": [None, None],
}
_TEXTS = ("expires", "parent_id", "root_id")  # headers that are a text, or are not there
_logger = logging.getLogger(__name__)


class NotAWakeup(Exception):
    """A malformed message, with the error."""


def check(message: object) -> None:
    """Accept a notification of `judge.queue.wakeup`. Raises NotAWakeup for anything else."""
    envelope = _mapping(message, "the message")
    headers, properties = (_mapping(envelope.get(part), part) for part in ("headers", "properties"))
    if not isinstance(headers.get("task"), str) or headers["task"] not in TASKS:
        raise NotAWakeup(f"no worker here has the task {_shown(headers.get('task'))}")
    if not isinstance(headers.get("id"), str) or any(not isinstance(headers.get(name) or "", str) for name in _TEXTS):
        raise NotAWakeup("its id, or what belongs to it, is no text")
    for name, value in _HEADERS.items():
        if headers.get(name, value) != value:
            raise NotAWakeup(f"{name} is {_shown(headers[name])}")
    if not isinstance(properties.get("delivery_tag"), str) or not isinstance(properties.get("delivery_info"), dict):
        raise NotAWakeup("it does not say how it was delivered")
    if (envelope.get("content-type"), properties.get("body_encoding")) != ("application/json", "base64"):
        raise NotAWakeup("its body is no JSON in base64")
    body = envelope.get("body")
    if not isinstance(body, str) or len(body) > _MOST_BYTES:
        raise NotAWakeup("its body is no text, or too long")
    try:
        called = json.loads(base64.b64decode(body, validate=True))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise NotAWakeup("its body is no JSON in base64") from error
    if not isinstance(called, list) or len(called) != 3:
        raise NotAWakeup("its body is no call of a task")
    arguments, named, options = called
    if not isinstance(arguments, list) or [type(argument) for argument in arguments] not in ([int], [str]):
        raise NotAWakeup("a wake-up has one argument, a number or a name")
    if named != {} or not isinstance(options, dict) or any(options.values()):
        raise NotAWakeup("a wake-up asks for nothing else")


def _mapping(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotAWakeup(f"{name}: no JSON object")
    return value


class Channel(RedisChannel):
    """A channel that drops unreadable messages."""

    connection: "Transport"

    def _brpop_read(self, **options: object) -> object:
        try:
            return super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except (Empty, redis.RedisError, OSError):  # nothing came, or Redis is away
            raise
        except Exception as error:
            # Its reader raises many things: for text that is no UTF-8, no JSON, nests too deeply, names a type.
            if self.connection.is_delivering:
                raise
            read = getattr(error, "doc", getattr(error, "object", ""))
            size = f" of {len(read)} characters" if read else ""
            _logger.error("dropped what cannot be read in a queue%s: %s", size, _shown(read or type(error).__name__))
            return True


class Transport(RedisTransport):
    """The transport that only passes notifications."""

    Channel = Channel
    is_delivering = False  # a message was read, and Celery has it

    def _deliver(self, message: object, queue: str) -> None:
        try:
            check(message)
        except NotAWakeup as why:
            _logger.error("dropped a message of the queue %s: %s; it is %s", queue, why, _shown(message))
            return
        self.is_delivering = True
        try:
            super()._deliver(message, queue)  # type: ignore[no-untyped-call]
        finally:
            self.is_delivering = False


def _shown(value: object) -> str:
    """Return the text on one line, shortened."""
    text = ascii(value[: 2 * _MOST_SHOWN] if isinstance(value, str | bytes) else value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
