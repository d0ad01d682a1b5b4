"""Server-sent events: the stream of news about one page's work.

How it works: a stream joins the process's hub (`web.live.hub`), which subscribes to the work's Redis channel
(`judge.queue.wakeup.announce`) and then looks at the rows, so that nothing is lost between the page's rendering and the
subscription. "news" says that there is something else to show than the page shows; the page then fetches its changing
part. Two kinds of content travel here: where "news" would be late, "verdict" brings the verdict before it, and
"caption" is a sentence that changes too often for news, such as the place in the queue, in the reader's language.
"still" is a sign of life every SIGN_OF_LIFE_S. The stream ends with "finished" when nothing more will come, with
"unavailable" when the database does not answer or too many streams are open, of everybody or of this reader: the page
then asks every two seconds. After about LONGEST_S it just ends, and the browser opens the next one. While Redis is away
the hub looks at the rows every two seconds.

A stream that waits holds no thread and no connection to Redis or the database.
"""

import random
import time
from collections.abc import AsyncGenerator, Callable
from functools import partial

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import get_language, override

from web.live.hub import NEWS, Caption, HubFullError, Stream, hub
from web.live.shared_look import DONE, Look

SIGN_OF_LIFE_S = 10.0
LONGEST_S = 600.0


def _event(name: str, data: str = "") -> str:
    return f"event: {name}\ndata: {data}".rstrip() + "\n\n"


_STILL, _FINISHED, _UNAVAILABLE = map(_event, ("still", "finished", "unavailable"))


def event_stream(
    request: HttpRequest, channel: str, look: Look, caption: Caption | None = None
) -> StreamingHttpResponse:
    """Return the stream as a response to `request.user`, who is known and may read the channel's subject.

    The page says by `?shown=` which mark it was rendered with, if it knows.
    """
    said = partial(_in_language, get_language(), caption) if caption else None
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = follow(channel, look, _reader(request), request.GET.get("shown") or None, said)
    return StreamingHttpResponse(events, content_type="text/event-stream", headers=headers)


def while_it_may_change(may_change: Callable[[], bool]) -> Look:
    """Return a query for pages without a mark: every result is news until nothing more will come."""
    return lambda: str(time.monotonic_ns()) if may_change() else DONE


def _in_language(language: str | None, caption: Caption) -> str:
    with override(language):
        return caption()


async def follow(
    channel: str, look: Look, reader: str, shown: str | None = None, caption: Caption | None = None
) -> AsyncGenerator[str, None]:
    """Yield the events of one stream, for a reader's page that shows the mark `shown`, until `look` returns DONE."""
    joined = hub()
    try:
        stream = joined.join(channel, look, reader, shown, caption)
    except HubFullError:
        yield _UNAVAILABLE
        return
    try:
        async for event in _events(stream):
            yield event
    finally:
        joined.leave(stream)


async def _events(stream: Stream) -> AsyncGenerator[str, None]:
    deadline = time.monotonic() + LONGEST_S * random.uniform(0.9, 1.1)  # noqa: S311 - they do not all end together
    while (left := deadline - time.monotonic()) > 0:
        events = await stream.events(within_s=min(left, SIGN_OF_LIFE_S))
        for name, data in events.items():
            yield _event(name, data)
        if NEWS in events:
            if stream.shown == DONE:
                yield _FINISHED
                return
        elif stream.channel.is_failing:
            yield _UNAVAILABLE
            return
        elif not events:
            yield _STILL


def _reader(request: HttpRequest) -> str:
    """Return the stream's reader: the account, or the address if nobody is signed in."""
    return f"account {request.user.pk}" if request.user.pk else f"address {request.META.get('REMOTE_ADDR')}"
