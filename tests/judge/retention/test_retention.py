"""Partitions of the results: created ahead, never missing, and dropped as a whole when they are old."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from judge import retention
from judge.models import (
    Assignment,
    CaseRerun,
    ExpiredResults,
    SharedComparison,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)
from judge.workers import reaper

pytestmark = pytest.mark.django_db(transaction=True)

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[..., TestCaseResult]
DAYS = 100
WIDTH = 1_000


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """A partition of a thousand submissions behind all that there are, gone after the test: first and end."""
    monkeypatch.setattr(retention, "LOCK_TIMEOUT_MS", 10_000)
    first = retention.partitions()[-1].end
    with retention.changing():
        retention.create(first, first + WIDTH)
    yield first, first + WIDTH
    Submission.objects.all().delete()
    with retention.changing():
        for each in retention.partitions():
            if each.first >= first:
                retention.drop(each.name)


@pytest.fixture
def somebody_reads(bounds: tuple[int, int]) -> Iterator[None]:
    """Another connection has read results in a transaction that goes on."""
    given = connection.get_connection_params()
    with psycopg.connect(**{name: given[name] for name in ("host", "user", "dbname") if name in given}) as other:
        other.execute("LOCK TABLE judge_testcaseresult IN ACCESS SHARE MODE")
        yield
        other.rollback()


@pytest.fixture
def old(bounds: tuple[int, int], make_submission: MakeSubmission, make_result: MakeResult) -> Submission:
    """An old judged submission with a result and a rerun, in a partition of its own."""
    submission = _aged(make_submission(pk=bounds[0] + 5, status=Status.DONE, compile_ok=True, test_case_count=1))
    CaseRerun.objects.of(make_result(submission), status=Status.DONE, examination="profile")
    return submission


def _aged(submission: Submission, days: int = DAYS + 1) -> Submission:
    past = timezone.now() - timedelta(days=days)
    Submission.objects.filter(pk=submission.pk).update(created_at=past, finished_at=past)
    submission.refresh_from_db()
    return submission


def _partition_of(result: TestCaseResult) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM judge_testcaseresult WHERE id = %s", [result.pk])
        return str(cursor.fetchone()[0])


def test_next_partition_is_there_before_it_is_needed(
    bounds: tuple[int, int], make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "LEAST", WIDTH)
    make_submission(pk=bounds[0] - 1)
    monkeypatch.setattr(retention, "MOST", WIDTH)
    assert retention.create_ahead() is None, "there is room for as many as it has"
    make_submission(pk=bounds[0] + 1)
    made = retention.create_ahead()
    assert made is not None
    assert made.first == bounds[1]
    assert made.end >= bounds[1] + WIDTH
    assert retention.create_ahead() is None


def test_result_that_fits_into_no_partition_is_written_all_the_same(
    bounds: tuple[int, int], make_submission: MakeSubmission, make_result: MakeResult
) -> None:
    far = make_submission(pk=bounds[1] + 7, status=Status.DONE)
    assert _partition_of(make_result(far)) == retention.REST
    made = retention.create_ahead()
    assert made is not None
    assert made.first == far.pk + 1, "what is in the default partition stays there"
    inside = make_submission(pk=bounds[0], status=Status.DONE)
    assert _partition_of(make_result(inside)) == f"{retention.TABLE}_{bounds[0]}"


def test_query_of_one_submission_reads_one_partition(old: Submission) -> None:
    plan = old.results.filter(attempt=old.attempt).explain()
    assert f"{retention.TABLE}_{old.pk - 5}" in plan
    assert retention.REST not in plan


def test_old_partition_is_dropped_with_what_points_at_it(old: Submission, bounds: tuple[int, int]) -> None:
    gone = retention.expire_next(DAYS)
    assert gone is not None
    assert gone.first == bounds[0]
    assert not TestCaseResult.objects.filter(submission=old).exists()
    assert not CaseRerun.objects.filter(submission=old).exists()
    assert Submission.objects.get(pk=old.pk).verdict == old.verdict
    expired = retention.expired_of(old)
    assert expired is not None
    assert (expired.first, expired.end, expired.kept_days, expired.rows) == (*bounds, DAYS, 1)


def test_nothing_expires_by_default(old: Submission, settings: Settings) -> None:
    assert settings.RESULTS_KEPT_DAYS == 0
    reaper.sweep()
    assert old.results.exists()
    settings.RESULTS_KEPT_DAYS = DAYS
    reaper.sweep()
    assert not old.results.exists()


def test_younger_results_stay(old: Submission) -> None:
    assert retention.expire_next(DAYS + 10) is None
    assert old.results.exists()


def test_partition_of_recent_submissions_stays(old: Submission, make_submission: MakeSubmission) -> None:
    make_submission(pk=old.pk + 1, status=Status.DONE)
    assert retention.expire_next(DAYS) is None
    assert old.results.exists()


def test_unjudged_submission_and_open_assignment_hold_a_partition(
    old: Submission, make_submission: MakeSubmission, teacher: User
) -> None:
    waiting = _aged(make_submission(pk=old.pk - 1))
    assert [each.held for each in retention.old_partitions(DAYS)] == [f"{waiting} is not judged"]
    assert retention.expire_next(DAYS) is None
    Submission.objects.filter(pk=waiting.pk).update(status=Status.DONE)
    now = timezone.now()
    course = Assignment.objects.create(
        title="Term", owner=teacher, opens_at=now - timedelta(days=DAYS + 50), closes_at=now + timedelta(days=1)
    )
    assert [each.held for each in retention.old_partitions(DAYS)] == [f"assignment {course.pk} (Term) has yet to close"]
    assert retention.expire_next(DAYS) is None
    Assignment.objects.filter(pk=course.pk).update(closes_at=now - timedelta(days=1))
    assert retention.expire_next(DAYS) is not None


@pytest.mark.parametrize("is_complete", [False, True])
def test_results_behind_a_link_stay_until_it_is_revoked(
    old: Submission,
    student: User,
    bounds: tuple[int, int],
    make_submission: MakeSubmission,
    make_result: MakeResult,
    is_complete: bool,
) -> None:
    other = _aged(make_submission(pk=old.pk + 1, status=Status.DONE))
    make_result(other)
    if is_complete:
        make_submission(pk=bounds[1], status=Status.DONE)
    shared = SharedComparison.objects.create(token="t", owner=student)
    SharedSide.objects.create(shared=shared, submission=old, position=0)
    before = old.results.get()
    assert retention.expire_next(DAYS) is not None
    assert old.results.get().pk == before.pk
    assert old.results.get().requests.count() == 1
    assert _partition_of(before) == (retention.REST if is_complete else f"{retention.TABLE}_{bounds[0]}")
    assert not other.results.exists()
    assert retention.expire_next(DAYS) is None
    assert old.results.exists()
    SharedComparison.objects.update(revoked_at=timezone.now())
    retention.expire_next(DAYS)
    assert not old.results.exists()


def test_new_result_of_an_expired_submission_is_kept(
    old: Submission, bounds: tuple[int, int], make_submission: MakeSubmission, make_result: MakeResult
) -> None:
    make_submission(pk=bounds[1] + 1, status=Status.DONE)
    retention.expire_next(DAYS)
    Submission.objects.filter(pk=old.pk).update(finished_at=timezone.now())
    result = make_result(old)  # a rejudge wrote it
    assert _partition_of(result) == retention.REST
    retention.expire_next(DAYS)
    assert old.results.exists()
    _aged(old)
    retention.expire_next(DAYS)
    assert not old.results.exists()
    assert ExpiredResults.objects.filter(first=old.pk, end=old.pk + 1, rows=1).exists()


@pytest.mark.usefixtures("somebody_reads")
def test_somebody_reading_delays_it_only(old: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "LOCK_TIMEOUT_MS", 100)
    assert retention.expire_next(DAYS) is None
    assert old.results.get().requests.exists(), "all of it stays"


def test_command_shows_what_would_go_and_deletes_it_on_demand(old: Submission) -> None:
    said = StringIO()
    with pytest.raises(CommandError, match="for ever"):
        call_command("expire_results", stdout=said)
    with pytest.raises(CommandError, match="30 or more"):
        call_command("expire_results", days=3, stdout=said)
    call_command("expire_results", days=DAYS, stdout=said)
    assert "Nothing is deleted" in said.getvalue()
    assert f"submissions {old.pk - 5} to" in said.getvalue()
    assert old.results.exists()
    call_command("expire_results", days=DAYS, delete=True, stdout=said)
    assert "1 partitions are deleted" in said.getvalue()
    assert not old.results.exists()
    assert ExpiredResults.objects.count() == 1
