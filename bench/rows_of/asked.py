"""Send one request to the site without a server, through Django's ASGI application like the real one.

Its time is all that the site does: session, views, connecting to the database, rendering. What a view asks the
database, and how long that takes, is heard on the connections.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import Client

from bench.load.asgi import Exchange
from web.server.body_limit import Application


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A response and its time. `rows_ms`: until the second piece of a body, after a file's heading."""

    status: int
    size: int
    rows_ms: float
    whole_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One SQL statement."""

    sql: str
    values: Any
    took_ms: float


@dataclass(kw_only=True, slots=True)
class Ears:
    """Records the statements of every connection, once `listening`."""

    heard: list[Statement] = field(default_factory=list)
    _are_open: bool = False

    def hear(self, execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        """One statement, as a wrapper of Django's."""
        start = time.perf_counter()
        try:
            return execute(sql, values, many, context)
        finally:
            took_ms = (time.perf_counter() - start) * 1_000
            if self._are_open:  # a thread of the site keeps its connection's wrappers
                self.heard.append(Statement(sql=sql, values=values, took_ms=took_ms))

    def _wrap(self, connection: BaseDatabaseWrapper, **_: Any) -> None:
        if self.hear not in connection.execute_wrappers:
            connection.execute_wrappers.append(self.hear)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what new connections are asked."""
        connection_created.connect(self._wrap, weak=False)
        self._are_open = True
        try:
            yield
        finally:
            self._are_open = False
            connection_created.disconnect(self._wrap)


class CpuTime:
    """The CPU time of this process and of the PostgreSQL in a folder, its processes included."""

    def __init__(self, folder: Path) -> None:
        self._postmaster = (folder / "data" / "postmaster.pid").read_text().split("\n", 1)[0]

    def ms(self) -> float:
        """Return it. What a process used that has ended is not in it."""
        children = Path(f"/proc/{self._postmaster}/task/{self._postmaster}/children").read_text().split()
        return (time.process_time_ns() + sum(map(_on_cpu_ns, children))) / 1e6


def _on_cpu_ns(process: str) -> int:
    """Return the time that a process had a core: the first number of /proc/PID/schedstat."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0])
    except FileNotFoundError:
        return 0  # it has just ended


def cookie_of(user: User) -> str:
    """What a browser sends in which this user is signed in."""
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


async def get(application: Application, path: str, cookie: str, most_pieces: int | None = None) -> Answer:
    """Ask for a path, with its query string; hang up after so many pieces of the body."""
    size, arrived = 0, list[float]()

    def take(body: bytes) -> None:
        nonlocal size
        arrived.append(time.perf_counter())
        size += len(body)
        if most_pieces is not None and len(arrived) >= most_pieces:
            exchange.leave()

    exchange = Exchange(path, headers=[(b"cookie", cookie.encode())], take=take)
    start = time.perf_counter()
    await exchange.go_through(application)
    end = time.perf_counter()
    rows = arrived[1] if len(arrived) > 1 else end
    return Answer(status=exchange.status, size=size, rows_ms=(rows - start) * 1_000, whole_ms=(end - start) * 1_000)
