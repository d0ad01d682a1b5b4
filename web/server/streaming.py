"""Stream a file, or generated pieces, as a response in bounded memory.

How it works: under ASGI, Django would read a plain file whole before it sends anything; an asynchronous iterator goes
out as it is read. Without ASGI (the tests' client) it is the other way round.

A download's pieces are made after its request has left its place (`web.server.request_limit`), and each may need the
database. So a web process has settings.EXPORTS_AT_ONCE threads for them; the pieces of further downloads wait for one,
first come first.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

_CHUNK_BYTES = 256 * 1024
_LOCKED_UP = "sandbox; default-src 'none'"  # whatever a browser makes of the bytes, it runs and loads nothing
_exporting = ThreadPoolExecutor(settings.EXPORTS_AT_ONCE, thread_name_prefix="export")


def file_response(
    request: HttpRequest, path: Path, *, name: str, media_type: str = "application/octet-stream", inline: bool = False
) -> HttpResponseBase:
    """Return the file as a response, saved as `name` unless `inline`. Its content cannot harm our pages."""
    response: HttpResponseBase
    if request.method == "HEAD":
        response = HttpResponse()
    elif isinstance(request, ASGIRequest):
        response = StreamingHttpResponse(_chunks(path))
    else:
        response = FileResponse(path.open("rb"))
    response["Content-Type"] = media_type
    response["Content-Length"] = str(path.stat().st_size)
    response["Content-Disposition"] = content_disposition_header(not inline, name) or "inline"
    response["Content-Security-Policy"] = _LOCKED_UP
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def download(request: HttpRequest, chunks: Iterator[bytes], *, name: str, media_type: str) -> HttpResponseBase:
    """Return the iterator's pieces as a response, saved as `name`."""
    is_async = isinstance(request, ASGIRequest)
    response = StreamingHttpResponse(_one_by_one(chunks) if is_async else chunks, content_type=media_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Content-Security-Policy"] = _LOCKED_UP
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response


async def _one_by_one(chunks: Iterator[bytes]) -> AsyncGenerator[bytes, None]:
    def next_chunk() -> bytes | None:
        try:
            return next(chunks, None)
        finally:
            close_old_connections()  # the next one comes in another thread; and no connection waits for a slow reader

    loop = asyncio.get_running_loop()
    while (chunk := await loop.run_in_executor(_exporting, copy_context().run, next_chunk)) is not None:
        yield chunk


async def _chunks(path: Path) -> AsyncGenerator[bytes, None]:
    file = await asyncio.to_thread(path.open, "rb")
    with file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk
