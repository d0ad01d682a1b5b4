"""One live result page without a browser: its stream, and the fragment that it fetches at each "news"."""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

_OPEN_S, _ANSWER_S = 60, 60
_CAPTION = re.compile(rb"<p class=\"lead\" data-caption>([^<]*)</p>")
_MARK = re.compile(rb'data-events="[^"]*\?shown=([0-9a-f]*)"')

Address = tuple[str, int]


class Refused(Exception):
    """The site did not respond as expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A response."""

    status: int
    body: bytes


async def ask(address: Address, path: str, session: str) -> Answer:
    """Load one address on a connection of its own. Raises OSError, TimeoutError."""
    async with asyncio.timeout(_ANSWER_S), _asked(address, path, session, "close") as reader:
        head, _, body = (await reader.read(-1)).partition(b"\r\n\r\n")
    return Answer(status=int(head.split(b" ", 2)[1]), body=body)


def mark_of(answer: Answer) -> str:
    """The mark of what a page or its part shows; empty when it has none."""
    found = _MARK.search(answer.body)
    return found[1].decode() if found else ""


def caption_of(answer: Answer) -> str:
    """The sentence on the place in the queue that a page or its part shows; empty when it has none."""
    found = _CAPTION.search(answer.body)
    return found[1].decode() if found else ""


@asynccontextmanager
async def _asked(address: Address, path: str, session: str, connection: str) -> AsyncIterator[asyncio.StreamReader]:
    reader, writer = await asyncio.open_connection(*address)
    try:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: sessionid={session}\r\nConnection: {connection}"
        writer.write(f"{head}\r\n\r\n".encode())
        await writer.drain()
        yield reader
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


class Watcher:
    """Watches one submission.

    `captions`: what it showed of the place in the queue, and from when on, by the clock of the world.
    """

    def __init__(self, address: Address, submission: int, session: str, shown: str) -> None:
        self.submission = submission
        self.captions: list[tuple[float, str]] = []
        self.error = ""
        self._address = address
        self._session = session
        self._path = f"/submissions/{submission}/"
        self._shown = shown
        self._has_news = asyncio.Event()

    async def watch(self) -> None:
        """Follow the stream until it says that nothing more comes."""
        fetching = asyncio.create_task(self._keep_fetching())
        try:
            await self._follow()
            while self._has_news.is_set() or not fetching.done():
                await asyncio.sleep(0.05)
        except (OSError, TimeoutError, Refused) as error:
            self.error = f"{type(error).__name__}: {error}"
        finally:
            fetching.cancel()
            with suppress(asyncio.CancelledError):
                await fetching

    async def _follow(self) -> None:
        path = f"{self._path}events?shown={self._shown}"
        async with _asked(self._address, path, self._session, "keep-alive") as reader:
            async with asyncio.timeout(_OPEN_S):
                status = await reader.readline()
            if b" 200 " not in status:
                raise Refused(f"the stream was answered with {status.decode().strip()}")
            event = ""
            while line := await reader.readline():
                if line.startswith(b"event: "):
                    event = line[7:].decode().strip()
                    self._take(event)
                elif event == "still" and line.startswith(b"data: "):
                    self.show(line[6:].decode().strip())

    def show(self, caption: str) -> None:
        """Note that the page shows this from now on."""
        self.captions.append((time.time(), caption))

    def _take(self, event: str) -> None:
        if event == "news":
            self._has_news.set()
        elif event == "unavailable":
            raise Refused("the stream is unavailable")

    async def _keep_fetching(self) -> None:
        while True:
            await self._has_news.wait()
            self._has_news.clear()
            answer = await ask(self._address, f"{self._path}live?shown={self._shown}", self._session)
            if answer.status not in (200, 204):
                raise Refused(f"the part that changes was answered with {answer.status}")
            self._shown = mark_of(answer) or self._shown
            if caption := caption_of(answer):
                self.show(caption)
