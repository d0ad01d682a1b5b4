"""Server-sent events: the stream of news about one page's work.

How it works: a stream joins the process's hub (`web.live.hub`), which subscribes to the work's Redis channel
(`judge.queue.wakeup.announce`) and then looks at the rows, so that nothing is lost between the page's rendering and the
subscription. "news" says that there is something else to show than the page shows; the page then fetches its changing
part. "still" is a sign of life every SIGN_OF_LIFE_S, after which the hub looks at the rows again; its data may be a
caption, a sentence in the reader's language that changes too often for news, such as the place in the queue. While
Redis is away, it comes every POLL_S. The stream ends with "finished" when nothing more will come, with "unavailable"
when the database does not answer or too many streams are open, of everybody or of this reader: the page then asks every
two seconds. After about LONGEST_S it just ends, and the browser opens the next one.

A stream that waits holds no thread and no connection to Redis or the database.
"""

import random
import time
from collections.abc import AsyncGenerator, Callable

from django.db import Error
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import get_language, override

from web.live.hub import DONE, HubFullError, Look, hub

SIGN_OF_LIFE_S = 10.0
POLL_S = 2.0
LONGEST_S = 600.0
Caption = Callable[[], str]  # may ask the database; "": none


def _event(name: str, data: str = "") -> str:
    return f"event: {name}\ndata: {data}".rstrip() + "\n\n"


_NEWS, _FINISHED, _UNAVAILABLE = map(_event, ("news", "finished", "unavailable"))


def event_stream(
    request: HttpRequest, channel: str, look: Look, caption: Caption | None = None
) -> StreamingHttpResponse:
    """Return the stream as a response to `request.user`, who is known and may read the channel's subject.

    The page says by `?shown=` which etag it was rendered with, if it knows.
    """
    language = get_language()

    def in_language() -> str:
        with override(language):
            return caption() if caption else ""

    user = request.user
    reader = f"account {user.pk}" if user.pk else f"address {request.META.get('REMOTE_ADDR')}"
    events = follow(channel, look, reader, request.GET.get("shown") or None, in_language if caption else None)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(events, content_type="text/event-stream", headers=headers)


def while_it_may_change(may_change: Callable[[], bool]) -> Look:
    """Return a query for pages without an etag: every result is news until nothing more will come."""
    return lambda: str(time.monotonic_ns()) if may_change() else DONE


async def follow(
    channel: str, look: Look, reader: str, page_etag: str | None = None, caption: Caption | None = None
) -> AsyncGenerator[str, None]:
    """Yield the events of one stream, for a reader's page that shows `page_etag`, until `look` returns DONE."""
    joined = hub()
    try:
        stream = joined.join(channel, look, reader, page_etag)
    except HubFullError:
        yield _UNAVAILABLE
        return
    try:
        deadline = time.monotonic() + LONGEST_S * random.uniform(0.9, 1.1)  # noqa: S311 - they do not all end together
        while time.monotonic() < deadline:
            if await stream.has_news(SIGN_OF_LIFE_S if joined.hears_announcements else POLL_S):
                yield _NEWS
                if stream.shown == DONE:
                    yield _FINISHED
                    return
            elif stream.channel.is_failing:
                yield _UNAVAILABLE
                return
            else:
                joined.ring(stream.channel)
                try:
                    yield _event("still", await joined.ask(caption) if caption else "")
                except Error:
                    yield _event("still")
    finally:
        joined.leave(stream)
