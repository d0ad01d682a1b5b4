"""A submission's page, live while it is judged, and the list of one's own."""

from django.http import Http404, HttpRequest, HttpResponse


def submission_list(request: HttpRequest) -> HttpResponse:
    raise Http404


def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    raise Http404


def submission_live(request: HttpRequest, submission_id: int) -> HttpResponse:
    raise Http404


def submission_events(request: HttpRequest, submission_id: int) -> HttpResponse:
    raise Http404


def profile_case(request: HttpRequest, submission_id: int, position: int) -> HttpResponse:
    raise Http404
