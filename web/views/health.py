"""Is the site up, and can it do its work? For supervisors and load balancers."""

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from web.readiness import examine


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as this process answers at all: nothing else is asked, so a restart would help where not."""
    return JsonResponse({"ok": True})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when this process can take submissions and show pages, else 503; what is missing or degraded by name."""
    found = examine(is_hurried=isinstance(request, ASGIRequest))  # the tests' client keeps its connection
    return JsonResponse(found.as_json(), status=200 if found.is_ready else 503)
