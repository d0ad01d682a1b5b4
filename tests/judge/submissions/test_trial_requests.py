"""The automatic reruns: created with the verdict, notified after it, and counted against nobody."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from judge.grading.events import (
    BufferedRun,
    CaseJudged,
    Finding,
    FixedRun,
    GradingFinished,
    GradingJob,
    LineStack,
    LineTime,
    LineTimes,
    MeasuredRun,
    RepeatedRuns,
    RerunEnded,
)
from judge.grading.verdicts import Verdict
from judge.models import (
    CaseRerun,
    Rejudge,
    RejudgedSubmission,
    Status,
    Submission,
    TestCaseResult,
)
from judge.models.queue import REQUESTED
from judge.queue import leases, wakeup
from judge.queue.leases import LeaseLost
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from judge.submissions import intake, records
from judge.submissions.records import GradingRecord
from judge.workers import tasks
from judge.workers.turns import Stretch, Turn
from problems.models import Problem, ProblemVersion
from problems.store.store import PackageStore
from sandbox.types import IoProfile, Sandbox, Usage
from tests.judge.packages import make_package

MakeSubmission = Callable[..., Submission]
SMALL_WRITES = Finding(code="flush-per-line", evidence={"test_case": "secret/2"})
RUN = MeasuredRun(
    verdict=Verdict.AC,
    usage=Usage(user_time_us=60_000, wall_time_us=70_000),
    io=IoProfile(write_calls=3, write_bytes=300),
    stdout_bytes=300,
    stderr_bytes=0,
)
TRIAL = BufferedRun(plain=RUN, buffered=RUN, is_identical=True, is_whole=True, same_bytes=300)

FIX = FixedRun(
    source="",
    diff=("-a", "+b"),
    codes=("no-flush",),
    plain=RUN,
    fixed=RUN,
    is_whole=True,
    cases=2,
    run=2,
    compared=2,
    verdict=Verdict.AC,
    failed_case="",
    has_all_stderr=True,
)


def judged(name: str, passes: int = 1) -> CaseJudged:
    return CaseJudged(
        name=name,
        is_sample=False,
        verdict=Verdict.TLE,
        usage=RUN.usage,
        io=RUN.io,
        exit_code=None,
        signal=None,
        stdout_bytes=300,
        stderr_bytes=0,
        passes=passes,
    )


def grade(
    submission: Submission, *findings: Finding, passes: int = 1, verdict: Verdict = Verdict.AC
) -> None:  # a slow program that is accepted is not tried with a fix
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    for event in (judged("secret/1"), judged("secret/2", passes)):
        record.write(event)
    record.write(GradingFinished(verdict=verdict, explanation=findings))


def test_the_verdict_brings_a_trial_of_the_case_that_was_found(
    make_submission: MakeSubmission,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notified: list[tuple[object, str]] = []
    monkeypatch.setattr(wakeup, "notify", lambda work: notified.append((work, Submission.objects.get().status)))
    with django_capture_on_commit_callbacks(execute=True):
        grade(make_submission(), SMALL_WRITES)
    request = CaseRerun.objects.get()
    assert (request.result.name, request.examination, request.is_automatic) == ("secret/2", "buffered", True)
    assert request.status == Status.QUEUED
    assert notified == [(request, Status.DONE)]


@pytest.mark.parametrize("findings", [(), (Finding(code="algorithm", evidence={"test_case": "secret/2"}),)])
def test_without_small_writes_nothing_is_tried(make_submission: MakeSubmission, findings: tuple[Finding, ...]) -> None:
    grade(make_submission(), *findings)
    assert not CaseRerun.objects.exists()


OVER = Usage(user_time_us=9_000_000, wall_time_us=9_100_000)
COMPUTES = Finding(code="algorithm", evidence={"test_case": "secret/1"})


def grade_slow(submission: Submission, *findings: Finding, usage: Usage = OVER, passes: int = 1) -> None:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    record.write(replace(judged("secret/1", passes), usage=usage))
    record.write(GradingFinished(verdict=Verdict.TLE, explanation=findings))


@pytest.mark.parametrize(
    "findings",
    [(), (COMPUTES,), (Finding(code="tiny-reads", evidence={}),), (Finding(code="lock-storm", evidence={}),)],
)
def test_a_time_limit_exceeded_by_computing_has_its_lines_sampled_and_counted(
    findings: tuple[Finding, ...],
    make_submission: MakeSubmission,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notified: list[object] = []
    monkeypatch.setattr(wakeup, "notify", notified.append)
    with django_capture_on_commit_callbacks(execute=True):
        grade_slow(make_submission(), *findings)
    requests = list(CaseRerun.objects.order_by("pk"))
    assert {(request.examination, request.is_automatic) for request in requests} == {
        ("endless", True),
        ("cputime", True),
        ("counts", True),
        ("fix", True),
    }
    assert {request.result.name for request in requests} == {"secret/1"}
    assert notified == requests


@pytest.mark.parametrize("code", ["waiting", "taking-turns", "too-much-output", "slow-interactor"])
def test_what_did_not_compute_is_not_sampled(code: str, make_submission: MakeSubmission) -> None:
    grade_slow(make_submission(), Finding(code=code, evidence={}))
    assert not CaseRerun.objects.exclude(examination=RerunKind.FIX).exists()


def test_small_writes_are_tried_buffered_and_not_sampled(make_submission: MakeSubmission) -> None:
    grade_slow(make_submission(), Finding(code="flush-per-line", evidence={"test_case": "secret/1"}))
    assert set(CaseRerun.objects.values_list("examination", flat=True)) == {"buffered", "fix"}


def test_a_run_over_the_wall_limit_alone_is_not_sampled(make_submission: MakeSubmission) -> None:
    grade_slow(make_submission(), usage=Usage(user_time_us=1_000, wall_time_us=9_000_000))
    assert not CaseRerun.objects.exists()


def test_several_passes_are_not_sampled_by_themselves(make_submission: MakeSubmission) -> None:
    grade_slow(make_submission(), COMPUTES, passes=2)
    assert not CaseRerun.objects.exists()


def test_what_was_sampled_is_kept_with_its_case(make_submission: MakeSubmission) -> None:
    grade_slow(make_submission(), COMPUTES)
    lease = records.claim(CaseRerun.objects.filter(examination=RerunKind.LINE_TIMES), "w")
    assert lease is not None
    times = LineTimes(
        lines=(LineTime(line=3, own=7, total=9),),
        stacks=(LineStack(lines=(3, 2), samples=7),),
        samples=9,
        elsewhere=2,
        lost=0,
        cut=0,
        period_us=997,
        cpu_time_us=9_000,
        is_whole=False,
    )
    records.finish_case_request(lease, RerunEnded(name="secret/1", result=times))
    assert TestCaseResult.objects.get().line_times == times
    assert CaseRerun.objects.get(examination=RerunKind.LINE_TIMES).is_done


def grade_near(submission: Submission, passes: int = 1) -> None:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    record.write(replace(judged("secret/1", passes), verdict=Verdict.AC, run_times=(2_010_000, 60_000)))
    record.write(GradingFinished(verdict=Verdict.AC, explanation=(), near_limit="secret/1"))


@pytest.mark.parametrize("is_interactive", [False, True])
def test_a_case_that_decided_barely_is_repeated(
    is_interactive: bool,
    make_submission: MakeSubmission,
    problem: Problem,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ProblemVersion.objects.update(is_interactive=is_interactive)
    notified: list[tuple[object, str]] = []
    monkeypatch.setattr(wakeup, "notify", lambda work: notified.append((work, Submission.objects.get().status)))
    with django_capture_on_commit_callbacks(execute=True):
        grade_near(make_submission(problem_version=ProblemVersion.objects.get()))
    request = CaseRerun.objects.get()
    assert (request.result.name, request.examination, request.is_automatic) == ("secret/1", "repeats", True)
    assert notified == [(request, Status.DONE)]


def test_a_case_of_several_passes_is_repeated_too(make_submission: MakeSubmission) -> None:
    grade_near(make_submission(), passes=2)
    assert CaseRerun.objects.get().examination == "repeats"


def test_the_growth_is_kept_with_its_case_and_changes_no_verdict(make_submission: MakeSubmission) -> None:
    grade_near(make_submission())
    CaseRerun.objects.update(examination=RerunKind.GROWTH)
    lease = records.claim(CaseRerun.objects.all(), "w")
    assert lease is not None
    finding = Finding(code="growth", evidence={"power_percent": 200})
    records.finish_case_request(lease, RerunEnded(name="secret/1", result=finding))
    assert TestCaseResult.objects.get().growth == finding
    assert Submission.objects.get().explanation == ()
    assert CaseRerun.objects.get().is_done


def test_repeated_runs_are_kept_with_their_case_and_change_no_verdict(make_submission: MakeSubmission) -> None:
    grade_near(make_submission())
    lease = records.claim(CaseRerun.objects.all(), "w")
    assert lease is not None
    times = (1_990_000, 2_020_000, 1_970_000)
    runs = RepeatedRuns(cpu_times_us=times, within=1, stopped_by_clock=1, clock_times_us=times)
    records.finish_case_request(lease, RerunEnded(name="secret/1", result=runs))
    kept = TestCaseResult.objects.get()
    assert kept.repeats == runs
    assert kept.run_times == (2_010_000, 60_000)
    assert (kept.verdict, Submission.objects.get().verdict) == ("AC", "AC")
    assert CaseRerun.objects.get().is_done


def test_of_one_person_few_automatic_reruns_are_open(make_submission: MakeSubmission) -> None:
    for _ in range(4):
        grade_slow(make_submission(), COMPUTES)
    kinds = ["counts", "cputime", "endless", "fix"]
    assert sorted(CaseRerun.objects.values_list("examination", flat=True)) == sorted(kinds * 2)


def test_what_can_never_be_tried_is_not(make_submission: MakeSubmission, problem: Problem) -> None:
    grade(make_submission(), SMALL_WRITES, passes=2)
    ProblemVersion.objects.update(is_interactive=True)
    grade(make_submission(problem_version=ProblemVersion.objects.get()), SMALL_WRITES)
    assert Submission.objects.filter(status=Status.DONE).count() == 2
    assert not CaseRerun.objects.exists()


def test_a_verdict_that_is_not_written_brings_no_trial(make_submission: MakeSubmission) -> None:
    lease = records.claim(Submission.objects.filter(pk=make_submission().pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    record.write(judged("secret/2"))
    Submission.objects.update(attempt=2)
    with pytest.raises(LeaseLost):
        record.write(GradingFinished(verdict=Verdict.TLE, explanation=(SMALL_WRITES,)))
    assert not CaseRerun.objects.exists()


def test_a_rejudge_tries_nothing_by_itself(make_judged: MakeSubmission, newer: ProblemVersion, teacher: User) -> None:
    submission = make_judged()
    rejudging.start(submission.problem, Filter(), by=teacher, reason="r")
    row = RejudgedSubmission.objects.get()
    lease = records.claim(RejudgedSubmission.objects.filter(pk=row.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    for event in (judged("secret/2"), GradingFinished(verdict=Verdict.TLE, explanation=(SMALL_WRITES,))):
        record.write(event)
    row.refresh_from_db()
    assert row.is_done
    assert not CaseRerun.objects.exists()


def test_a_rejudge_that_is_applied_takes_the_open_trial_with_its_case(
    make_submission: MakeSubmission, problem: Problem, teacher: User
) -> None:
    grade(make_submission(), SMALL_WRITES)
    request = CaseRerun.objects.get()
    lease = records.claim(CaseRerun.objects.filter(pk=request.pk), "w")
    assert lease is not None
    rejudging.start(problem, Filter(), by=teacher, reason="r")
    rejudged = records.claim(RejudgedSubmission.objects.all(), "w")
    assert rejudged is not None
    for event in (judged("secret/1"), GradingFinished(verdict=Verdict.AC, explanation=())):
        GradingRecord(rejudged).write(event)
    rejudging.apply(Rejudge.objects.get(), by=teacher)
    with pytest.raises(LeaseLost):
        records.finish_case_request(lease, RerunEnded(name="secret/2", result=TRIAL))
    assert not CaseRerun.objects.exists()
    assert not TestCaseResult.objects.exclude(buffered=None).exists()


def test_it_counts_against_nobody(make_submission: MakeSubmission, student: User, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    grade(make_submission(), SMALL_WRITES)
    one, two = TestCaseResult.objects.order_by("position")
    asked = intake.request_examination(one, RerunKind.BUFFERED, student)
    assert not asked.is_automatic
    for examination in (RerunKind.PROFILE, RerunKind.BUFFERED):  # the open one would be the student's own then
        with pytest.raises(intake.IntakeRefused, match="as many as one person"):
            intake.request_examination(two, examination, student)
    assert CaseRerun.objects.get(result=two).is_automatic


@pytest.mark.django_db(transaction=True)  # it rings after the commit
@pytest.mark.usefixtures("silent_wakeup")
def test_it_is_in_a_line_of_its_own_until_a_student_asks_for_it(make_submission: MakeSubmission, student: User) -> None:
    grade(make_submission(), SMALL_WRITES)
    assert (CaseRerun.objects.get().line, wakeup.unread_wakeups()) == (CaseRerun.TASK, 1)
    result = TestCaseResult.objects.get(name="secret/2")
    asked = intake.request_examination(result, RerunKind.BUFFERED, student)
    assert CaseRerun.objects.get() == asked
    assert (CaseRerun.objects.get().line, wakeup.unread_wakeups()) == (REQUESTED, 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("silent_wakeup")
def test_one_that_is_being_tried_is_left_as_it_is(make_submission: MakeSubmission, student: User) -> None:
    grade(make_submission(), SMALL_WRITES)
    assert records.claim(CaseRerun.objects.all(), "w")
    result = TestCaseResult.objects.get(name="secret/2")
    assert intake.request_examination(result, RerunKind.BUFFERED, student).is_automatic
    assert wakeup.unread_wakeups() == 1  # of the grading


def test_one_person_has_few_of_them_at_once(make_submission: MakeSubmission, teacher: User) -> None:
    for _ in range(4):
        grade(make_submission(), SMALL_WRITES)
    assert CaseRerun.objects.count() == 2
    grade(make_submission(user=teacher), SMALL_WRITES)
    assert CaseRerun.objects.count() == 3
    CaseRerun.objects.update(status=Status.DONE)
    grade(make_submission(), SMALL_WRITES)
    assert CaseRerun.objects.filter(status=Status.QUEUED).count() == 1


@pytest.mark.usefixtures("redis_server")
def test_all_that_students_wait_for_goes_before_it(
    make_submission: MakeSubmission, student: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        grade(make_submission(), SMALL_WRITES)
    asked = intake.request_examination(TestCaseResult.objects.filter(name="secret/1")[0], RerunKind.PROFILE, student)
    done: list[str] = []

    def do(lease: leases.Lease[Any], _node: str, _turn: Turn, _stretch: Stretch | None) -> None:
        work = lease.claimed
        done.append("submission" if isinstance(work, Submission) else "asked" if work == asked else "automatic")
        lease.model._default_manager.filter(pk=lease.id).update(status=Status.DONE)
        if done[-1] == "automatic" and "submission" not in done:
            make_submission()  # comes in while the first one is tried

    monkeypatch.setattr(tasks, "LINES", [replace(line, work=do) for line in tasks.LINES])
    tasks.grade_submission.apply(args=[0], throw=True)
    assert done == ["asked", "automatic", "submission", "automatic"]


@pytest.mark.usefixtures("redis_server")
def test_it_is_carried_out_and_its_numbers_are_kept(
    make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def tried(_job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[BufferedRun]:
        return RerunEnded(name=name, result=TRIAL)

    package = make_package(tmp_path)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: package)
    monkeypatch.setitem(RUNNERS, RerunKind.BUFFERED, tried)
    grade(make_submission(), SMALL_WRITES)
    request = CaseRerun.objects.get()
    tasks.examine_case.apply(args=[request.pk], throw=True)
    request.refresh_from_db()
    assert (request.status, request.problem) == (Status.DONE, "")
    kept = request.result.buffered
    assert kept is not None
    assert (kept.buffered.verdict, kept.plain.io.write_calls, kept.is_identical) == ("AC", 3, True)


def test_a_program_that_is_too_slow_is_tried_with_a_fix_too(make_submission: MakeSubmission) -> None:
    grade(make_submission(), SMALL_WRITES, verdict=Verdict.TLE)
    asked = CaseRerun.objects.order_by("pk")
    assert [(each.examination, each.is_automatic, each.result.name) for each in asked] == [
        ("buffered", True, "secret/2"),
        ("fix", True, "secret/2"),
    ]


@pytest.mark.parametrize(
    ("finding", "kinds"), [("leftover-output", ["fix"]), ("too-much-output", ["fix"]), ("algorithm", [])]
)
def test_a_refused_output_with_a_leftover_print_is_tried_without_it(
    make_submission: MakeSubmission, finding: str, kinds: list[str]
) -> None:
    leftover = Finding(code=finding, evidence={"test_case": "secret/2"}, lines=(5,))
    grade(make_submission(), leftover, verdict=Verdict.WA)
    assert [each.examination for each in CaseRerun.objects.all()] == kinds


@pytest.mark.parametrize("verdict", [Verdict.AC, Verdict.WA, Verdict.MLE])
def test_one_that_is_not_waits_for_somebody_to_ask(make_submission: MakeSubmission, verdict: Verdict) -> None:
    grade(make_submission(), SMALL_WRITES, verdict=verdict)
    assert [each.examination for each in CaseRerun.objects.all()] == ["buffered"]


@pytest.mark.usefixtures("redis_server")
def test_a_trial_of_a_fix_knows_what_was_judged_and_lets_submissions_pass(
    make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    submission = make_submission()
    grade(submission, SMALL_WRITES, verdict=Verdict.TLE)
    CaseRerun.objects.filter(examination=RerunKind.BUFFERED).delete()
    request, jobs = CaseRerun.objects.get(), list[GradingJob]()
    passing: list[int] = []

    def pass_by(lease: leases.Lease[Submission], *_: object) -> None:
        passing.append(lease.id)
        Submission.objects.filter(pk=lease.id).update(status=Status.DONE)

    lines = tuple(replace(line, work=pass_by) if line is tasks.SUBMISSIONS else line for line in tasks.LINES)

    def tried(job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> RerunEnded[FixedRun]:
        jobs.append(job)
        make_submission()
        monkeypatch.setattr(tasks, "LINES", lines)
        job.between()
        return RerunEnded(name=name, result=replace(FIX, source="x\ud800"))

    package = make_package(tmp_path)
    monkeypatch.setattr(PackageStore, "open", lambda store, digest: package)
    monkeypatch.setitem(RUNNERS, RerunKind.FIX, tried)
    tasks.examine_case.apply(args=[request.pk], throw=True)
    (job,) = jobs
    assert (job.judged_cases, job.found, len(passing)) == (("secret/1", "secret/2"), ("flush-per-line",), 1)
    request.refresh_from_db()
    fix = request.result.fix
    assert (request.status, request.problem) == (Status.DONE, "")
    assert fix is not None
    assert (fix.verdict, fix.codes, fix.source) == ("AC", ("no-flush",), "x\\ud800")
