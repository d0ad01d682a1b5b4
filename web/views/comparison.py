"""Two submissions side by side."""

from django.http import Http404, HttpRequest, HttpResponse


def compare(request: HttpRequest) -> HttpResponse:
    raise Http404
