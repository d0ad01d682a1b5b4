"""Hundreds of live pages at once, through the site's ASGI application, and nothing left when they are gone."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from pytest_django import Settings

from judge import doorbell
from judge.models import Status, Submission
from judge.verdicts import Verdict
from web.asgi import application
from web.body_limit import Message
from web.live import hub

pytestmark = pytest.mark.django_db(transaction=True)

STREAMS, SUBMISSIONS = 300, 30
PATIENCE_S = 120
SubmissionMaker = Callable[..., Submission]


class _Page:
    """One browser's live page."""

    def __init__(self, submission: Submission, cookie: str) -> None:
        self.heard = b""
        self._gone = asyncio.Event()
        self._is_asked = False
        self._scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": f"/submissions/{submission.pk}/events",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"cookie", f"sessionid={cookie}".encode())],
            "asgi": {"version": "3.0"},
        }
        self.serving = asyncio.create_task(application(self._scope, self._receive, self._send))

    def leave(self) -> None:
        self._gone.set()

    async def _receive(self) -> Message:
        if self._is_asked:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        self._is_asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Message) -> None:
        self.heard += message.get("body", b"")


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.05)


@sync_to_async
def _finish(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(status=Status.DONE, verdict=Verdict.AC)
    connection.close()  # of this thread
    doorbell.announce(submission, "GradingFinished")


def _subscribed() -> int:
    with doorbell._client() as client:
        return len(client.pubsub_channels("submission:*"))


def test_hundreds_of_pages_are_followed_and_nothing_is_left_of_them(
    make_submission: SubmissionMaker, as_student: Client, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(hub, "NEWS_AT_ONCE", STREAMS)
    settings.MOST_STREAMS_PER_READER = STREAMS
    submissions = [make_submission(status=Status.JUDGING) for _ in range(SUBMISSIONS)]
    cookie = as_student.cookies["sessionid"].value

    async def watch() -> None:
        before = asyncio.all_tasks()
        threads = threading.active_count()
        pages = [_Page(submissions[number % SUBMISSIONS], cookie) for number in range(STREAMS)]
        await _until(lambda: all(b"event: news" in page.heard for page in pages))
        assert threading.active_count() - threads < 20, "a stream that waits has no thread"
        assert await asyncio.to_thread(_subscribed) == SUBMISSIONS
        told = pages[::SUBMISSIONS]
        await _finish(submissions[0])
        await _until(lambda: all(page.heard.endswith(b"event: finished\ndata:\n\n") for page in told))
        assert sum(b"finished" in page.heard for page in pages) == len(told)
        for page in pages:
            page.leave()
        await asyncio.gather(*(page.serving for page in pages))
        await _until(lambda: asyncio.all_tasks() == before)
        assert not hub._hubs
        await _until(lambda: _subscribed() == 0)

    asyncio.run(watch())


def test_streams_are_counted_by_account(
    make_submission: SubmissionMaker, as_student: Client, as_staff: Client, settings: Settings
) -> None:
    settings.MOST_STREAMS_PER_READER = 1
    submission = make_submission(status=Status.JUDGING)
    mine, staffs = (client.cookies["sessionid"].value for client in (as_student, as_staff))

    async def watch() -> None:
        first = _Page(submission, mine)
        await _until(lambda: b"event: news" in first.heard)
        second, other = _Page(submission, mine), _Page(submission, staffs)
        await _until(lambda: b"event: unavailable" in second.heard)
        await _until(lambda: b"event: news" in other.heard)
        for page in (first, second, other):
            page.leave()
            await page.serving

    asyncio.run(watch())
