"""The place of a queued submission and its wait: by turns, living workers and what the newest judged ones took."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judge.models import Status, Submission, WorkerNode
from judge.queue import waiting
from tests.judge.conftest import SubmissionMaker

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    """The time at which a worker with two processes was heard."""
    now = timezone.now()
    WorkerNode.objects.create(
        name="w", started_at=now, last_seen_at=now, processes=2, languages={"python": "", "cpp": ""}
    )
    return now


def _judge(make: SubmissionMaker, now: datetime, took_s: float, *, number: int = 5, **columns: object) -> None:
    """As if so many submissions had just been judged, each in so many seconds and beside nothing else."""
    for _ in range(number):
        started_at = now - timedelta(seconds=took_s)
        make(status=Status.DONE, verdict="AC", started_at=started_at, finished_at=now, **columns)


def _wait_s(submission: Submission) -> float:
    wait_s = waiting.read().place_of(submission).wait_s
    assert wait_s is not None
    return wait_s


def test_those_ahead_are_counted_by_turn_and_then_by_number(make_submission: SubmissionMaker, now: datetime) -> None:
    first, second, third = make_submission(turn=1), make_submission(turn=0), make_submission(turn=1)
    queue = waiting.read()
    assert [queue.place_of(each).ahead for each in (first, second, third)] == [1, 0, 2]


def test_the_wait_is_unknown_until_some_were_judged(make_submission: SubmissionMaker, now: datetime) -> None:
    submission = make_submission()
    _judge(make_submission, now, 4, number=4)
    assert waiting.read().place_of(submission).wait_s is None
    _judge(make_submission, now, 4, number=1)
    assert waiting.read().place_of(submission).wait_s == 0


def test_the_wait_follows_what_the_newest_took_and_how_many_are_judged_at_once(
    make_submission: SubmissionMaker, now: datetime
) -> None:
    _judge(make_submission, now, 4)
    *_ahead, last = (make_submission() for _ in range(5))
    assert _wait_s(last) == pytest.approx(6), "four go before it, and two begin at once"
    WorkerNode.objects.create(name="v", started_at=now, last_seen_at=now, processes=2, languages={"python": ""})
    assert _wait_s(last) == pytest.approx(1)
    WorkerNode.objects.filter(name="w").update(last_seen_at=now - timedelta(hours=1))
    assert _wait_s(last) == pytest.approx(6)


def test_the_wait_follows_the_newest_twenty(make_submission: SubmissionMaker, now: datetime) -> None:
    _judge(make_submission, now - timedelta(minutes=10), 30, number=40)
    _judge(make_submission, now, 2, number=20)
    *_ahead, last = (make_submission() for _ in range(3))
    assert _wait_s(last) == pytest.approx(1)


def test_what_no_worker_can_judge_has_no_place_and_is_before_nobody(
    make_submission: SubmissionMaker, now: datetime
) -> None:
    stuck = [make_submission(language="rust") for _ in range(8)]
    queue = waiting.read()
    assert queue.place_of_id(stuck[0].pk) is None
    assert queue.place_of(make_submission()).ahead == 0


def test_those_being_judged_are_before_it_too(make_submission: SubmissionMaker, now: datetime) -> None:
    _judge(make_submission, now, 10)
    make_submission(status=Status.JUDGING, started_at=now)
    assert _wait_s(make_submission()) == 0, "the second process is free"
    make_submission(status=Status.JUDGING, started_at=now)
    assert _wait_s(make_submission()) == pytest.approx(10), "another one waits before it"


def test_time_in_which_others_passed_is_not_the_submissions_own(
    make_submission: SubmissionMaker, now: datetime
) -> None:
    stages = {"queue": 28_000_000, "run": 2_000_000, "total": 30_000_000}
    _judge(make_submission, now, 30, stages=stages, number=15)
    *_ahead, last = (make_submission() for _ in range(3))
    assert _wait_s(last) == pytest.approx(1)


def test_one_that_came_since_the_queue_was_read_has_its_place(make_submission: SubmissionMaker, now: datetime) -> None:
    _judge(make_submission, now, 4)
    *_ahead, last = (make_submission(turn=turn) for turn in (0, 0, 0, 0, 2))
    queue = waiting.read()
    assert queue.place_of(make_submission(turn=1)) == queue.place_of(last)
    assert queue.place_of(make_submission(turn=3)).ahead == 5


def test_the_queue_is_read_once_for_all_who_ask_within_a_second(
    make_submission: SubmissionMaker, now: datetime
) -> None:
    for _ in range(20):
        make_submission()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        queue = waiting.lately()
        assert waiting.lately() is queue
    assert len(captured) == 3
