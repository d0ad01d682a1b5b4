"""Uploading a problem package."""

from django.http import Http404, HttpRequest, HttpResponse


def upload(request: HttpRequest) -> HttpResponse:
    raise Http404
