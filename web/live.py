"""The stream of news about one page's work, as server-sent events.

How it works: subscribe to the work's Redis channel (`judge.doorbell.announce`), then say "news" at once, so that
nothing is lost between the page's rendering and the subscription; then "news" for each announcement, a few at once as
one, and every HEARTBEAT_S without one (the place in the queue changes without an announcement). The page fetches its
fragment again at each "news"; content never travels here. The stream ends with "finished" when nothing more will come,
with "unavailable" when Redis does not answer or too many streams are open: the page then asks every two seconds. After
LONGEST_S it just ends, and the browser opens the next one.

A stream holds no database connection while it waits.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import redis.asyncio
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from judge.models import CaseRequest, Status, Submission

HEARTBEAT_S = 10.0
GATHER_S = 0.25  # announcements this close together are one piece of news
LONGEST_S = 600.0
MOST_STREAMS = 200  # of this process at once
CONNECT_TIMEOUT_S = 2.0

_NEWS = "event: news\ndata:\n\n"
_FINISHED = "event: finished\ndata:\n\n"
_UNAVAILABLE = "event: unavailable\ndata:\n\n"
_open_streams: set[object] = set()


def is_unfinished(submission_id: int) -> bool:
    """Whether news may still come: the submission, or a requested profile of one of its cases, is not done."""
    submission = Submission.objects.filter(pk=submission_id).exclude(status=Status.DONE)
    asked = CaseRequest.objects.filter(result__submission=submission_id).exclude(status=Status.DONE)
    return submission.exists() or asked.exists()


async def follow(channel: str, may_change: Callable[[], bool]) -> AsyncGenerator[str, None]:
    """The events of one stream, until `may_change` (which may ask the database) says that nothing more will come.

    Whoever calls has checked that its reader may read what the channel tells of.
    """
    if len(_open_streams) >= MOST_STREAMS:
        yield _UNAVAILABLE
        return
    mark = object()
    _open_streams.add(mark)
    try:
        async with aclosing(_events(channel, may_change)) as events:
            async for event in events:
                yield event
    except (RedisError, OSError, TimeoutError):
        yield _UNAVAILABLE
    finally:
        _open_streams.discard(mark)


async def _events(name: str, may_change: Callable[[], bool]) -> AsyncGenerator[str, None]:
    deadline = time.monotonic() + LONGEST_S
    client = redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=CONNECT_TIMEOUT_S)
    async with client, client.pubsub(ignore_subscribe_messages=True) as channel:
        await asyncio.wait_for(channel.subscribe(name), CONNECT_TIMEOUT_S)
        while time.monotonic() < deadline:
            yield _NEWS
            if not await sync_to_async(_asked)(may_change):
                yield _FINISHED
                return
            await _wait_for_news(channel)


def _asked(may_change: Callable[[], bool]) -> bool:
    try:
        return may_change()
    finally:
        close_old_connections()


async def _wait_for_news(channel: PubSub) -> None:
    """Return GATHER_S after an announcement, or when HEARTBEAT_S have passed without one."""
    loop = asyncio.get_running_loop()
    end = loop.time() + HEARTBEAT_S
    while (left := end - loop.time()) > 0:
        if await channel.get_message(timeout=left):
            await asyncio.sleep(GATHER_S)
            while await channel.get_message(timeout=0):
                pass
            return
