"""Addresses that only change something. They have no page of their own, but a browser can stand there.

It does after a mistake in the form, and after signing in on the way to it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import reverse

View = Callable[..., HttpResponseBase]


def posted_from(page: str, parameter: str = "") -> Callable[[View], View]:
    """A view for POST only; whoever loads its address gets the page that has the form.

    `page` is the name of that page's address, which may need one `parameter` of the view's. Whether the reader may see
    it is for the page to say.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **parameters: Any) -> HttpResponseBase:
            if request.method == "POST":
                return view(request, **parameters)
            if request.method in ("GET", "HEAD"):
                return redirect(reverse(page, kwargs={parameter: parameters[parameter]} if parameter else None))
            return HttpResponseNotAllowed(["POST"])

        return checked

    return decorate
