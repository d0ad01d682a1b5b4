"""A client that hangs up keeps its place until the thread of its request is done, which has a database connection."""

import asyncio
import threading
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from pytest_django import Settings

from tests.waiting import PATIENCE_S
from web.server.body_limit import Message
from web.server.middleware import Handler

_SCOPE = {"type": "http", "method": "GET", "path": "/login/", "query_string": b"", "headers": [(b"host", b"localhost")]}
_begun, _may_go_on, _ended = threading.Event(), threading.Event(), threading.Event()


def slow(get_response: Handler) -> Handler:
    """Answer when the test allows it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        _begun.set()
        _may_go_on.wait(PATIENCE_S)
        try:
            return get_response(request)
        finally:
            _ended.set()

    return middleware


async def _hang_up_meanwhile(site: ASGIHandler) -> list[Message]:
    body, sent = iter([{"type": "http.request", "body": b""}]), list[Message]()

    async def receive() -> Any:
        if (message := next(body, None)) is not None:
            return message
        await asyncio.to_thread(_begun.wait, PATIENCE_S)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    answering = asyncio.ensure_future(site(_SCOPE, receive, send))
    await asyncio.to_thread(_begun.wait, PATIENCE_S)
    done, _ = await asyncio.wait({answering}, timeout=0.2)
    assert not done, "its place would be somebody else's, and its database connection is not free"
    _may_go_on.set()
    await answering
    return sent


@pytest.mark.django_db(transaction=True)
def test_who_hangs_up_is_sent_nothing_and_stays_until_the_thread_is_done(settings: Settings) -> None:
    settings.MIDDLEWARE = [*settings.MIDDLEWARE, f"{__name__}.slow"]
    sent = asyncio.run(_hang_up_meanwhile(ASGIHandler()))
    assert _ended.is_set()
    assert not sent
