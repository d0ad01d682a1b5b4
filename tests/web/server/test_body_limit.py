"""The cap on request bodies, around the application."""

import asyncio
from typing import Any

from web.server.body_limit import BodyLimit, Message, Receive, Send


class Reader:
    """An application that reads the whole body and answers 200."""

    def __init__(self) -> None:
        self.got = b""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            self.got += message.get("body", b"")
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})


def serve(parts: list[bytes], headers: list[tuple[bytes, bytes]], path: str = "/") -> tuple[int, Reader, list[bytes]]:
    """Send a body in parts; returns the status, the application, and the parts that nobody read."""
    app, left, sent = Reader(), list(parts), []

    async def receive() -> Message:
        body = left.pop(0) if left else b""
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    async def send(message: Message) -> None:
        sent.append(message)

    limited = BodyLimit(app, lambda asked: 100 if asked == "/upload" else 10, lambda: b"too large")
    asyncio.run(limited({"type": "http", "path": path, "headers": headers}, receive, send))
    return sent[0]["status"], app, left


def length(size: int) -> list[tuple[bytes, bytes]]:
    return [(b"content-length", str(size).encode())]


def test_body_of_exactly_the_cap_passes() -> None:
    status, app, _ = serve([b"01234", b"56789"], length(10))
    assert (status, app.got) == (200, b"0123456789")


def test_declared_length_over_the_cap_never_reaches_the_application() -> None:
    status, app, left = serve([b"0123456789", b"x"], length(11))
    assert (status, app.got, left) == (413, b"", [])


def test_body_without_a_length_is_counted() -> None:
    status, app, _ = serve([b"01234", b"56789", b"x"], [])
    assert (status, app.got) == (413, b"0123456789")


def test_length_that_lies_is_counted_too() -> None:
    assert serve([b"0123456789", b"x"], length(3))[0] == 413


def test_cap_depends_on_the_path() -> None:
    assert serve([b"x" * 100], length(100), "/upload")[0] == 200
    assert serve([b"x" * 101], length(101), "/upload")[0] == 413


def test_endless_body_is_not_read_for_ever() -> None:
    status, _, left = serve([b"x" * 10] * 1_000, [])
    assert status == 413
    assert len(left) > 900
