"""Several at once at one rejudge: on a real PostgreSQL, each in a connection of its own."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from judge.grading.events import GradingFinished, GradingJob
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from judge.models import (
    CaseRerun,
    Rejudge,
    RejudgedCase,
    RejudgedSubmission,
    Status,
    Submission,
    TestCaseResult,
)
from judge.queue.leases import LeaseLost
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter, RejudgeRefused
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from judge.workers import reaper, tasks
from problems.models import Problem, ProblemVersion
from problems.package import Package
from problems.store.store import PackageStore
from tests.judge.packages import LIMITS, make_package
from tests.judge.rejudging.rejudged import claimed, judge, judge_all

MakeSubmission = Callable[..., Submission]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("silent_wakeup")]
FINISHED = GradingFinished(verdict=Verdict.AC, explanation=())


@pytest.fixture
def rejudge(make_judged: MakeSubmission, problem: Problem, teacher: User, monkeypatch: pytest.MonkeyPatch) -> Rejudge:
    """A rejudge of six submissions, nothing of which is judged."""
    monkeypatch.setattr(rejudging, "CHUNK", 2)
    for _ in range(6):
        make_judged()
    return rejudging.start(problem, Filter(), by=teacher, reason="r")


def _at_once(*jobs: Callable[[], object]) -> list[object]:
    """What each gave, or the refusal that it met."""
    start, given = threading.Barrier(len(jobs)), []

    def run(job: Callable[[], object]) -> None:
        start.wait()
        try:
            given.append(job())
        except (RejudgeRefused, LeaseLost) as refused:
            given.append(refused)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return given


def test_four_applies_at_once_are_one(rejudge: Rejudge, teacher: User) -> None:
    judge_all(rejudge, Verdict.AC)
    given = _at_once(*[lambda: rejudging.apply(rejudge, by=teacher)] * 4)
    assert given == [None] * 4
    assert set(Submission.objects.values_list("verdict", "attempt")) == {("AC", 2)}
    assert list(TestCaseResult.objects.values_list("attempt", "name")) == [(2, "secret/1")] * 6
    assert Rejudge.objects.get().settled_at is not None


def test_apply_and_discard_at_once_end_in_one_of_them(rejudge: Rejudge, teacher: User) -> None:
    judge_all(rejudge, Verdict.AC)
    given = _at_once(lambda: rejudging.apply(rejudge, by=teacher), lambda: rejudging.discard(rejudge, by=teacher))
    rejudge.refresh_from_db()
    assert sorted(type(each).__name__ for each in given) == ["NoneType", "RejudgeRefused"]
    assert (rejudge.applied_at is None) != (rejudge.discarded_at is None)
    assert set(Submission.objects.values_list("verdict", flat=True)) == {"AC" if rejudge.applied_at else "WA"}


def test_two_rejudges_of_the_same_applied_at_once_leave_one_whole_result_each(
    rejudge: Rejudge, problem: Problem, teacher: User
) -> None:
    other = rejudging.start(problem, Filter(), by=teacher, reason="other")
    judge_all(rejudge, Verdict.AC)
    judge_all(other, Verdict.TLE)
    _at_once(lambda: rejudging.apply(rejudge, by=teacher), lambda: rejudging.apply(other, by=teacher))
    for submission in Submission.objects.all():
        assert submission.attempt == 2
        assert [(case.attempt, case.verdict) for case in submission.results.all()] == [(2, submission.verdict)]
        assert sorted(submission.rejudged.values_list("is_stale", flat=True)) == [False, True]
    assert Rejudge.objects.filter(settled_at=None).count() == 0


def test_a_claim_under_way_holds_the_apply_off(rejudge: Rejudge, teacher: User) -> None:
    *rest, last = rejudge.submissions.order_by("pk")
    for row in rest:
        judge(row, Verdict.AC)
    record = claimed(last)
    given = _at_once(lambda: rejudging.apply(rejudge, by=teacher), lambda: record.write(FINISHED))
    assert None in given  # the worker's
    refused = [each for each in given if isinstance(each, RejudgeRefused)]
    verdicts = set(Submission.objects.values_list("verdict", flat=True))
    assert verdicts == ({"WA"} if refused else {"AC"})
    assert (Rejudge.objects.get().applied_at is None) == bool(refused)


def test_a_worker_whose_rejudge_is_discarded_writes_nothing_more(rejudge: Rejudge, teacher: User) -> None:
    record = claimed(rejudge.submissions.order_by("pk")[0])
    given = _at_once(lambda: rejudging.discard(rejudge, by=teacher), *[lambda: record.write(FINISHED)] * 2)
    assert Rejudge.objects.get().discarded_at is not None
    assert any(isinstance(each, LeaseLost) for each in given)
    assert not RejudgedCase.objects.exists()
    assert not RejudgedSubmission.objects.unfinished().exists()


def test_a_killed_worker_costs_an_attempt_and_its_late_words_are_void(rejudge: Rejudge) -> None:
    row = rejudge.submissions.order_by("pk")[0]
    late = claimed(row)
    RejudgedSubmission.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert reaper.take_back(RejudgedSubmission) == 1
    RejudgedSubmission.objects.update(next_try_at=None)
    judge(row, Verdict.TLE)
    with pytest.raises(LeaseLost):
        late.write(FINISHED)
    row.refresh_from_db()
    assert (row.verdict, row.attempt, row.failures, row.results.count()) == ("TLE", 2, 1, 1)


def test_a_profile_asked_for_while_it_is_applied_is_refused_or_goes_with_its_case(
    rejudge: Rejudge, teacher: User, student: User
) -> None:
    judge_all(rejudge, Verdict.AC)
    results = list(TestCaseResult.objects.order_by("-pk"))

    def ask() -> None:
        for result in results:
            try:
                intake.request_examination(result, RerunKind.PROFILE, teacher)
            except intake.IntakeRefused as refused:
                assert refused.code in {"result", "busy"}  # noqa: PT017 - one of the two, in a thread

    given = _at_once(ask, lambda: rejudging.apply(rejudge, by=teacher))
    assert given == [None, None]
    assert set(Submission.objects.values_list("verdict", "attempt")) == {("AC", 2)}
    assert not CaseRerun.objects.filter(result__attempt=1).exists()


def test_another_one_at_the_rows_is_not_waited_for(rejudge: Rejudge, teacher: User) -> None:
    judge_all(rejudge, Verdict.AC)
    Rejudge.objects.update(applied_at=timezone.now())
    with transaction.atomic():
        held = rejudge.submissions.order_by("pk")[0]
        RejudgedSubmission.objects.select_for_update().get(pk=held.pk)
        _at_once(rejudging.carry_out_interrupted)
    assert Submission.objects.filter(verdict="AC").count() == 5
    assert Rejudge.objects.get().is_being_applied
    rejudging.carry_out_interrupted()
    assert Submission.objects.filter(verdict="AC").count() == 6
    assert not Rejudge.objects.get().is_being_applied


def test_the_task_judges_by_the_rejudges_version(
    rejudge: Rejudge, problem: Problem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jobs: list[GradingJob] = []

    def accept(job: GradingJob, *_: object) -> list[GradingFinished]:
        jobs.append(job)
        return [FINISHED]

    def opened(_store: PackageStore, digest: str) -> Package:
        digests.append(digest)
        return package

    digests: list[str] = []
    package = make_package(tmp_path)
    version = ProblemVersion.objects.get(problem=problem)
    version.pk, version.number, version.digest, version.time_limit_ms = None, 2, "2" * 64, 123
    version.save()
    Rejudge.objects.update(version=version)
    monkeypatch.setattr(PackageStore, "open", opened)
    monkeypatch.setattr(grading, "grade", accept)
    rows = rejudge.submissions.order_by("pk")
    for _ in range(rows.count() + 1):  # the last ring finds nothing to take
        tasks.rejudge_submission.apply(args=[rows[0].pk], throw=True)
    assert {(row.status, row.verdict, row.attempt) for row in rows} == {(Status.DONE, "AC", 1)}
    assert digests == ["2" * 64] * rows.count()
    assert [(job.language, job.source) for job in jobs] == [("python", b"print(1)\n")] * rows.count()
    assert jobs[0].package.limits.time_limit_ms == 123 != LIMITS.time_limit_ms
