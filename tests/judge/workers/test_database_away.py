"""A database that is cut off in the middle of an attempt costs no verdict, and a host at fault is told of."""

from collections.abc import Callable

import pytest
from django.db import transaction
from django.db.models.functions import Now

from judge.grading.events import CaseProfiled, GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from judge.queue import leases, wakeup
from judge.reruns import suggestions
from judge.reruns.kinds import RerunKind
from judge.submissions import records, trials
from judge.submissions.records import GradingRecord
from judge.workers import tasks
from judge.workers.attempt import attempt
from sandbox.errors import SandboxError
from tests.judge.conftest import SubmissionMaker, cut_off

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("silent_wakeup")]
FINISHED = GradingFinished(verdict=Verdict.AC, explanation=())
NODE = "tally@here"


@pytest.fixture(autouse=True)
def _worker(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "_PAUSE_S", 0.01)
    monkeypatch.setattr(tasks, "own_slot", lambda: type("Slot", (), {"cpu": 0, "number": 0}))
    WorkerNode.objects.create(name=NODE, started_at=Now(), last_seen_at=Now())


def claimed(submission: Submission) -> leases.Lease[Submission]:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), f"{NODE}/0")
    assert lease
    return lease


def test_row_goes_back_at_once_though_its_connection_is_gone(make_submission: SubmissionMaker) -> None:
    submission = make_submission()
    with attempt(claimed(submission), NODE):
        cut_off()
        Submission.objects.get(pk=submission.pk)
    submission.refresh_from_db()
    assert (submission.status, submission.failures) == (Status.QUEUED, 1)


def test_restart_while_the_work_is_read_costs_nothing(make_submission: SubmissionMaker) -> None:
    lease = claimed(make_submission())
    cut_off()
    assert tasks._read(Submission.objects.all(), lease).attempt == 1


def test_jail_that_stays_after_the_verdict_is_told_of(make_submission: SubmissionMaker) -> None:
    submission = make_submission()
    lease = claimed(submission)
    with attempt(lease, NODE):
        GradingRecord(lease).write(FINISHED)
        raise SandboxError("the control group cannot be removed")
    submission.refresh_from_db()
    assert (submission.status, submission.verdict, submission.failures) == (Status.DONE, "AC", 0)
    assert "the control group cannot be removed" in WorkerNode.objects.get().problem


@pytest.mark.parametrize("is_given_up", [False, True])
def test_work_that_was_taken_away_says_nothing_of_the_host(make_submission: SubmissionMaker, is_given_up: bool) -> None:
    submission = make_submission(failures=2 if is_given_up else 0)
    with attempt(claimed(submission), NODE):
        with transaction.atomic():
            leases.put_back(Submission.objects.select_for_update().get(pk=submission.pk), "it fell silent")
        raise SandboxError("its folder is gone")
    submission.refresh_from_db()
    assert submission.status == (Status.DONE if is_given_up else Status.QUEUED)
    assert WorkerNode.objects.get().problem == ""


class Commit:
    """The first transaction that ends in this state is committed, but nobody is told so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._finish = records.finish
        self.left_unanswered = 0
        monkeypatch.setattr(records, "finish", self._finish_and_cut)

    def _finish_and_cut(self, row: object) -> None:
        self._finish(row)  # type: ignore[arg-type]
        if not self.left_unanswered:
            transaction.on_commit(self._cut)  # after the commit, where its answer would come

    def _cut(self) -> None:
        self.left_unanswered += 1
        cut_off()
        Submission.objects.exists()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the pages are told."""
    news: list[str] = []
    monkeypatch.setattr(wakeup, "announce", lambda row, what: news.append(what))
    return news


def test_verdict_whose_commit_was_left_unanswered_is_told_and_its_trial_rung(
    make_submission: SubmissionMaker,
    make_result: Callable[[Submission], TestCaseResult],
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lease = claimed(make_submission())
    result = make_result(Submission.objects.get())
    notified: list[int] = []
    monkeypatch.setattr(wakeup, "notify", lambda row: notified.append(row.pk))
    for module in (trials, suggestions):
        monkeypatch.setattr(module, "worth_trying", lambda explanation: result.name)
    commit = Commit(monkeypatch)
    told.clear()
    GradingRecord(lease).write(FINISHED)
    assert commit.left_unanswered == 1
    assert told == ["GradingFinished"]
    assert notified == [CaseRerun.objects.get().pk]
    assert Submission.objects.get().verdict == "AC"


def test_finished_examination_whose_commit_was_left_unanswered_is_told(
    make_submission: SubmissionMaker,
    make_result: Callable[[Submission], TestCaseResult],
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = make_result(make_submission(status=Status.DONE, verdict="AC"))
    CaseRerun.objects.of(result, examination=RerunKind.PROFILE)
    lease = records.claim(CaseRerun.objects.all(), f"{NODE}/0")
    assert lease
    commit = Commit(monkeypatch)
    told.clear()
    records.finish_case_request(lease, CaseProfiled(name=result.name, result=None, problem="none"))
    assert (commit.left_unanswered, told) == (1, ["profile"])
