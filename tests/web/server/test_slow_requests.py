"""Requests that dribble: closed, and nobody else notices; uploads over slow lines pass."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import uvicorn

from tests.waiting import PATIENCE_S
from tests.web.served import served
from web.server import body_limit
from web.server.body_limit import GRACE_S, LEAST_BYTES_PER_S, BodyLimit, Receive, Send
from web.server.slow_heads import MOST_HEAD_BYTES, BoundedProtocol

DRIBBLERS = 50
HEAD = b"POST /signup/ HTTP/1.1\r\nHost: localhost\r\n"
FORM = HEAD + b"Content-Type: application/x-www-form-urlencoded\r\n"


class Hasty(BoundedProtocol):
    """The same with little time."""

    grace_s = 0.5


MOST_GRACE_S = 1.5


@pytest.fixture(autouse=True)
def _with_little_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "tmp_path" not in request.fixturenames:  # else the whole site, in processes of its own
        monkeypatch.setattr(body_limit, "GRACE_S", Hasty.grace_s)
        monkeypatch.setattr(body_limit, "MOST_GRACE_S", MOST_GRACE_S)


class Site:
    """An application that reads the body and tells its length; `bodies` are what came to an end, -1: it did not."""

    def __init__(self) -> None:
        self.bodies: list[int] = []
        self.pause_s = 0.0  # between two pieces of a body

    async def __call__(self, scope: dict[str, object], receive: Receive, send: Send) -> None:
        size, more = 0, True
        while more:
            try:
                message = await receive()
            except Exception:
                self.bodies.append(-1)
                raise
            size, more = size + len(message["body"]), message["more_body"]
            await asyncio.sleep(self.pause_s)
        self.bodies.append(size)
        body = b"%d" % size
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _talking(site: Site) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to uvicorn with this protocol."""
    limited = BodyLimit(site, lambda _path: 1 << 30, lambda: b"")
    config = uvicorn.Config(limited, http=Hasty, ws="none", lifespan="off", log_config=None)
    config.load()
    server = uvicorn.Server(config)
    listener = await asyncio.get_running_loop().create_server(
        lambda: Hasty(config=config, server_state=server.server_state, app_state={}), "127.0.0.1", 0
    )
    reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
    try:
        yield reader, writer
    finally:
        writer.close()
        listener.close()


def talk(site: Site, say: Talk) -> None:
    """Say this to the site."""

    async def run() -> None:
        async with _talking(site) as (reader, writer):
            await asyncio.wait_for(say(reader, writer), PATIENCE_S)

    asyncio.run(run())


async def dribble(writer: asyncio.StreamWriter, reader: asyncio.StreamReader, byte: bytes) -> bytes:
    """Send this byte again and again until the site hangs up; what it said before that."""
    hears = asyncio.create_task(_heard(reader))
    while not hears.done():
        writer.write(byte)
        await asyncio.sleep(0.05)
    return hears.result()


async def _heard(reader: asyncio.StreamReader) -> bytes:
    """All that comes. Who still sends when the other side has hung up is told so by a reset."""
    said = b""
    with suppress(ConnectionResetError):
        while part := await reader.read(4_096):
            said += part
    return said


async def answer(reader: asyncio.StreamReader) -> bytes:
    """The first line and the body of one answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    return head.split(b"\r\n")[0] + b" " + await reader.readexactly(size)


@pytest.mark.parametrize(
    ("begin", "byte", "bodies"),
    [
        (b"", b"", []),
        (b"", b"\n", []),
        (b"GET / HT", b"", []),
        (b"GET / HTTP/1.1\r\nX: ", b"x", []),
        (HEAD + b"Content-Length: 9999\r\n\r\n", b"", [-1]),
        (HEAD + b"Content-Length: 9999\r\n\r\n", b"x", [-1]),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", [-1]),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;", b"x", [-1]),
        (HEAD + b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n", b"", [-1]),
    ],
)
@pytest.mark.costly
def test_request_that_dribbles_is_answered_408_and_closed(begin: bytes, byte: bytes, bodies: list[int]) -> None:
    site = Site()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(begin)
        said = await dribble(writer, reader, byte)
        assert said.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        await asyncio.sleep(0)
        assert site.bodies == bodies

    talk(site, say)


@pytest.mark.parametrize("byte", [b"", b"\n", b"\r\n"])
@pytest.mark.costly
def test_connection_that_idles_after_an_answer_is_closed(byte: bytes) -> None:
    site = Site()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await answer(reader) == b"HTTP/1.1 200 OK 0"
        assert (await dribble(writer, reader, byte))[:12] in (b"", b"HTTP/1.1 408")

    talk(site, say)


@pytest.mark.thorough
def test_upload_over_a_slow_line_passes_and_may_stand_still() -> None:
    site, parts = Site(), 40
    part = b"x" * (LEAST_BYTES_PER_S // 4)

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % (parts * len(part)))
        for number in range(parts):
            writer.write(part)
            await asyncio.sleep(2 * Hasty.grace_s if number == parts // 2 else 0.05)
        assert await answer(reader) == b"HTTP/1.1 200 OK %d" % (parts * len(part))

    talk(site, say)


def test_body_that_stops_after_much_is_closed() -> None:
    site = Site()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: 99999999\r\n\r\n" + b"x" * 1_000_000)
        assert (await dribble(writer, reader, b"x")).startswith(b"HTTP/1.1 408")

    talk(site, say)


@pytest.mark.thorough
def test_time_in_which_the_site_does_not_read_is_not_the_clients() -> None:
    site = Site()
    site.pause_s = 3 * MOST_GRACE_S
    size = 400_000

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * (size - 1))
        await asyncio.sleep(site.pause_s)
        site.pause_s = 0
        writer.write(b"x")
        assert await answer(reader) == b"HTTP/1.1 200 OK %d" % size

    talk(site, say)


@pytest.mark.thorough
def test_application_may_think_for_long() -> None:
    site = Site()
    site.pause_s = 4 * Hasty.grace_s

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            writer.write(HEAD + b"Content-Length: 3\r\n\r\nabc")
            assert await answer(reader) == b"HTTP/1.1 200 OK 3"

    talk(site, say)


def test_requests_that_come_together_are_answered_in_turn() -> None:
    site = Site()
    site.pause_s = 0.2

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((HEAD + b"Content-Length: 3\r\n\r\nabc") * 5 + b"GET / HTTP/1.1\r\n")
        for _ in range(5):
            assert await answer(reader) == b"HTTP/1.1 200 OK 3"
        assert b"408" in (await reader.read())[:16]

    talk(site, say)


@pytest.mark.thorough
def test_asking_for_a_websocket_is_a_request_like_any_other() -> None:
    site = Site()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert await answer(reader) == b"HTTP/1.1 200 OK 0"
        assert (await dribble(writer, reader, b""))[:12] in (b"", b"HTTP/1.1 408")

    talk(site, say)


def test_head_has_an_end() -> None:
    site = Site()

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * MOST_HEAD_BYTES)
        assert (await reader.read()).startswith(b"HTTP/1.1 431 ")

    talk(site, say)
    assert site.bodies == []


class Dribbler(threading.Thread):
    """A real client that sends a byte now and then until the site hangs up; `said` is what that said."""

    def __init__(self, port: int, begin: bytes) -> None:
        super().__init__(daemon=True)
        self.said = b""
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self._socket.sendall(begin)

    def run(self) -> None:
        """Dribble."""
        end = time.monotonic() + PATIENCE_S
        self._socket.settimeout(1)
        try:
            while time.monotonic() < end:
                try:
                    piece = self._socket.recv(4_096)
                except TimeoutError:
                    self._socket.sendall(b"x")
                    continue
                self.said += piece
                if not piece:
                    return
        except ConnectionError:
            pass
        finally:
            self._socket.close()


@pytest.mark.timeout(240)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis_server")
@pytest.mark.thorough
def test_fifty_that_dribble_do_not_stop_an_honest_request_and_are_closed(tmp_path: Path) -> None:
    with served(tmp_path, TALLY_WEB_PROCESSES="1", TALLY_REQUESTS_AT_ONCE="2") as site:
        begins = [HEAD + b"X: ", FORM + b"Content-Length: 900\r\n\r\nusername="]
        dribblers = [Dribbler(site.port, begins[number % 2]) for number in range(DRIBBLERS)]
        slow = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S)
        body = b"username=" + b"x" * int(1.5 * GRACE_S) * LEAST_BYTES_PER_S
        slow.sendall(FORM + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
        for dribbler in dribblers:
            dribbler.start()
        assert _asked(site.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == b"200"
        assert any(dribbler.is_alive() for dribbler in dribblers)
        for start in range(0, len(body), LEAST_BYTES_PER_S):  # longer than they are let dribble
            slow.sendall(body[start : start + LEAST_BYTES_PER_S])
            time.sleep(0.8)
        assert slow.recv(4_096).split()[1] == b"403"  # whole, and without its token
        slow.close()
        for dribbler in dribblers:
            dribbler.join(PATIENCE_S)
            assert dribbler.said.startswith(b"HTTP/1.1 408 "), dribbler.said[:100]
        assert _asked(site.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == b"200"


def _asked(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
        client.sendall(request)
        return client.recv(4_096).split()[1]
