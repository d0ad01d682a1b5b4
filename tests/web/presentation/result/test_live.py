"""An unfinished submission: what its page says that it waits for. How it hears of news: `test_streams`."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, TestCaseResult, WorkerNode
from judge.queue import waiting
from tests.web.presentation.shown import mark_of
from web.presentation.result.sentences import place_caption

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
IN_AN_HOUR = timedelta(hours=1)


def _fragment(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission_live", args=[submission.pk])).content.decode()


def test_a_queued_submission_without_a_worker_says_that_it_is_kept(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    page = as_student.get(reverse("submission", args=[make_submission(status=Status.QUEUED).pk])).content.decode()
    assert "No worker is running; your submission is kept and will be judged when one starts." in page
    assert '<meta http-equiv="refresh"' in page


def test_a_silent_worker_counts_as_none(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    WorkerNode.objects.update(last_seen_at=timezone.now() - IN_AN_HOUR)
    assert "No worker is running" in _fragment(as_student, make_submission(status=Status.QUEUED))


def test_a_worker_without_the_language_is_named(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    WorkerNode.objects.update(languages={"python": "Python"})
    fragment = _fragment(as_student, make_submission(status=Status.QUEUED, language="rust"))
    assert "No running worker can run Rust" in fragment


def test_a_queued_submission_tells_its_place_and_why_the_wait_is_not_known(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    first, second = (make_submission(status=Status.QUEUED) for _ in range(2))
    unknown = "The wait is not known: too few submissions have been judged so far."
    assert f"Number 1 in the queue. {unknown}" in _fragment(as_student, first)
    assert f"Number 2 in the queue. {unknown}" in _fragment(as_student, second)


@pytest.mark.parametrize(
    ("took_s", "words"),
    [(1, "a few seconds"), (22, "about 40 seconds"), (60, "about 2 minutes"), (30, "about 60 seconds")],
)
def test_a_queued_submission_tells_when_it_is_expected_to_begin(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode, took_s: int, words: str
) -> None:
    WorkerNode.objects.update(processes=1)
    now = timezone.now()
    for _ in range(5):
        make_submission(started_at=now - timedelta(seconds=took_s), finished_at=now, stages={})
    *_before, third = (make_submission(status=Status.QUEUED) for _ in range(3))
    page = as_student.get(reverse("submission", args=[third.pk])).content.decode()
    assert f'<p class="lead" data-caption>Number 3 in the queue. Expected to begin in {words}.</p>' in page
    assert place_caption(third.pk) == f"Number 3 in the queue. Expected to begin in {words}."


def test_a_queue_that_moves_is_no_news_but_a_page_that_asks_is_told(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    first, second = (make_submission(status=Status.QUEUED) for _ in range(2))
    mark = mark_of(second.pk)
    shown = {"shown": mark, "caption": place_caption(second.pk)}
    address = reverse("submission_live", args=[second.pk])
    assert as_student.get(address, shown).status_code == 204
    first.delete()
    waiting.forget()
    assert mark_of(second.pk) == mark
    assert "Number 1 in the queue." in as_student.get(address, shown).content.decode()


def test_a_waiting_page_asks_nothing_about_the_queue_that_its_process_has_read_just_now(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "FRESH_S", 60.0)
    last = [make_submission(status=Status.QUEUED, attempt=0) for _ in range(20)][-1]
    page = reverse("submission", args=[last.pk])
    as_student.get(page)
    with CaptureQueriesContext(connection) as captured:
        assert "Number 20 in the queue." in as_student.get(page).content.decode()
    others = [query["sql"] for query in captured if '"user_id" = ' not in query["sql"]]
    assert len(captured) == 5, "session, user, preferences, submission, the assignments of its problem"
    assert not any("judge_workernode" in sql or "turn" in sql.partition(" FROM ")[2] for sql in others)


def test_a_failure_of_ours_is_owned_up_to(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission(status=Status.QUEUED, failures=1)
    make_result(submission, name="secret/of-the-failed-try")
    fragment = _fragment(as_student, submission)
    assert "an error in Tally, not in your program" in fragment
    assert "(attempt 2 of 3)" in fragment
    assert "secret/of-the-failed-try" not in fragment


def test_judging_goes_from_compiling_over_cases_to_the_verdict(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission(
        status=Status.JUDGING, lease_until=timezone.now() + IN_AN_HOUR, compile_ok=None, test_case_count=None
    )
    assert "Compiling your program." in _fragment(as_student, submission)
    Submission.objects.update(compile_ok=True, test_case_count=2)
    assert "0 of 2 test cases judged so far." in _fragment(as_student, submission)
    make_result(submission)
    fragment = _fragment(as_student, submission)
    assert "1 of 2 test cases judged so far." in fragment
    assert "secret/01" in fragment
    assert "running…" in fragment
    make_result(submission)
    assert "All test cases are judged. The verdict follows." in _fragment(as_student, submission)


def test_a_worker_that_vanished_is_said_so(
    as_student: Client, make_submission: SubmissionMaker, worker: WorkerNode
) -> None:
    submission = make_submission(status=Status.JUDGING, lease_until=timezone.now() - IN_AN_HOUR)
    assert "has stopped answering. Tally judges it again automatically." in _fragment(as_student, submission)
    WorkerNode.objects.all().delete()
    assert "No worker is running" in _fragment(as_student, submission)


@pytest.mark.parametrize("status", [Status.QUEUED, Status.JUDGING])
def test_an_unfinished_fragment_carries_a_trigger(
    as_student: Client, make_submission: SubmissionMaker, status: Status
) -> None:
    submission = make_submission(status=status)
    fragment = _fragment(as_student, submission)
    shown = f"?shown={mark_of(submission.pk)}"
    assert f'hx-get="{reverse("submission_live", args=[submission.pk])}{shown}' in fragment
    assert 'hx-trigger="tally:refresh"' in fragment
    assert f'data-events="{reverse("submission_events", args=[submission.pk])}{shown}"' in fragment


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_finished_fragment_carries_no_trigger(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, verdict: Verdict
) -> None:
    submission = make_submission(verdict=verdict)
    make_result(submission)
    fragment = _fragment(as_student, submission)
    assert "hx-trigger" not in fragment
    assert "hx-get" not in fragment
    assert "data-events" not in fragment
    page = as_student.get(reverse("submission", args=[submission.pk])).content.decode()
    assert 'http-equiv="refresh"' not in page
