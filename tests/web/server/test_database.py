"""Whoever vanishes in the middle of a transaction loses its connection, and its locks with it."""

from copy import deepcopy
from typing import Any

import pytest
from django.db import InternalError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper

from problems import versions
from web.server.db_pool import pool, with_timeouts

TOLD = "SELECT name, setting FROM pg_settings WHERE name ~ 'idle_in_transaction|application_name|^work_mem'"


def told(mine: dict[str, Any]) -> dict[str, str]:
    """What the server says of a connection with these settings."""
    own = DatabaseWrapper(mine, alias="own")
    try:
        with own.cursor() as cursor:
            cursor.execute(TOLD)
            return dict(cursor.fetchall())
    finally:
        own.close()
        if own.pool:
            own.close_pool()


@pytest.fixture
def plain(transactional_db: None) -> dict[str, Any]:
    """Settings of the tests' database as its address gives them."""
    ours = deepcopy(connection.settings_dict)
    where = {name: value for name, value in ours["OPTIONS"].items() if name == "host"}  # of a Unix socket
    return ours | {"OPTIONS": where}


def with_options(mine: dict[str, Any], **own: object) -> dict[str, Any]:
    return with_timeouts(mine | {"OPTIONS": mine["OPTIONS"] | own})


@pytest.mark.parametrize("is_pooled", [False, True])
def test_every_connection_has_the_timeout(plain: dict[str, Any], is_pooled: bool) -> None:
    mine = with_timeouts(plain)
    if is_pooled:
        pool(mine, 1)
    assert told(mine)["idle_in_transaction_session_timeout"] == "30000"


def test_what_the_address_says_itself_stays(plain: dict[str, Any]) -> None:
    own = "-c work_mem=5MB -c idle_in_transaction_session_timeout=7s"
    mine = with_options(plain, options=own, application_name="me", connect_timeout=9)
    found = told(mine)
    assert (found["work_mem"], found["application_name"]) == ("5120", "me")
    assert found["idle_in_transaction_session_timeout"] == "7000"
    assert mine["OPTIONS"]["connect_timeout"] == 9


def test_the_site_and_the_workers_have_them() -> None:
    options = connection.settings_dict["OPTIONS"]
    assert options["tcp_user_timeout"] == 10_000
    assert "tcp_keepalives_idle=10" in options["options"]


def test_one_who_says_nothing_is_cut_off(plain: dict[str, Any]) -> None:
    mine = DatabaseWrapper(with_options(plain, options="-c idle_in_transaction_session_timeout=100ms"), alias="own")
    try:
        mine.set_autocommit(False)
        with mine.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(7)")
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(7), pg_advisory_unlock(7)")  # waits until it is cut off
        with pytest.raises(InternalError, match="idle-in-transaction"), mine.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        mine.close()


@pytest.mark.django_db(transaction=True)
def test_who_holds_a_package_may_take_its_time() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        versions.hold("ab" * 32)
        cursor.execute(TOLD)
        assert dict(cursor.fetchall())["idle_in_transaction_session_timeout"] == "0"
    with connection.cursor() as cursor:
        cursor.execute(TOLD)
        assert dict(cursor.fetchall())["idle_in_transaction_session_timeout"] != "0"
