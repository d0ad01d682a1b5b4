"""Limit the requests that a web process handles at once, and choose the next one.

How it works: a layer around Django lets a request in when its whole body is there, and lets the next one in when its
answer begins: neither a slow sender nor a slow reader nor a live page holds anybody up. Who is not let in yet costs no
thread and no database connection, and leaves the line by hanging up. What live pages ask for by themselves comes later
than what somebody clicked on, by at most PATIENCE_S. Where too many stand in line already, the next one is told at once
to come again later.

What somebody sends (POST) comes before what somebody looks at, by at most HEAD_START_S: before a deadline, submissions
are taken while pages wait. For SENDING_S after it a page begins only when nothing else is at work, since it would take
the interpreter from what is sent. But if nobody was let in for BUSY_S, those at work wait for something else, such as
the database, and hold no page up.

A place that is held for long makes `web.server.database_watch` look at the database. While that is away, nobody gets a
place or stands in line for one: a request would hold its place until its own timeout, and the line would never end.

Supervisors ask in just the moment when everybody waits: HEALTH, which needs nothing, is always let in, and for each
page of RESERVED there is a place that nothing else takes. Styles and pictures, which need no database, have places of
their own too, and count in no line of clicks.

Source: the ASGI HTTP specification.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Any

from web.server.body_limit import HTML, Application, Message, Receive, Send, answer
from web.server.database_watch import SLOW_S, DatabaseWatch

PATIENCE_S = 2.0
HEAD_START_S = 10.0
SENDING_S = 1.0
BUSY_S = 0.5
MOST_WAITING = 500  # clicks in line: about ten seconds of work
MOST_PAGES_WAITING = 2_000  # likewise of live pages, all of which come back at once after a restart
RETRY_AFTER_S = 10
_LOOK_EVERY_S = 0.5  # of who stands in line: whether the database went away, or it may enter by now
HEALTH = "/healthz"
RESERVED = ("/readyz", "/metrics")
_ASKED_BY_PAGES = ("/live", "/events")
_Place = asyncio.Future[None]  # done when it is given


class _Refusal(Enum):
    """Why a request is not let in."""

    BUSY = "too many stand in line"
    AWAY = "the database is away"


class RequestLimit:
    """Wraps an ASGI application.

    `most` requests are at work at once, and as many for files whose path begins with `files`; `busy` and `away` render
    the pages of a 503, for too many requests and while `watch` finds no database.
    """

    def __init__(
        self,
        app: Application,
        most: int,
        *,
        busy: Callable[[], bytes],
        away: Callable[[], bytes],
        files: str,
        watch: DatabaseWatch,
    ) -> None:
        self._app = app
        self._pages = {_Refusal.BUSY: busy, _Refusal.AWAY: away}
        self._watch = watch
        self._files = files
        self._places = _Places(most)
        self._places_for_files = _Places(most)
        self._reserved = {path: _Places(1) for path in RESERVED}

    async def __call__(self, scope: dict[str, object], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        path = str(scope["path"])
        usual = self._places_for_files if path.startswith(self._files) else self._places
        places = self._reserved.get(path, usual)
        watch = self._watch if places is self._places else None
        request = _Request(places, receive, send, _rank(scope["method"], path), watch)
        try:
            await self._app(scope, request.receive, request.send)
        finally:
            request.end()
        if request.refusal is not None:
            more = ((b"cache-control", b"no-store"), (b"retry-after", str(RETRY_AFTER_S).encode()))
            await answer(send, 503, HTML, self._pages[request.refusal](), *more)


class _Rank(Enum):
    """What a request is; each has a line of its own."""

    SENT = "sent"
    CLICKED = "clicked"
    BY_PAGES = "by pages"


def _rank(method: object, path: str) -> _Rank:
    if method == "POST":
        return _Rank.SENT
    return _Rank.BY_PAGES if path.endswith(_ASKED_BY_PAGES) else _Rank.CLICKED


class _Places:
    """A number of places and a queue for them for each rank, in which first comes who comes first."""

    def __init__(self, number: int) -> None:
        self._free = self._number = number
        self._sent_at = self._entered_at = -math.inf  # the last time
        # each with when it is due, by time.monotonic()
        self._lines: dict[_Rank, OrderedDict[_Place, float]] = {rank: OrderedDict() for rank in _Rank}

    def ask(self, rank: _Rank) -> _Place | None:
        """Return a place, or one in the queue. None: the queue is full."""
        place: _Place = asyncio.get_running_loop().create_future()
        line, now = self._lines[rank], time.monotonic()
        if rank is _Rank.SENT:
            self._sent_at = now
        later_s = {_Rank.SENT: -HEAD_START_S, _Rank.CLICKED: 0.0, _Rank.BY_PAGES: PATIENCE_S}
        line[place] = now + later_s[rank]
        self.let_in()
        if len(line) > (MOST_PAGES_WAITING if rank is _Rank.BY_PAGES else MOST_WAITING):
            del line[place]
            return None
        return place

    def leave(self, place: _Place) -> None:
        """Leave the queue, or the place to the next in it."""
        for line in self._lines.values():
            if line.pop(place, None) is not None:
                return
        self._free += 1
        self.let_in()

    def let_in(self) -> None:
        """Let in whoever may enter now: who was held back may when time has passed."""
        while lines := [line for rank, line in self._lines.items() if line and self._may_enter(rank)]:
            following, _ = min(lines, key=lambda line: next(iter(line.values()))).popitem(last=False)
            self._free -= 1
            self._entered_at = time.monotonic()
            following.set_result(None)

    def _may_enter(self, rank: _Rank) -> bool:
        """Return whether the first in this line may enter."""
        if rank is _Rank.SENT or not self._free:
            return self._free > 0
        now, due = time.monotonic(), next(iter(self._lines[rank].values()))
        is_held_back = now - self._sent_at <= SENDING_S and now - self._entered_at <= BUSY_S
        return self._free == self._number or not is_held_back or now - due > HEAD_START_S


class _Request:
    """One request: takes a place when its body is complete, leaves it when its response begins.

    To its application, a request that is refused or has hung up in line looks as if the body had never come to its end.
    """

    def __init__(self, places: _Places, receive: Receive, send: Send, rank: _Rank, watch: DatabaseWatch | None) -> None:
        self.refusal: _Refusal | None = None
        self._watch = watch  # of a request that needs the database
        self._slow: asyncio.TimerHandle | None = None
        self._places = places
        self._receive = receive
        self._send = send
        self._rank = rank
        self._has_asked = False
        self._place: _Place | None = None
        self._heard: asyncio.Future[Message] | None = None  # what comes after the body, listened for in line

    async def receive(self) -> Message:
        if self._heard is not None:
            heard, self._heard = self._heard, None
            return await heard
        message = await self._receive()
        is_complete = message["type"] == "http.request" and not message.get("more_body", False)
        if is_complete and not self._has_asked:
            self._has_asked = True
            if not await self._is_let_in():
                return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        self._leave()
        await self._send(message)

    def end(self) -> None:
        self._leave()
        if self._heard is not None:
            self._heard.cancel()

    async def _is_let_in(self) -> bool:
        if self._is_database_away():
            self.refusal = _Refusal.AWAY
            return False
        place = self._place = self._places.ask(self._rank)
        if place is None:
            self.refusal = _Refusal.BUSY
            return False
        if not place.done() and not await self._has_waited_for(place):
            self._leave()
            return False
        if self._watch is not None:
            self._slow = asyncio.get_running_loop().call_later(SLOW_S, self._watch.suspect)
        return True

    async def _has_waited_for(self, place: _Place) -> bool:
        """Stand in line; return False when the client hung up or the database went away."""
        heard = self._heard = asyncio.ensure_future(self._receive())
        awaited: set[asyncio.Future[Any]] = {place, heard}
        while not place.done():
            await asyncio.wait(awaited, timeout=_LOOK_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
            self._places.let_in()
            if heard.done() and not place.done():
                if heard.result()["type"] == "http.disconnect":
                    return False
                awaited.discard(heard)
            if self._is_database_away():
                self.refusal = _Refusal.AWAY
                return False
        return True

    def _is_database_away(self) -> bool:
        return self._watch is not None and self._watch.is_away

    def _leave(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
        if self._place is not None:
            place, self._place = self._place, None
            self._places.leave(place)
