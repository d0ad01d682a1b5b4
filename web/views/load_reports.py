"""The pages of what was measured under load: E5 and E6, which are not started from the site."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from web.presentation.experiments.accepting import accepting
from web.presentation.experiments.load_report import LoadReport
from web.presentation.experiments.web_tier import web_tier


def experiment_web_tier(request: HttpRequest) -> HttpResponse:
    """E5, if it was measured."""
    return _page(request, web_tier())


def experiment_accepting(request: HttpRequest) -> HttpResponse:
    """E6, if it was measured."""
    return _page(request, accepting())


def _page(request: HttpRequest, report: LoadReport | None) -> HttpResponse:
    if report is None:
        raise Http404
    return render(request, "experiments/load_report.html", {"report": report, "nav": "experiments"})
