"""A Django ASGI handler that answers a request in one thread from its first signal to its last.

How it works: Django itself goes back and forth between the event loop and the request's thread: for the signals of its
begin and its end, and for each middleware. Each time costs CPU time, and a wait for whoever has the interpreter just
then: about 2 ms of a request in sum. Nothing here waits for anything but the database, so all of it is called as under
WSGI. What an asynchronous view returns is still streamed by the event loop.

The threads are used again, as under WSGI, since a new one for each request costs more than the simplest answer. There
are as many as there were requests at work at once, which `web.server.request_limit` bounds: a request whose client hung
up is over when its thread is, since that keeps a database connection, and may still read the body.

The site's language is set before the chain: Django finds out which one it is for every sentence of a page, and where
none was set that costs more than the sentence. A middleware may set another one.

Source: `ASGIHandler` of Django 5.2, whose steps these are.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import ContextVar
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest, get_script_prefix
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix
from django.utils.translation import activate

from web.server.body_limit import Receive, Send

_MOST_THREADS = 1_000  # more than there can be requests: none waits for another one's thread
_begun: ContextVar[list["Future[Any]"]] = ContextVar("_begun")  # what the threads do for the request of this task


class _Threads(ThreadPoolExecutor):
    """Notes for each request what it gives to threads."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> "Future[Any]":
        """Give it to a thread."""
        begun = super().submit(work, *args, **named)
        _begun.get([]).append(begun)
        return begun


_threads = _Threads(_MOST_THREADS, thread_name_prefix="request")


class OneThread(ASGIHandler):
    """The handler. Set up Django before creating one."""

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain of synchronous middleware."""
        super().load_middleware(is_async=False)
        self._in_a_thread = sync_to_async(self._respond, thread_sensitive=False, executor=_threads)

    async def handle(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; a client that hangs up cancels what an asynchronous view does."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        set_script_prefix(get_script_prefix(scope))
        begun = list["Future[Any]"]()
        _begun.set(begun)
        with closing(body):
            answering = asyncio.create_task(self._answer(scope, body, send))
            listening = asyncio.create_task(self.listen_for_disconnect(receive))
            tasks = (answering, listening)
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError, RequestAborted):
                    await task
            await asyncio.gather(*map(asyncio.wrap_future, begun), return_exceptions=True)

    async def _answer(self, scope: dict[str, Any], body: Any, send: Send) -> None:
        request, refusal = self.create_request(scope, body)
        response = refusal if request is None else await self._in_a_thread(request)
        assert response is not None, "there is a request or a refusal"
        try:
            with suppress(asyncio.CancelledError):  # an answer that nobody waits for still has to be closed
                await self.send_response(response, send)
        finally:
            if response.streaming:
                await sync_to_async(response.close, thread_sensitive=False, executor=_threads)()

    def _respond(self, request: ASGIRequest) -> HttpResponseBase:
        """Return the answer to a request, closed unless it is streamed."""
        signals.request_started.send(sender=self.__class__, scope=request.scope)
        activate(settings.LANGUAGE_CODE)
        response = self.get_response(request)
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
        return response
