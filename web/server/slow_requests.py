"""Close connections whose requests arrive too slowly; uvicorn itself waits for a request forever.

How it works: uvicorn is told to use this protocol (`--http`), which is its own one with a clock for each connection.
The head of a request must be there GRACE_S after the connection was opened or the head began, whatever comes first, and
is at most MOST_HEAD_BYTES long. A body has GRACE_S, and each LEAST_BYTES_PER_S that come of it give it a second more,
but never more than MOST_GRACE_S from now: an upload over a slow line goes on, and may stand still for a while. While
it is the site that does not read or has an answer to give, no time goes by. Who is late is answered 408 if no answer
has begun. Between two requests uvicorn's own limit holds (`--timeout-keep-alive`, 5 s).

Source: the rule for bodies is that of Apache's mod_reqtimeout, "MinRate".
"""

import asyncio
from collections.abc import Callable

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE_S = 10.0
MOST_GRACE_S = 30.0
LEAST_BYTES_PER_S = 1024
MOST_HEAD_BYTES = 64 * 1024
_LOOK_AGAIN_S = 0.2  # a server that stood still itself sees that time is over before it sees what came meanwhile
_REASONS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large"}


class _Flow(FlowControl):
    """uvicorn's flow control, which reports when the site reads on."""

    def __init__(self, transport: asyncio.Transport, on_resume: Callable[[], None]) -> None:
        super().__init__(transport)
        self._on_resume = on_resume

    def resume_reading(self) -> None:
        """Read on, with a new deadline."""
        if self.read_paused:
            self._on_resume()
        super().resume_reading()


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol for one connection, with a limit on each wait for the client."""

    grace_s = GRACE_S
    most_grace_s = MOST_GRACE_S

    _late_at: float | None = None  # by the loop's clock; None: nothing is waited for
    _timer: asyncio.TimerHandle | None = None
    _is_in_body = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for the first request of a new client."""
        super().connection_made(transport)
        self.flow = _Flow(transport, self._give_time)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting: the client disconnected."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request, or of several."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing() or self._is_in_body:
            return
        if self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(431)
        elif self._head_bytes and self._late_at is None:
            self._wait()  # also for blank lines between two requests, which begin none

    def on_message_begin(self) -> None:
        """Note that a head begins, maybe behind another request's body."""
        super().on_message_begin()
        if self._late_at is None:
            self._wait()

    def on_headers_complete(self) -> None:
        """Note that a head is complete; its body may follow."""
        self._is_in_body = True
        self._wait()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Note a piece of a body."""
        self._late_at = self._soon(len(body) / LEAST_BYTES_PER_S)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that a request is complete."""
        self._stop_waiting()
        super().on_message_complete()

    def _wait(self) -> None:
        self._late_at = self.loop.time() + self.grace_s
        if self._timer is None:
            self._look_later(self.grace_s)

    def _stop_waiting(self) -> None:
        self._late_at, self._is_in_body, self._head_bytes = None, False, 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_time(self) -> None:
        if self._late_at is not None:
            self._late_at = max(self._late_at, self.loop.time() + self.grace_s)

    def _soon(self, more_s: float) -> float:
        now = self.loop.time()
        return min(max(self._late_at or now, now) + more_s, now + self.most_grace_s)

    def _look_later(self, seconds: float, *, is_last: bool = False) -> None:
        self._timer = self.loop.call_later(seconds, self._look, is_last)

    def _look(self, is_last: bool) -> None:
        """Close a late connection: checked when it may be late, and once more before it counts."""
        if self._late_at is None:
            return
        left_s = self._late_at - self.loop.time()
        if self.flow.read_paused or self._owes_an_answer:
            self._look_later(self.grace_s)
        elif left_s > 0:
            self._look_later(left_s)
        elif not is_last:
            self._look_later(_LOOK_AGAIN_S, is_last=True)
        else:
            self._timer = None
            self._refuse(408)

    @property
    def _owes_an_answer(self) -> bool:
        """Return whether an earlier request of this connection is complete and unanswered: the client waits, not we."""
        is_whole = self.cycle is not None and not self._is_in_body and not self.cycle.response_complete
        return is_whole or bool(self.pipeline)

    def _refuse(self, status: int) -> None:
        """Send the reason, unless a response is under way, and close."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            reason = _REASONS[status]
            self.transport.write(
                b"HTTP/1.1 %d %s\r\ncontent-type: text/plain\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s"
                % (status, reason, len(reason), reason)
            )
        self.transport.close()
        self.loop.call_later(self.grace_s, self.transport.abort)  # should the client not read what was written
