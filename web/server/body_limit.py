"""Limit the size of a request before any of it is stored.

How it works: Django's ASGI handler spools the whole body to disk before the first middleware runs, so only a layer
around it can refuse in time. A body with a Content-Length over the cap, or one that grows over it, is read to its end
and dropped (a browser shows no answer while it still sends) up to a few caps more, and answered with 413.

Source: the ASGI HTTP specification, "Request - receive event".
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]

_DRAINED_CAPS = 4  # whoever sends more than this many caps is cut off without an answer that arrives


class _TooLarge(Exception):
    """The body has more bytes than its address accepts."""


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
        declared = _content_length(scope["headers"])
        if declared is None or declared <= cap:
            body = _Counted(receive, cap)
            try:
                await self._app(scope, body.receive, send)
            except _TooLarge:
                declared = cap + 1
            else:
                return
        await _drain(receive, cap * _DRAINED_CAPS)
        await _answer(send, self._refusal())


class _Counted:
    """A body that raises _TooLarge when it grows over the cap."""

    def __init__(self, receive: Receive, cap: int) -> None:
        self._receive = receive
        self._left = cap

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _TooLarge
        return message


def _content_length(headers: Iterable[tuple[bytes, bytes]]) -> int | None:
    value = next((value for name, value in headers if name.lower() == b"content-length"), b"")
    return int(value) if value.isdigit() else None


async def _drain(receive: Receive, most: int) -> None:
    while most > 0:
        message = await receive()
        most -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


async def _answer(send: Send, page: bytes) -> None:
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(page)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": page})
