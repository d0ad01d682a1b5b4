"""A file as an answer goes out in pieces under ASGI, however large it is."""

import asyncio
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest

from tests.waiting import PATIENCE_S, until
from web.server.streaming import download, file_response

SIZE = 3 * 1024 * 1024


def _request() -> ASGIRequest:
    return ASGIRequest({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}, BytesIO())


def test_a_large_file_is_sent_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * SIZE)
    answer = file_response(_request(), path, name="large.bin")

    async def pieces() -> list[int]:
        return [len(piece) async for piece in answer]  # type: ignore[attr-defined]

    found = asyncio.run(pieces())
    assert sum(found) == SIZE == int(answer["Content-Length"])
    assert max(found) <= 256 * 1024


def test_a_download_does_not_end_at_an_empty_piece() -> None:
    answer = download(_request(), iter([b"a", b"", b"b"]), name="x.zip", media_type="application/zip")

    async def content() -> bytes:
        return b"".join([piece async for piece in answer])  # type: ignore[attr-defined]

    assert asyncio.run(content()) == b"ab"


class _Export:
    """Makes three pieces, each when it may."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.is_at_work = False
        self.threads: set[str] = set()

    def pieces(self) -> Iterator[bytes]:
        for _ in range(3):
            self.threads.add(threading.current_thread().name)
            self.is_at_work = True
            assert self.may_go_on.wait(PATIENCE_S)
            self.is_at_work = False
            yield b"x"

    async def content(self) -> bytes:
        answer = download(_request(), self.pieces(), name="x.csv", media_type="text/csv")
        return b"".join([piece async for piece in answer])  # type: ignore[attr-defined]


def test_only_so_many_pieces_of_downloads_are_made_at_once_and_the_others_wait() -> None:
    exports = [_Export() for _ in range(6)]

    def at_work() -> list[_Export]:
        return [each for each in exports if each.is_at_work]

    async def take_all() -> list[bytes]:
        taken = [asyncio.create_task(each.content()) for each in exports]
        await until(lambda: len(at_work()) == settings.EXPORTS_AT_ONCE, "so many are at work")
        assert await asyncio.to_thread(lambda: "a page") == "a page"  # whatever else needs a thread has one
        first, second = at_work()
        first.may_go_on.set()
        await until(lambda: len([each for each in exports if each.threads]) == 3, "the next one begins")
        assert (len(at_work()), second.is_at_work) == (settings.EXPORTS_AT_ONCE, True)
        for each in exports:
            each.may_go_on.set()
        return await asyncio.gather(*taken)

    assert asyncio.run(take_all()) == [b"xxx"] * 6
    assert len(set[str]().union(*(each.threads for each in exports))) == settings.EXPORTS_AT_ONCE
