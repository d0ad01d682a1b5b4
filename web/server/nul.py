"""Keep NUL characters in addresses and cookies away from views: PostgreSQL accepts none.

Fields of forms refuse it themselves, each with its own sentence (Django's ProhibitNullCharactersValidator).
"""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase]


def refuse_nul(get_response: Handler) -> Handler:
    """Answer 404 to a NUL in the path and 400 in the query; must stand before any database access."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info:
            raise Http404
        if any("\0" in text for name, values in request.GET.lists() for text in (name, *values)):
            raise BadRequest("the query holds a NUL")
        for name in [name for name, value in request.COOKIES.items() if "\0" in value]:
            del request.COOKIES[name]  # `"\000"` in the header: none of ours, and a page must still open
        return get_response(request)

    return middleware
