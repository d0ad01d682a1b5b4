"""A submission whose explanation waits for calls by name: judged, counted and explained by the queue's own tasks."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge.grading.events import CaseProfiled, Event, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.conclusion import Graded, conclude
from judge.grading.submission.grading import grade, source_of
from judge.models import CaseRerun, Status, Submission
from judge.queue import fairness
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from judge.submissions import intake, late_evidence, trials
from judge.workers import tasks, turns
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from problems.store.stores import package_store
from sandbox.errors import MeterProblem, MeterStop
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Sandbox

pytestmark = [pytest.mark.jail, pytest.mark.usefixtures("silent_wakeup", "living_worker")]
FLUSHES = b"""a, b = map(int, input().split())
for _ in range(200_000 if a > 10 ** 11 else 0):
    print(end=" ", flush=True)
print(a + b)
"""  # on one case
ADDS = b"print(sum(map(int, input().split())))\n"
Judge = Callable[[bytes], Submission]


@pytest.fixture
def problem(tmp_path: Path, settings: Settings) -> Problem:
    """A problem of the library, in a store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    return publish(LIBRARY / "sumoftwo", owner=None).problem


@pytest.fixture
def judge(student: User, problem: Problem, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """A function that submits a Python program and has it judged, without the reruns after it."""
    monkeypatch.setattr(fairness, "COUNTS_WAIT", timedelta(hours=1))  # however slow this machine is
    monkeypatch.setattr(tasks, "OVERDUE_LOOK_S", 0.0)
    monkeypatch.setattr(turns, "STRETCH_S", 0)  # a wake-up is one piece of work

    def do(source: bytes) -> Submission:
        submission = intake.submit(student, problem, "python", source)
        tasks.grade_submission.apply(args=[submission.pk], throw=True)
        submission.refresh_from_db()
        assert (submission.status, submission.failures, submission.last_failure) == (Status.DONE, 0, "")
        return submission

    return do


def count(submission: Submission) -> CaseRerun:
    """Carry out the next rerun."""
    request = CaseRerun.objects.filter(result__submission=submission, examination=RerunKind.PROFILE).latest("pk")
    tasks.examine_case.apply(args=[request.pk], throw=True)
    request.refresh_from_db()
    assert request.status == Status.DONE
    return request


def codes(submission: Submission) -> list[str]:
    return [finding.code for finding in submission.explanation]


def test_the_verdict_comes_without_a_pass_and_the_counts_bring_the_rest(judge: Judge) -> None:
    submission = judge(FLUSHES)
    assert submission.stages["profile"] == 0
    assert not submission.results.filter(profile__isnull=False).exists()
    assert (submission.cause, "flush-per-line" in codes(submission)) == ("", False)
    request = CaseRerun.objects.get()
    assert (request.examination, request.is_automatic) == (RerunKind.PROFILE, True)
    assert list(submission.awaits_counts) == [request.result.name]
    stood = submission.explanation
    if count(submission).problem:
        pytest.skip("this host cannot count calls")
    submission.refresh_from_db()
    assert (submission.awaits_counts, submission.cause) == ((), "flush-per-line")
    assert [finding for finding in submission.explanation if finding in stood] == list(stood)
    assert "flush-per-line" in codes(submission)
    # What helps against the finding comes with it.
    assert RerunKind.BUFFERED in CaseRerun.objects.values_list("examination", flat=True)
    assert not CaseRerun.objects.filter(examination=RerunKind.LINE_TIMES).exists()


@pytest.mark.thorough
def test_counts_for_which_there_is_no_room_follow_when_others_are_done(judge: Judge) -> None:
    submissions = [judge(FLUSHES + b"#" * number) for number in range(trials.MOST_OPEN + 1)]
    counted = [rerun.result.submission_id for rerun in CaseRerun.objects.order_by("pk")]
    assert counted == [submission.pk for submission in submissions[:-1]]
    count(submissions[0])
    assert submissions[-1].results.filter(requests__examination=RerunKind.PROFILE).count() == 1


def test_overdue_counts_come_after_the_next_submission_however_many_wait(judge: Judge, student: User) -> None:
    submission = judge(FLUSHES)
    CaseRerun.objects.update(created_at=timezone.now() - 2 * fairness.COUNTS_WAIT)
    sent = [intake.submit(student, submission.problem, "python", ADDS + b"#" * number).pk for number in range(2)]
    tasks.grade_submission.apply(args=[sent[0]], throw=True)
    assert CaseRerun.objects.get(examination=RerunKind.PROFILE).status == Status.DONE
    assert list(Submission.objects.exclude(status=Status.DONE).values_list("pk", flat=True)) == sent[1:]


def test_a_quick_program_is_not_counted_until_somebody_asks(judge: Judge, student: User) -> None:
    submission = judge(ADDS)
    assert (submission.verdict, submission.awaits_counts) == ("AC", ())
    assert not CaseRerun.objects.exists()
    explanation = submission.explanation
    intake.request_examination(submission.results.all()[0], RerunKind.PROFILE, student)
    request = count(submission)
    if not request.problem:
        assert request.result.profile
        assert request.result.profile.syscalls["write"] == 1
    submission.refresh_from_db()
    assert submission.explanation == explanation


NO_BPF = MeterProblem(code=MeterStop.NOT_ROOT)


def test_where_calls_cannot_be_counted_the_rules_speak_without_them(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_job: GradingJob, name: str, _sandbox: Sandbox, _work_root: Path) -> CaseProfiled:
        return CaseProfiled(name=name, result=None, problem="no BPF", meter=NO_BPF)

    monkeypatch.setitem(RUNNERS, RerunKind.PROFILE, fail)
    submission = judge(FLUSHES)
    assert count(submission).problem == "no BPF"
    submission.refresh_from_db()
    assert (submission.awaits_counts, submission.cause, submission.meter_reason) == ((), "flush-per-line", NO_BPF)


def test_a_submission_that_is_judged_again_meanwhile_keeps_its_new_result(judge: Judge) -> None:
    submission = judge(FLUSHES)
    request = CaseRerun.objects.get()
    job = _job(submission)
    facts = late_evidence.facts_for(request.result, RerunKind.PROFILE, job, *_place())
    assert facts is not None
    Submission.objects.update(attempt=submission.attempt + 1, explanation=[], awaits_counts=[])
    submission.refresh_from_db()
    assert late_evidence.explain(submission, request.result, RerunKind.PROFILE, facts) is None
    assert submission.explanation == ()


def test_the_facts_that_come_back_from_the_rows_are_those_of_the_judging(judge: Judge) -> None:
    submission = judge(FLUSHES)
    awaited = CaseRerun.objects.get().result
    facts = late_evidence.facts_for(awaited, RerunKind.PROFILE, _job(submission), *_place())
    assert facts is not None
    for row, case in zip(submission.results.all(), facts.cases, strict=True):
        assert (case.name, case.exit_code, case.usage.cpu_time_us) == (row.name, row.exit_code, row.cpu_time_us)
    stopped = [case.exit_code is None for case in facts.cases]
    assert stopped == [row.verdict == "TLE" for row in submission.results.all()]


def test_all_that_a_rejudge_says_is_said_at_once(problem: Problem, settings: Settings) -> None:
    """Of a program whose counts matter one case is counted in the grading, of another none."""
    version = problem.current_version
    assert version
    with package_store().using(version.digest) as package:
        told: dict[bytes, list[Event]] = {}
        for source in (FLUSHES, ADDS):
            job = GradingJob(package=package, language="python", source=source, profile=ProfilePolicy.NEEDED)
            told[source] = list(grade(job, NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR))
            last = told[source][-1]
            assert isinstance(last, GradingFinished)
            assert last.awaits == ()
            unprofiled = [event for event in told[source][:-1] if not isinstance(event, CaseProfiled)]
            later = conclude(
                Graded(
                    job=replace(job, profile=ProfilePolicy.LATER), events=unprofiled, source=source_of(job, *_place())
                ),
                "",
            )
            counted = [event.name for event in told[source] if isinstance(event, CaseProfiled)]
            assert counted == list(later.awaits)
    assert [any(isinstance(event, CaseProfiled) for event in events) for events in told.values()] == [True, False]


def _place() -> tuple[NsjailSandbox, Path]:
    work_root: Path = django_settings.WORK_DIR
    return NsjailSandbox(work_root), work_root


def _job(submission: Submission) -> GradingJob:
    with package_store().using(submission.problem_version.digest) as package:
        return GradingJob(package=package, language=submission.language, source=bytes(submission.source))
