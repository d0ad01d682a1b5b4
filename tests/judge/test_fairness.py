"""The order of the queue: turns between users, and who may pass a submission that is being judged."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import cycle

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st
from pytest_django import Settings

from judge.models import Status, Submission, WorkerNode
from judge.queue import capability, fairness, leases
from judge.submissions import intake
from problems.models import Problem

MakeSubmission = Callable[..., Submission]
USERS = 4
NODE = "tally@test"  # has no row: it takes everything
ROUND = 5  # so many are begun from one round of the workers to the next
# what happens next: a user submits, the first one is begun, or the one that was begun first (of those going on) ends
STEPS = st.lists(st.one_of(st.integers(0, USERS - 1), st.sampled_from(["begin", "end"])), max_size=120)


@dataclass
class Queue:
    """The queue as a list: (turn, number, user) of those that wait and of those being judged."""

    waiting: list[tuple[int, int, int]] = field(default_factory=list)
    judged: list[tuple[int, int, int]] = field(default_factory=list)
    begun: list[tuple[int, int, int]] = field(default_factory=list)
    sent: int = 0

    def bring_forward(self) -> None:
        """As `fairness.bring_forward`, and all that wait have done so for long."""
        least = min((turn for turn, _, _ in [*self.waiting, *self.judged]), default=0)
        being_judged = {user for _, _, user in self.judged}
        for user in {user for _, _, user in self.waiting} - being_judged:
            first = min(each for each in self.waiting if each[2] == user)
            self.waiting.remove(first)
            self.waiting.append((least, *first[1:]))

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


# who sends after each one that is judged: users, or whoever has just got a verdict
SENDERS = st.lists(st.one_of(st.integers(0, USERS - 1), st.just("again")), max_size=4)


@given(STEPS, st.lists(SENDERS, min_size=1, max_size=12))
@example([0, 1], [["again"]])
def test_nobody_starves_whoever_else_sends_whatever(before: list[int | str], sent: list[list[int | str]]) -> None:
    queue = Queue()
    _play(queue, before)
    mine = [queue.submit(USERS)[1] for _ in range(3)]
    bound = len(queue.waiting) + len(queue.judged) + ROUND * (len(mine) + 1)
    for begun, senders in zip(range(bound), cycle(sent), strict=False):
        if begun % ROUND == 0:
            queue.bring_forward()
        queue.begin()
        queue.end()
        for sender in senders:
            user = queue.begun[-1][2] if sender == "again" else int(sender)
            if user != USERS:
                queue.submit(user)
    assert {number for _, number, _ in queue.begun}.issuperset(mine)


def _play(queue: Queue, steps: list[int | str]) -> None:
    for step in steps:
        if isinstance(step, int):
            queue.submit(step)
        elif step == "begin":
            queue.begin()
        else:
            queue.end()


@pytest.mark.parametrize("others", [1, 2, 3])
@pytest.mark.parametrize("is_pinned", [False, True])
@pytest.mark.django_db
def test_second_submission_is_served_while_others_send_again_with_each_verdict(
    make_submission: MakeSubmission, student: User, others: int, is_pinned: bool
) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now, languages={"python": "here"})
    long_ago = now - 2 * fairness.WAITS_LONG

    def send(user: User, language: str = "python") -> Submission:
        turn = fairness.next_turn(user.pk)
        return make_submission(user=user, turn=turn, created_at=long_ago, language=language)

    if is_pinned:  # nobody has the language of the one with the least turn
        send(User.objects.create_user("rusty"), "rust")
        send(student, "rust")
    first, second = send(student), send(student)
    for number in range(others):
        send(User.objects.create_user(f"other{number}"))
    served = []
    for step in range(4 * ROUND):
        if step % ROUND == 0:
            fairness.bring_forward(NODE)
        row = leases.in_turn(capability.judgeable(Submission, NODE))[0]
        Submission.objects.filter(pk=row.pk).update(status=Status.DONE)
        served.append(row)
        if row.user != student:
            send(row.user)
    assert {first, second} <= set(served)


def test_one_of_each_user_is_brought_forward_when_it_has_waited_for_long(
    make_submission: MakeSubmission, others: list[User]
) -> None:
    long_ago = timezone.now() - 2 * fairness.WAITS_LONG
    make_submission(user=others[0], turn=3, status=Status.JUDGING, created_at=long_ago)
    being_judged = make_submission(user=others[0], turn=9, created_at=long_ago)
    late = [make_submission(user=others[1], turn=turn, created_at=long_ago) for turn in (8, 9)]
    pauses = make_submission(user=others[2], turn=9, created_at=long_ago, next_try_at=Now() + timedelta(minutes=1))
    new = make_submission(user=others[3], turn=9)
    assert [fairness.bring_forward(NODE) for _ in range(2)] == [1, 0]
    rows = (being_judged, *late, pauses, new)
    assert [Submission.objects.get(pk=row.pk).turn for row in rows] == [9, 3, 9, 9, 9]


def test_turns_are_given_when_submissions_are_taken_in(
    student: User, problem: Problem, settings: Settings, redis_server: str
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 10
    other = User.objects.create_user("other")
    flood = [intake.submit(student, problem, "python", b"print(%d)" % number) for number in range(5)]
    single = intake.submit(other, problem, "python", b"print(1)")
    assert [one.turn for one in (*flood, single)] == [0, 1, 2, 3, 4, 0]
    assert list(leases.waiting(Submission)) == [flood[0], single, *flood[1:]]
    Submission.objects.filter(pk__in=[flood[0].pk, flood[1].pk, single.pk]).update(status=Status.DONE)
    Submission.objects.filter(pk=flood[2].pk).update(status=Status.JUDGING)
    assert intake.submit(other, problem, "python", b"print(8)").turn == 2
    assert intake.submit(student, problem, "python", b"print(8)").turn == 5


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
    assert fairness.who_may_pass(judged, passed=0, node=NODE) == [earlier.pk, later.pk]


def test_as_many_may_pass_as_its_owner_has_left(
    make_submission: MakeSubmission, judged: Submission, others: list[User]
) -> None:
    waiting = [make_submission(user=user, turn=7).pk for user in others]
    assert fairness.who_may_pass(judged, passed=0, node=NODE) == waiting[:3]
    assert fairness.who_may_pass(judged, passed=2, node=NODE) == waiting[:1]
    assert fairness.who_may_pass(judged, passed=3, node=NODE) == []


def test_what_the_worker_cannot_judge_passes_nothing(
    make_submission: MakeSubmission, judged: Submission, others: list[User]
) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now, languages={"python": "here"})
    for user in others[:4]:
        make_submission(user=user, turn=5, language="rust")
    single = make_submission(user=others[4], turn=7)
    assert fairness.who_may_pass(judged, passed=0, node=NODE) == [single.pk]


def test_nobody_passes_the_only_submission_of_a_user(make_submission: MakeSubmission, others: list[User]) -> None:
    only = make_submission(turn=7, status=Status.JUDGING)
    make_submission(status=Status.DONE)
    make_submission(user=others[0], turn=7)
    assert fairness.who_may_pass(only, passed=0, node=NODE) == []


@pytest.mark.django_db
def test_own_turn_is_the_greatest_though_another_is_newer(make_submission: MakeSubmission, student: User) -> None:
    """One that is judged anew comes in again with the number that it has."""
    make_submission(turn=5)
    make_submission(turn=3)
    assert fairness.next_turn(student.pk) == 6


@pytest.mark.django_db
def test_neither_what_is_done_nor_a_flood_of_others_is_read_for_it(
    make_submission: MakeSubmission, student: User
) -> None:
    others = User.objects.create_user("others")
    done = [make_submission(status=Status.DONE, verdict="AC"), make_submission(user=others)]
    names = ", ".join(each.attname for each in Submission._meta.concrete_fields if each.attname != "id")
    with connection.cursor() as cursor:
        for row in done:
            cursor.execute(
                f"INSERT INTO judge_submission ({names}) SELECT {names} FROM judge_submission,"  # noqa: S608
                " generate_series(1, 3000) WHERE id = %s",
                [row.pk],
            )
        cursor.execute("ANALYZE judge_submission")
        for query, values in ((fairness._TURNS, [student.pk]), (intake._IN_FLIGHT, {"user": student.pk})):
            cursor.execute(f"EXPLAIN {query}", values)
            assert "submission_own_turn" in "\n".join(line for (line,) in cursor.fetchall())
