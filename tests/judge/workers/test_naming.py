"""No two living workers have one name."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge.models import Submission, WorkerNode
from judge.submissions import intake
from judge.workers import naming
from judge.workers.naming import NameTaken, default_name, take_name
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.judge.workers.real_workers import Worker, set_up_workers


@pytest.fixture(autouse=True)
def _own_folder(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> None:
    if request.node.get_closest_marker("jail") is None:
        settings.WORK_DIR = tmp_path / "work"


@pytest.fixture(autouse=True)
def _own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_held", [])


def row(name: str, holder: str, problem: str = "") -> None:
    now = timezone.now()
    WorkerNode.objects.create(name=name, holder=holder, started_at=now, last_seen_at=now, problem=problem)


@pytest.mark.django_db
def test_a_second_worker_of_a_host_has_a_number() -> None:
    second, third = (default_name().replace("@", f"-{number}@") for number in (2, 3))
    assert [take_name() for _ in range(3)] == [default_name(), second, third]


@pytest.mark.django_db
def test_a_name_that_is_asked_for_and_taken_is_refused() -> None:
    assert take_name("tally@mine") == "tally@mine"
    with pytest.raises(NameTaken, match="give this one another --name"):
        take_name("tally@mine")
    with pytest.raises(NameTaken, match="no name for a worker"):
        take_name("../mine")


@pytest.mark.django_db
def test_a_living_worker_of_another_host_keeps_its_name() -> None:
    row(default_name(), holder="another:1:2")
    assert take_name() == default_name().replace("@", "-2@")
    WorkerNode.objects.update(problem=WorkerNode.TOLD_TO_STOP)
    assert take_name() == default_name()


@pytest.mark.django_db
def test_a_worker_that_was_killed_has_its_name_again_at_once() -> None:
    row(take_name("tally@mine"), holder=naming.holder())
    os.close(naming._held.pop())  # as the kernel does when a process dies
    assert take_name("tally@mine") == "tally@mine"


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent_wakeup: None) -> Iterator[tuple[Worker, Worker]]:
    set_up_workers(monkeypatch, TALLY_SWEEP_EVERY_S="1", TALLY_STOP_GRACE_S="1")
    workers = (Worker(tmp_path / "one.log", name="", processes=1), Worker(tmp_path / "two.log", name="", processes=1))
    yield workers
    for worker in workers:
        worker.stop()


@pytest.mark.jail
@pytest.mark.timeout(240)
@pytest.mark.django_db(transaction=True)
def test_a_second_worker_that_stops_leaves_the_first_one_at_work(pair: tuple[Worker, Worker]) -> None:
    first, second = pair
    first.launch()
    first.wait_for(lambda: WorkerNode.objects.alive().count() == 1, "the first worker takes work")
    second.launch()
    second.wait_for(lambda: WorkerNode.objects.alive().count() == 2, "the second worker takes work")
    second.wait_for(lambda: "ready." in second.said, "the second worker can be told to stop")
    second.stop()
    first.wait_for(lambda: WorkerNode.objects.alive().count() == 1, "the second worker says that it stops")
    problem: Problem = publish(LIBRARY / "sumoftwo", owner=None).problem
    source = b"print(sum(map(int, input().split())))"
    submission = intake.submit(User.objects.create_user("student"), problem, "python", source)
    first.wait_for(lambda: Submission.objects.get(pk=submission.pk).is_done, "a verdict")
    judged = Submission.objects.get(pk=submission.pk)
    assert (judged.verdict, judged.failures) == ("AC", 0)
