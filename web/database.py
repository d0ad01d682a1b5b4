"""Timeouts between the database and its clients, so that a vanished host blocks nobody else for long.

How it works: libpq notices within half a minute that PostgreSQL's host is gone, and PostgreSQL that a client's is. A
client that is there but says nothing in the middle of a transaction loses its connection after IDLE_S, and with it the
locks that others wait for. On a Unix socket both live on one host, and what is about TCP does nothing.
"""

from collections.abc import Mapping
from typing import Any

IDLE_S = 30  # in a transaction; who must wait longer for something else sets it for that transaction
_CLIENT = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_SERVER = {
    "idle_in_transaction_session_timeout": f"{IDLE_S}s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30s",
}


def with_timeouts(given: Mapping[str, Any]) -> dict[str, Any]:
    """Add these timeouts to Django's connection settings; those in the database's address stay."""
    own = given.get("OPTIONS", {})
    ours = " ".join(f"-c {name}={value}" for name, value in _SERVER.items())
    options = f"{ours} {own.get('options', '')}".strip()  # of what is said twice the last word counts
    return {**given, "OPTIONS": {**_CLIENT, **own, "options": options}}
