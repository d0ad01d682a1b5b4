"""Redis only carries notifications: without it submitting works at once, and nothing accepted is lost."""

import time
from typing import Protocol

import pytest
import redis
from django.contrib.auth.models import User

from judge.models import Status, Submission
from judge.queue import wakeup
from judge.submissions import intake
from problems.models import Problem

pytestmark = pytest.mark.django_db(transaction=True)
AT_MOST_S = 3  # twice what connecting and a command may take, and some room for a busy machine


class OwnServer(Protocol):
    """The fixture `breakable_redis`."""

    def stop(self) -> None: ...

    def deafen(self) -> None: ...

    def start(self) -> None: ...


@pytest.mark.parametrize("fault", ["stop", "deafen"])
def test_submitting_works_and_does_not_wait(
    student: User, problem: Problem, breakable_redis: OwnServer, fault: str
) -> None:
    getattr(breakable_redis, fault)()
    started = time.monotonic()
    submission = intake.submit(student, problem, "python", b"print(1)")
    wakeup.announce(submission, "judging")
    assert time.monotonic() - started < AT_MOST_S
    assert Submission.objects.get().status == Status.QUEUED


def test_ring_after_a_restart_is_heard_at_once(student: User, problem: Problem, breakable_redis: OwnServer) -> None:
    submission = intake.submit(student, problem, "python", b"print(1)")
    assert wakeup.unread_wakeups() == 1
    breakable_redis.stop()
    breakable_redis.start()
    assert wakeup.notify(submission)
    assert wakeup.unread_wakeups() == 1


def test_ring_after_a_flush_is_heard_at_once(student: User, problem: Problem, redis_server: str) -> None:
    submission = intake.submit(student, problem, "python", b"print(1)")
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
    assert wakeup.notify(submission)
    assert wakeup.unread_wakeups() == 1


def test_rings_share_a_connection(student: User, problem: Problem, redis_server: str) -> None:
    submission = intake.submit(student, problem, "python", b"print(1)")
    with redis.Redis.from_url(redis_server) as client:
        before = client.info("stats")["total_connections_received"]
        assert all(wakeup.notify(submission) for _ in range(20))
        assert client.info("stats")["total_connections_received"] - before < 5


def test_sweeper_rings_when_redis_is_back(student: User, problem: Problem, breakable_redis: OwnServer) -> None:
    breakable_redis.stop()
    intake.submit(student, problem, "python", b"print(1)")
    assert wakeup.notify_again(Submission) == 0
    breakable_redis.start()
    assert wakeup.notify_again(Submission) == 1
    assert wakeup.unread_wakeups() == 1
