"""The counts of verdicts follow the submissions, whoever changes them and however."""

from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum

from judge.models import Rejudge, RejudgedSubmission, Status, Submission, Tally
from judge.rejudging import rejudging
from problems.models import Audience, Problem
from tests.judge.conftest import SubmissionMaker

pytestmark = pytest.mark.django_db


def tallies() -> dict[tuple[int, str, str], int]:
    kept = Tally.objects.values_list("problem_id", "language", "verdict").annotate(Sum("number"))
    return {(problem, language, verdict): number for problem, language, verdict, number in kept if number}


def counted() -> dict[tuple[int, str, str], int]:
    rows = Submission.objects.filter(status=Status.DONE).values_list("problem_id", "language", "verdict")
    return dict(Counter(rows))


def test_only_judged_ones_count(make_judged: SubmissionMaker, make_submission: SubmissionMaker) -> None:
    make_submission()
    assert tallies() == {}
    judged = make_judged(verdict="WA", language="python")
    assert tallies() == {(judged.problem_id, "python", "WA"): 1} == counted()


def test_they_follow_every_change(make_judged: SubmissionMaker, make_submission: SubmissionMaker) -> None:
    waiting, *judged = make_submission(), *(make_judged(verdict="WA") for _ in range(3))
    waiting.status, waiting.verdict = Status.DONE, "AC"
    waiting.save()
    assert tallies() == counted()
    Submission.objects.filter(pk=judged[0].pk).update(verdict="TLE")
    assert tallies() == counted()
    Submission.objects.filter(pk=judged[1].pk).update(status=Status.QUEUED)
    assert tallies() == counted()
    Submission.objects.filter(pk=judged[2].pk).update(worker="another")
    assert tallies() == counted()
    judged[2].delete()
    assert tallies() == counted() != {}


def test_they_follow_rows_that_go_with_their_user_or_problem(make_judged: SubmissionMaker, problem: Problem) -> None:
    other = User.objects.create_user("other")
    make_judged(user=other, verdict="AC")
    make_judged(verdict="AC")
    other.delete()
    assert tallies() == counted() != {}
    Submission.objects.all().delete()
    problem.current_version, problem.audience = None, Audience.HIDDEN
    problem.save()
    problem.delete()
    assert Tally.objects.count() == 0


def test_they_follow_what_is_rolled_back(make_judged: SubmissionMaker) -> None:
    made = make_judged(verdict="WA")
    with transaction.atomic():
        Submission.objects.filter(pk=made.pk).update(verdict="AC")
        transaction.set_rollback(True)
    assert tallies() == counted() == {(made.problem_id, made.language, "WA"): 1}


def test_they_follow_an_applied_rejudge(make_judged: SubmissionMaker, problem: Problem, student: User) -> None:
    made = [make_judged(verdict=verdict) for verdict in ("WA", "AC")]
    assert problem.current_version
    rejudge = Rejudge.objects.create(problem=problem, version=problem.current_version, reason="r")
    for submission, verdict in zip(made, ("AC", "WA"), strict=True):
        RejudgedSubmission.objects.create(
            rejudge=rejudge,
            submission=submission,
            old_version=problem.current_version,
            old_attempt=submission.attempt,
            old_verdict=submission.verdict,
            status=Status.DONE,
            verdict=verdict,
        )
    rejudging.apply(rejudge, by=student)
    made[0].refresh_from_db()
    assert made[0].verdict == "AC"
    assert tallies() == counted()
