"""People who send programs before a deadline, each with the page of what they sent last open.

How it works: everybody sends equally many, in rounds, each round in an order of its own, at a fixed rate
(`arrivals.py`). As in a browser, sending leads to the submission's page, whose stream takes the place of the one that
was open before. Its watcher notes what the page shows of the place in the queue.
"""

import asyncio
import random
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

import aiohttp

from bench.load.arrivals import Load, load_of, send_at_rate
from bench.load.programs_sent import Program
from bench.load.site import PROBLEM, Person
from bench.load.watching import Watcher, ask, caption_of, mark_of

TIMEOUT_S = 10.0
_LOCATION = re.compile(r"/submissions/([0-9]+)/")


class Rush:
    """Sends the programs in turn, and keeps what came of it."""

    def __init__(self, url: str, people: Sequence[Person], programs: Sequence[Program], *, is_watched: bool) -> None:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        self._url = f"{url}/problems/{PROBLEM}/submit"
        self._address = parts.hostname, parts.port
        self._people = people
        self._programs = programs
        self._is_watched = is_watched
        self._open: dict[Person, asyncio.Task[None]] = {}
        self._order: list[Person] = []
        self.watchers: list[Watcher] = []
        self.errors: list[str] = []
        self.pages_ms: list[float] = []  # how long each page took that somebody was led to

    async def send(self, count: int, seconds: float) -> Load:
        """So many submissions, spread over so long."""
        draw = random.Random(17)  # noqa: S311 - the same order each time
        rounds = [draw.sample(self._people, len(self._people)) for _ in range(-(-count // len(self._people)))]
        self._order = [person for people in rounds for person in people][:count]
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
            arrivals = await send_at_rate(
                lambda number: self._send(session, number), rate=count / seconds, seconds=seconds, timeout_s=TIMEOUT_S
            )
        return load_of(arrivals, timeout_s=TIMEOUT_S)

    async def leave(self) -> None:
        """Close all pages."""
        for task in self._open.values():
            task.cancel()
        await asyncio.gather(*self._open.values(), return_exceptions=True)
        self.errors += [watcher.error for watcher in self.watchers if watcher.error]

    async def _send(self, session: aiohttp.ClientSession, number: int) -> bool:
        person, sent = self._order[number], self._programs[number % len(self._programs)]
        fields = {"csrfmiddlewaretoken": person.token, "language": sent.language, "source": sent.source}
        cookies = {"Cookie": f"sessionid={person.session}; csrftoken={person.token}"}
        try:
            async with session.post(self._url, data=fields, headers=cookies, allow_redirects=False) as answer:
                await answer.read()
                location = _LOCATION.search(answer.headers.get("Location", ""))
                if answer.status != 302 or location is None:
                    self.errors.append(f"a submission was answered with {answer.status}")
                    return False
        except aiohttp.ClientError as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            return False
        if self._is_watched:
            self._show(person, int(location[1]))
        return True

    def _show(self, person: Person, submission: int) -> None:
        if person in self._open:
            self._open[person].cancel()
        self._open[person] = asyncio.create_task(self._watch(person, submission))

    async def _watch(self, person: Person, submission: int) -> None:
        with suppress(asyncio.CancelledError):
            began = time.monotonic()
            try:
                page = await ask(self._address, f"/submissions/{submission}/", person.session)
            except (OSError, TimeoutError) as error:
                self.errors.append(f"page: {type(error).__name__}: {error}")
                return
            self.pages_ms.append((time.monotonic() - began) * 1_000)
            watcher = Watcher(self._address, submission, person.session, mark_of(page))
            if page.status != 200:
                watcher.error = f"a page was answered with {page.status}"
            self.watchers.append(watcher)
            if caption := caption_of(page):
                watcher.show(caption)
            await watcher.watch()
