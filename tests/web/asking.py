"""One request to an ASGI application, past any server."""

import asyncio
from typing import Any

from web.server.body_limit import Message

COMPLETE: Message = {"type": "http.request", "body": b"", "more_body": False}


class Asked:
    """Sends one request, piece by piece, and takes what is answered."""

    def __init__(
        self, site: Any, path: str, *pieces: Message, method: str = "GET", cookie: str = "", encoding: str = ""
    ) -> None:
        self.said: list[Message] = []
        self._pieces: asyncio.Queue[Message] = asyncio.Queue()
        for piece in pieces or (COMPLETE,):
            self.say(piece)
        scope = {"type": "http", "method": method, "path": path, "query_string": b"", "client": ("127.0.0.1", 1)}
        sent = [(b"host", b"localhost"), (b"cookie", cookie.encode()), (b"accept-encoding", encoding.encode())]
        self.serving = asyncio.create_task(site({**scope, "headers": sent}, self._pieces.get, self._take))

    def say(self, piece: Message) -> None:
        """Send one piece more."""
        self._pieces.put_nowait(piece)

    @property
    def status(self) -> int | None:
        """Of the answer, if it has begun."""
        return int(self.said[0]["status"]) if self.said else None

    @property
    def body(self) -> bytes:
        """What has come of it."""
        return b"".join(message.get("body", b"") for message in self.said)

    async def _take(self, message: Message) -> None:
        self.said.append(message)
