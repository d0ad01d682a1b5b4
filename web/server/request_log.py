"""Request logging: an id and a log line for every request, and the web tier's own metrics.

How it works: a layer around the ASGI application. A request's id comes from the proxy's header X-Request-ID or is made
here; it is in the answer and in every line that is logged meanwhile. Addresses appear by their names only, never with
what a link holds. Latency is the time until the answer begins: live pages stay open for minutes.
"""

import logging
import re
import secrets
import time
from collections.abc import Mapping
from typing import Any

from django.urls import Resolver404, resolve

from judge.observability import logs
from web.operations.process_counters import REQUESTS, SECONDS
from web.server.body_limit import Application, Message, Receive, Send

_METHODS = {"GET", "HEAD", "POST"}
_QUIET = {"healthz", "readyz", "metrics", "other"}  # probes and files of the pages
_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_logger = logging.getLogger(__name__)


def named(path: str) -> tuple[str, Mapping[str, object]]:
    """Return the name of the address of this path, and its parameters; "" and none for a path without a view."""
    try:
        match = resolve(path)
    except Resolver404:
        return "", {}
    return match.url_name or "", match.kwargs


class Observed:
    """Wraps an ASGI application."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, parameters = named(scope["path"])
        page = name or "other"
        sent = next((value for key, value in scope["headers"] if key.lower() == b"x-request-id"), b"")
        sent_id = sent.decode("latin-1")
        request = sent_id if _ID.fullmatch(sent_id) else secrets.token_hex(8)
        began = time.perf_counter()

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                method, status, seconds = scope["method"], message["status"], time.perf_counter() - began
                REQUESTS.labels(page, method if method in _METHODS else "other", status).inc()
                SECONDS.labels(page).observe(seconds)
                level = logging.DEBUG if page in _QUIET else logging.INFO
                _logger.log(level, "%s %s: %s in %.1f ms", method, page, status, seconds * 1_000)
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", request.encode())]}
            await send(message)

        with logs.about(request=request, submission=parameters.get("submission_id")):
            await self._app(scope, receive, tell)
