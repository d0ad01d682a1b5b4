"""The pool of a web process's database connections, and the turns of its requests."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest
from django.db import Error, connection
from django.db.backends.postgresql.base import DatabaseWrapper

from tests.conftest import OwnServer
from web.body_limit import Message
from web.connections import pool
from web.turns import Turns

PATIENCE_S = 60
Scope = dict[str, Any]


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[dict[str, Any]]:
    """Settings of the tests' database with a pool of two; the pool is closed after the test."""
    mine = deepcopy(connection.settings_dict)
    pool(mine, 2)
    yield mine
    DatabaseWrapper(mine, alias="pooled").close_pool()


def _backend(mine: dict[str, Any]) -> int:
    """What a thread of a request does: ask, and give the connection back. The id of the server's process."""
    own = DatabaseWrapper(mine, alias="pooled")
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid(), pg_sleep(0.05)")
            return int(cursor.fetchone()[0])
    finally:
        own.close_if_unusable_or_obsolete()


def test_many_threads_share_few_connections(pooled: dict[str, Any]) -> None:
    with ThreadPoolExecutor(12) as threads:
        asked = list(threads.map(_backend, [pooled] * 12))
    assert 1 <= len(set(asked)) <= 2


def test_the_pool_heals_after_a_restart_of_postgres(pooled: dict[str, Any], breakable_postgres: OwnServer) -> None:
    before = _backend(pooled)
    connection.close()
    breakable_postgres.stop()
    with pytest.raises(Error):
        _backend(deepcopy(pooled) | {"OPTIONS": pooled["OPTIONS"] | {"pool": False}})
    breakable_postgres.start()
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            assert _backend(pooled) != before
            break
        except Error:
            assert time.monotonic() < deadline


class _Site:
    """An application that answers when it is told to, and counts who is at work."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_answer: dict[str, asyncio.Event] = {}
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        path = scope["path"]
        while (await receive()).get("more_body"):
            pass
        self.begun.append(path)
        await self.may_answer.setdefault(path, asyncio.Event()).wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.may_end.wait()

    def answer(self, path: str) -> None:
        self.may_answer.setdefault(path, asyncio.Event()).set()


async def _nobody(_: Message) -> None:
    """Takes an answer."""


def _asked(turns: Turns, path: str) -> "asyncio.Task[None]":
    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    return asyncio.create_task(turns({"type": "http", "path": path}, receive, _nobody))


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_request_waits_for_its_turn_and_pages_wait_for_people() -> None:
    async def ask() -> None:
        site = _Site()
        turns = Turns(site, 1)
        asked = []
        for path in ("/a", "/submissions/1/live", "/b", "/c"):
            asked.append(_asked(turns, path))
            await _settle()
        assert site.begun == ["/a"]
        asked[2].cancel()  # its client has gone
        site.answer("/a")  # which is not at its end: its reader is slow
        await _settle()
        assert site.begun == ["/a", "/c"]
        site.answer("/c")
        await _settle()
        assert site.begun == ["/a", "/c", "/submissions/1/live"]
        site.answer("/submissions/1/live")
        site.may_end.set()
        await asyncio.gather(*asked, return_exceptions=True)

    asyncio.run(ask())


def test_a_body_that_comes_slowly_takes_nobodys_turn() -> None:
    async def ask() -> None:
        site = _Site()
        turns = Turns(site, 1)
        pieces: asyncio.Queue[Message] = asyncio.Queue()
        await pieces.put({"type": "http.request", "body": b"half", "more_body": True})
        slow = asyncio.create_task(turns({"type": "http", "path": "/slow"}, pieces.get, _nobody))
        await _settle()
        quick = _asked(turns, "/quick")
        await _settle()
        assert site.begun == ["/quick"]
        await pieces.put({"type": "http.request", "body": b"half", "more_body": False})
        await _settle()
        assert site.begun == ["/quick"]
        site.answer("/quick")
        await _settle()
        assert site.begun == ["/quick", "/slow"]
        site.answer("/slow")
        site.may_end.set()
        await asyncio.gather(slow, quick)

    asyncio.run(ask())


def test_a_request_that_fails_ends_its_turn() -> None:
    async def ask() -> None:
        async def fails(scope: Scope, receive: Any, send: Any) -> None:
            await receive()
            raise LookupError

        turns = Turns(fails, 1)
        for _ in range(3):
            with pytest.raises(LookupError):
                await _asked(turns, "/")

    asyncio.run(ask())
