"""Hundreds of live pages at once, through the site's ASGI application, and nothing left when they are gone."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test import Client
from pytest_django import Settings

from bench.load.asgi import Exchange
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.queue import wakeup
from tests.waiting import until
from web.asgi import application
from web.live import hub

pytestmark = pytest.mark.django_db(transaction=True)

STREAMS, SUBMISSIONS = 300, 30
FINISHED = b"event: finished\ndata:\n\n"
SubmissionMaker = Callable[..., Submission]


class _Page:
    """One browser's live page."""

    def __init__(self, submission: Submission, cookie: str) -> None:
        self.heard = bytearray()
        headers = [(b"cookie", f"sessionid={cookie}".encode())]
        exchange = Exchange(f"/submissions/{submission.pk}/events", headers=headers, take=self.heard.extend)
        self.leave = exchange.leave
        self.serving = asyncio.create_task(exchange.go_through(application))


@sync_to_async
def _finish(submission: Submission) -> None:
    Submission.objects.filter(pk=submission.pk).update(status=Status.DONE, verdict=Verdict.AC)
    connection.close()  # of this thread
    wakeup.announce(submission, "GradingFinished")


def _subscribed() -> int:
    with wakeup._client() as client:
        return len(client.pubsub_channels("submission:*"))


@pytest.mark.thorough
def test_hundreds_of_pages_are_followed_and_nothing_is_left_of_them(
    make_submission: SubmissionMaker, as_student: Client, settings: Settings
) -> None:
    settings.MOST_STREAMS_PER_READER = STREAMS
    submissions = [make_submission(status=Status.JUDGING) for _ in range(SUBMISSIONS)]
    cookie = as_student.cookies["sessionid"].value

    async def watch() -> None:
        before = asyncio.all_tasks()
        threads = threading.active_count()
        pages = [_Page(submissions[number % SUBMISSIONS], cookie) for number in range(STREAMS)]
        await until(lambda: all(b"event: news" in page.heard for page in pages), "all hear news")
        assert threading.active_count() - threads < 20, "a stream that waits has no thread"
        assert await asyncio.to_thread(_subscribed) == SUBMISSIONS
        told = pages[::SUBMISSIONS]
        await _finish(submissions[0])
        await until(lambda: all(page.heard.endswith(FINISHED) for page in told), "they hear the end")
        assert sum(b"finished" in page.heard for page in pages) == len(told)
        for page in pages:
            page.leave()
        await asyncio.gather(*(page.serving for page in pages))
        await until(lambda: asyncio.all_tasks() == before, "all tasks end")
        assert not hub._hubs
        await until(lambda: _subscribed() == 0, "no subscription is left")

    asyncio.run(watch())


def test_streams_are_counted_by_account(
    make_submission: SubmissionMaker, as_student: Client, as_staff: Client, settings: Settings
) -> None:
    settings.MOST_STREAMS_PER_READER = 1
    submission = make_submission(status=Status.JUDGING)
    mine, staffs = (client.cookies["sessionid"].value for client in (as_student, as_staff))

    async def watch() -> None:
        first = _Page(submission, mine)
        await until(lambda: b"event: news" in first.heard, "the first page hears news")
        second, other = _Page(submission, mine), _Page(submission, staffs)
        await until(lambda: b"event: unavailable" in second.heard, "the second page is told to poll")
        await until(lambda: b"event: news" in other.heard, "somebody else's page hears news")
        for page in (first, second, other):
            page.leave()
            await page.serving

    asyncio.run(watch())
