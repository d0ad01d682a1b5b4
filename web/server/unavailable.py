"""Answer 503 with a retry time while the database or the package storage is unavailable.

Likewise when a package that a row names is damaged or gone: that is ours to repair, and the log says which one it is.
"""

import logging

from django.core.handlers.asgi import ASGIRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from problems.store.store import PackageMissing, StoreUnavailable
from web.server.database_watch import database_watch

RETRY_AFTER_S = 10
_logger = logging.getLogger(__name__)


class Outages(MiddlewareMixin):
    """Middleware. Any other failure in a view is a 500."""

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
