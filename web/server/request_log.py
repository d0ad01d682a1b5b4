"""Request logging: an id and a log line for every request, and the web tier's own metrics.

How it works: a layer around the ASGI application. A request's id comes from the proxy's header X-Request-ID or is made
here; it is in the answer and in every line that is logged meanwhile. Addresses appear by their names only, never with
what a link holds. Latency is the time until the answer begins: live pages stay open for minutes.
"""

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from judge.observability import logs
from web.addresses import named
from web.operations.process_counters import REQUESTS, SECONDS
from web.server.body_limit import Application, Message, Receive, Send

_METHODS = {"GET", "HEAD", "POST"}
_QUIET = {"healthz", "readyz", "metrics", "other"}  # probes and files of the pages
_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_logger = logging.getLogger(__name__)


class Observed:
    """Wraps an ASGI application."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        page, submission = _page(scope["path"])
        request = _request_id(scope)
        with logs.about(request=request, submission=submission):
            began = time.perf_counter()

            def answered(status: int) -> None:
                _note(page, scope["method"], status, time.perf_counter() - began)

            await self._app(scope, receive, _telling(send, request, answered))


def _telling(send: Send, request: str, answered: Callable[[int], None]) -> Send:
    async def tell(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered(message["status"])
            message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", request.encode())]}
        await send(message)

    return tell


def _note(page: str, method: str, status: int, seconds: float) -> None:
    REQUESTS.labels(page, method if method in _METHODS else "other", status).inc()
    SECONDS.labels(page).observe(seconds)
    level = logging.DEBUG if page in _QUIET else logging.INFO
    _logger.log(level, "%s %s: %s in %.1f ms", method, page, status, seconds * 1_000)


def _page(path: str) -> tuple[str, object]:
    """Return the name of the address, and its submission, if it has one."""
    name, parameters = named(path)
    return name or "other", parameters.get("submission_id")


def _request_id(scope: dict[str, Any]) -> str:
    given = next((value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"x-request-id"), "")
    return given if _ID.fullmatch(given) else secrets.token_hex(8)
