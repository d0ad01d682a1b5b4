"""What a live page's channel looks at: alone, or many channels of one kind in one query.

How it works: keys that come while a look is under way stand in a line; the next look takes all of them, up to
MOST_AT_A_LOOK. So a thousand verdicts at once cost a few queries, and one that comes alone waits for nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

DONE = ""
MOST_AT_A_LOOK = 100
See = Callable[[Collection[int]], Mapping[int, str]]  # the etags of several keys; none of those that are done
Ask = Callable[[Callable[[], Mapping[int, str]]], Awaitable[Mapping[int, str]]]


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
