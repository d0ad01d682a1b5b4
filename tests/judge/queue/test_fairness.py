"""The order of every line: turns between people in milliseconds, and who may pass what is being worked on."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from pytest_django import Settings

from judge.models import (
    CaseRerun,
    CustomRun,
    PackageUpload,
    QueuedWork,
    Share,
    Status,
    Submission,
    TestCaseResult,
    WorkerNode,
)
from judge.models.queue import REQUESTED
from judge.queue import capability, fairness, leases
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from problems.models import Problem

MakeSubmission = Callable[..., Submission]
Send = Callable[..., Submission]
NODE = "tally@test"  # has no row: it takes everything
ROUND = 5  # so many are begun from one round of the workers to the next

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(db: None) -> list[User]:
    """Five people who are not the student."""
    return [User.objects.create_user(f"other{number}") for number in range(5)]


@pytest.fixture
def send(make_submission: MakeSubmission, problem: Problem) -> Send:
    """A function that queues a submission of a person, in its turn."""

    def send(user: User, **columns: object) -> Submission:
        row = Submission(user=user)
        fairness.take_turn(row)
        return make_submission(user=user, turn=row.turn, expected_ms=row.expected_ms, **columns)

    return send


def _begin() -> Submission:
    row = leases.waiting(Submission)[0]
    Submission.objects.filter(pk=row.pk).update(status=Status.JUDGING)
    return row


def _end(row: Submission, took_ms: int) -> None:
    fairness.charge(row, took_ms)
    Submission.objects.filter(pk=row.pk).update(status=Status.DONE)


@pytest.mark.parametrize("seed", range(4))
def test_only_one_of_each_other_goes_before_the_only_one_of_a_person(seed: int, send: Send, people: list[User]) -> None:
    rng = random.Random(seed)  # noqa: S311
    *others, alone = people
    going_on: list[Submission] = []
    for _ in range(60):
        match rng.choice(("send", "send", "begin", "end")):
            case "send":
                send(rng.choice(others))
            case "begin" if leases.waiting(Submission).exists():
                going_on.append(_begin())
            case "end" if going_on:
                _end(going_on.pop(0), rng.choice((100, 3_000, 60_000)))
    only = send(alone)
    before = list[User]()
    while (row := _begin()) != only:
        before.append(row.user)
        _end(row, rng.choice((100, 3_000, 60_000)))
        send(rng.choice(others))
    assert len(before) == len(set(before))


@pytest.mark.parametrize("seed", range(4))
def test_own_work_is_begun_in_the_order_in_which_it_came(seed: int, send: Send, people: list[User]) -> None:
    rng = random.Random(seed)  # noqa: S311
    began: dict[User, list[int]] = defaultdict(list)
    for _ in range(60):
        send(rng.choice(people))
        if rng.random() < 0.5:
            row = _begin()
            began[row.user].append(row.pk)
            _end(row, rng.choice((100, 3_000, 60_000)))
    assert all(keys == sorted(keys) for keys in began.values())
    assert sum(map(len, began.values())) > 20


def test_people_who_always_have_work_get_the_same_time(send: Send, people: list[User]) -> None:
    """One sends what sleeps for a minute, another one what takes 10 s, a third what takes 2 s."""
    took_ms = dict(zip(people, (60_000, 10_000, 2_000), strict=False))
    got_ms = Counter[User]()
    for user in took_ms:
        for _ in range(2):
            send(user)
    while sum(got_ms.values()) < 600_000:
        row = _begin()
        _end(row, took_ms[row.user])
        got_ms[row.user] += took_ms[row.user]
        send(row.user)
    assert max(got_ms.values()) - min(got_ms.values()) <= 2 * 60_000


def test_what_was_charged_moves_what_still_waits(send: Send, student: User, people: list[User]) -> None:
    first, second = send(student), send(student)
    assert [first.turn, second.turn] == [0, fairness.EXPECTED_MS]
    _end(_begin(), 60_000)
    second.refresh_from_db()
    assert second.turn == 60_000
    assert send(student).turn == 60_000 + fairness.EXPECTED_MS
    assert send(student).turn == 2 * 60_000 + fairness.EXPECTED_MS  # it is expected to take what the last one did
    other = send(people[0])
    assert leases.waiting(Submission)[0] == second  # the line's own time is that of the least turn that waits
    assert other.turn == second.turn


def test_what_took_less_than_expected_lets_the_rest_come_earlier(send: Send, student: User) -> None:
    first, second = send(student), send(student)
    _begin()
    _end(first, 40)
    second.refresh_from_db()
    assert second.turn == 40


def test_nobody_saves_time_up(send: Send, student: User, people: list[User]) -> None:
    for _ in range(5):
        send(people[0])
        _end(_begin(), 60_000)
    waits = send(people[0])
    assert send(student).turn == waits.turn == 5 * 60_000


def test_kinds_of_work_are_lines_of_their_own(send: Send, student: User, problem: Problem) -> None:
    send(student)
    send(student)
    for work in (CustomRun(user=student), PackageUpload(owner=student), CaseRerun(user=student, is_automatic=True)):
        fairness.take_turn(work)
        assert (work.turn, work.person_id) == (0, student.pk)
    version = problem.current_version
    assert version is not None
    CustomRun.objects.create(user=student, problem_version=version, language="python", source=b"", time_limit_ms=1_000)
    requested = CaseRerun(user=student, is_automatic=False)
    fairness.take_turn(requested)
    assert requested.turn == fairness.EXPECTED_MS  # it takes turns with custom runs
    lines = Share.objects.filter(user=student).order_by("line").values_list("line", "finish")
    step = fairness.EXPECTED_MS
    assert list(lines) == [
        (CaseRerun.TASK, step),
        (Submission.TASK, 2 * step),
        (PackageUpload.TASK, step),
        (REQUESTED, 2 * step),
    ]


# who sends after each one that is judged: one of the others, or whoever has just got a verdict
@pytest.mark.parametrize("senders", [["again"], [0, "again"], [0, 1, 2], [0, 0, 0, "again"]])
@pytest.mark.parametrize("took_ms", [100, 60_000])
def test_nobody_starves_whoever_else_sends_whatever(
    senders: list[int | str], took_ms: int, send: Send, people: list[User]
) -> None:
    *others, patient = people
    for user in others:
        send(user)
    mine = {send(patient).pk for _ in range(3)}
    Submission.objects.update(created_at=Now() - 2 * fairness.WAITS_LONG)
    for begun in range(len(others) + ROUND * (len(mine) + 1)):
        if begun % ROUND == 0:
            fairness.bring_forward(NODE)
        row = _begin()
        _end(row, took_ms)
        mine.discard(row.pk)
        for sender in senders:
            user = row.user if sender == "again" else others[int(sender)]
            if user != patient:
                send(user, created_at=timezone.now() - 2 * fairness.WAITS_LONG)
    assert not mine


@pytest.mark.parametrize("others", [1, 2, 3])
@pytest.mark.parametrize("is_pinned", [False, True])
def test_second_submission_is_served_while_others_send_again_with_each_verdict(
    send: Send, student: User, others: int, is_pinned: bool
) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now, languages={"python": "here"})
    old = {"created_at": now - 2 * fairness.WAITS_LONG}
    if is_pinned:  # nobody has the language of the one with the least turn
        send(User.objects.create_user("rusty"), language="rust", **old)
        send(student, language="rust", **old)
    first, second = send(student, **old), send(student, **old)
    for number in range(others):
        send(User.objects.create_user(f"sends{number}"), **old)
    served = []
    for step in range(4 * ROUND):
        if step % ROUND == 0:
            fairness.bring_forward(NODE)
        row = leases.in_turn(capability.judgeable(Submission, NODE))[0]
        _end(row, 100)
        served.append(row)
        if row.user != student:
            send(row.user, **old)
    assert {first, second} <= set(served)


def test_one_of_each_person_is_brought_forward_when_it_has_waited_for_long(
    make_submission: MakeSubmission, people: list[User]
) -> None:
    long_ago = timezone.now() - 2 * fairness.WAITS_LONG
    make_submission(user=people[0], turn=3, status=Status.JUDGING, created_at=long_ago)
    being_judged = make_submission(user=people[0], turn=9, created_at=long_ago)
    late = [make_submission(user=people[1], turn=turn, created_at=long_ago) for turn in (8, 9)]
    pauses = make_submission(user=people[2], turn=9, created_at=long_ago, next_try_at=Now() + timedelta(minutes=1))
    new = make_submission(user=people[3], turn=9)
    assert [fairness.bring_forward(NODE) for _ in range(2)] == [1, 0]
    rows = (being_judged, *late, pauses, new)
    assert [Submission.objects.get(pk=row.pk).turn for row in rows] == [9, 3, 9, 9, 9]


def test_what_waits_long_is_brought_forward_in_every_line(student: User, people: list[User], problem: Problem) -> None:
    long_ago = timezone.now() - 2 * fairness.WAITS_LONG
    version = problem.current_version
    assert version is not None
    rows = [
        CustomRun.objects.create(
            user=user, problem_version=version, language="python", source=b"", time_limit_ms=1_000, turn=turn
        )
        for user, turn in ((student, 5), (people[0], 9))
    ]
    CustomRun.objects.update(created_at=long_ago)
    assert fairness.bring_forward(NODE) == 1
    assert [CustomRun.objects.get(pk=row.pk).turn for row in rows] == [5, 5]


def test_turns_are_given_when_submissions_are_taken_in(
    student: User, problem: Problem, settings: Settings, redis_server: str
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 10
    other = User.objects.create_user("other")
    flood = [intake.submit(student, problem, "python", b"print(%d)" % number) for number in range(5)]
    single = intake.submit(other, problem, "python", b"print(1)")
    step = fairness.EXPECTED_MS
    assert [one.turn for one in (*flood, single)] == [0, step, 2 * step, 3 * step, 4 * step, 0]
    assert list(leases.waiting(Submission)) == [flood[0], single, *flood[1:]]


@pytest.fixture
def judged(make_submission: MakeSubmission) -> Submission:
    """One of the student's that is being judged, in turn 7,000."""
    return make_submission(turn=7_000, status=Status.JUDGING)


def test_whoever_has_nothing_being_judged_may_pass(
    make_submission: MakeSubmission, judged: Submission, people: list[User]
) -> None:
    make_submission(user=people[0], turn=7_000, status=Status.JUDGING)
    make_submission(user=people[0], turn=7_000)
    make_submission(user=judged.user, turn=7_000)
    too_late = make_submission(user=people[1], turn=7_301)
    make_submission(user=people[2], turn=7_000, next_try_at=Now() + timedelta(minutes=1))
    later = make_submission(user=people[3], turn=7_300)
    earlier = make_submission(user=people[4], turn=6_000)
    assert fairness.who_may_pass(judged, spent_ms=300, node=NODE) == [(Submission, earlier.pk), (Submission, later.pk)]
    assert (Submission, too_late.pk) in fairness.who_may_pass(judged, spent_ms=301, node=NODE)


def test_what_the_worker_cannot_judge_passes_nothing(
    make_submission: MakeSubmission, judged: Submission, people: list[User]
) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now, languages={"python": "here"})
    for user in people[:4]:
        make_submission(user=user, turn=5, language="rust")
    single = make_submission(user=people[4], turn=7)
    assert fairness.who_may_pass(judged, spent_ms=0, node=NODE) == [(Submission, single.pk)]


def test_only_what_is_of_the_same_line_passes(
    make_submission: MakeSubmission, make_result: Callable[..., TestCaseResult], student: User, people: list[User]
) -> None:
    result = make_result(make_submission(status=Status.DONE))

    def ask(user: User, kind: RerunKind, *, is_automatic: bool, **columns: object) -> CaseRerun:
        return CaseRerun.objects.create(
            submission=result.submission,
            result=result,
            user=user,
            examination=kind,
            is_automatic=is_automatic,
            **columns,
        )

    worked_on = ask(student, RerunKind.BUFFERED, is_automatic=False, status=Status.JUDGING)
    ask(people[0], RerunKind.FIX, is_automatic=True)
    asked = ask(people[1], RerunKind.LINES, is_automatic=False)
    assert fairness.who_may_pass(worked_on, spent_ms=0, node=NODE) == [(CaseRerun, asked.pk)]
    version = result.submission.problem_version
    run = CustomRun.objects.create(
        user=people[2], problem_version=version, language="python", source=b"", time_limit_ms=1_000
    )
    passing = fairness.who_may_pass(worked_on, spent_ms=0, node=NODE)
    assert sorted(passing, key=str) == sorted([(CaseRerun, asked.pk), (CustomRun, run.pk)], key=str)
    CustomRun.objects.create(
        user=people[1],
        problem_version=version,
        language="python",
        source=b"",
        time_limit_ms=1_000,
        status=Status.JUDGING,
    )
    assert fairness.who_may_pass(worked_on, spent_ms=0, node=NODE) == [(CustomRun, run.pk)]


def test_neither_what_is_done_nor_a_flood_of_others_is_read_for_a_turn(
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
        turn = fairness._take_turn(Submission.TASK)
        values: dict[str, Any] = {"person": student.pk, "line": Submission.TASK, "user": student.pk}
        for query in (turn, intake._IN_FLIGHT):
            cursor.execute(f"EXPLAIN {query}", values)
            plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan on judge_submission" not in plan, plan
            assert "Sort Key: judge_submission" not in plan, plan


def test_a_charge_reads_the_rows_of_its_person_alone(make_submission: MakeSubmission, student: User) -> None:
    row: QueuedWork = make_submission(turn=3, expected_ms=1_000, status=Status.JUDGING)
    mine = make_submission(turn=1_003)
    theirs = make_submission(user=User.objects.create_user("other"), turn=1_003)
    fairness.charge(row, 5_000)
    assert [Submission.objects.get(pk=each.pk).turn for each in (row, mine, theirs)] == [3, 5_003, 1_003]
