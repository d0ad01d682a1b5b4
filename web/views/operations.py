"""What staff look at when something is slow or stuck: the workers, and what should be done by now."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge import stuck
from judge.counting import kind_of
from judge.models import KINDS
from web.presentation.workers import queues_shown, workers_shown
from web.readiness import examine

_KINDS = {kind_of(kind): kind for kind in KINDS}


@never_cache
def workers(request: HttpRequest) -> HttpResponse:
    """Every worker: what it has, what its self-test found, what it does."""
    context = {"workers": workers_shown(), "queues": queues_shown(), "nav": "workers"}
    return render(request, "operations/workers.html", context)


@never_cache
def stuck_work(request: HttpRequest) -> HttpResponse:
    """What is unfinished for longer than expected, and what ended as JE."""
    needs = [need for need in examine().needs if need.problem]
    context = {"needs": needs, "unfinished": stuck.unfinished(), "errors": stuck.judge_errors(), "nav": "workers"}
    return render(request, "operations/stuck.html", context)


def try_again(request: HttpRequest, kind: str, number: int) -> HttpResponse:
    """Have one row tried now."""
    if kind not in _KINDS:
        raise Http404
    if stuck.try_again(_KINDS[kind], number):
        messages.success(request, _("Queued again. It will be tried at once."))
    else:
        messages.error(request, _("Nothing to try again: the work has moved on meanwhile."))
    return redirect("stuck")
