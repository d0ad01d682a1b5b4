"""Limit the size of a request before any of it is stored, and the time that its body takes.

How it works: Django's ASGI handler spools the whole body to disk before the first middleware runs, so only a layer
around it can refuse in time. A body with a Content-Length over the cap, or one that grows over it, is read to its end
and dropped (a browser shows no answer while it still sends) up to a few caps more, and answered with 413.

The site waits GRACE_S for a body, and each LEAST_BYTES_PER_S that come of it give it a second more, but never more than
MOST_GRACE_S at once: an upload over a slow line goes on, and may stand still for a while. Time in which the site does
not read is not counted. Who is late is answered 408 and cut off.

Source: the ASGI HTTP specification, "Request - receive event"; the rule for slow bodies is that of Apache's
mod_reqtimeout, "MinRate".
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from web.server.slow_heads import LOOK_AGAIN_S

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]

GRACE_S = 10.0
MOST_GRACE_S = 30.0
LEAST_BYTES_PER_S = 1024
HTML = "text/html; charset=utf-8"
_CLOSE = (b"connection", b"close")
_DRAINED_CAPS = 4  # whoever sends more than this many caps is cut off without an answer that arrives


class _TooLarge(Exception):
    """The body has more bytes than its address accepts."""


class _TooSlow(Exception):
    """The body does not come on."""


class BodyLimit:
    """Wraps an ASGI application. `cap` returns the bytes that a path accepts; `refusal` renders the page of a 413."""

    def __init__(self, app: Application, cap: Callable[[str], int], refusal: Callable[[], bytes]) -> None:
        self._app = app
        self._cap = cap
        self._refusal = refusal

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        cap = self._cap(scope["path"])
        body = _Body(receive, cap)
        try:
            try:
                declared = next((value for name, value in scope["headers"] if name.lower() == b"content-length"), b"")
                if declared.isdigit() and int(declared) > cap:
                    raise _TooLarge
                await self._app(scope, body.receive, send)
            except _TooLarge:
                await body.drain(cap * _DRAINED_CAPS)
                await answer(send, 413, HTML, self._refusal(), _CLOSE)
        except _TooSlow:
            await answer(send, 408, "text/plain", b"Request Timeout", _CLOSE)


class _Body:
    """A body that raises _TooLarge when it grows over the cap, and _TooSlow when it does not come on."""

    def __init__(self, receive: Receive, cap: int) -> None:
        self._receive = receive
        self._left_bytes = cap
        self._left_s = GRACE_S
        self._is_complete = False

    async def receive(self) -> Message:
        message = await self._next()
        self._left_bytes -= len(message.get("body", b""))
        if self._left_bytes < 0:
            raise _TooLarge
        return message

    async def drain(self, most: int) -> None:
        """Read on and drop so many bytes, or until the body's end."""
        while most > 0 and not self._is_complete:
            most -= len((await self._next()).get("body", b""))

    async def _next(self) -> Message:
        if self._is_complete:  # then nothing comes but that the client hangs up
            return await self._receive()
        if not self._left_s:
            raise _TooSlow
        began = time.monotonic()
        try:
            message = await _within(self._left_s, self._receive)
        except TimeoutError:
            try:
                message = await _within(LOOK_AGAIN_S, self._receive)
            except TimeoutError as error:
                raise _TooSlow from error
        self._is_complete = not message.get("more_body", False)
        more_s = len(message.get("body", b"")) / LEAST_BYTES_PER_S - (time.monotonic() - began)
        self._left_s = min(max(0.0, self._left_s + more_s), MOST_GRACE_S)
        return message


async def _within(seconds: float, receive: Receive) -> Message:
    async with asyncio.timeout(seconds):
        return await receive()


async def answer(send: Send, status: int, media_type: str, body: bytes, *more: tuple[bytes, bytes]) -> None:
    """Send a whole response, with `more` headers."""
    headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
