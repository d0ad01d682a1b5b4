"""The staff's pages of workers and of what is stuck: what they say of each trouble, and what their buttons do."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from judge.grading.events import GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Rejudge, RejudgedSubmission, Status, Submission, WorkerNode
from judge.queue import stuck, wakeup
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers import registration
from problems.models import Problem, ProblemVersion
from problems.store.store import PackageStore

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup")]
LONG_AGO = timedelta(minutes=30)


@pytest.fixture
def worker(db: None) -> WorkerNode:
    """A worker that is alive and has Python."""
    now = timezone.now()
    tried = {"name": "memory", "language": "python", "expected": "MLE", "verdict": "AC", "detail": "It had 96 MiB."}
    return WorkerNode.objects.create(
        name="tally@here",
        started_at=now,
        last_seen_at=now,
        languages={"python": "Python 3.11.2"},
        cores=4,
        processes=3,
        memory_bytes=8 * 1024**3,
        overhead_wall_us=1_200,
        self_test=[{**tried, "wall_time_us": 5_000, "is_ok": False}],
    )


@pytest.fixture
def make_old(student: User, problem: Problem, settings: Settings, tmp_path: Path) -> Callable[..., Submission]:
    """A function that inserts a submission of half an hour ago; its version is in the store."""
    settings.STORE_DIR = tmp_path
    (tmp_path / ("0" * 64)).mkdir()

    def make(**columns: object) -> Submission:
        given = {"user": student, "problem": problem, "problem_version": problem.current_version, "source": b"1"}
        made = Submission.objects.create(**{**given, "language": "python", **columns})
        Submission.objects.filter(pk=made.pk).update(created_at=Now() - LONG_AGO)
        return made

    return make


def _page(client: Client, instructor: User, address: str) -> str:
    client.force_login(instructor)
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("address", ["/workers/", "/stuck/"])
def test_students_find_no_such_page(client: Client, student: User, address: str) -> None:
    client.force_login(student)
    assert client.get(address).status_code == 404
    assert "/workers/" not in client.get("/").content.decode()


def test_page_of_workers_shows_what_each_has_found_and_does(
    client: Client, instructor: User, worker: WorkerNode, make_old: Callable[..., Submission]
) -> None:
    held = make_old(status=Status.JUDGING, worker="tally@here/0", started_at=Now(), lease_until=Now() + LONG_AGO)
    for _ in range(20):
        make_old(status=Status.DONE, worker="tally@here/1", verdict="AC", finished_at=Now())
    page = _page(client, instructor, "/workers/")
    for text in ("tally@here", "takes work", "Python 3.11.2", "1.20\u00a0ms", "8\u00a0GiB"):
        assert text in page
    assert f"Submission {held.pk}, attempt 0" in page
    assert "AC instead of MLE: It had 96 MiB." in page
    assert ">2.0</dd>" in page  # verdicts a minute


def test_unfit_stopped_and_silent_workers_are_told_apart(client: Client, instructor: User, worker: WorkerNode) -> None:
    now = timezone.now()
    for name, problem in (
        ("tally@full", "The disk is full."),
        ("tally@stopped", ""),
        ("tally@sick", f"{WorkerNode.SICK}A process hangs."),
    ):
        WorkerNode.objects.create(name=name, started_at=now, last_seen_at=now, problem=problem)
    registration.stopping("tally@stopped")
    WorkerNode.objects.filter(pk=worker.pk).update(last_seen_at=Now() - LONG_AGO)
    page = _page(client, instructor, "/workers/")
    assert "The disk is full." in page
    assert "takes no work" in page
    assert "stopped</span>" in page
    assert "sick</span>" in page
    assert "host is sick. A process hangs." in page
    assert "It was told to stop." in page
    assert "silent" in page


def _reason(make: Callable[[], Submission]) -> str:
    row = make()
    (found,) = stuck.unfinished()
    assert found.row.pk == row.pk
    assert found.remedy
    return found.reason


def test_without_a_worker_that_is_the_reason(make_old: Callable[..., Submission]) -> None:
    assert _reason(make_old) == "No worker takes work."
    assert [each.can_try for each in stuck.unfinished()] == [False]


@pytest.mark.usefixtures("worker")
def test_language_that_no_worker_has_is_named(make_old: Callable[..., Submission]) -> None:
    assert _reason(lambda: make_old(language="rust")).startswith("No living worker has Rust")


@pytest.mark.usefixtures("worker")
def test_lease_that_ran_out_names_the_silent_worker(make_old: Callable[..., Submission]) -> None:
    ran_out = {"status": Status.JUDGING, "lease_until": Now() - LONG_AGO, "worker": "tally@gone/0"}
    assert _reason(lambda: make_old(**ran_out)) == "Worker tally@gone/0 fell silent: its lease ran out."


@pytest.mark.usefixtures("worker")
def test_long_judging_is_told_with_its_minutes(make_old: Callable[..., Submission]) -> None:
    columns = {"started_at": Now() - LONG_AGO, "lease_until": Now() + LONG_AGO, "worker": "tally@here/0"}
    assert "has worked on it for 30 minutes" in _reason(lambda: make_old(status=Status.JUDGING, **columns))


@pytest.mark.usefixtures("worker")
def test_pause_names_the_failure(make_old: Callable[..., Submission]) -> None:
    columns = {"failures": 2, "last_failure": "OSError: no space left", "next_try_at": Now() + LONG_AGO}
    reason = _reason(lambda: make_old(**columns))
    assert "after failure 2: OSError: no space left." in reason
    assert [each.can_try for each in stuck.unfinished()] == [True]


@pytest.mark.usefixtures("worker")
def test_redis_away_is_the_reason(make_old: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wakeup, "unread_wakeups", lambda: None)
    assert _reason(make_old).startswith("Redis does not answer")


@pytest.mark.usefixtures("worker")
def test_version_that_the_store_lacks_is_named(make_old: Callable[..., Submission], tmp_path: Path) -> None:
    (tmp_path / ("0" * 64)).rmdir()
    assert _reason(make_old) == "The package store has no version 000000000000 of its problem."


@pytest.mark.usefixtures("worker")
def test_each_version_is_asked_for_once_and_more_rows_cost_no_more_queries(
    make_old: Callable[..., Submission], problem: Problem, student: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    has = PackageStore.has

    def counted(store: PackageStore, digest: str) -> bool:
        asked.append(digest)
        return has(store, digest)

    def looked() -> tuple[int, list[str]]:
        asked.clear()
        with CaptureQueriesContext(connection) as queries:
            reasons.append([each.reason for each in stuck.unfinished()])
        return len(queries), sorted(asked)

    monkeypatch.setattr(PackageStore, "has", counted)
    reasons: list[list[str]] = []
    other = ProblemVersion.objects.get(problem=problem)
    other.pk, other.digest, other.number = None, "1" * 64, 2
    other.save()
    rejudge = Rejudge.objects.create(problem=problem, version=other, reason="a better checker")

    def make_both() -> None:
        row = make_old()
        made = RejudgedSubmission.objects.create(
            rejudge=rejudge, submission=row, old_version=row.problem_version, old_attempt=0, old_verdict="AC"
        )
        RejudgedSubmission.objects.filter(pk=made.pk).update(created_at=Now() - LONG_AGO)

    make_both()
    few = looked()
    for _ in range(9):
        make_both()
        make_old(language="rust")
    assert looked() == few == (few[0], ["0" * 64, "1" * 64])
    gone = [
        reason for reason in reasons[1] if reason == "The package store has no version 111111111111 of its problem."
    ]
    assert len(gone) == 10


@pytest.mark.usefixtures("worker")
def test_storage_that_does_not_answer_keeps_the_page_waiting_for_a_moment_only(
    make_old: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    def has(_store: PackageStore, _digest: str) -> bool:
        return answers.wait(60)

    monkeypatch.setattr(PackageStore, "has", has)
    monkeypatch.setattr(stuck, "ASKED_FOR_S", 0.1)
    try:
        assert _reason(make_old) == "The storage of packages does not answer in time."
        assert not answers.is_set()
    finally:
        answers.set()


@pytest.mark.usefixtures("worker")
def test_row_with_nothing_wrong_waits_for_its_turn(make_old: Callable[..., Submission]) -> None:
    assert _reason(make_old) == "It waits for its turn; 1 of its kind wait."


@pytest.mark.usefixtures("worker")
def test_fresh_row_is_not_stuck(student: User, problem: Problem) -> None:
    assert problem.current_version
    Submission.objects.create(
        user=student, problem=problem, problem_version=problem.current_version, language="python", source=b"1"
    )
    assert stuck.unfinished() == []


def test_judge_error_is_judged_again_by_a_button(
    client: Client,
    instructor: User,
    make_old: Callable[..., Submission],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    given_up = make_old(
        status=Status.DONE, verdict="JE", failures=3, attempt=3, judge_message="The disk was full", finished_at=Now()
    )
    page = _page(client, instructor, "/stuck/")
    assert "The disk was full." in page
    address = f"/stuck/submission/{given_up.pk}/again"
    assert f'action="{address}"' in page
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address)["Location"] == "/stuck/"
    given_up.refresh_from_db()
    assert (given_up.status, given_up.verdict, given_up.failures, given_up.attempt) == (Status.QUEUED, "", 0, 3)
    assert given_up.finished_at is None
    assert wakeup.unread_wakeups() == 1


def test_judging_again_waits_for_its_owner_and_counts_from_then(make_old: Callable[..., Submission]) -> None:
    given_up = make_old(status=Status.DONE, verdict="JE", failures=3, attempt=3, finished_at=Now())
    with CaptureQueriesContext(connection) as asked:
        assert stuck.try_again(Submission, given_up.pk)
    statements = [each["sql"] for each in asked]
    locked = next(at for at, sql in enumerate(statements) if '"auth_user"' in sql and "FOR NO KEY UPDATE" in sql)
    turned = next(at for at, sql in enumerate(statements) if "ORDER BY turn, id" in sql)
    assert locked < turned
    lease = records.claim(Submission.objects.filter(pk=given_up.pk), "tally@here/0")
    assert lease
    GradingRecord(lease).write(GradingFinished(verdict=Verdict.AC, explanation=()))
    given_up.refresh_from_db()
    assert given_up.stages["queue"] < LONG_AGO.total_seconds() * 1_000_000 / 2


def test_pause_is_cut_short_by_a_button(client: Client, instructor: User, make_old: Callable[..., Submission]) -> None:
    row = make_old(failures=1, next_try_at=Now() + LONG_AGO)
    client.force_login(instructor)
    client.post(f"/stuck/submission/{row.pk}/again")
    row.refresh_from_db()
    assert (row.next_try_at, row.failures) == (None, 1)


def test_button_for_what_is_done_changes_nothing(
    client: Client, instructor: User, student: User, make_old: Callable[..., Submission]
) -> None:
    row = make_old(status=Status.DONE, verdict="WA")
    address = f"/stuck/submission/{row.pk}/again"
    client.force_login(instructor)
    assert "moved on meanwhile" in client.post(address, follow=True).content.decode()
    assert client.post("/stuck/nothing/1/again").status_code == 404
    client.force_login(student)
    assert client.post(address).status_code == 404
    row.refresh_from_db()
    assert (row.status, row.verdict) == (Status.DONE, "WA")
