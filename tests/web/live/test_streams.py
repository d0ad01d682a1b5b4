"""How the page of an unfinished submission hears of news: the streams of one process, their hub, and Redis."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, aclosing
from functools import partial

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult
from judge.queue import wakeup
from tests.conftest import OwnServer
from tests.waiting import until
from tests.web.presentation.shown import mark_of
from web.live import hub, stream
from web.live.hub import DONE
from web.presentation.pages.etag import submission_look

pytestmark = pytest.mark.django_db(transaction=True)

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
Events = AsyncGenerator[str, None]
NEWS, STILL, FINISHED, UNAVAILABLE = (
    f"event: {name}\ndata:\n\n" for name in ("news", "still", "finished", "unavailable")
)
PATIENCE_S = 20


def _follow(submission: Submission, shown: str | None = None, *, reader: str = "somebody") -> Events:
    return stream.follow(submission.channel, submission_look(submission.pk), reader, shown)


async def _next(stream: Events) -> str:
    return await asyncio.wait_for(anext(stream), PATIENCE_S)


async def _all(stream: Events) -> list[str]:
    async with aclosing(stream):
        return [event async for event in stream]


async def _news(stream: Events) -> None:
    """Wait until the stream says that there is news."""
    while await _next(stream) != NEWS:
        pass


@sync_to_async
def _finish(submission: Submission, *, announce: bool = True) -> None:
    Submission.objects.filter(pk=submission.pk).update(status=Status.DONE, verdict=Verdict.AC)
    connection.close()  # of this thread
    if announce:
        wakeup.announce(submission, "GradingFinished")


@sync_to_async
def _subscribers(submission: Submission) -> int:
    with wakeup._client() as client:
        return int(client.pubsub_numsub(submission.channel)[0][1])


async def _is_subscribed(submission: Submission) -> bool:
    return await _subscribers(submission) == 1


def test_the_stream_of_a_finished_submission_says_so_and_ends(make_submission: SubmissionMaker) -> None:
    assert asyncio.run(_all(_follow(make_submission()))) == [NEWS, FINISHED]


def test_the_stream_passes_announcements_on_until_it_is_done(make_submission: SubmissionMaker) -> None:
    submission = make_submission(status=Status.JUDGING)

    async def watch() -> list[str]:
        async with aclosing(_follow(submission)) as stream:
            first = await _next(stream)
            await until(partial(_is_subscribed, submission), "it is subscribed")
            await _finish(submission)
            return [first, *await asyncio.wait_for(_all(stream), PATIENCE_S)]

    assert asyncio.run(watch()) == [NEWS, NEWS, FINISHED]


def test_what_changed_before_the_subscription_is_told_after_it(
    make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 0.2)
    submission = make_submission(status=Status.QUEUED)
    shown = mark_of(submission.pk)

    async def watch() -> list[str]:
        async with aclosing(_follow(submission, shown)) as stream:
            return [await _next(stream)]

    assert asyncio.run(watch()) == [STILL], "the page shows what there is to show"
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 60)  # else a busy machine sends one before the news
    Submission.objects.filter(pk=submission.pk).update(status=Status.JUDGING)
    assert asyncio.run(watch()) == [NEWS]


def test_the_stream_tells_of_changes_that_nobody_announced(
    make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 0.05)
    submission = make_submission(status=Status.QUEUED)

    async def watch() -> list[str]:
        async with aclosing(_follow(submission)) as stream:
            await _news(stream)
            await _finish(submission, announce=False)
            return await asyncio.wait_for(_all(stream), PATIENCE_S)

    assert asyncio.run(watch())[-2:] == [NEWS, FINISHED]


@pytest.mark.thorough
def test_the_stream_gives_signs_of_life_and_has_an_end(
    make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 0.1)
    monkeypatch.setattr(stream, "LONGEST_S", 2)
    submission = make_submission(status=Status.QUEUED)
    events = asyncio.run(_all(_follow(submission, mark_of(submission.pk))))
    assert set(events) == {STILL}


@pytest.mark.thorough
def test_all_streams_of_a_channel_share_one_look_and_one_connection(make_submission: SubmissionMaker) -> None:
    submission = make_submission(status=Status.JUDGING)
    looks = 0

    def look() -> str:
        nonlocal looks
        looks += 1
        return mark_of(submission.pk)

    async def watch() -> None:
        async with AsyncExitStack() as stack:
            streams = [
                await stack.enter_async_context(aclosing(stream.follow(submission.channel, look, f"reader {number}")))
                for number in range(50)
            ]
            await asyncio.gather(*map(_news, streams))
            await until(partial(_is_subscribed, submission), "it is subscribed")
            await _finish(submission)
            assert await asyncio.gather(*map(_next, streams)) == [NEWS] * 50
            assert await asyncio.gather(*map(_next, streams)) == [FINISHED] * 50

    asyncio.run(watch())
    assert looks < 10


def test_nothing_is_left_when_the_last_stream_is_gone(make_submission: SubmissionMaker) -> None:
    first, second = make_submission(status=Status.JUDGING), make_submission(status=Status.JUDGING)

    async def watch() -> None:
        before = asyncio.all_tasks()
        async with aclosing(_follow(first)) as kept:
            async with aclosing(_follow(second)) as left:
                await asyncio.gather(_next(kept), _next(left))
                await until(partial(_is_subscribed, second), "it is subscribed")
                await until(partial(_is_subscribed, first), "it is subscribed")

            async def is_dropped() -> bool:
                return await _subscribers(second) == 0 and await _subscribers(first) == 1

            await until(is_dropped, "one subscription is dropped, one is kept")

        async def is_clean() -> bool:
            return await _subscribers(first) == 0 and asyncio.all_tasks() == before

        await until(is_clean, "nothing is left")
        assert not hub._hubs

    asyncio.run(watch())


def test_the_streams_outlive_a_restart_of_redis(
    make_submission: SubmissionMaker, breakable_redis: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "POLL_S", 0.05)
    waiting, judged = make_submission(status=Status.QUEUED), make_submission(status=Status.JUDGING)

    async def watch() -> None:
        async with aclosing(_follow(waiting)) as first, aclosing(_follow(judged)) as second:
            await asyncio.gather(_news(first), _news(second))
            await until(partial(_is_subscribed, waiting), "it is subscribed")
            await asyncio.to_thread(breakable_redis.stop)
            await _finish(judged, announce=False)
            await _news(second)  # by looking at the rows
            assert await _next(second) == FINISHED
            await asyncio.to_thread(breakable_redis.start)
            await until(partial(_is_subscribed, waiting), "it is subscribed")
            monkeypatch.setattr(stream, "POLL_S", 3600.0)
            monkeypatch.setattr("judge.queue.wakeup._silent_until", 0.0)
            await _finish(waiting)
            await _news(first)  # by an announcement
            assert await _next(first) == FINISHED

    asyncio.run(watch())


def test_a_redis_that_has_gone_deaf_counts_as_away(
    make_submission: SubmissionMaker, breakable_redis: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "POLL_S", 0.05)
    monkeypatch.setattr(hub, "PING_S", 0.2)
    submission = make_submission(status=Status.QUEUED)

    async def watch() -> None:
        async with aclosing(_follow(submission)) as stream:
            await _news(stream)
            await until(partial(_is_subscribed, submission), "it is subscribed")
            breakable_redis.deafen()
            await _finish(submission, announce=False)
            await _news(stream)
            assert await _next(stream) == FINISHED

    asyncio.run(watch())


def test_without_redis_the_stream_looks_at_the_rows(
    make_submission: SubmissionMaker, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "unix:///nonexistent/redis.sock"
    monkeypatch.setattr(stream, "POLL_S", 0.05)
    submission = make_submission(status=Status.QUEUED)

    async def watch() -> list[str]:
        async with aclosing(_follow(submission)) as stream:
            await _news(stream)
            await _finish(submission, announce=False)
            return await asyncio.wait_for(_all(stream), PATIENCE_S)

    assert asyncio.run(watch())[-2:] == [NEWS, FINISHED]


def test_without_a_database_the_stream_says_that_it_is_unavailable(
    make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SIGN_OF_LIFE_S", 0.5)

    def look() -> str:
        raise OperationalError("the database is away")

    assert asyncio.run(_all(stream.follow("submission:1", look, "somebody"))) == [UNAVAILABLE]


def test_too_many_streams_are_refused(make_submission: SubmissionMaker, settings: Settings) -> None:
    settings.MOST_STREAMS = 1
    submission = make_submission(status=Status.QUEUED)

    async def open_two() -> None:
        async with aclosing(_follow(submission)) as stream:
            await _news(stream)
            assert await _all(_follow(submission)) == [UNAVAILABLE]
        async with aclosing(_follow(submission)) as again:
            assert await _next(again) == NEWS

    asyncio.run(open_two())


def test_too_many_streams_of_one_reader_are_refused_and_nobody_elses(
    make_submission: SubmissionMaker, settings: Settings
) -> None:
    settings.MOST_STREAMS_PER_READER = 2
    submission = make_submission(status=Status.QUEUED)

    async def open_many() -> None:
        async with aclosing(_follow(submission, reader="a")) as kept:
            await _news(kept)
            async with (
                aclosing(_follow(submission, reader="a")) as left,
                aclosing(_follow(submission, reader="b")) as b,
            ):
                assert await _next(left) == NEWS
                assert await _all(_follow(submission, reader="a")) == [UNAVAILABLE]
                assert await _next(b) == NEWS
            async with aclosing(_follow(submission, reader="a")) as again:
                assert await _next(again) == NEWS

    asyncio.run(open_many())


def test_a_page_that_shows_what_there_is_gets_no_content(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(status=Status.JUDGING)
    address, shown = reverse("submission_live", args=[submission.pk]), {"shown": mark_of(submission.pk)}
    answer = as_student.get(address, shown)
    assert (answer.status_code, answer.content) == (204, b"")
    make_result(submission)
    assert as_student.get(address, shown).status_code == 200
    Submission.objects.filter(pk=submission.pk).update(status=Status.DONE, verdict=Verdict.AC)
    assert mark_of(submission.pk) == DONE
    assert as_student.get(address, {"shown": DONE}).status_code == 200


def test_the_mark_is_another_one_with_each_thing_that_the_page_would_show(
    make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(status=Status.QUEUED, compile_ok=None, test_case_count=None)
    row = Submission.objects.filter(pk=submission.pk)
    marks = [mark_of(submission.pk)]

    def has_changed() -> bool:
        marks.append(mark_of(submission.pk))
        return marks.count(marks[-1]) == 1

    assert mark_of(submission.pk) == marks[0], "nothing happened"
    row.update(failures=1)
    assert has_changed()
    row.update(status=Status.JUDGING)
    assert has_changed()
    row.update(compile_ok=True, test_case_count=1)
    assert has_changed()
    result = make_result(submission)
    assert has_changed()
    TestCaseResult.objects.filter(pk=result.pk).update(profile={"calls": {}})
    assert has_changed()


def test_a_requested_profile_keeps_the_stream_open(make_submission: SubmissionMaker, make_result: ResultMaker) -> None:
    submission = make_submission()
    request = CaseRerun.objects.of(make_result(submission), examination="profile")
    queued = mark_of(submission.pk)
    assert queued != DONE
    CaseRerun.objects.filter(pk=request.pk).update(status=Status.JUDGING)
    assert mark_of(submission.pk) not in (queued, DONE)
    CaseRerun.objects.filter(pk=request.pk).update(status=Status.DONE)
    assert mark_of(submission.pk) == DONE
