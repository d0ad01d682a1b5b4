"""The pool of a web process's database connections."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest
from django.db import Error, OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper

from tests.conftest import OwnServer
from web.server import db_pool
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


def test_statement_without_an_answer_fails_in_time(pooled: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db_pool, "ANSWER_S", 0.2)
    own = DatabaseWrapper(pooled, alias="pooled")
    with pytest.raises(OperationalError, match="did not answer within"), own.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(30)")
    own.close_if_unusable_or_obsolete()
    monkeypatch.undo()
    assert all(_backend(pooled) for _ in range(3)), "the pool has other connections"


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
