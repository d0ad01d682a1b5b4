"""The sessions of `web.identity.sessions` are those of Django."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from web.identity.sessions import SessionStore

pytestmark = pytest.mark.django_db


def _kept() -> str:
    """Return the key of a session that a browser has."""
    kept = SessionStore()
    kept["word"] = {"a": [1, "\u00e9"]}
    kept.save()
    assert kept.session_key
    return kept.session_key


@pytest.mark.parametrize("store", [SessionStore, db.SessionStore])
def test_a_session_is_read_by_its_key(store: type[db.SessionStore]) -> None:
    key = _kept()
    read = store(key)
    assert read["word"] == {"a": [1, "\u00e9"]}
    assert read.session_key == key
    assert not read.modified


@pytest.mark.parametrize("store", [SessionStore, db.SessionStore])
@pytest.mark.parametrize("is_there", [True, False])
def test_one_that_expired_or_never_was_is_empty_and_its_key_is_forgotten(
    store: type[db.SessionStore], is_there: bool
) -> None:
    key = _kept() if is_there else "0" * 32
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    read = store(key)
    assert read.get("word") is None
    assert read.session_key is None


def test_the_site_uses_it(client: Client) -> None:
    assert isinstance(client.session, SessionStore)
