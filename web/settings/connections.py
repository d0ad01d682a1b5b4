"""Translate the addresses of other services to settings: PostgreSQL, Redis, the package storage, mail, OpenID Connect.

TALLY_PACKAGES, the storage behind the package store, has three forms: nothing (web and workers share the folder
TALLY_STORE_DIR), the path of a folder that all machines mount, and
`s3://KEY:SECRET@bucket/prefix?endpoint=http://host:port&region=name`, of which only the bucket must be there. Keys that
are not in it come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from where boto3 finds them by itself.

TALLY_SMTP_URL has the form `smtps://user:password@host:465`: `smtps` is TLS from the start, `smtp` is STARTTLS, and
`smtp+plain` sends everything in clear. Without it mail is printed to the log.
"""

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from problems.format.files import MIB
from web.settings import environment
from web.settings.environment import gathered

_POSTGRES = "DATABASE_URL must be postgresql://user:password@host/name"
_DATABASES = ("postgresql", "postgres")
_REDIS = ("redis", "rediss", "unix")
_CONNECT_S, _READ_S = 5, 30  # then the work that wanted the package goes back into the queue
_TRIES = 2
_QUERY = {"endpoint", "region"}
PROVIDER_ID = "openid"  # what rows of connected identities name
MAIL_TIMEOUT_S = 10
_PORTS = {"smtps": 465, "smtp": 587, "smtp+plain": 25}


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


@gathered(lambda: None)
def package_storage() -> dict[str, Any] | None:
    """Return the storage's entry in STORAGES; None when there is none. Raises ImproperlyConfigured."""
    address = environment.secret("TALLY_PACKAGES")
    if not address:
        return None
    if address.startswith("s3://"):
        return {"BACKEND": "problems.store.storages.BucketStorage", "OPTIONS": _s3(urlsplit(address))}
    if not Path(address).is_absolute():
        raise ImproperlyConfigured("TALLY_PACKAGES must be s3://bucket or the full path of a folder")
    return {"BACKEND": "problems.store.storages.MountedStorage", "OPTIONS": {"location": address}}


def _s3(url: SplitResult) -> dict[str, Any]:
    from botocore.config import Config  # takes its time: only where it is used

    keys, _, bucket = url.netloc.rpartition("@")
    key, _, secret = keys.partition(":")
    query = dict(parse_qsl(url.query))
    if not bucket or set(query) - _QUERY or bool(key) != bool(secret):
        raise ImproperlyConfigured(
            "TALLY_PACKAGES must look like s3://bucket/prefix?endpoint=http://host:port&region=name,"
            " with KEY:SECRET@ before the bucket if the keys are not given otherwise"
        )
    endpoint = query.get("endpoint")
    return {
        "access_key": unquote(key) or environment.secret("AWS_ACCESS_KEY_ID") or None,
        "secret_key": unquote(secret) or environment.secret("AWS_SECRET_ACCESS_KEY") or None,
        "bucket_name": bucket,
        "location": url.path.strip("/"),
        "endpoint_url": endpoint,
        "region_name": query.get("region"),
        "file_overwrite": True,  # a name stands for its content: whoever comes second writes the same
        "max_memory_size": 8 * MIB,  # of a download; what is larger waits on the disk
        "client_config": Config(
            connect_timeout=_CONNECT_S,
            read_timeout=_READ_S,
            retries={"total_max_attempts": _TRIES, "mode": "standard"},
            signature_version="s3v4",
            # other servers than Amazon's have no names of hosts per bucket, and not all know its newer check sums
            s3={"addressing_style": "path" if endpoint else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    }


@gathered(lambda: {})
def mail_settings() -> dict[str, Any]:
    """Return Django's EMAIL_ settings. Raises ImproperlyConfigured, without the password."""
    address = environment.secret("TALLY_SMTP_URL")
    if not address:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    url = urlsplit(address)
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme not in _PORTS or not url.hostname or url.path.strip("/") or url.query or port == -1:
        words = "TALLY_SMTP_URL must be smtps://user:password@host:port, or begin with smtp:// or smtp+plain://"
        raise ImproperlyConfigured(words)
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": port or _PORTS[url.scheme],
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_SSL": url.scheme == "smtps",
        "EMAIL_USE_TLS": url.scheme == "smtp",
        "EMAIL_TIMEOUT": MAIL_TIMEOUT_S,
    }


@gathered(lambda name: {})
def openid_providers(name: str) -> dict[str, Any]:
    """Return allauth's SOCIALACCOUNT_PROVIDERS: one provider, or none. Raises ImproperlyConfigured."""
    server = environment.text("TALLY_OPENID_SERVER", "")
    client = environment.text("TALLY_OPENID_CLIENT", "")
    secret = environment.secret("TALLY_OPENID_SECRET")
    if not server:
        if client or secret:
            raise ImproperlyConfigured("TALLY_OPENID_CLIENT and TALLY_OPENID_SECRET need TALLY_OPENID_SERVER")
        return {}
    url = urlsplit(server)
    if url.scheme not in {"https", "http"} or not url.hostname:
        raise ImproperlyConfigured(
            f"TALLY_OPENID_SERVER must be an address like https://id.example.org, not {server!r}"
        )
    if not client:
        raise ImproperlyConfigured("TALLY_OPENID_SERVER needs TALLY_OPENID_CLIENT, the id that the provider gave")
    address = {"server_url": server.rstrip("/")}
    app = {"provider_id": PROVIDER_ID, "name": name, "client_id": client, "secret": secret, "settings": address}
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
