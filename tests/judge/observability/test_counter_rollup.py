"""Verdicts never wait for counters: they append, and merging the appended rows changes no sum."""

import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from judge.grading.events import GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Count, Status, Submission, Tally
from judge.observability import counting
from judge.rejudging import selection
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers import reaper
from problems.models import Problem
from tests.judge.conftest import SubmissionMaker
from tests.judge.models.test_tallies import counted, tallies

pytestmark = [pytest.mark.usefixtures("silent_wakeup")]
FINISHED = GradingFinished(verdict=Verdict.AC, explanation=())
PATIENCE_S = 30


def give_verdict(submission: Submission) -> None:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "tally@here/0")
    assert lease
    GradingRecord(lease).write(FINISHED)


def in_thread(work: Callable[[], object]) -> threading.Thread:
    """A thread with a connection of its own that does this."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.mark.django_db(transaction=True)
def test_worker_that_hangs_in_its_verdict_holds_nobody_up(make_submission: SubmissionMaker) -> None:
    """All others of the same problem get theirs meanwhile, and what sweepers do goes on too."""
    hanging, others = make_submission(), [make_submission(user=User.objects.create_user(f"u{n}")) for n in range(20)]
    is_inside, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        with transaction.atomic():
            give_verdict(hanging)
            is_inside.set()
            go_on.wait(2 * PATIENCE_S)

    def work() -> None:
        for other in others:
            give_verdict(other)
        reaper.roll_up()
        reaper.take_back(Submission)

    hung = in_thread(hang)
    try:
        assert is_inside.wait(PATIENCE_S)
        rest = in_thread(work)
        rest.join(PATIENCE_S)
        assert not rest.is_alive()
        assert Submission.objects.filter(status=Status.DONE).count() == len(others)
    finally:
        go_on.set()
        hung.join()
    assert tallies() == counted() == {(hanging.problem_id, "python", "AC"): 21}


@pytest.mark.django_db
def test_folding_leaves_one_row_of_each_and_every_sum(make_judged: SubmissionMaker) -> None:
    judged = [make_judged(verdict=verdict) for verdict in ("WA", "WA", "AC", "TLE")]
    Submission.objects.filter(pk=judged[0].pk).update(verdict="AC")
    judged[3].delete()
    for submission in judged[:3]:
        counting.count_verdict(submission)
    before = counting.counted()
    for _ in range(2):
        reaper.roll_up()
        assert tallies() == counted() != {}
        assert counting.counted() == before != []
        assert Tally.objects.count() == len(tallies())  # nothing is left of what came to nought
        assert Count.objects.count() == len(before)


@pytest.mark.django_db(transaction=True)
def test_many_that_fold_at_once_lose_nothing(make_judged: SubmissionMaker) -> None:
    for _ in range(3):
        for verdict in ("WA", "AC"):
            make_judged(verdict=verdict)
        folding_at_once = [in_thread(reaper.roll_up) for _ in range(4)]
        for thread in folding_at_once:
            thread.join()
        assert tallies() == counted()


@pytest.mark.django_db
def test_round_of_the_sweeper_folds(make_judged: SubmissionMaker) -> None:
    for _ in range(3):
        make_judged(verdict="AC")
    assert Tally.objects.count() == 3
    reaper.sweep()
    assert Tally.objects.count() == 1


@pytest.mark.django_db
def test_verdict_that_came_to_nought_is_not_offered(make_judged: SubmissionMaker, problem: Problem) -> None:
    changed = make_judged(verdict="WA")
    Submission.objects.filter(pk=changed.pk).update(verdict="AC")
    assert selection.options(problem).by_verdict == {"AC": 1}
