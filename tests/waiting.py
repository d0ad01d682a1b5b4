"""Waiting for what happens elsewhere: in another process, thread or task. Who waits in vain is told for what."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

PATIENCE_S = 90  # more than any of it takes on a slow and busy machine
_LOOK_EVERY_S = 0.02


def wait_for(
    holds: Callable[[], object],
    what: str,
    patience_s: float = PATIENCE_S,
    *,
    log: Callable[[], str] | None = None,
    look_every_s: float = _LOOK_EVERY_S,
) -> None:
    """Look until it holds. Fails with what was waited for, and with the end of this log."""
    deadline = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(_in_vain(what, patience_s, log))
        time.sleep(look_every_s)


async def until(holds: Callable[[], Awaitable[object] | object], what: str, patience_s: float = PATIENCE_S) -> None:
    """The same in an event loop, where looking may itself be awaited."""
    deadline = time.monotonic() + patience_s
    while True:
        found = holds()
        if await found if inspect.isawaitable(found) else found:
            return
        if time.monotonic() > deadline:
            raise AssertionError(_in_vain(what, patience_s, None))
        await asyncio.sleep(_LOOK_EVERY_S)


def _in_vain(what: str, patience_s: float, log: Callable[[], str] | None) -> str:
    said = f"; the log ends:\n{log()[-4_000:]}" if log else ""
    return f"waited {patience_s:g} s in vain: {what}{said}"
