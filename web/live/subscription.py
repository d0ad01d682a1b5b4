"""One Redis connection that listens to the channels of many pages.

How it works: while `run` runs, one task receives and one sends what is to be subscribed to and what no longer is, many
channels in one command. A server that says nothing for PING_S is asked for a sign of life. After any failure the
connection is made anew, after a pause that grows to LONGEST_PAUSE_S, and every channel subscribed to again.
"""

import asyncio
import logging
import time
from collections.abc import Callable

import redis.asyncio
from django.conf import settings
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

TIMEOUT_S = 2.0  # of connecting and of each command
PING_S = 3.0
LONGEST_PAUSE_S = 5.0
_FIRST_PAUSE_S = 0.1
_AT_ONCE = 500  # channels in one command

_logger = logging.getLogger(__name__)


class Subscription:
    """Calls `heard` with a channel when it is subscribed to, and for each announcement on it."""

    def __init__(self, heard: Callable[[str], None]) -> None:
        self._heard = heard
        self._wanted: set[str] = set()
        self._subscribed: set[str] = set()
        self._has_changed = asyncio.Event()
        self.is_up = False  # Redis has answered on this connection
        self._is_lost = False  # and logged

    def want(self, name: str) -> None:
        self._wanted.add(name)
        self._has_changed.set()

    def drop(self, name: str) -> None:
        self._wanted.discard(name)
        self._has_changed.set()

    async def run(self) -> None:
        """Listen until cancelled."""
        pause = _FIRST_PAUSE_S
        while True:
            began = time.monotonic()
            try:
                await self._session()
            except* (RedisError, OSError, TimeoutError) as errors:
                self.is_up = False
                if not self._is_lost:
                    why = errors.exceptions[0]
                    _logger.warning("live pages hear nothing from Redis, they look at the rows: %s", why)
                self._is_lost = True
            if time.monotonic() - began > LONGEST_PAUSE_S:
                pause = _FIRST_PAUSE_S
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE_S, 2 * pause)

    async def _session(self) -> None:
        self._subscribed = set()
        self._has_changed.set()
        # No time-outs of its own: it keeps them by asyncio.wait_for, which loses cancellations before Python 3.12.
        client = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=None, retry=Retry(NoBackoff(), 0))
        async with client, client.pubsub() as pubsub:
            async with asyncio.timeout(TIMEOUT_S):
                await pubsub.connect()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._receive(pubsub))
                tasks.create_task(self._send(pubsub))

    async def _send(self, pubsub: PubSub) -> None:
        while True:
            await self._has_changed.wait()
            self._has_changed.clear()
            for names in _parts(self._wanted - self._subscribed):
                self._subscribed.update(names)
                async with asyncio.timeout(TIMEOUT_S):
                    await pubsub.subscribe(*names)
            for names in _parts(self._subscribed - self._wanted):
                self._subscribed.difference_update(names)
                async with asyncio.timeout(TIMEOUT_S):
                    await pubsub.unsubscribe(*names)

    async def _receive(self, pubsub: PubSub) -> None:
        is_asked = False
        while True:
            message = await pubsub.get_message(timeout=PING_S)
            if message is not None:
                is_asked = False
                self.is_up, self._is_lost = True, False
                if message["type"] in {"subscribe", "message"}:
                    self._heard(message["channel"].decode())
            elif is_asked:
                raise TimeoutError(f"no sign of life within {PING_S:g} s")
            else:
                is_asked = True
                async with asyncio.timeout(TIMEOUT_S):
                    await pubsub.ping()


def _parts(names: set[str]) -> list[list[str]]:
    every = list(names)
    return [every[start : start + _AT_ONCE] for start in range(0, len(every), _AT_ONCE)]
