"""All live pages of this web process: one Redis connection, and one query per channel for all its pages.

How it works: a page's stream joins the channel of its work. The page has an etag, a word that changes whenever the page
would look different, and that is DONE when nothing more will come. A channel's etag is looked up (in a thread, from the
rows) when somebody subscribes, after each announcement, and by the beat: every HEARTBEAT_S, or every POLL_S while Redis
is away, one channel after the other. Channels of one kind that are rung during a look share the next one. A stream
whose page shows another etag is told when the pace allows it; the beat is slower than announcements. Announcements that
come within GATHER_S of a look share the next one.

A stream may have a caption, a sentence that changes too often to be news, such as the place in the queue. All captions
are asked for in turn, and those that changed are sent as they are, at most CAPTIONS_PER_S a second.

The pace: each page that is told fetches its changing part, which costs a web process some milliseconds. A few pages are
told at once, many one after the other, so that a thousand pages do not keep everybody else waiting. A page whose
moment is further off than SOON_S hears the verdict itself at once, which costs next to nothing; its part follows.

Everything runs on one event loop. The first stream starts the hub; the last one that leaves ends its tasks, its
connection and its threads.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import Error, close_old_connections

from web.live.shared_look import DONE, Line, Look, See, Seen, SharedLook
from web.live.subscription import Subscription
from web.operations.process_counters import STREAMS


class Pace:
    """Moments for news: `burst` of them may coincide, beyond that `per_s` a second. Times are of one clock."""

    def __init__(self, *, per_s: float, burst: int) -> None:
        self._gap_s = 1 / per_s
        self._head_start_s = (burst - 1) / per_s
        self._next = 0.0

    def moment(self, now: float) -> float:
        """Reserve the next free moment, `now` or later."""
        self._next = max(self._next, now - self._head_start_s)
        moment = max(self._next, now)
        self._next += self._gap_s
        return moment


Caption = Callable[[], str]  # may ask the database; a sentence that changes often, asked for each stream; "": none
NEWS, VERDICT, CAPTION = "news", "verdict", "caption"  # events
SOON_S = 0.5
HEARTBEAT_S = 10.0
POLL_S = 2.0
GATHER_S = 0.25
FRESH_S = 1.0  # a mark looked up this lately need not be looked up for a stream that joins
LOOKS_PER_S = 50  # of the beat: with more than 500 channels it takes longer than HEARTBEAT_S
NEWS_PER_S, NEWS_AT_ONCE = 25.0, 25  # a page's answer costs about 15 ms of one core, on a busy machine 25
BEAT_NEWS_PER_S, BEAT_NEWS_AT_ONCE = 10.0, 10
CAPTIONS_EVERY_S = 2.0
CAPTIONS_PER_S = 100  # with more than 200 pages that wait, each is told less often
_CAPTION_SHARE = 20  # of a process's time, writing captions takes one part in so many
_LOOKING_THREADS = 2

_logger = logging.getLogger(__name__)


class HubFullError(Exception):
    """This process has its maximum of streams, of all people or of this one."""


class Stream:
    """One page's stream: what it still has to send, and to whom.

    `shown` is the mark that its page shows or is about to ask for; None when that is not known.
    """

    def __init__(self, channel: "Channel", reader: str, shown: str | None, caption: Caption | None) -> None:
        self.channel = channel
        self.reader = reader
        self.shown = shown
        self.caption = caption
        self._moment: float | None = None  # for news, by the event loop's clock
        self._said: dict[str, str] = {}  # event -> data: what the page has heard last of it, or is about to hear
        self._unsent: dict[str, str] = {}  # likewise: what is to be sent now
        self._wakes = asyncio.Event()

    def tell(self, seen: Seen, pace: Pace) -> None:
        """Schedule news in the stream's reserved moment, or else in the next free one, and send the verdict before it
        if that is far off.
        """
        self.shown = seen.mark
        loop = asyncio.get_running_loop()
        if self._moment is None:
            self._moment = pace.moment(loop.time())
            loop.call_at(self._moment, self._send, NEWS, "")
        if self._moment - loop.time() > SOON_S:
            self.say(VERDICT, seen.verdict)

    def say(self, event: str, data: str) -> bool:
        """Send this at once, if it is something else than before; return whether it is."""
        if data in ("", self._said.get(event)):
            return False
        self._said[event] = data
        self._send(event, data)
        return True

    async def events(self, within_s: float) -> dict[str, str]:
        """Wait for something to send; return the data of each event. News stand for the verdict too."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._wakes.wait()
        self._wakes.clear()
        events, self._unsent = self._unsent, {}
        if NEWS in events:
            self._moment = None
            events.pop(VERDICT, None)
        return events

    def _send(self, event: str, data: str) -> None:
        self._unsent[event] = data
        self._wakes.set()


@dataclass(kw_only=True, slots=True, eq=False)
class Channel:
    """The streams of one piece of work, and the result of the last query. Times are the event loop's."""

    name: str
    look: Look
    streams: set[Stream] = field(default_factory=set)
    seen: Seen | None = None  # None: no look has worked yet
    looked_at: float = 0.0
    is_failing: bool = False  # the last look found no database that answers
    is_rung: bool = False
    is_announced: bool = False  # by an announcement, not by the beat alone
    attending: asyncio.Task[None] | None = None


class Hub:
    """All streams of a process. Use `hub()`."""

    def __init__(self) -> None:
        self._channels: dict[str, Channel] = {}
        self._streams = 0
        self._by_reader: Counter[str] = Counter()  # streams; who has none is not in it
        self._loop = asyncio.get_running_loop()
        self._threads = ThreadPoolExecutor(_LOOKING_THREADS, thread_name_prefix="live")
        self._lines: dict[See, Line] = {}
        self._subscription = Subscription(self._heard, self._lost)
        self._news = Pace(per_s=NEWS_PER_S, burst=NEWS_AT_ONCE)
        self._beat_news = Pace(per_s=BEAT_NEWS_PER_S, burst=BEAT_NEWS_AT_ONCE)
        self._is_in_a_hurry = asyncio.Event()
        self._tasks = [
            self._loop.create_task(work) for work in (self._subscription.run(), self._beat(), self._say_captions())
        ]

    @property
    def streams(self) -> int:
        """The number of streams."""
        return self._streams

    def join(self, name: str, look: Look, reader: str, shown: str | None, caption: Caption | None = None) -> Stream:
        """Add a stream to the channel for a reader's page that shows this mark. Raises HubFullError."""
        if self._streams >= settings.MOST_STREAMS or self._by_reader[reader] >= settings.MOST_STREAMS_PER_READER:
            raise HubFullError
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = Channel(name=name, look=look)
            self._subscription.want(name)
        self._streams += 1
        self._by_reader[reader] += 1
        STREAMS.set(streams_open())
        stream = Stream(channel, reader, shown, caption)
        channel.streams.add(stream)
        if channel.seen and channel.seen.mark and self._loop.time() - channel.looked_at < FRESH_S:
            self._tell(channel, self._news)
        else:
            self._wake(channel, is_announced=True)
        return stream

    def leave(self, stream: Stream) -> None:
        """Remove the stream, its channel if it was the channel's last, and everything if it was the last of all."""
        channel = stream.channel
        channel.streams.remove(stream)
        self._streams -= 1
        self._by_reader[stream.reader] -= 1
        if not self._by_reader[stream.reader]:
            del self._by_reader[stream.reader]
        STREAMS.set(streams_open())
        if not channel.streams:
            del self._channels[channel.name]
            self._subscription.drop(channel.name)
            if channel.attending is not None:
                channel.attending.cancel()
        if not self._streams:
            self._close()

    def _close(self) -> None:
        _hubs.pop(self._loop, None)
        for task in self._tasks:
            task.cancel()
        for line in self._lines.values():
            line.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _heard(self, name: str) -> None:
        if name in self._channels:
            self._wake(self._channels[name], is_announced=True)

    def _lost(self) -> None:
        self._is_in_a_hurry.set()

    async def _beat(self) -> None:
        while True:
            for channel in list(self._channels.values()):
                if channel.streams:
                    self._wake(channel, is_announced=False)
                await self._pause()
            if not self._channels:
                await self._pause()

    async def _pause(self) -> None:
        """Wait for the next channel's turn: all have theirs within a period. Cut short when Redis is lost."""
        period = HEARTBEAT_S if self._subscription.is_up else POLL_S
        pause = max(period / max(1, len(self._channels)), 1 / LOOKS_PER_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(pause * random.uniform(0.9, 1.1)):  # noqa: S311
                await self._is_in_a_hurry.wait()
        self._is_in_a_hurry.clear()

    async def _say_captions(self) -> None:
        """Send each page its caption when that has changed, one page after the other."""
        while True:
            began = self._loop.time()
            streams = [each for channel in self._channels.values() for each in channel.streams if each.caption]
            captions = await self._loop.run_in_executor(self._threads, _captions, streams)
            took_s = self._loop.time() - began
            for stream, caption in zip(streams, captions, strict=False):
                if stream.say(CAPTION, caption):
                    await asyncio.sleep(1 / CAPTIONS_PER_S)
            rest_s = began + CAPTIONS_EVERY_S - self._loop.time()
            await asyncio.sleep(max(rest_s, _CAPTION_SHARE * took_s))

    def _wake(self, channel: Channel, *, is_announced: bool) -> None:
        channel.is_rung = True
        channel.is_announced |= is_announced
        if channel.attending is None:
            channel.attending = self._loop.create_task(self._attend(channel))

    async def _attend(self, channel: Channel) -> None:
        try:
            while channel.is_rung:
                is_announced, channel.is_announced = channel.is_announced, False
                channel.is_rung = False
                await self._look(channel)
                is_urgent = is_announced or _is_done(channel) or not self._subscription.is_up
                self._tell(channel, self._news if is_urgent else self._beat_news)
                await asyncio.sleep(GATHER_S)
        finally:
            channel.attending = None

    async def _look(self, channel: Channel) -> None:
        try:
            channel.seen = await self._seen(channel.look)
        except Error as error:
            channel.is_failing = True
            _logger.warning("live pages of %s are told nothing, the database fails: %s", channel.name, error)
        else:
            channel.is_failing = False
            channel.looked_at = self._loop.time()

    async def _seen(self, look: Look) -> Seen:
        if not isinstance(look, SharedLook):
            return await self._loop.run_in_executor(self._threads, _looked, look)
        if look.see not in self._lines:
            self._lines[look.see] = Line(self._loop, self._threads, look.see)
        return await self._lines[look.see].seen(look.key)

    def _tell(self, channel: Channel, pace: Pace) -> None:
        for stream in channel.streams:
            if channel.seen is not None and stream.shown != channel.seen.mark:
                stream.tell(channel.seen, pace)


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def streams_open() -> int:
    """Return this process's number of open streams."""
    return sum(each.streams for each in list(_hubs.values()))


def _is_done(channel: Channel) -> bool:
    return channel.seen is not None and channel.seen.mark == DONE


def _looked(look: Callable[[], str | Seen]) -> Seen:
    try:
        seen = look()
        return seen if isinstance(seen, Seen) else Seen(mark=seen)
    finally:
        close_old_connections()


def _captions(streams: Sequence[Stream]) -> list[str]:
    """Return the streams' captions; none where the database fails."""
    try:
        return [stream.caption() for stream in streams if stream.caption]
    except Error as error:
        _logger.warning("waiting pages are told no place, the database fails: %s", error)
        return []
    finally:
        close_old_connections()
