"""How often a request changes threads."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.core.handlers.asgi import ASGIHandler

from web.server.body_limit import Message
from web.server.sync_handler import OneThread


async def _ask(site: ASGIHandler) -> list[Message]:
    body, gone = iter([{"type": "http.request", "body": b""}]), asyncio.Event()
    answer: list[Message] = []

    async def receive() -> Any:
        if (message := next(body, None)) is None:
            await gone.wait()
        return message

    async def send(message: Message) -> None:
        answer.append(message)

    scope = {"type": "http", "method": "GET", "path": "/login/", "query_string": b""}
    await site({**scope, "headers": [(b"host", b"localhost")]}, receive, send)
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
    assert needed[OneThread] <= 4  # the signals of its begin and its end, and all between
    assert needed[ASGIHandler] > 2 * needed[OneThread]
    for answer in answers.values():
        assert answer[0]["status"] == 200
        assert b"</html>" in b"".join(part["body"] for part in answer[1:])
    names = [sorted(name for name, _ in answer[0]["headers"]) for answer in answers.values()]
    assert names[0] == names[1]
