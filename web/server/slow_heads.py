"""Close connections whose request heads arrive too slowly; uvicorn itself waits for a head forever.

How it works: uvicorn is told to use this protocol (`--http`), which is its own one with a clock for each connection.
The head of a request must be there GRACE_S after the connection was opened or the head began, whatever comes first, and
is at most MOST_HEAD_BYTES long; while an earlier request has no answer yet, no time goes by. Between two requests
uvicorn's own limit holds (`--timeout-keep-alive`, 5 s). `web.server.body_limit` has the clock for bodies.

Why no server or proxy does this: of uvicorn, granian, hypercorn, nginx, haproxy and Caddy, each lets a body that began
quickly dribble for ever, or ends an honest one that takes long.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE_S = 10.0
MOST_HEAD_BYTES = 64 * 1024
LOOK_AGAIN_S = 0.2  # a server that stood still itself sees that time is over before it sees what came meanwhile
_REASONS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol for one connection, with a limit on each wait for a head."""

    grace_s = GRACE_S

    _timer: asyncio.TimerHandle | None = None
    _is_in_body = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self._is_in_body:
            return
        if self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(431)
        elif self._head_bytes:
            self._wait()  # also for blank lines between two requests, which begin none

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._is_in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_body, self._head_bytes = False, 0
        super().on_message_complete()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.grace_s, self._look)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, is_last: bool = False) -> None:
        """Refuse a late head: looked at when it may be late, and once more before it counts."""
        if self.pipeline or (self.cycle is not None and not self.cycle.response_complete):  # the client waits, not we
            self._timer = self.loop.call_later(self.grace_s, self._look)
        elif is_last:
            self._refuse(408)
        else:
            self._timer = self.loop.call_later(LOOK_AGAIN_S, self._look, True)

    def _refuse(self, status: int) -> None:
        """Send the reason, unless an earlier request's response is under way, and close."""
        self._stop_waiting()
        if self.cycle is None or self.cycle.response_complete:
            reason = _REASONS[status]
            self.transport.write(
                b"HTTP/1.1 %d %s\r\ncontent-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s"
                % (status, reason, len(reason), reason)
            )
        self.transport.close()
