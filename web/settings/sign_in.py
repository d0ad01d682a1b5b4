"""Translate the variables for mail and OpenID Connect to Django's and allauth's settings.

TALLY_SMTP_URL has the form `smtps://user:password@host:465`: `smtps` is TLS from the start, `smtp` is STARTTLS, and
`smtp+plain` sends everything in clear. Without it mail is printed to the log.
"""

from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from web.settings import environment

PROVIDER_ID = "openid"  # what rows of connected identities name
MAIL_TIMEOUT_S = 10
_PORTS = {"smtps": 465, "smtp": 587, "smtp+plain": 25}


@environment.gathered(lambda: {})
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
        raise ImproperlyConfigured(
            "TALLY_SMTP_URL must be smtps://user:password@host:port, or begin with smtp:// or smtp+plain://"
        )
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


@environment.gathered(lambda name: {})
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
    app = {
        "provider_id": PROVIDER_ID,
        "name": name,
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": server.rstrip("/")},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
