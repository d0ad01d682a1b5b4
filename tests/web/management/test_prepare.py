"""`manage.py prepare` and the encoding of the database."""

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "not_unicode"


def test_a_database_that_is_not_unicode_is_refused_by_its_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {**connection.get_connection_params(), "cursor_factory": psycopg.Cursor}
    with psycopg.connect(**given, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {NAME} ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0")
        try:
            connection.close()
            monkeypatch.setitem(connection.settings_dict, "NAME", NAME)
            with pytest.raises(CommandError, match=r"^The encoding of the database is SQL_ASCII, but must be UTF8"):
                call_command("prepare")
            connection.close()
        finally:
            server.execute(f"DROP DATABASE {NAME}")
