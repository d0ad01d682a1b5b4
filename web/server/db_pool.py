"""A pool of database connections for a web process, and the timeouts between the database and its clients.

How the pool works: a request gives its connection back before it is answered, so that a thread which waits for its next
request holds none. The pool has at most settings.DATABASE_POOL of them, enough for all requests that are let in at
once (`web.server.request_limit`), for live pages and for exports. Only a web process has a pool: a worker forks, and
a pool must not be shared.

How the timeouts work: a client notices within GONE_S that PostgreSQL's host is gone, by TCP alone, whether it waits for
an answer or for nothing; PostgreSQL notices within half a minute that a client's host is. A PostgreSQL that hangs still
acknowledges what TCP sends, so a web process waits for an answer for ANSWER_S at most, then closes the connection. A
client that says nothing in the middle of a transaction loses its connection after IDLE_S, and with it the locks that
others wait for. On a Unix socket both live on one host, and the TCP settings do nothing.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.abc import PQGen

ANSWER_S = 20.0  # of one statement of a web process, also of the longest export's
WAIT_S = 10.0  # for a connection; then the request fails
_TRY_AGAIN_S = 3.0  # to connect; then the next request tries anew

_ResultT = TypeVar("_ResultT")


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed when an answer takes longer than ANSWER_S; then it raises OperationalError."""

    def wait(self, gen: PQGen[_ResultT], interval: float = 0.1, timeout: float | None = None) -> _ResultT:
        """Wait as psycopg does, but not for ever."""
        try:
            return super().wait(gen, interval, ANSWER_S if timeout is None else timeout)
        except psycopg.OperationalError as error:
            if timeout is not None or self.closed or error.sqlstate is not None:  # PostgreSQL said something, or went
                raise
            self.pgconn.finish()
            raise psycopg.OperationalError(f"the database did not answer within {ANSWER_S:g} s") from error


def pool_connections() -> None:
    """Take this process's connections from a pool from now on. Call it before the first connection."""
    if settings.DATABASE_POOL:
        pool(connections.settings[DEFAULT_DB_ALIAS], settings.DATABASE_POOL)


def pool(mine: dict[str, Any], most: int) -> None:
    """Take the connections of these Django settings from a pool of this size."""
    mine["CONN_HEALTH_CHECKS"] = True  # one that a restarted PostgreSQL has closed is replaced
    mine["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": most,
        "timeout": WAIT_S,
        "reconnect_timeout": _TRY_AGAIN_S,
        "connection_class": BoundedConnection,
    }


IDLE_S = 30  # in a transaction; who must wait longer for something else sets it for that transaction
GONE_S = 15  # the sum of what follows, rounded up: idle, and then the timeout or the probes
_CLIENT = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
_SERVER = {
    "idle_in_transaction_session_timeout": f"{IDLE_S}s",
    "tcp_user_timeout": "30s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}


def with_timeouts(connection_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Add these timeouts to Django's connection settings; those in the database's address stay."""
    own = connection_settings.get("OPTIONS", {})
    ours = " ".join(f"-c {name}={value}" for name, value in _SERVER.items())
    options = f"{ours} {own.get('options', '')}".strip()  # of what is said twice the last word counts
    return {**connection_settings, "OPTIONS": {**_CLIENT, **own, "options": options}}
