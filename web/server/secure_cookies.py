"""Mark cookies of responses over TLS as Secure.

A request's scheme is what uvicorn found: its own, or what a proxy of settings.TRUSTED_PROXIES says (X-Forwarded-Proto).
So one site may be asked for over TLS by people and without it by this machine, and no setting says which.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase]


def secure_cookies(get_response: Handler) -> Handler:
    """Mark every cookie of a response over TLS as Secure; must wrap whatever sets cookies."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True
        return response

    return middleware
