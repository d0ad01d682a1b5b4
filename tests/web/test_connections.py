"""The pool of a web process's database connections."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest
from django.db import Error, connection
from django.db.backends.postgresql.base import DatabaseWrapper

from tests.conftest import OwnServer
from web.server.db_pool import pool

PATIENCE_S = 60


@pytest.fixture
def pooled(transactional_db: None) -> Iterator[dict[str, Any]]:
    """Settings of the tests' database with a pool of two; the pool is closed after the test."""
    mine = deepcopy(connection.settings_dict)
    pool(mine, 2)
    yield mine
    DatabaseWrapper(mine, alias="pooled").close_pool()


def _backend(mine: dict[str, Any]) -> int:
    """What a thread of a request does: ask, and give the connection back. The id of the server's process."""
    own = DatabaseWrapper(mine, alias="pooled")
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid(), pg_sleep(0.05)")
            return int(cursor.fetchone()[0])
    finally:
        own.close_if_unusable_or_obsolete()


def test_many_threads_share_few_connections(pooled: dict[str, Any]) -> None:
    with ThreadPoolExecutor(12) as threads:
        asked = list(threads.map(_backend, [pooled] * 12))
    assert 1 <= len(set(asked)) <= 2


def test_the_pool_heals_after_a_restart_of_postgres(pooled: dict[str, Any], breakable_postgres: OwnServer) -> None:
    before = _backend(pooled)
    connection.close()
    breakable_postgres.stop()
    with pytest.raises(Error):
        _backend(deepcopy(pooled) | {"OPTIONS": pooled["OPTIONS"] | {"pool": False}})
    breakable_postgres.start()
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            assert _backend(pooled) != before
            break
        except Error:
            assert time.monotonic() < deadline
            time.sleep(0.1)
