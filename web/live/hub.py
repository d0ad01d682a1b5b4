"""All live pages of this web process: one Redis connection, and one query per channel for all its pages.

How it works: a page's stream joins the channel of its work. The page has an etag, a word that changes whenever the page
would look different, and that is DONE when nothing more will come. A channel's etag is looked up (in a thread, from the
rows) when somebody subscribes, after each announcement, and when a stream asks for it because it has heard nothing for
a while. Channels of one kind that are rung during a look stand in a line; the next look takes all of them, up to
MOST_AT_A_LOOK: a thousand verdicts at once cost a few queries, and one that comes alone waits for nothing. A stream
whose page shows another etag gets news. Announcements that come within GATHER_S of a look share the next one.

Everything runs on one event loop. The first stream starts the hub; the last one that leaves ends its tasks, its
connection and its threads.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

import redis.asyncio
from django.conf import settings
from django.db import Error, close_old_connections
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from web.operations.process_counters import STREAMS

DONE = ""
GATHER_S = 0.25
MOST_AT_A_LOOK = 100
_LOOKING_THREADS = 2
TIMEOUT_S = 2.0  # of connecting to Redis and of each command
PING_S = 3.0
LONGEST_PAUSE_S = 5.0
_FIRST_PAUSE_S = 0.1
_AT_ONCE = 500  # channels in one command

_AnswerT = TypeVar("_AnswerT")
_logger = logging.getLogger(__name__)

See = Callable[[Collection[int]], Mapping[int, str]]  # the etags of several keys; none of those that are done
Ask = Callable[[Callable[[], Mapping[int, str]]], Awaitable[Mapping[int, str]]]


class HubFullError(Exception):
    """This process has its maximum of streams, of all people or of this one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedLook:
    """A look that many channels can share."""

    see: See
    key: int


Look = Callable[[], str] | SharedLook  # may ask the database


class Line:
    """Keys that wait for the next shared look, which begins when the one before it has ended."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ask: Ask, see: See) -> None:
        self._loop = loop
        self._ask = ask
        self._see = see
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._working: asyncio.Task[None] | None = None

    async def etag(self, key: int) -> str:
        """Return what a look finds that begins from now on. Raises what `see` raises."""
        waiting = self._waiting.setdefault(key, self._loop.create_future())
        if self._working is None:
            self._working = self._loop.create_task(self._work())
        return await waiting

    def end(self) -> None:
        """Look no more: nobody waits."""
        if self._working is not None:
            self._working.cancel()

    async def _work(self) -> None:
        try:
            while self._waiting:
                waiting = {key: self._waiting.pop(key) for key in list(self._waiting)[:MOST_AT_A_LOOK]}
                try:
                    etags = await self._ask(partial(self._see, list(waiting)))
                except Exception as error:  # noqa: BLE001 - each who waits raises it
                    for future in waiting.values():
                        if not future.done():  # else its channel has no stream any more
                            future.set_exception(error)
                else:
                    for key, future in waiting.items():
                        if not future.done():
                            future.set_result(etags.get(key, DONE))
        finally:
            self._working = None


class Stream:
    """One page's stream: to whom it goes, and whether there are news for it."""

    def __init__(self, channel: "Channel", reader: str, page_etag: str | None) -> None:
        self.channel = channel
        self.reader = reader
        self.shown = page_etag  # or is about to ask for; None when that is not known
        self._news = asyncio.Event()

    def tell(self, etag: str) -> None:
        """Have the page fetch what has this etag, unless it shows that."""
        if self.shown != etag:
            self.shown = etag
            self._news.set()

    async def has_news(self, within_s: float) -> bool:
        """Wait for news; return whether any came in this time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._news.wait()
        has_come = self._news.is_set()
        self._news.clear()
        return has_come


@dataclass(kw_only=True, slots=True, eq=False)
class Channel:
    """The streams of one piece of work, and whether the last query found no database that answers."""

    name: str
    look: Look
    streams: set[Stream] = field(default_factory=set)
    is_failing: bool = False
    is_rung: bool = False
    attending: asyncio.Task[None] | None = None


class Subscription:
    """One Redis connection: calls `heard` with a channel when it is subscribed to, and for each announcement on it.

    How it works: while `run` runs, one task receives and one sends what is to be subscribed to and what no longer is,
    many channels in one command. A server that says nothing for PING_S is asked for a sign of life. After any failure
    the connection is made anew, after a pause that grows to LONGEST_PAUSE_S, and every channel subscribed to again.
    """

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


class Hub:
    """All streams of a process. Use `hub()`."""

    def __init__(self) -> None:
        self._channels: dict[str, Channel] = {}
        self._by_reader: Counter[str] = Counter()  # streams; who has none is not in it
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(_LOOKING_THREADS, thread_name_prefix="live")
        self._lines: dict[See, Line] = {}
        self._subscription = Subscription(self._heard)
        self._listening = self._loop.create_task(self._subscription.run())

    @property
    def streams(self) -> int:
        return self._by_reader.total()

    @property
    def hears_announcements(self) -> bool:
        return self._subscription.is_up

    def join(self, name: str, look: Look, reader: str, page_etag: str | None) -> Stream:
        """Add a stream to the channel for a reader's page that shows this etag. Raises HubFullError."""
        if self.streams >= settings.MOST_STREAMS or self._by_reader[reader] >= settings.MOST_STREAMS_PER_READER:
            raise HubFullError
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = Channel(name=name, look=look)
            self._subscription.want(name)
        self._by_reader[reader] += 1
        STREAMS.set(streams_open())
        stream = Stream(channel, reader, page_etag)
        channel.streams.add(stream)
        self.ring(channel)
        return stream

    def leave(self, stream: Stream) -> None:
        """Remove the stream, its channel if it was the channel's last, and everything if it was the last of all."""
        channel = stream.channel
        channel.streams.remove(stream)
        self._by_reader[stream.reader] -= 1
        if not self._by_reader[stream.reader]:
            del self._by_reader[stream.reader]
        STREAMS.set(streams_open())
        if not channel.streams:
            del self._channels[channel.name]
            self._subscription.drop(channel.name)
            if channel.attending is not None:
                channel.attending.cancel()
        if not self.streams:
            _hubs.pop(self._loop, None)
            self._listening.cancel()
            for line in self._lines.values():
                line.end()
            self._threads.shutdown(wait=False, cancel_futures=True)

    def ring(self, channel: Channel) -> None:
        """Look at the rows soon, once for all who ring meanwhile, and tell the streams."""
        channel.is_rung = True
        if channel.attending is None:
            channel.attending = self._loop.create_task(self._attend(channel))

    async def ask(self, question: Callable[[], _AnswerT]) -> _AnswerT:
        """Return the answer of a function that may ask the database. Raises what it raises."""

        def answer() -> _AnswerT:
            try:
                return question()
            finally:
                close_old_connections()

        return await self._loop.run_in_executor(self._threads, answer)

    def _heard(self, name: str) -> None:
        if name in self._channels:
            self.ring(self._channels[name])

    async def _attend(self, channel: Channel) -> None:
        try:
            while channel.is_rung:
                channel.is_rung = False
                look = channel.look
                try:
                    if isinstance(look, SharedLook):
                        line = self._lines.setdefault(look.see, Line(self._loop, self.ask, look.see))
                        etag = await line.etag(look.key)
                    else:
                        etag = await self.ask(look)
                except Error as error:
                    channel.is_failing = True
                    _logger.warning("live pages of %s get no news, the database fails: %s", channel.name, error)
                else:
                    channel.is_failing = False
                    for stream in channel.streams:
                        stream.tell(etag)
                await asyncio.sleep(GATHER_S)
        finally:
            channel.attending = None


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def streams_open() -> int:
    """Return this process's number of open streams."""
    return sum(process_hub.streams for process_hub in list(_hubs.values()))
