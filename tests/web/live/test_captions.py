"""A waiting page's stream sends the place in the queue with its signs of life."""

import asyncio
from contextlib import aclosing
from functools import partial

import pytest
from asgiref.sync import sync_to_async
from django.db import connection

from judge.models import Status, WorkerNode
from judge.queue import waiting
from tests.web.conftest import SubmissionMaker
from tests.web.presentation.shown import mark_of
from web.live import stream
from web.presentation.pages.etag import submission_look
from web.presentation.result.sentences import place_caption

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_S = 20


def test_a_waiting_page_is_told_its_place_but_no_news_when_the_queue_moves(
    make_submission: SubmissionMaker, worker: WorkerNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 0.05)
    monkeypatch.setattr(waiting, "FRESH_S", 0.0)
    monkeypatch.setattr(waiting, "_SHARE", 0)
    first, second = (make_submission(status=Status.QUEUED) for _ in range(2))

    @sync_to_async
    def move() -> None:
        first.delete()
        connection.close()  # of this thread
        waiting.forget()

    async def watch() -> list[str]:
        shown = await sync_to_async(mark_of)(second.pk)
        caption = partial(place_caption, second.pk)
        events = stream.follow(second.channel, submission_look(second.pk), "somebody", shown, caption)
        heard = []
        async with aclosing(events):
            heard.append(await asyncio.wait_for(anext(events), PATIENCE_S))
            await move()
            heard.append(await asyncio.wait_for(anext(events), PATIENCE_S))
        return heard

    told = asyncio.run(watch())
    places = [event.removeprefix("event: still\ndata: Number ")[:14] for event in told]
    assert places == ["2 in the queue", "1 in the queue"]
