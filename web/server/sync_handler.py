"""A Django ASGI handler that answers a request in one thread from its first middleware to the last.

How it works: Django itself goes back and forth between the event loop and the request's thread for each middleware.
Each time costs CPU time, and a wait for whoever has the interpreter just then: about 2 ms of a request in sum. Nothing
here waits for anything but the database, so the whole chain is called as under WSGI. What an asynchronous view returns
is still streamed by the event loop.

The site's language is set before the chain: Django finds out which one it is for every sentence of a page, and where
none was set that costs more than the sentence. A middleware may set another one.
"""

from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import activate


class OneThread(ASGIHandler):
    """The handler. Set up Django before creating one."""

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain of synchronous middleware; the event loop awaits it as a whole."""
        super().load_middleware(is_async=False)
        chain: Callable[[HttpRequest], HttpResponseBase] = self._middleware_chain  # type: ignore[has-type]

        def in_the_sites_language(request: HttpRequest) -> HttpResponseBase:
            activate(settings.LANGUAGE_CODE)
            return chain(request)

        self._middleware_chain = sync_to_async(in_the_sites_language, thread_sensitive=True)
