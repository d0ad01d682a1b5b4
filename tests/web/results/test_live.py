"""An unfinished submission: what it waits for, and how the page hears of news."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import timedelta
from functools import partial

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from judge import doorbell
from judge.models import CaseRequest, Status, Submission, TestCaseResult, WorkerNode
from judge.verdicts import Verdict
from web import live

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
IN_AN_HOUR = timedelta(hours=1)


def _fragment(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission_live", args=[submission.pk])).content.decode()


def test_a_queued_submission_without_a_worker_says_that_it_is_kept(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    page = as_student.get(reverse("submission", args=[make_submission(status=Status.QUEUED).pk])).content.decode()
    assert "No worker is running; your submission is kept and will be judged when one starts." in page
    assert '<meta http-equiv="refresh"' in page


def test_a_silent_worker_counts_as_none(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    WorkerNode.objects.update(last_seen_at=timezone.now() - IN_AN_HOUR)
    assert "No worker is running" in _fragment(as_student, make_submission(status=Status.QUEUED))


def test_a_worker_without_the_language_is_named(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    WorkerNode.objects.update(languages={"python": "Python"})
    fragment = _fragment(as_student, make_submission(status=Status.QUEUED, language="rust"))
    assert "No running worker can run Rust" in fragment


def test_a_queued_submission_tells_how_many_wait_before_it(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    first, second, third = (make_submission(status=Status.QUEUED) for _ in range(3))
    assert "Yours is next." in _fragment(as_student, first)
    assert "1 submission waits before yours." in _fragment(as_student, second)
    assert "2 submissions wait before yours." in _fragment(as_student, third)


def test_a_failure_of_ours_is_owned_up_to(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission(status=Status.QUEUED, failures=1)
    make_result(submission, name="secret/of-the-failed-try")
    fragment = _fragment(as_student, submission)
    assert "a fault of ours, not yours" in fragment
    assert "(try 2 of 3)" in fragment
    assert "secret/of-the-failed-try" not in fragment


def test_judging_goes_from_compiling_over_cases_to_counting(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission(
        status=Status.JUDGING, lease_until=timezone.now() + IN_AN_HOUR, compile_ok=None, test_case_count=None
    )
    assert "Compiling your program." in _fragment(as_student, submission)
    Submission.objects.update(compile_ok=True, test_case_count=2)
    assert "0 of 2 test cases judged so far." in _fragment(as_student, submission)
    make_result(submission)
    fragment = _fragment(as_student, submission)
    assert "1 of 2 test cases judged so far." in fragment
    assert "secret/01" in fragment
    assert "running&hellip;" in fragment
    make_result(submission)
    assert "Counting the system calls" in _fragment(as_student, submission)


def test_a_worker_that_vanished_is_said_so(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    submission = make_submission(status=Status.JUDGING, lease_until=timezone.now() - IN_AN_HOUR)
    assert "has stopped answering. It is judged again by itself." in _fragment(as_student, submission)
    WorkerNode.objects.all().delete()
    assert "No worker is running" in _fragment(as_student, submission)


@pytest.mark.parametrize("status", [Status.QUEUED, Status.JUDGING])
def test_an_unfinished_fragment_carries_a_trigger(
    as_student: Client, make_submission: SubmissionMaker, status: Status
) -> None:
    submission = make_submission(status=status)
    fragment = _fragment(as_student, submission)
    assert f'hx-get="{reverse("submission_live", args=[submission.pk])}" hx-trigger="tally:refresh"' in fragment
    assert f'data-events="{reverse("submission_events", args=[submission.pk])}"' in fragment


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_finished_fragment_carries_no_trigger(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, verdict: Verdict
) -> None:
    submission = make_submission(verdict=verdict)
    make_result(submission)
    fragment = _fragment(as_student, submission)
    assert "hx-trigger" not in fragment
    assert "hx-get" not in fragment
    assert "data-events" not in fragment
    page = as_student.get(reverse("submission", args=[submission.pk])).content.decode()
    assert 'http-equiv="refresh"' not in page


# The stream


def _follow(submission_id: int) -> AsyncGenerator[str, None]:
    return live.follow(f"submission:{submission_id}", partial(live.is_unfinished, submission_id))


async def _next(stream: AsyncGenerator[str, None], count: int) -> list[str]:
    return [await asyncio.wait_for(anext(stream), 10) for _ in range(count)]


async def _first(submission_id: int, count: int) -> list[str]:
    async with aclosing(_follow(submission_id)) as stream:
        return await _next(stream, count)


async def _all(submission_id: int) -> list[str]:
    return [event async for event in _follow(submission_id)]


@pytest.mark.django_db(transaction=True)
def test_the_stream_of_a_finished_submission_says_so_and_ends(make_submission: SubmissionMaker) -> None:
    assert asyncio.run(_all(make_submission().pk)) == ["event: news\ndata:\n\n", "event: finished\ndata:\n\n"]


@pytest.mark.django_db(transaction=True)
def test_the_stream_passes_announcements_on_until_it_is_done(make_submission: SubmissionMaker) -> None:
    submission = make_submission(status=Status.JUDGING)

    async def watch() -> list[str]:
        async with aclosing(_follow(submission.pk)) as stream:
            events = await _next(stream, 1)  # after the subscription, before any announcement
            following = asyncio.ensure_future(_next(stream, 2))
            await asyncio.sleep(0.1)
            await sync_to_async(Submission.objects.update)(status=Status.DONE, verdict=Verdict.AC)
            await sync_to_async(doorbell.announce)(submission, "GradingFinished")
            return events + await following

    assert asyncio.run(watch()) == ["event: news\ndata:\n\n"] * 2 + ["event: finished\ndata:\n\n"]


@pytest.mark.django_db(transaction=True)
def test_the_stream_says_something_now_and_then(
    make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.05)
    submission = make_submission(status=Status.QUEUED)
    assert asyncio.run(_first(submission.pk, 3)) == ["event: news\ndata:\n\n"] * 3


@pytest.mark.django_db(transaction=True)
def test_the_stream_has_an_end(make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "HEARTBEAT_S", 0.02)
    monkeypatch.setattr(live, "LONGEST_S", 0.2)
    events = asyncio.run(_all(make_submission(status=Status.QUEUED).pk))
    assert set(events) == {"event: news\ndata:\n\n"}


@pytest.mark.django_db(transaction=True)
def test_a_requested_profile_keeps_the_stream_open(make_submission: SubmissionMaker, make_result: ResultMaker) -> None:
    submission = make_submission()
    request = CaseRequest.objects.create(result=make_result(submission))
    assert live.is_unfinished(submission.pk)
    CaseRequest.objects.filter(pk=request.pk).update(status=Status.DONE)
    assert not live.is_unfinished(submission.pk)


def test_without_redis_the_stream_says_that_it_is_unavailable(
    make_submission: SubmissionMaker, settings: Settings
) -> None:
    settings.REDIS_URL = "unix:///nonexistent/redis.sock"
    assert asyncio.run(_all(make_submission(status=Status.QUEUED).pk)) == ["event: unavailable\ndata:\n\n"]


@pytest.mark.django_db(transaction=True)
def test_too_many_streams_are_refused(make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_STREAMS", 1)
    submission = make_submission(status=Status.QUEUED)

    async def open_two() -> list[str]:
        async with aclosing(_follow(submission.pk)) as stream:
            await _next(stream, 1)
            refused = await _all(submission.pk)
        return refused + await _first(submission.pk, 1)

    assert asyncio.run(open_two()) == ["event: unavailable\ndata:\n\n", "event: news\ndata:\n\n"]
