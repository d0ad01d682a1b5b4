"""A file as an answer goes out in pieces under ASGI, however large it is."""

import asyncio
from io import BytesIO
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest

from web.streaming import download, file_response

SIZE = 3 * 1024 * 1024


def test_a_large_file_is_sent_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * SIZE)
    request = ASGIRequest({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}, BytesIO())
    answer = file_response(request, path, name="large.bin")

    async def pieces() -> list[int]:
        return [len(piece) async for piece in answer]  # type: ignore[attr-defined]

    found = asyncio.run(pieces())
    assert sum(found) == SIZE == int(answer["Content-Length"])
    assert max(found) <= 256 * 1024


def test_a_download_does_not_end_at_an_empty_piece() -> None:
    request = ASGIRequest({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}, BytesIO())
    answer = download(request, iter([b"a", b"", b"b"]), name="x.zip", media_type="application/zip")

    async def content() -> bytes:
        return b"".join([piece async for piece in answer])  # type: ignore[attr-defined]

    assert asyncio.run(content()) == b"ab"
