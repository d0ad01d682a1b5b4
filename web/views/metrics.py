"""The metrics, for Prometheus."""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric

from web import counts
from web.glance import Glance
from web.metrics import WholeTally, of_rows

_REFUSAL = (
    "Set TALLY_METRICS_TOKEN and send it as a bearer token; without one only this machine itself may read this.\n"
)
_PROXIED = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-IP")


def _tally(look: Callable[[], list[Metric]]) -> CollectorRegistry:
    made = CollectorRegistry()
    made.register(WholeTally(look))
    return made


_PATIENT = _tally(of_rows)  # the tests' client keeps its connection
_HURRIED = _tally(Glance[list[Metric]](of_rows, silent=[]).found)


@require_GET
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Everything, in the text format of Prometheus."""
    if not _may_read(request):
        return HttpResponse(_REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    whole = _HURRIED if isinstance(request, ASGIRequest) else _PATIENT
    return HttpResponse(generate_latest(whole) + counts.told(), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    """With a token whoever has it; without one this machine itself, but not somebody whom a proxy on it lets in."""
    if settings.METRICS_TOKEN:
        return constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}")
    if any(name in request.headers for name in _PROXIED):
        return False
    host, _ = split_domain_port(request.get_host())  # a proxy that says nothing of itself passes the name asked for
    try:
        return host in settings.LOOPBACK_HOSTS and ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
