"""How many requests a web process works on at once, and who is next.

How it works: a layer around Django lets a request in when its whole body is there, and lets the next one in when its
answer begins: neither a slow sender nor a slow reader nor a live page holds anybody up. Who is not let in yet costs no
thread and no database connection. What live pages ask for by themselves comes later than what somebody clicked on, by
at most PATIENCE_S.

Source: the ASGI HTTP specification.
"""

import asyncio
import heapq
import time
from itertools import count

from web.body_limit import Application, Message, Receive, Send

PATIENCE_S = 2.0
_ASKED_BY_PAGES = ("/live", "/events")


class Turns:
    """Wraps an ASGI application. `most` requests are at work at once."""

    def __init__(self, app: Application, most: int) -> None:
        self._app = app
        self._free = most
        self._order = count()
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []

    async def __call__(self, scope: dict[str, object], receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        turn = _Turn(self, receive, send, is_patient=str(scope["path"]).endswith(_ASKED_BY_PAGES))
        try:
            await self._app(scope, turn.receive, turn.send)
        finally:
            turn.end()

    async def take(self, *, is_patient: bool) -> None:
        """Wait until there is room."""
        if self._free:
            self._free -= 1
            return
        granted = asyncio.get_running_loop().create_future()
        due = time.monotonic() + (PATIENCE_S if is_patient else 0)
        heapq.heappush(self._waiting, (due, next(self._order), granted))
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.give()  # it was let in in the same moment
            raise

    def give(self) -> None:
        """Let the next one in."""
        while self._waiting:
            _, _, granted = heapq.heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1


class _Turn:
    """One request: waits when its body is complete, ends when its answer begins."""

    def __init__(self, turns: Turns, receive: Receive, send: Send, *, is_patient: bool) -> None:
        self._turns = turns
        self._receive = receive
        self._send = send
        self._is_patient = is_patient
        self._was_let_in = self._is_at_work = False

    async def receive(self) -> Message:
        message = await self._receive()
        is_complete = message["type"] == "http.request" and not message.get("more_body", False)
        if is_complete and not self._was_let_in:
            self._was_let_in = True
            await self._turns.take(is_patient=self._is_patient)
            self._is_at_work = True
        return message

    async def send(self, message: Message) -> None:
        self.end()
        await self._send(message)

    def end(self) -> None:
        if self._is_at_work:
            self._is_at_work = False
            self._turns.give()
