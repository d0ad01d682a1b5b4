"""Is the site up? For a supervisor's probe."""

from django.db import connection
from django.http import HttpRequest, JsonResponse


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers; otherwise Django's 500, which is what a probe wants to see."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"ok": True})
