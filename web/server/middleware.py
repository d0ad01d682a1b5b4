"""Middleware of ours: cookies over TLS, compressed pages, NUL characters, connections given back, outages."""

import logging
from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.core.handlers.asgi import ASGIRequest
from django.db import InterfaceError, OperationalError, close_old_connections
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from problems.store.store import PackageMissing, StoreUnavailable
from web.server.database_watch import database_watch

RETRY_AFTER_S = 10
_logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]


def give_back(get_response: Handler) -> Handler:
    """Return the database connection before the response is sent: a slow reader or a live page holds none."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        try:
            return get_response(request)
        finally:
            if isinstance(request, ASGIRequest):  # the tests' client keeps its connection
                close_old_connections()

    return middleware


def secure_cookies(get_response: Handler) -> Handler:
    """Mark every cookie of a response over TLS as Secure; must wrap whatever sets cookies.

    A request's scheme is what uvicorn found: its own, or what a proxy of settings.TRUSTED_PROXIES says
    (X-Forwarded-Proto). So one site may be asked for over TLS by people and without it by this machine.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.is_secure():
            for cookie in response.cookies.values():
                cookie["secure"] = True
        return response

    return middleware


class CompressedPages(GZipMiddleware):
    """Compresses every answer but streams: live pages' events go out one by one, and long downloads as they are made.

    Why that is safe: whoever wants to guess a secret from the length of compressed answers (BREACH) needs many of them,
    in the reader's name. The cookie of a session is SameSite=Lax, so another site gets them only by opening page after
    page before the reader's eyes. Each one has its CSRF token masked anew, and up to 100 random bytes from Django.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return response if response.streaming else super().process_response(request, response)


def refuse_nul(get_response: Handler) -> Handler:
    """Answer 404 to a NUL in the path and 400 in the query, before any database access: PostgreSQL accepts none.

    Fields of forms refuse it themselves, each with its own sentence (Django's ProhibitNullCharactersValidator).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info:
            raise Http404
        if any("\0" in text for name, values in request.GET.lists() for text in (name, *values)):
            raise BadRequest("the query holds a NUL")
        for name in [name for name, value in request.COOKIES.items() if "\0" in value]:
            del request.COOKIES[name]  # `"\000"` in the header: none of ours, and a page must still open
        return get_response(request)

    return middleware


class Outages(MiddlewareMixin):
    """Answers 503 with a retry time while the database or the package storage is away; another failure is a 500.

    Likewise when a package that a row names is damaged or gone: that is ours to repair, and the log says which one.
    """

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the 503 page if the exception means that a service is away."""
        if not isinstance(exception, OperationalError | InterfaceError | StoreUnavailable | PackageMissing):
            return None
        if isinstance(exception, OperationalError | InterfaceError) and isinstance(request, ASGIRequest):
            database_watch.suspect()  # the tests' client has nobody who waits behind it
        page = request.resolver_match.url_name if request.resolver_match else None  # a path may hold a link's token
        _logger.error("%s %s is answered 503: %s", request.method, page or "other", exception)
        response = render(request, "errors/503.html", status=503)
        response["Retry-After"] = str(RETRY_AFTER_S)
        response["Cache-Control"] = "no-store"
        return response
