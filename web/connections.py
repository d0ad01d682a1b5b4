"""The database connections of a web process: a pool, and when a request gives its connection back.

How it works: uvicorn runs each request in a thread of its own, so a connection that a thread keeps is of no use to the
next request, and a thousand requests at once would open a thousand. The pool has at most settings.DATABASE_POOL of
them; who comes later waits, in order. Only a web process has a pool: a worker forks, and a pool must not be shared.
"""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, close_old_connections, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

WAIT_S = 10.0  # for a connection; then the request fails
MOST_WAITING = 500
_TRY_AGAIN_S = 3.0  # to connect; then the next request tries anew

Handler = Callable[[HttpRequest], HttpResponseBase]
AsyncHandler = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def pool_connections() -> None:
    """From now on this process's connections come from a pool. To be called before it opens the first one."""
    if not settings.DATABASE_POOL:
        return
    mine = connections.settings[DEFAULT_DB_ALIAS]
    mine["CONN_HEALTH_CHECKS"] = True  # one that a restarted PostgreSQL has closed is replaced
    mine["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": settings.DATABASE_POOL,
        "timeout": WAIT_S,
        "max_waiting": MOST_WAITING,
        "reconnect_timeout": _TRY_AGAIN_S,
    }


@sync_and_async_middleware
def give_back(get_response: Handler | AsyncHandler) -> Handler | AsyncHandler:
    """Give the connection back before the answer is sent: a slow reader, or a live page, keeps none.

    Without ASGI (the tests' client) there are no answers that take long.
    """
    if not iscoroutinefunction(get_response):
        return get_response

    async def middleware(request: HttpRequest) -> HttpResponseBase:
        try:
            response: HttpResponseBase = await get_response(request)
            return response
        finally:
            await sync_to_async(close_old_connections)()

    return middleware
