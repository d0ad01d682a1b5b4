"""What a live page's channel looks at: alone, or many channels of one kind in one query.

How it works: keys that come while a look is under way stand in a line; the next look takes all of them, up to
MOST_AT_A_LOOK. So a thousand verdicts at once cost a few queries, and one that comes alone waits for nothing.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import close_old_connections

DONE = ""
MOST_AT_A_LOOK = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """What there is to show now: its mark, and the verdict if there is one, which every reader of the page may see."""

    mark: str
    verdict: str = ""


See = Callable[[Collection[int]], Mapping[int, Seen]]  # what there is to show of several keys; of others nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedLook:
    """A look that many channels can share."""

    see: See
    key: int

    def __call__(self) -> Seen:
        """Look at this one alone."""
        return self.see([self.key]).get(self.key, Seen(mark=DONE))


Look = Callable[[], str | Seen] | SharedLook  # may ask the database; a mark alone has no verdict


class Line:
    """Keys that wait for the next shared look, which begins when the one before it has ended."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: ThreadPoolExecutor, see: See) -> None:
        self._loop = loop
        self._threads = threads
        self._see = see
        self._waiting: dict[int, asyncio.Future[Seen]] = {}
        self._working: asyncio.Task[None] | None = None

    async def seen(self, key: int) -> Seen:
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
                keys = list(self._waiting)[:MOST_AT_A_LOOK]
                await self._look({key: self._waiting.pop(key) for key in keys})
        finally:
            self._working = None

    async def _look(self, waiting: Mapping[int, asyncio.Future[Seen]]) -> None:
        failure: Exception | None = None
        found: Mapping[int, Seen] = {}
        try:
            found = await self._loop.run_in_executor(self._threads, _looked, self._see, list(waiting))
        except Exception as error:  # noqa: BLE001 - each who waits raises it
            failure = error
        for key, future in waiting.items():
            if future.done():  # its channel has no stream any more
                continue
            if failure is None:
                future.set_result(found.get(key, Seen(mark=DONE)))
            else:
                future.set_exception(failure)


def _looked(see: See, keys: Collection[int]) -> Mapping[int, Seen]:
    try:
        return see(keys)
    finally:
        close_old_connections()
