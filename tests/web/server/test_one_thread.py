"""How often a request changes threads, and that these are used again."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.response import HttpResponseBase

from web.server.body_limit import Message
from web.server.sync_handler import OneThread, _threads

_SCOPE = {"type": "http", "method": "GET", "path": "/login/", "query_string": b""}


async def _ask(site: ASGIHandler) -> list[Message]:
    body, gone = iter([{"type": "http.request", "body": b""}]), asyncio.Event()
    answer: list[Message] = []

    async def receive() -> Any:
        if (message := next(body, None)) is None:
            await gone.wait()
        return message

    async def send(message: Message) -> None:
        answer.append(message)

    await site({**_SCOPE, "headers": [(b"host", b"localhost")]}, receive, send)
    return answer


@pytest.mark.django_db(transaction=True)
def test_a_request_changes_threads_for_all_middleware_together(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[object] = []
    change = SyncToAsync.__call__

    def noted(self: Any, *values: Any, **named: Any) -> Any:
        changes.append(self.func)
        return change(self, *values, **named)

    monkeypatch.setattr(SyncToAsync, "__call__", noted)
    needed, answers = {}, {}
    for kind in (ASGIHandler, OneThread):
        changes.clear()
        answers[kind] = asyncio.run(_ask(kind()))
        needed[kind] = len(changes)
    assert needed[OneThread] == 1
    assert needed[ASGIHandler] > 8
    for answer in answers.values():
        assert answer[0]["status"] == 200
        assert b"</html>" in b"".join(part["body"] for part in answer[1:])
    names = [sorted(name for name, _ in answer[0]["headers"]) for answer in answers.values()]
    assert names[0] == names[1]


@pytest.mark.django_db(transaction=True)
def test_requests_one_after_the_other_share_threads() -> None:
    site, there = OneThread(), len(_threads._threads)
    for _ in range(10):
        asyncio.run(_ask(site))
    assert len(_threads._threads) - there < 5  # one that has just answered may not be free yet


class _Noting(OneThread):
    """Has a request's thread wait after its begin, and notes when it has ended."""

    def __init__(self) -> None:
        self.has_begun, self.may_go_on, self.has_ended = threading.Event(), threading.Event(), threading.Event()
        super().__init__()

    def _respond(self, request: ASGIRequest) -> HttpResponseBase:
        self.has_begun.set()
        self.may_go_on.wait(30)
        try:
            return super()._respond(request)
        finally:
            self.has_ended.set()


@pytest.mark.django_db(transaction=True)
def test_who_hangs_up_before_the_answer_is_sent_none_and_stays_until_the_thread_is_done() -> None:
    site, sent, body = _Noting(), list[Message](), iter([{"type": "http.request", "body": b""}])

    async def receive() -> Any:
        if (message := next(body, None)) is not None:
            return message
        await asyncio.to_thread(site.has_begun.wait, 30)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def ask() -> None:
        asking = asyncio.ensure_future(site({**_SCOPE, "headers": [(b"host", b"localhost")]}, receive, send))
        await asyncio.to_thread(site.has_begun.wait, 30)
        done, _ = await asyncio.wait({asking}, timeout=0.2)
        assert not done, "its place would be somebody else's, and its database connection is not free"
        site.may_go_on.set()
        await asking
        assert site.has_ended.is_set()

    asyncio.run(ask())
    assert not sent
