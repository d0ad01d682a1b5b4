"""The order of the queue: turns between users, and who may pass a submission that is being judged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from judge import fairness, intake, leases
from judge.models import Status, Submission
from problems.models import Problem

MakeSubmission = Callable[..., Submission]
USERS = 4
# what happens next: a user submits, the first one is begun, or the one that was begun first (of those going on) ends
STEPS = st.lists(st.one_of(st.integers(0, USERS - 1), st.sampled_from(["begin", "end"])), max_size=120)


@dataclass
class Queue:
    """The queue as a list: (turn, number, user) of those that wait and of those being judged."""

    waiting: list[tuple[int, int, int]] = field(default_factory=list)
    judged: list[tuple[int, int, int]] = field(default_factory=list)
    begun: list[tuple[int, int, int]] = field(default_factory=list)
    sent: int = 0

    def submit(self, user: int) -> tuple[int, int, int]:
        unfinished = [*self.waiting, *self.judged]
        own = [turn for turn, _, whose in unfinished if whose == user]
        turn = fairness.turn_after(min((turn for turn, _, _ in unfinished), default=None), max(own, default=None))
        self.sent += 1
        self.waiting.append((turn, self.sent, user))
        return self.waiting[-1]

    def begin(self) -> None:
        if self.waiting:
            first = min(self.waiting)
            self.waiting.remove(first)
            self.judged.append(first)
            self.begun.append(first)

    def end(self) -> None:
        if self.judged:
            self.judged.pop(0)


@given(STEPS, STEPS)
def test_only_submission_of_a_user_has_at_most_one_of_each_other_before_it(
    before: list[int | str], after: list[int | str]
) -> None:
    queue = Queue()
    _play(queue, before)
    only = queue.submit(USERS)
    begun_before = len(queue.begun)
    _play(queue, after)
    while only in queue.waiting:
        queue.begin()
    until_then = queue.begun[begun_before : queue.begun.index(only)]
    users = [user for _, _, user in until_then]
    assert len(users) == len(set(users))


@given(STEPS)
def test_own_submissions_are_begun_in_the_order_in_which_they_came(steps: list[int | str]) -> None:
    queue = Queue()
    _play(queue, steps)
    while queue.waiting:
        queue.begin()
    for each in range(USERS):
        own = [number for _, number, user in queue.begun if user == each]
        assert own == sorted(own)


def _play(queue: Queue, steps: list[int | str]) -> None:
    for step in steps:
        if isinstance(step, int):
            queue.submit(step)
        elif step == "begin":
            queue.begin()
        else:
            queue.end()


def test_turns_are_given_when_submissions_are_taken_in(
    student: User, problem: Problem, settings: Settings, redis_server: str
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 10
    other = User.objects.create_user("other")
    flood = [intake.submit(student, problem, "python", b"print(1)") for _ in range(5)]
    single = intake.submit(other, problem, "python", b"print(1)")
    assert [one.turn for one in (*flood, single)] == [0, 1, 2, 3, 4, 0]
    assert list(leases.waiting(Submission)) == [flood[0], single, *flood[1:]]
    Submission.objects.filter(pk__in=[flood[0].pk, flood[1].pk, single.pk]).update(status=Status.DONE)
    Submission.objects.filter(pk=flood[2].pk).update(status=Status.JUDGING)
    assert intake.submit(other, problem, "python", b"print(1)").turn == 2
    assert intake.submit(student, problem, "python", b"print(1)").turn == 5


@pytest.fixture
def others(db: None) -> list[User]:
    """Five people who are not the student."""
    return [User.objects.create_user(f"other{number}") for number in range(5)]


@pytest.fixture
def judged(make_submission: MakeSubmission) -> Submission:
    """The one of the student's that is being judged, in turn 7; three more wait."""
    for turn in (8, 9, 10):
        make_submission(turn=turn)
    return make_submission(turn=7, status=Status.JUDGING)


def test_whoever_has_nothing_being_judged_may_pass(
    make_submission: MakeSubmission, judged: Submission, others: list[User]
) -> None:
    make_submission(user=others[0], turn=7, status=Status.JUDGING)
    make_submission(user=others[0], turn=7)
    make_submission(user=others[1], turn=8)
    make_submission(user=others[2], turn=7, next_try_at=Now() + timedelta(minutes=1))
    later = make_submission(user=others[3], turn=7)
    earlier = make_submission(user=others[4], turn=6)
    assert fairness.who_may_pass(judged, passed=0) == [earlier.pk, later.pk]


def test_as_many_may_pass_as_its_owner_has_left(
    make_submission: MakeSubmission, judged: Submission, others: list[User]
) -> None:
    waiting = [make_submission(user=user, turn=7).pk for user in others]
    assert fairness.who_may_pass(judged, passed=0) == waiting[:3]
    assert fairness.who_may_pass(judged, passed=2) == waiting[:1]
    assert fairness.who_may_pass(judged, passed=3) == []


def test_nobody_passes_the_only_submission_of_a_user(make_submission: MakeSubmission, others: list[User]) -> None:
    only = make_submission(turn=7, status=Status.JUDGING)
    make_submission(status=Status.DONE)
    make_submission(user=others[0], turn=7)
    assert fairness.who_may_pass(only, passed=0) == []
