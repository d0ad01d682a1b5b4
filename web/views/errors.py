"""Error pages in the site's look. The one for 500 asks nothing of the database."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400; 413 when the form's text was larger than the server reads."""
    if isinstance(exception, RequestDataTooBig):
        return render(request, "errors/413.html", status=413)
    return render(request, "errors/400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Answer 403."""
    return render(request, "errors/403.html", status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 to a form whose token is missing or old."""
    return render(request, "errors/403_csrf.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404, the same for a missing object and for one that the user may not see."""
    return render(request, "errors/404.html", status=404)


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Answer 429 above a limit of allauth's."""
    return render(request, "errors/429.html", status=429)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500."""
    return render(request, "errors/500.html", status=500)
