"""Pages for operators: the workers and overdue rows, readiness, and the metrics."""

from collections.abc import Callable

from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric

from judge.models import KINDS
from judge.observability.counting import kind_of
from judge.queue import stuck
from web import access
from web.operations import process_counters
from web.operations.metrics import WholeTally, of_rows
from web.operations.readiness import Probe, examine
from web.presentation.setter.workers import queues_shown, workers_shown

_KINDS = {kind_of(kind): kind for kind in KINDS}


@never_cache
def workers(request: HttpRequest) -> HttpResponse:
    """Show every worker: its capabilities, its self-test's results, its current work."""
    context = {"workers": workers_shown(), "queues": queues_shown(), "nav": "workers"}
    return render(request, "operations/workers.html", context)


@never_cache
def stuck_work(request: HttpRequest) -> HttpResponse:
    """Show work that is unfinished for longer than expected, and work that ended as JE."""
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


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as this process answers at all: nothing else is asked, so a restart would help where not."""
    return JsonResponse({"ok": True})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when this process can take submissions and show pages, else 503; name what is missing or degraded."""
    health = examine(is_hurried=isinstance(request, ASGIRequest))  # the tests' client keeps its connection
    return JsonResponse(health.as_json(), status=200 if health.is_ready else 503)


_REFUSAL = (
    "Set TALLY_METRICS_TOKEN and send it as a bearer token; without one only this machine itself may read this.\n"
)


def _tally(look: Callable[[], list[Metric]]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(WholeTally(look))
    return registry


_PATIENT = _tally(of_rows)  # the tests' client keeps its connection
_HURRIED = _tally(Probe[list[Metric]](of_rows, silent=[]).found)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return everything, in the text format of Prometheus."""
    if not access.may_read_metrics(request):
        return HttpResponse(_REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    whole = _HURRIED if isinstance(request, ASGIRequest) else _PATIENT
    return HttpResponse(generate_latest(whole) + process_counters.told(), content_type=CONTENT_TYPE_LATEST)
