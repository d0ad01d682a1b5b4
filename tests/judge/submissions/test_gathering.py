"""Events within a moment are written together, and none waits for a slow case."""

import time
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, GradingFinished
from judge.grading.stages import TOTAL, Stage
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, TestCaseResult
from judge.queue.leases import Lease, LeaseLost
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers.attempt import kept
from sandbox.types import IoProfile, Profile, StreamUse, Usage
from tests.waiting import wait_for

MakeSubmission = Callable[..., Submission]
LONG_S = 3_600.0
COMPILED = CompileFinished(ok=True, message="", wall_time_us=1, toolchain="python3", cases=2)
FINISHED = GradingFinished(verdict=Verdict.AC, explanation=())


PROFILE = Profile(syscalls={"write": 3}, streams={"stdout": StreamUse(calls=3, bytes=12)})


def judged(name: str, *, cpu_time_us: int = 0) -> CaseJudged:
    return CaseJudged(
        name=name,
        is_sample=False,
        verdict=Verdict.AC,
        usage=Usage(user_time_us=cpu_time_us),
        io=IoProfile(),
        exit_code=0,
        signal=None,
        stdout_bytes=0,
        stderr_bytes=0,
    )


@pytest.fixture
def lease(make_submission: MakeSubmission, redis_server: str) -> Lease[Submission]:
    lease = records.claim(Submission.objects.filter(pk=make_submission().pk), "worker/0")
    assert lease is not None
    return lease


def names_of(lease: Lease[Submission]) -> list[str]:
    return list(TestCaseResult.objects.filter(submission=lease.id).values_list("name", flat=True))


def test_quick_cases_are_written_with_the_verdict_in_one_transaction(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=LONG_S)
    with CaptureQueriesContext(connection) as before:
        for event in (COMPILED, judged("secret/1"), judged("secret/2")):
            record.write(event)
    assert not before.captured_queries
    record.write(FINISHED)
    row = Submission.objects.get(pk=lease.id)
    assert names_of(lease) == ["secret/1", "secret/2"]
    assert (row.status, row.verdict, row.toolchain) == (Status.DONE, Verdict.AC, "python3")


def test_quick_submission_costs_few_statements(make_submission: MakeSubmission, redis_server: str) -> None:
    """Each is a millisecond in which its slot grades nothing: `bench.draining`."""
    rows = Submission.objects.filter(pk=make_submission().pk)
    with CaptureQueriesContext(connection) as claiming:
        lease = records.claim(rows, "worker/0")
    assert lease is not None
    assert _kinds(claiming) == ["SELECT", "UPDATE"]
    record = GradingRecord(lease, gather_s=LONG_S)
    for event in (COMPILED, judged("secret/1"), CaseProfiled(name="secret/1", result=PROFILE)):
        record.write(event)
    with CaptureQueriesContext(connection) as writing:
        record.write(FINISHED)
    assert _kinds(writing) == ["SELECT", "INSERT", "UPDATE", "INSERT"]  # the row, its cases, the verdict, the counts
    result = TestCaseResult.objects.get(submission=lease.id)
    assert result.profile == PROFILE


@pytest.mark.parametrize("gather_s", [LONG_S, 0])
def test_most_used_is_that_of_all_cases_however_they_were_written(lease: Lease[Submission], gather_s: float) -> None:
    record = GradingRecord(lease, gather_s=gather_s)
    cases = [judged("secret/1", cpu_time_us=70), judged("secret/2", cpu_time_us=20)]
    events: list[Event] = [COMPILED, *cases, CaseProfiled(name="secret/1", result=PROFILE), FINISHED]
    for event in events:
        record.write(event)
    assert Submission.objects.get(pk=lease.id).max_cpu_time_us == 70
    first, second = TestCaseResult.objects.filter(submission=lease.id)
    assert first.profile is not None
    assert second.profile is None


def test_refused_program_used_nothing(lease: Lease[Submission]) -> None:
    GradingRecord(lease, gather_s=LONG_S).write(FINISHED)
    row = Submission.objects.get(pk=lease.id)
    assert (row.max_cpu_time_us, row.max_peak_memory_bytes) == (None, None)


def _kinds(captured: CaptureQueriesContext) -> list[str]:
    """What the statements do, but for those of the transaction."""
    words = [query["sql"].split()[0] for query in captured.captured_queries]
    return [word for word in words if word not in {"BEGIN", "COMMIT", "SAVEPOINT", "RELEASE"}]


def test_the_parts_of_the_time_are_written_with_the_verdict(lease: Lease[Submission]) -> None:
    GradingRecord(lease, gather_s=LONG_S).write(FINISHED)
    row = Submission.objects.get(pk=lease.id)
    assert set(row.stages) == {*map(str, Stage), TOTAL}
    assert row.stages[TOTAL] == sum(row.stages[stage] for stage in Stage)
    assert row.started_at is not None
    assert row.stages["queue"] == pytest.approx((row.started_at - row.created_at).total_seconds() * 1_000_000, abs=1)
    assert row.stages["write"] > 0


def test_what_comes_after_a_while_is_written_at_once(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=0.001)
    time.sleep(0.002)
    record.write(judged("secret/1"))
    assert names_of(lease) == ["secret/1"]


def test_what_follows_a_long_compilation_at_once_is_written_with_it(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=LONG_S)
    record._written_at -= LONG_S  # so long the compiler took
    with CaptureQueriesContext(connection) as before:
        record.write(COMPILED)
        record.write(judged("secret/1"))
    assert not before.captured_queries
    record.write(FINISHED)
    assert names_of(lease) == ["secret/1"]


@pytest.mark.django_db(transaction=True)
def test_what_was_gathered_does_not_wait_for_the_next_case(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=0.05)
    with kept(lease, "worker"):
        record.write(judged("secret/1"))
        wait_for(lambda: names_of(lease), "the case is written")
    record.write(judged("secret/2"))
    record.write(FINISHED)
    found = TestCaseResult.objects.filter(submission=lease.id).values_list("position", "name")
    assert list(found) == [(0, "secret/1"), (1, "secret/2")]


@pytest.mark.django_db(transaction=True)
def test_a_lost_lease_is_found_by_the_next_write_not_by_the_late_one(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=0.01)
    with kept(lease, "worker"):
        record.write(judged("secret/1"))
        Submission.objects.update(attempt=lease.attempt + 1)
    with pytest.raises(LeaseLost):
        record.write(FINISHED)
    assert not Submission.objects.get(pk=lease.id).is_done


@pytest.mark.django_db(transaction=True)
def test_nothing_is_written_once_the_attempt_has_ended(lease: Lease[Submission]) -> None:
    record = GradingRecord(lease, gather_s=0.05)
    record.write(judged("secret/1"))
    errand = lease.errands.get_nowait()
    assert errand is not None
    record.stop()
    record._written_at -= LONG_S
    errand[1]()
    assert names_of(lease) == []
