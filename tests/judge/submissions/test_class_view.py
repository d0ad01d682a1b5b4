"""The class view counts submissions, and its hints concern best submissions only."""

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from judge.grading.explain.evidence.rule import Reason
from judge.models import Status, Submission
from judge.submissions import class_view
from judge.submissions.class_view import ClassView
from problems.models import Problem
from tests.judge.conftest import SubmissionMaker

pytestmark = pytest.mark.django_db


def summary(write_calls: int, cpu_us: int, system_us: int) -> list[dict[str, object]]:
    evidence = {"write_calls": write_calls, "cpu_time_us": cpu_us, "system_time_us": system_us}
    return [{"code": "summary", "text": "", "evidence": evidence, "lines": [], "advice": ""}]


def look_at(problem: Problem) -> ClassView:
    return class_view.look_at(Submission.objects.filter(status=Status.DONE), [problem.pk])[problem.pk]


def test_reasons_distributions_and_hints_are_counted(make_judged: SubmissionMaker, problem: Problem) -> None:
    other, third = User.objects.create_user("other"), User.objects.create_user("third")
    flushed = summary(1_000_000, 1_000_000, 800_000)
    make_judged(verdict="TLE", cause="flush-per-line", explanation=flushed)
    make_judged(verdict="TLE", cause="flush-per-line", explanation=flushed)
    make_judged(verdict="AC", explanation=summary(12, 100_000, 1_000))
    make_judged(user=other, verdict="TLE", cause="flush-per-line", explanation=flushed)
    make_judged(user=third, verdict="TLE", cause="algorithm", explanation=summary(3, 2_000_000, 10_000))
    make_judged(user=third, verdict="CE", explanation=[{"code": "compile", "text": "", "evidence": {}}])
    view = look_at(problem)
    assert view.is_all
    assert (view.submissions, view.students, view.solved, view.too_slow) == (6, 3, 1, 4)
    assert view.reasons[Reason.IO] == 3
    assert view.reasons[Reason.STEPS] == 1
    assert [(hint.cause, [one.student for one in hint.students]) for hint in view.hints] == [
        ("flush-per-line", ["other"])
    ]
    best = {one.student: (one.write_calls, one.system_share) for one in view.best}
    assert best["other"] == (1_000_000, 0.8)
    assert best["third"] == (None, None)


def test_best_submission_of_a_student_counts_not_the_last(make_judged: SubmissionMaker, problem: Problem) -> None:
    other = User.objects.create_user("other")
    accepted = make_judged(verdict="AC", explanation=summary(12, 100_000, 1_000))
    make_judged(verdict="TLE", cause="flush-per-line", explanation=summary(1_000_000, 1_000_000, 800_000))
    partial = make_judged(user=other, verdict="WA", score=60)
    make_judged(user=other, verdict="WA", score=30, cause="leftover-output")
    make_judged(user=other, verdict="CE", cause="leftover-output")
    view = look_at(problem)
    assert [one.submission for one in view.best] == [accepted.pk, partial.pk]
    assert view.hints == ()
    assert view.too_slow == 1  # every submission counts there


def test_nothing_sent_is_an_empty_class(problem: Problem) -> None:
    view = look_at(problem)
    assert (view.submissions, view.is_all, view.students, view.best, view.hints) == (0, True, 0, (), ())


def test_only_the_newest_are_read(
    make_judged: SubmissionMaker, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_view, "MOST_SUBMISSIONS", 2)
    for verdict in ("AC", "TLE", "WA"):
        make_judged(verdict=verdict)
    view = look_at(problem)
    assert (view.submissions, view.solved, view.too_slow, view.is_all) == (2, 0, 1, False)


def test_as_many_as_are_read_are_all(
    make_judged: SubmissionMaker, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_view, "MOST_SUBMISSIONS", 2)
    for verdict in ("AC", "TLE"):
        make_judged(verdict=verdict)
    view = look_at(problem)
    assert (view.submissions, view.solved, view.is_all) == (2, 1, True)


def test_a_print_left_in_is_a_hint_though_it_is_no_reason_for_time(
    make_judged: SubmissionMaker, problem: Problem
) -> None:
    make_judged(verdict="WA", cause="leftover-output", explanation=summary(3, 1_000, 10))
    view = look_at(problem)
    assert [hint.cause for hint in view.hints] == ["leftover-output"]
    assert view.too_slow == 0


def test_classes_of_several_problems_are_counted_together_and_apart(
    make_judged: SubmissionMaker,
    problem: Problem,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr(class_view, "MOST_SUBMISSIONS", 2)
    others = [Problem.objects.create(slug=f"other-{number}", title="Other") for number in range(3)]
    untried, twice, often = others
    make_judged(verdict="TLE", cause="algorithm")
    for each, verdicts in ((twice, ("WA", "AC")), (often, ("AC", "TLE", "TLE"))):
        for verdict in verdicts:
            make_judged(problem=each, verdict=verdict, cause="flush-per-line" if verdict == "TLE" else "")
    with django_assert_num_queries(4):  # the groups, the best ones, and of two whether there are older ones
        views = class_view.look_at(Submission.objects.all(), [each.pk for each in (problem, *others)])
    found = {key: (view.submissions, view.students, view.solved, view.too_slow) for key, view in views.items()}
    assert found == {problem.pk: (1, 1, 0, 1), untried.pk: (0, 0, 0, 0), twice.pk: (2, 1, 1, 0), often.pk: (2, 1, 0, 2)}
    assert [view.is_all for view in views.values()] == [True, True, True, False]
    assert views[problem.pk].reasons[Reason.STEPS] == 1
    assert [hint.cause for hint in views[often.pk].hints] == ["flush-per-line"]
    assert [one.verdict for one in views[twice.pk].best] == ["AC"]


def test_no_problems_and_no_students_are_no_classes_and_empty_ones(problem: Problem) -> None:
    assert class_view.look_at(Submission.objects.all(), []) == {}
    assert class_view.look_at(Submission.objects.none(), [problem.pk])[problem.pk].submissions == 0
