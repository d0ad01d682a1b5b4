"""The stopwatch that tells where the time from submitting to the verdict went."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.stages import TOTAL, Stage, Stopwatch, as_kept
from judge.models import Submission, WorkerNode
from judge.workers import tasks
from problems.models import ProblemVersion
from problems.store.store import PackageStore

LIBRARY = Path(__file__).resolve().parents[3] / "problems" / "library"
SLACK_US = 1_000  # of two clocks, and between the claim by the one and the start by the other
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.now_ns = 5_000

    def __call__(self) -> int:
        return self.now_ns

    def pass_us(self, us: int) -> None:
        self.now_ns += us * 1_000


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stopwatch(clock: Clock) -> Stopwatch:
    return Stopwatch(clock)


def test_what_nobody_named_is_other(clock: Clock, stopwatch: Stopwatch) -> None:
    clock.pass_us(30)
    assert stopwatch.spent_us() == {**dict.fromkeys(Stage, 0), Stage.OTHER: 30}


def test_time_inside_another_stage_counts_for_the_inner_one_alone(clock: Clock, stopwatch: Stopwatch) -> None:
    with stopwatch.timed(Stage.PROFILE):
        clock.pass_us(1)
        with stopwatch.timed(Stage.RUN):
            clock.pass_us(10)
        clock.pass_us(100)
    clock.pass_us(1_000)
    assert stopwatch.spent_us() == {
        **dict.fromkeys(Stage, 0),
        Stage.PROFILE: 101,
        Stage.RUN: 10,
        Stage.OTHER: 1_000,
    }


def test_a_stage_that_ends_by_an_exception_ends(clock: Clock, stopwatch: Stopwatch) -> None:
    def fail() -> None:
        with stopwatch.timed(Stage.CHECK):
            clock.pass_us(7)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    clock.pass_us(5)
    assert stopwatch.spent_us()[Stage.CHECK] == 7
    assert stopwatch.spent_us()[Stage.OTHER] == 5


def test_a_stage_that_still_goes_on_is_told_until_now(clock: Clock, stopwatch: Stopwatch) -> None:
    with stopwatch.timed(Stage.WRITE):
        clock.pass_us(4)
        assert stopwatch.spent_us()[Stage.WRITE] == 4
        clock.pass_us(4)
    assert stopwatch.spent_us()[Stage.WRITE] == 8


def test_kept_are_all_stages_and_their_sum(clock: Clock, stopwatch: Stopwatch) -> None:
    with stopwatch.timed(Stage.RUN):
        clock.pass_us(100)
    with stopwatch.timed(Stage.QUEUE):  # it stood aside for somebody
        clock.pass_us(20)
    kept = as_kept(stopwatch.spent_us(), BEGAN, BEGAN + timedelta(microseconds=3))
    assert kept == {**dict.fromkeys(map(str, Stage), 0), "run": 100, "queue": 23, TOTAL: 123}
    assert all(type(value) is int for value in kept.values())


def test_a_row_is_never_in_the_queue_for_less_than_no_time(stopwatch: Stopwatch) -> None:
    """Rows that were made before the database gave the time of their making have that of a site's own clock."""
    assert as_kept(stopwatch.spent_us(), BEGAN, BEGAN - timedelta(hours=1))["queue"] == 0


@pytest.mark.jail
@pytest.mark.django_db(transaction=True)
def test_a_real_grading_leaves_every_part_and_they_add_up(
    make_submission: Callable[..., Submission], living_worker: WorkerNode, silent_wakeup: None
) -> None:
    digest = PackageStore(settings.STORE_DIR).add(LIBRARY / "barchart")
    ProblemVersion.objects.update(digest=digest)
    source = (LIBRARY / "barchart" / "submissions" / "accepted" / "rows.py").read_bytes()
    submission = make_submission(source=source + f"# {os.getpid()}: new to the compiler\n".encode())
    tasks.grade_submission.apply(args=[submission.pk], throw=True)
    submission.refresh_from_db()
    kept = submission.stages
    assert (submission.verdict, submission.results.count()) == ("AC", 10)
    assert set(kept) == {*map(str, Stage), TOTAL}
    assert kept[TOTAL] == sum(kept[stage] for stage in Stage)
    assert {stage for stage in Stage if not kept[stage]} == {Stage.PROFILE}  # calls are counted after the verdict
    assert submission.compile_wall_time_us is not None
    assert kept["compile"] >= submission.compile_wall_time_us
    assert kept["run"] >= sum(submission.results.values_list("wall_time_us", flat=True))
    assert submission.started_at is not None
    assert submission.finished_at is not None
    assert kept["queue"] >= (submission.started_at - submission.created_at).total_seconds() * 1_000_000
    assert kept[TOTAL] <= (submission.finished_at - submission.created_at).total_seconds() * 1_000_000 + SLACK_US
