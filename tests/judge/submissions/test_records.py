"""Claims, fences and what each event of a grading leaves in the rows."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import override
from pytest_django import Settings

from judge.grading.case_ending import CaseEnding
from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, Finding, GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult
from judge.queue import leases, wakeup
from judge.queue.leases import Lease, LeaseLost
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers import reaper
from problems.translation import Sentence, joined
from sandbox.errors import MeterProblem, MeterStop
from sandbox.types import Ending, IoProfile, Profile, StreamUse, Usage

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]

NO_BPF = MeterProblem(code=MeterStop.NOT_LOADED, words="BPF\0 is off", lacks_capabilities=True)
COMPILED = CompileFinished(ok=True, message="", wall_time_us=5_000, toolchain="Python 3.11.2", cases=2)
PROFILE = Profile(syscalls={"write": 3}, streams={"stdout": StreamUse(calls=3, bytes=12)})


def _ended(words: str) -> CaseEnding:
    return CaseEnding(how=Ending.EXITED, exit_code=1, text=words)


def _judged(name: str, user_time_us: int = 1_000, **changes: object) -> CaseJudged:
    values: dict[str, object] = {
        "name": name,
        "is_sample": False,
        "verdict": Verdict.AC,
        "usage": Usage(user_time_us=user_time_us, system_time_us=500, wall_time_us=9_000, peak_memory_bytes=4_096),
        "io": IoProfile(read_calls=1, write_calls=3, read_bytes=10, write_bytes=12),
        "exit_code": 0,
        "signal": None,
        "stdout_bytes": 12,
        "stderr_bytes": 0,
    }
    return CaseJudged(**{**values, **changes})  # type: ignore[arg-type]


def _finished(verdict: Verdict = Verdict.AC) -> GradingFinished:
    finding = Finding(code="flush-per-line", evidence={"writes": 3, "where": ["a\0b"]})
    return GradingFinished(verdict=verdict, explanation=(finding,))


def _claimed(submission: Submission, worker: str = "w") -> Lease[Submission]:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), worker)
    assert lease is not None
    return lease


def _seconds_until(column: str) -> float:
    """How far ahead of the database's clock the column of the only submission is."""
    left: timedelta = Submission.objects.values_list(F(column) - Now(), flat=True).get()
    return left.total_seconds()


def test_claim_takes_the_row_for_the_lease_time(make_submission: MakeSubmission, settings: Settings) -> None:
    submission = make_submission()
    lease = _claimed(submission, "worker 7")
    submission.refresh_from_db()
    assert (submission.status, submission.attempt, submission.worker) == (Status.JUDGING, 1, "worker 7")
    assert lease.attempt == 1
    left = _seconds_until("lease_until")
    assert settings.LEASE_S - 5 < left <= settings.LEASE_S


def test_claimed_done_and_missing_rows_are_not_there_to_take(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    _claimed(submission)
    assert records.claim(Submission.objects.filter(pk=submission.pk), "second") is None
    assert records.claim(Submission.objects.filter(pk=make_submission(status=Status.DONE).pk), "w") is None
    assert records.claim(Submission.objects.filter(pk=10**9), "w") is None


def test_pausing_row_is_not_there_to_take_before_its_time(make_submission: MakeSubmission) -> None:
    pausing = make_submission(next_try_at=Now() + timedelta(minutes=1))
    assert records.claim(Submission.objects.filter(pk=pausing.pk), "w") is None
    rested = make_submission(next_try_at=Now() - timedelta(seconds=1))
    assert records.claim(Submission.objects.filter(pk=rested.pk), "w") is not None


@pytest.mark.django_db(transaction=True)
def test_one_of_many_claims_at_the_same_moment_wins(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    start = threading.Barrier(8)
    won: list[Lease[Submission]] = []

    def claim(worker: str) -> None:
        start.wait()
        lease = records.claim(Submission.objects.filter(pk=submission.pk), worker)
        won.extend([lease] if lease else [])
        connection.close()

    threads = [threading.Thread(target=claim, args=[f"worker {n}"]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    submission.refresh_from_db()
    assert [lease.worker for lease in won] == [submission.worker]
    assert submission.attempt == 1


@pytest.mark.django_db(transaction=True)
def test_many_claims_at_once_take_each_row_once(make_submission: MakeSubmission) -> None:
    ids = [make_submission(turn=number % 5).pk for number in range(100)]
    taken: list[int] = []
    start = threading.Barrier(16)

    def take_all(worker: str) -> None:
        start.wait()
        # A row that another one is about to take is passed over, so who finds none may be too early.
        while Submission.objects.filter(status=Status.QUEUED).exists():
            lease = records.claim(Submission.objects.all(), worker)
            taken.extend([lease.id] if lease else [])
        connection.close()

    threads = [threading.Thread(target=take_all, args=[f"worker {n}"]) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(ids)
    assert set(Submission.objects.values_list("attempt", flat=True)) == {1}


def test_claims_follow_the_order_of_the_queue(make_submission: MakeSubmission) -> None:
    third, first, second = (make_submission(turn=turn) for turn in (1, 0, 0))
    pausing = make_submission(next_try_at=Now() + timedelta(minutes=1))
    leases_taken = iter(lambda: records.claim(Submission.objects.all(), "w"), None)
    assert [lease.id for lease in leases_taken] == [first.pk, second.pk, third.pk]
    pausing.refresh_from_db()
    assert pausing.status == Status.QUEUED


def test_whole_grading_is_written_event_by_event(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    record = GradingRecord(_claimed(submission))
    sample = _judged("sample/1", is_sample=True, output=b"\0\xff", expected=b"2\n")
    slow = _judged("secret/2", user_time_us=70_000, ending=_ended("lone \udcff and NUL \0"))
    profiled = CaseProfiled(name="secret/2", result=PROFILE)
    for event in (COMPILED, sample, slow, profiled, _finished(Verdict.TLE)):
        submission.refresh_from_db()
        assert (submission.status, submission.verdict) == (Status.JUDGING, "")
        record.write(event)
    submission.refresh_from_db()
    assert (submission.status, submission.verdict, submission.lease_until) == (Status.DONE, "TLE", None)
    assert (submission.toolchain, submission.test_case_count, submission.compile_ok) == ("Python 3.11.2", 2, True)
    assert (submission.max_cpu_time_us, submission.max_peak_memory_bytes) == (70_500, 4_096)
    assert submission.cause == "flush-per-line"
    assert submission.explanation == (Finding(code="flush-per-line", evidence={"writes": 3, "where": ["a\\x00b"]}),)
    first, second = submission.results.all()
    assert (first.name, bytes(first.output), bytes(first.expected), first.profile) == (
        "sample/1",
        b"\0\xff",
        b"2\n",
        None,
    )
    assert second.ending == _ended("lone \\udcff and NUL \\x00")
    assert second.profile == PROFILE
    assert submission.finished_at is not None


def test_results_are_read_as_they_were_measured(make_submission: MakeSubmission) -> None:
    """Also texts and numbers that are special in JSON or in SQL."""
    submission = make_submission()
    words = '"한글" 🦀 it\'s 50 % \\x41\n'
    whole = _judged(
        "secret/1",
        ending=_ended(words),
        stderr=bytes(range(256)),
        exit_code=-9,
        score=0.1,
        io=IoProfile(read_calls=1, write_calls=3, read_bytes=2**62 + 1, write_bytes=12),
        run_times=(3, 2),
    )
    GradingRecord(_claimed(submission)).write(whole)
    GradingRecord(lease := _claimed(make_submission())).write(_judged("secret/1", exit_code=None))
    result, empty = TestCaseResult.objects.order_by("submission")
    assert (result.ending, bytes(result.stderr), result.exit_code) == (_ended(words), bytes(range(256)), -9)
    assert (result.score, result.read_bytes, result.run_times) == (0.1, 2**62 + 1, (3, 2))
    assert (bytes(empty.output), empty.exit_code, empty.score) == (b"", None, None)
    nothing = TestCaseResult.objects.filter(profile__isnull=True, run_times__isnull=True, buffered__isnull=True)
    assert nothing.values_list("submission", flat=True).get() == lease.id


def test_profile_pass_that_failed_says_why(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    record = GradingRecord(_claimed(submission))
    record.write(_judged("secret/1"))
    record.write(CaseProfiled(name="secret/1", result=None, problem="no", meter=NO_BPF))
    submission.refresh_from_db()
    assert submission.meter_reason == replace(NO_BPF, words="BPF\\x00 is off")


@pytest.mark.parametrize("event", [COMPILED, _judged("secret/1"), _finished()])
def test_late_writer_changes_nothing(make_submission: MakeSubmission, event: Event) -> None:
    submission = make_submission()
    late = GradingRecord(_claimed(submission, "slow"))
    Submission.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert reaper.take_back(Submission) == 1
    Submission.objects.update(next_try_at=None)
    second = GradingRecord(_claimed(submission, "fast"))
    before = Submission.objects.values().get()
    with pytest.raises(LeaseLost):
        late.write(event)
    assert Submission.objects.values().get() == before
    assert TestCaseResult.objects.count() == 0
    second.write(_finished(Verdict.WA))
    with pytest.raises(LeaseLost):
        late.write(event)
    assert Submission.objects.get().verdict == "WA"


def test_new_attempt_forgets_what_the_last_one_wrote(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    lease = _claimed(submission)
    record = GradingRecord(lease)
    record.write(COMPILED)
    record.write(_judged("secret/1"))
    records.release(lease, "the disk is full")
    Submission.objects.update(next_try_at=None)
    again = GradingRecord(_claimed(submission))
    submission.refresh_from_db()
    assert (submission.attempt, submission.compile_ok, submission.results.count()) == (2, None, 0)
    again.write(_judged("secret/1"))
    assert [(result.attempt, result.position) for result in submission.results.all()] == [(2, 0)]


def test_repeated_event_is_written_once(make_submission: MakeSubmission) -> None:
    """The commit went through but its answer was lost: the same event comes again."""
    submission = make_submission()
    lease = _claimed(submission)
    GradingRecord(lease).write(_judged("secret/1"))
    record = GradingRecord(lease)
    record.write(_judged("secret/1", ending=_ended("as it came last")))
    record.write(_judged("secret/2"))
    results = submission.results.values_list("name", "ending")
    assert list(results) == [("secret/1", _ended("as it came last")), ("secret/2", None)]


@pytest.mark.django_db(transaction=True)
def test_event_is_written_when_the_database_comes_back(
    make_submission: MakeSubmission, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = GradingRecord(_claimed(make_submission()))
    monkeypatch.setattr(leases, "_PAUSE_S", 0.01)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        own = cursor.fetchone()[0]
    killer = threading.Thread(target=_cut, args=[own])
    killer.start()
    killer.join()
    record.write(_judged("secret/1"))
    assert TestCaseResult.objects.get().name == "secret/1"


def _cut(backend: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])
        assert cursor.fetchone() == (True,)
    connection.close()


def test_database_that_stays_away_ends_the_attempt(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.LEASE_S = 0
    tries: list[int] = []

    def away() -> None:
        tries.append(1)
        raise OperationalError("no route")

    with pytest.raises(OperationalError):
        leases.write_patiently(away)
    assert tries == [1]


def test_release_counts_and_pauses_longer_each_time(make_submission: MakeSubmission, settings: Settings) -> None:
    submission = make_submission()
    settings.MAX_ATTEMPTS = 3
    for pause in (2, 8):
        records.release(_claimed(submission), "the sandbox did not open")
        left = _seconds_until("next_try_at")
        assert pause - 1 < left <= pause
        Submission.objects.update(next_try_at=None)
    records.release(_claimed(submission), "the sandbox did not open")
    submission.refresh_from_db()
    assert (submission.status, submission.verdict, submission.failures) == (Status.DONE, "JE", 3)
    assert submission.judge_message.endswith("3 failures of the judge; the last one: the sandbox did not open")


def test_renewal_holds_only_for_the_current_attempt(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    lease = _claimed(submission)
    Submission.objects.update(lease_until=Now())
    assert leases.renew(lease)
    assert Submission.objects.filter(lease_until__gt=Now()).exists()
    records.release(lease, "why")
    assert not leases.renew(lease)


def test_profile_request_is_claimed_and_finished(make_submission: MakeSubmission, make_result: MakeResult) -> None:
    request = CaseRerun.objects.of(make_result(make_submission(status=Status.DONE)), examination="profile")
    lease = records.claim(CaseRerun.objects.filter(pk=request.pk), "w")
    assert lease is not None
    assert TestCaseResult.objects.count() == 1
    cut = replace(PROFILE, stopped_after_ms=60_000)
    records.finish_case_request(lease, CaseProfiled(name="secret/0", result=cut))
    request.refresh_from_db()
    request.result.refresh_from_db()
    assert (request.status, request.problem) == (Status.DONE, "")
    assert request.result.profile == cut
    with pytest.raises(LeaseLost):
        records.finish_case_request(lease, CaseProfiled(name="secret/0", result=None, problem="late"))


def test_profile_request_that_fails_too_often_is_given_up(
    make_submission: MakeSubmission, make_result: MakeResult, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1
    request = CaseRerun.objects.of(
        make_result(make_submission(status=Status.DONE, verdict="AC")), examination="profile"
    )
    lease = records.claim(CaseRerun.objects.filter(pk=request.pk), "w")
    assert lease is not None
    records.release(lease, "secret path of ours")
    request.refresh_from_db()
    assert request.status == Status.DONE
    assert request.problem.startswith("This failed because of an error of ours")
    assert Submission.objects.get().verdict == "AC"


@pytest.mark.django_db(transaction=True)
def test_pages_are_told_after_each_commit_and_never_the_content(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    with wakeup._client() as client, client.pubsub() as listener:
        listener.subscribe(submission.channel)
        record = GradingRecord(_claimed(submission))
        for event in (COMPILED, _judged("secret/1"), _finished()):
            record.write(event)
        heard = [message["data"] for message in iter(lambda: listener.get_message(timeout=1), None)]
    assert heard == [1, b"judging", b"CompileFinished", b"CaseJudged", b"GradingFinished"]


def test_what_staff_are_told_is_said_in_their_language(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    record = GradingRecord(_claimed(submission))
    code = Sentence("exit code %(code)s", code="3")
    record.write(_judged("secret/1", judge_message=joined(["a checker's\0 word", code], "\n")))
    record.write(_judged("secret/2", judge_message="a checker's word"))
    record.write(replace(_finished(Verdict.JE), judge_message=Sentence("the package has no test cases")))
    submission.refresh_from_db()
    first, second = submission.results.all()
    assert (submission.judge_message, second.judge_sentence) == ("the package has no test cases", None)
    with override("en"):
        assert first.message_for_staff == first.judge_message == "a checker's\\x00 word\nexit code 3"
    with override("ko"):
        assert submission.message_for_staff == "패키지에 테스트 케이스가 없습니다"
        assert first.message_for_staff == "a checker's\\x00 word\n종료 코드 3"
        assert second.message_for_staff == "a checker's word"
