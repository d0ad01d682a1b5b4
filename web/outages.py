"""What a page says while the database or the package storage does not answer: 503, and when to ask again.

Likewise when a package that a row names is damaged or gone: that is ours to repair, and the log says which one it is.
"""

import logging

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from problems.store import PackageMissing, StoreUnavailable

RETRY_AFTER_S = 10
_logger = logging.getLogger(__name__)


class Outages(MiddlewareMixin):
    """Middleware. What else goes wrong in a view is a 500."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page instead of an answer, when the reason is a service that is away."""
        if not isinstance(exception, OperationalError | InterfaceError | StoreUnavailable | PackageMissing):
            return None
        page = request.resolver_match.url_name if request.resolver_match else None  # a path may hold a link's token
        _logger.error("%s %s is answered 503: %s", request.method, page or "other", exception)
        response = render(request, "errors/503.html", status=503)
        response["Retry-After"] = str(RETRY_AFTER_S)
        response["Cache-Control"] = "no-store"
        return response
