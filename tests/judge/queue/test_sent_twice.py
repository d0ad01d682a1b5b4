"""What one person sends twice within seconds is one row, whatever kind of work it is; later it is new work."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F
from pytest_django import Settings

from judge import custom_runs as requests
from judge.custom_runs import TestInput
from judge.experiments import actions
from judge.models import CustomRun, ExperimentRun, PackageUpload, Status, Submission
from judge.models.queue import QueuedWork
from judge.queue import wakeup
from judge.submissions import intake
from judge.submissions.intake import IntakeRefused, SentProgram
from judge.uploads import uploads
from problems.models import Problem
from tests.judge.grading.experiment.specs import TINY
from tests.judge.packed import packed
from tests.judge.uploads.sent import lying, received

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("silent_wakeup", "living_worker"),
]
Send = Callable[..., QueuedWork]  # by whom, and optionally something else


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, settings: Settings) -> None:
    """Uploads are kept in a store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"


@pytest.fixture(params=["submission", "custom run", "experiment", "upload"])
def send(request: pytest.FixtureRequest, problem: Problem) -> Send:
    """A function that sends a piece of work of this kind; `other` is another one of that kind."""

    def submission(user: User, other: bool = False) -> QueuedWork:
        return intake.submit(user, problem, "python", b"print(%d)" % other)

    def custom_run(user: User, other: bool = False) -> QueuedWork:
        return requests.start(
            user, problem, SentProgram(language="python", source=b"print(1)"), TestInput(content=b"%d" % other)
        )

    def experiment(user: User, other: bool = False) -> QueuedWork:
        return actions.start(user, replace(TINY, rounds=3) if other else TINY, "e0-tiny")

    def upload(user: User, other: bool = False) -> QueuedWork:
        return received(user, packed({"README": "other"}) if other else b"")

    kinds: dict[str, Send] = {
        "submission": submission,
        "custom run": custom_run,
        "experiment": experiment,
        "upload": upload,
    }
    return kinds[request.param]


def count() -> int:
    return sum(kind.objects.count() for kind in (Submission, CustomRun, ExperimentRun, PackageUpload))


@pytest.mark.each
def test_the_same_is_taken_once(send: Send, author: User) -> None:
    first, second = send(author), send(author)
    assert (second.pk, first.is_sent_again, second.is_sent_again) == (first.pk, False, True)
    assert count() == 1
    assert wakeup.unread_wakeups() == 1


@pytest.mark.each
def test_something_else_and_somebody_else_are_taken(send: Send, author: User, teacher: User) -> None:
    rows = [send(author), send(author, other=True), send(teacher), send(author)]
    assert count() == 3
    assert rows[3].pk == rows[0].pk


@pytest.mark.each
def test_later_the_same_is_taken_again(send: Send, author: User, settings: Settings) -> None:
    assert settings.SENT_AGAIN_S <= 60, "a minute later it is meant"
    first = send(author)
    earlier = timedelta(seconds=settings.SENT_AGAIN_S)
    type(first)._default_manager.update(created_at=F("created_at") - earlier)
    assert send(author).pk != first.pk
    assert count() == 2


@pytest.mark.each
def test_of_many_at_the_same_moment_one_is_taken(send: Send, author: User) -> None:
    start = threading.Barrier(4)
    taken: list[int] = []

    def one() -> None:
        start.wait()
        try:
            taken.append(send(author).pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count() == 1
    assert len(taken) == 4
    assert len(set(taken)) == 1


def test_who_may_send_no_more_may_send_the_same_again(student: User, problem: Problem, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    first = intake.submit(student, problem, "python", b"print(1)")
    assert intake.submit(student, problem, "python", b"print(1)").pk == first.pk
    with pytest.raises(IntakeRefused):
        intake.submit(student, problem, "python", b"print(2)")


@pytest.mark.parametrize(("columns", "is_new"), [({"verdict": "JE"}, True), ({"verdict": "AC"}, False)])
def test_what_the_judge_failed_on_is_taken_again(
    student: User, problem: Problem, columns: dict[str, Any], is_new: bool
) -> None:
    first = intake.submit(student, problem, "python", b"print(1)")
    Submission.objects.update(status=Status.DONE, **columns)
    assert (intake.submit(student, problem, "python", b"print(1)").pk != first.pk) == is_new


def test_an_experiment_that_is_done_is_run_again(author: User) -> None:
    first = actions.start(author, TINY, "e0")
    ExperimentRun.objects.update(status=Status.DONE)
    assert actions.start(author, TINY, "e0").pk != first.pk


def test_the_bytes_of_a_second_upload_are_not_kept(author: User) -> None:
    first = received(author)
    received(author)
    assert lying() == [first.token]
    uploads.discard(first)
    assert received(author).pk != first.pk
