"""What staff look at when something is slow or stuck: the workers, and what should be done by now."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge import stuck
from judge.counting import kind_of
from judge.models import KINDS
from web.presentation.workers import queues_shown, workers_shown
from web.readiness import examine
from web.views.posted import posted_from

View = Callable[..., HttpResponse]
_KINDS = {kind_of(kind): kind for kind in KINDS}


def _for_staff(view: View) -> View:
    """Anybody else is told that there is no such page."""

    @wraps(view)
    @login_required
    def checked(request: HttpRequest, **parameters: Any) -> HttpResponse:
        if not getattr(request.user, "is_staff", False):
            raise Http404
        return view(request, **parameters)

    return checked


@require_GET
@never_cache
@_for_staff
def workers(request: HttpRequest) -> HttpResponse:
    """Every worker: what it has, what its self-test found, what it does."""
    context = {"workers": workers_shown(), "queues": queues_shown(), "nav": "workers"}
    return render(request, "operations/workers.html", context)


@require_GET
@never_cache
@_for_staff
def stuck_work(request: HttpRequest) -> HttpResponse:
    """What is unfinished for longer than expected, and what ended as JE."""
    needs = [need for need in examine().needs if need.problem]
    context = {"needs": needs, "unfinished": stuck.unfinished(), "errors": stuck.judge_errors(), "nav": "workers"}
    return render(request, "operations/stuck.html", context)


@posted_from("stuck")
@_for_staff
def try_again(request: HttpRequest, kind: str, number: int) -> HttpResponse:
    """Have one row tried now."""
    if kind not in _KINDS:
        raise Http404
    if stuck.try_again(_KINDS[kind], number):
        messages.success(request, "It is in the queue and will be tried at once.")
    else:
        messages.error(request, "There was nothing to try again: it has moved on meanwhile.")
    return redirect("stuck")
