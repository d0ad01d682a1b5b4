"""Other people's submissions between the steps of one's own: each ends correctly, whatever happens to the other."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from judge.grading.events import CaseJudged, CompileFinished, Event, GradingFinished, GradingJob
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.models import RejudgedSubmission, Status, Submission, WorkerNode
from judge.queue import fairness
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from judge.workers import reaper, tasks, turns
from problems.models import Problem, ProblemVersion
from problems.store.store import PackageStore
from sandbox.errors import JailError
from sandbox.types import IoProfile, Sandbox, Usage
from tests.judge.packages import make_package

MakeSubmission = Callable[..., Submission]
NODE = socket.gethostname()  # what Celery calls the node of a task that is applied in place
CASES = 3
HOUR_MS = 3_600_000

pytestmark = pytest.mark.usefixtures("silent_wakeup")


class Judge:
    """A grading core that only notes what it does; `during` are called in the middle of the program's second case."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.during: dict[str, Callable[[], object]] = {}

    def grade(self, job: GradingJob, _sandbox: Sandbox, _work_root: Path) -> Iterator[Event]:
        """Accept the program after its cases."""
        name = job.source.decode()
        yield CompileFinished(ok=True, message="", wall_time_us=1, toolchain="Python", cases=CASES)
        for case in range(CASES):
            self.steps.append(f"{name}{case}")
            if case == 1 and name in self.during:
                self.during.pop(name)()
            yield CaseJudged(
                name=f"secret/{case}",
                is_sample=False,
                verdict=Verdict.AC,
                usage=Usage(),
                io=IoProfile(),
                exit_code=0,
                signal=None,
                stdout_bytes=0,
                stderr_bytes=0,
            )
        yield GradingFinished(verdict=Verdict.AC, explanation=())


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, db: None) -> Judge:
    """The core in the place of the real one; the row of the worker is there."""
    package = make_package(tmp_path)
    now = timezone.now()
    WorkerNode.objects.create(name=NODE, started_at=now, last_seen_at=now)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: replace(package, digest=digest))
    judge = Judge()
    monkeypatch.setattr(grading, "grade", judge.grade)
    monkeypatch.setattr(fairness, "PASSING_S", 600)
    monkeypatch.setattr(fairness, "LOOK_EVERY_S", 0)  # these cases take no time
    monkeypatch.setattr(turns, "STRETCH_S", 0)  # a wake-up is one piece of work and those who pass it
    monkeypatch.setattr(tasks, "GATHER_S", 0)  # no timer that outlives the test
    return judge


@pytest.fixture
def flood(make_submission: MakeSubmission) -> list[Submission]:
    """Three submissions of one user, "a"."""
    return [make_submission(source=b"a", turn=turn) for turn in range(3)]


@pytest.fixture
def send(make_submission: MakeSubmission) -> Callable[..., Submission]:
    """A function that sends a program of this name as a user of the same name."""

    def send(name: str, turn: int = 0) -> Submission:
        user, _ = User.objects.get_or_create(username=name)
        return make_submission(user=user, source=name.encode(), turn=turn)

    return send


def _notify() -> None:
    tasks.grade_submission.apply(args=[0], throw=True)


def _outcome(submission: Submission) -> tuple[str, str, int, int]:
    submission.refresh_from_db()
    return submission.status, submission.verdict, submission.failures, submission.results.count()


ACCEPTED = (Status.DONE, "AC", 0, CASES)


def test_single_submission_passes_a_flood_after_the_case_that_goes_on(
    judge: Judge, flood: list[Submission], send: Callable[..., Submission]
) -> None:
    judge.during["a"] = lambda: send("b")
    _notify()
    assert judge.steps == ["a0", "a1", "b0", "b1", "b2", "a2"]
    assert _outcome(flood[0]) == _outcome(Submission.objects.get(user__username="b")) == ACCEPTED
    flood[0].refresh_from_db()
    assert (flood[0].attempt, flood[0].stages["queue"] > 0) == (1, True)


def test_who_is_let_pass_lets_nobody_pass(
    judge: Judge, flood: list[Submission], send: Callable[..., Submission]
) -> None:
    def send_two() -> None:
        send("b")
        send("b", turn=HOUR_MS)

    judge.during |= {"a": send_two, "b": lambda: send("c")}
    _notify()
    assert judge.steps == ["a0", "a1", "b0", "b1", "b2", "a2", "c0", "c1", "c2"]


def test_failure_of_ours_in_the_one_that_passes_is_its_own(
    judge: Judge, flood: list[Submission], send: Callable[..., Submission]
) -> None:
    def fail() -> None:
        raise JailError("nsjail died")

    judge.during |= {"a": lambda: send("b"), "b": fail}
    _notify()
    assert judge.steps == ["a0", "a1", "b0", "b1", "a2"]
    assert _outcome(flood[0]) == ACCEPTED
    assert _outcome(Submission.objects.get(user__username="b"))[:3] == (Status.QUEUED, "", 1)
    assert "nsjail died" in WorkerNode.objects.get().problem


def test_own_lease_lost_meanwhile_ends_only_ones_own(
    judge: Judge, flood: list[Submission], send: Callable[..., Submission]
) -> None:
    def send_two() -> None:
        send("b")
        send("c")

    judge.during |= {
        "a": send_two,
        "b": lambda: Submission.objects.filter(pk=flood[0].pk).update(attempt=F("attempt") + 1),
    }
    _notify()
    assert judge.steps == ["a0", "a1", "b0", "b1", "b2"]
    assert _outcome(Submission.objects.get(user__username="b")) == ACCEPTED
    assert _outcome(Submission.objects.get(user__username="c"))[0] == Status.QUEUED
    assert _outcome(flood[0])[:3] == (Status.JUDGING, "", 0)


def test_stopping_worker_hands_both_back_and_neither_is_written_any_more(
    judge: Judge, flood: list[Submission], send: Callable[..., Submission]
) -> None:
    judge.during |= {"a": lambda: send("b"), "b": lambda: reaper.hand_back(NODE)}
    _notify()
    assert judge.steps == ["a0", "a1", "b0", "b1"]
    for submission in (flood[0], Submission.objects.get(user__username="b")):
        assert _outcome(submission)[:3] == (Status.QUEUED, "", 0)
    judge.steps.clear()
    for _ in range(4):
        _notify()
    assert set(map(_outcome, Submission.objects.all())) == {ACCEPTED}
    assert sorted(Submission.objects.values_list("attempt", flat=True)) == [1, 1, 2, 2]


def test_database_that_is_away_when_others_are_looked_for_costs_ones_own_nothing(
    judge: Judge, flood: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> list[int]:
        raise OperationalError("away")

    monkeypatch.setattr(fairness, "who_may_pass", away)
    monkeypatch.setattr("judge.queue.leases.close_connection", lambda: None)  # the test's own connection
    _notify()
    assert _outcome(flood[0]) == ACCEPTED


def test_rejudge_lets_students_pass_between_two_cases(
    judge: Judge,
    make_judged: MakeSubmission,
    send: Callable[..., Submission],
    problem: Problem,
    newer: ProblemVersion,
    teacher: User,
) -> None:
    make_judged(source=b"r")
    rejudging.start(problem, Filter(), by=teacher, reason="new data")
    judge.during["r"] = lambda: send("b")
    tasks.rejudge_submission.apply(args=[0], throw=True)
    assert judge.steps == ["r0", "r1", "b0", "b1", "b2", "r2"]
    row = RejudgedSubmission.objects.get()
    assert (row.status, row.verdict, row.attempt) == (Status.DONE, "AC", 1)
    assert _outcome(Submission.objects.get(user__username="b")) == ACCEPTED


def test_ring_too_many_finds_nothing(judge: Judge, send: Callable[..., Submission]) -> None:
    submission = send("b")
    for _ in range(10):
        tasks.grade_submission.apply(args=[submission.pk], throw=True)
    assert judge.steps == ["b0", "b1", "b2"]
    assert _outcome(submission) == ACCEPTED


def test_ring_takes_the_one_that_goes_first(judge: Judge, make_submission: MakeSubmission) -> None:
    later, first = make_submission(source=b"l", turn=1), make_submission(source=b"f")
    tasks.grade_submission.apply(args=[later.pk], throw=True)
    assert judge.steps == ["f0", "f1", "f2"]
    assert _outcome(first) == ACCEPTED
