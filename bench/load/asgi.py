"""Send a request to the site without a server: call its ASGI application as uvicorn does."""

import asyncio
from collections.abc import Callable, Iterable

from web.server.body_limit import Application, Message


class Exchange:
    """A request and its response so far: `status`, `headers`, each piece of the body to `take`."""

    def __init__(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Iterable[tuple[bytes, bytes]] = (),
        body: bytes = b"",
        take: Callable[[bytes], object] = len,
    ) -> None:
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self._take = take
        self._left = asyncio.Event()
        self._asked: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        bare, _, query = path.partition("?")
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "method": method,
            "path": bare,
            "raw_path": bare.encode(),
            "query_string": query.encode(),
            "client": ("127.0.0.1", 0),  # who may read the metrics
            "headers": [(b"host", b"localhost"), *headers],
        }

    async def go_through(self, application: Application) -> None:
        """Ask; returns when the application has answered, or given up after `leave`."""
        await application(self._scope, self._receive, self._send)

    def leave(self) -> None:
        """Hang up."""
        self._left.set()

    async def _receive(self) -> Message:
        if self._asked:
            return self._asked.pop()
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message["headers"])
        elif body := message.get("body", b""):
            self._take(body)
