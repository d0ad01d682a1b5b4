"""The metrics, for Prometheus."""

from collections.abc import Callable

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric

from web import access, counts
from web.glance import Glance
from web.metrics import WholeTally, of_rows

_REFUSAL = (
    "Set TALLY_METRICS_TOKEN and send it as a bearer token; without one only this machine itself may read this.\n"
)


def _tally(look: Callable[[], list[Metric]]) -> CollectorRegistry:
    made = CollectorRegistry()
    made.register(WholeTally(look))
    return made


_PATIENT = _tally(of_rows)  # the tests' client keeps its connection
_HURRIED = _tally(Glance[list[Metric]](of_rows, silent=[]).found)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Everything, in the text format of Prometheus."""
    if not access.may_read_metrics(request):
        return HttpResponse(_REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    whole = _HURRIED if isinstance(request, ASGIRequest) else _PATIENT
    return HttpResponse(generate_latest(whole) + counts.told(), content_type=CONTENT_TYPE_LATEST)
