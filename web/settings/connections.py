"""Translate the addresses of PostgreSQL and Redis to settings."""

from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from web.settings.environment import gathered

_POSTGRES = "DATABASE_URL must be postgresql://user:password@host/name"
_DATABASES = ("postgresql", "postgres")
_REDIS = ("redis", "rediss", "unix")


@gathered(lambda address: {"ENGINE": "django.db.backends.dummy"})
def database(address: str) -> dict[str, Any]:
    """Return Django's connection settings. Raises ImproperlyConfigured, without the address: it has a password."""
    scheme = _scheme(address)
    if scheme not in _DATABASES:
        raise ImproperlyConfigured(f"{_POSTGRES}{_not(scheme)}")
    try:
        return dict(dj_database_url.parse(address, conn_max_age=0))
    except ValueError:
        raise ImproperlyConfigured(_POSTGRES) from None


@gathered(lambda address: "")
def redis(address: str) -> str:
    """Return the address of Redis. Raises ImproperlyConfigured, without the address: it has a password."""
    scheme = _scheme(address)
    if scheme not in _REDIS:
        words = "REDIS_URL must be redis://:password@host:6379/0, or begin with rediss:// or unix://"
        raise ImproperlyConfigured(f"{words}{_not(scheme)}")
    return address


def _scheme(address: str) -> str:
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""


def _not(scheme: str) -> str:
    return f", not {scheme[:20]}://..." if scheme else ""
