"""Sending a program in."""

from django.http import Http404, HttpRequest, HttpResponse


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    raise Http404
