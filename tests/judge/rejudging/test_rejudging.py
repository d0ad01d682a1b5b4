"""A rejudge from the choice to its results: what is chosen, judged, and kept apart from what students see."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge.grading.verdicts import Verdict
from judge.models import (
    Rejudge,
    RejudgedCase,
    RejudgedSubmission,
    Status,
    Submission,
    WorkerNode,
)
from judge.queue import wakeup
from judge.rejudging import rejudging, selection
from judge.rejudging.selection import Filter, RejudgeRefused
from judge.submissions import intake
from judge.submissions.records import release
from problems.models import Problem, ProblemVersion
from tests.judge.rejudging.rejudged import claimed, everything, judge

MakeSubmission = Callable[..., Submission]

pytestmark = pytest.mark.usefixtures("silent_wakeup")


# Choosing


def test_a_choice_lets_through_what_meets_every_condition(
    make_judged: MakeSubmission, problem: Problem, student: User
) -> None:
    other = User.objects.create_user("other")
    now = timezone.now()
    wrong, slow = make_judged(), make_judged(verdict="TLE", language="cpp")
    others = make_judged(user=other)
    old = make_judged()
    Submission.objects.filter(pk=old.pk).update(created_at=now - timedelta(days=3))
    a_day_ago = now - timedelta(days=1)
    expected: list[tuple[Filter, set[Submission]]] = [
        (Filter(), {wrong, slow, others, old}),
        (Filter(verdicts=frozenset({"TLE"})), {slow}),
        (Filter(verdicts=frozenset({"TLE", "WA"}), languages=frozenset({"python"})), {wrong, others, old}),
        (Filter(users=frozenset({other.pk})), {others}),
        (Filter(ids=frozenset({wrong.pk, slow.pk}), users=frozenset({student.pk})), {wrong, slow}),
        (Filter(since=a_day_ago), {wrong, slow, others}),
        (Filter(until=a_day_ago), {old}),
        (Filter(users=frozenset({other.pk}), verdicts=frozenset({"AC"})), set()),
    ]
    for choice, matching in expected:
        assert selection.count(problem, choice).total == len(matching), choice
        if matching:
            rejudge = rejudging.start(problem, choice, by=student, reason="r")
            assert {row.submission for row in rejudge.submissions.all()} == matching, choice


def test_counts_tell_verdicts_languages_people_and_what_is_left_out(
    make_judged: MakeSubmission, make_submission: MakeSubmission, problem: Problem
) -> None:
    for columns in ({}, {}, {"verdict": "AC"}, {"language": "cpp", "user": User.objects.create_user("other")}):
        make_judged(**columns)
    make_submission()
    chosen = selection.count(problem, Filter())
    assert (chosen.total, chosen.unfinished, chosen.students) == (4, 1, 2)
    assert chosen.by_verdict == {"WA": 3, "AC": 1}
    assert chosen.by_language == {"python": 3, "cpp": 1}


def test_choice_by_verdict_and_language_is_counted_as_one_by_number(
    make_judged: MakeSubmission, make_submission: MakeSubmission, problem: Problem
) -> None:
    other = User.objects.create_user("other")
    for columns in ({}, {"verdict": "AC"}, {"verdict": "AC", "user": other}, {"language": "cpp", "user": other}):
        make_judged(**columns)
    make_submission()
    everything = frozenset(Submission.objects.values_list("pk", flat=True))
    assert selection.count(problem, Filter()).total == 4
    for verdicts, languages in product([(), ("AC",), ("WA", "AC"), ("JE",)], [(), ("cpp",), ("python", "cpp")]):
        choice = Filter(verdicts=frozenset(verdicts), languages=frozenset(languages))
        assert choice.is_tallied
        by_number = replace(choice, ids=everything)
        assert not by_number.is_tallied
        assert selection.count(problem, choice) == selection.count(problem, by_number), choice


def test_only_those_of_older_versions_are_found(
    make_judged: MakeSubmission, problem: Problem, newer: ProblemVersion
) -> None:
    older = problem.versions.exclude(pk=newer.pk).get()
    make_judged(problem_version=newer)
    make_judged(problem_version=older)
    assert selection.count(problem, Filter(is_older_only=True)).total == 1


def test_submissions_of_another_problem_are_never_chosen(make_judged: MakeSubmission, problem: Problem) -> None:
    mine = make_judged()
    another = Problem.objects.create(slug="another", title="Another", current_version=problem.current_version)
    assert selection.count(another, Filter(ids=frozenset({mine.pk}))).total == 0


def test_a_rejudge_of_nothing_is_refused_and_leaves_nothing(
    make_submission: MakeSubmission, problem: Problem, teacher: User
) -> None:
    make_submission()
    with pytest.raises(RejudgeRefused, match="No submission that is judged"):
        rejudging.start(problem, Filter(), by=teacher, reason="r")
    assert not Rejudge.objects.exists()


# Judging


def test_a_rejudge_remembers_what_was_and_rings_behind_the_students(
    make_judged: MakeSubmission,
    problem: Problem,
    newer: ProblemVersion,
    teacher: User,
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    older = problem.versions.exclude(pk=newer.pk).get()
    submission = make_judged(problem_version=older, score=40.0, max_cpu_time_us=5, max_peak_memory_bytes=6)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        rejudge = rejudging.start(problem, Filter(), by=teacher, reason="New data")
    row = rejudge.submissions.get()
    assert (rejudge.version, rejudge.made_by, rejudge.reason, rejudge.is_open) == (newer, teacher, "New data", True)
    assert (row.submission, row.old_version, row.old_attempt, row.status) == (submission, older, 1, Status.QUEUED)
    assert (row.old_verdict, row.old_score, row.old_max_cpu_time_us, row.old_max_peak_memory_bytes) == ("WA", 40, 5, 6)
    assert row.old_finished_at == submission.finished_at
    assert wakeup.unread_wakeups() == 1


def test_thousands_are_not_rung_for_at_once(
    make_judged: MakeSubmission, problem: Problem, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeup, "MOST_WAKEUPS", 3)
    monkeypatch.setattr(rejudging, "FEW_WAKEUPS", 1)
    for _ in range(6):
        make_judged()
    rejudging.start(problem, Filter(), by=teacher, reason="r")
    rejudging.ring_on()
    assert wakeup.unread_wakeups() == 3
    rejudging.ring_on()
    assert wakeup.unread_wakeups() == 3
    RejudgedSubmission.objects.filter(pk__in=RejudgedSubmission.objects.order_by("pk")[:5]).update(status=Status.DONE)
    with wakeup._client() as client:
        client.flushall()
    rejudging.ring_on()
    assert wakeup.unread_wakeups() == 1


def test_students_see_and_pay_nothing_before_it_is_applied(
    make_judged: MakeSubmission, problem: Problem, student: User, teacher: User, settings: Settings
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    now = timezone.now()
    WorkerNode.objects.create(name="w", started_at=now, last_seen_at=now, languages={"python": "Python"})
    for _ in range(3):
        make_judged()
    before = everything()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    first, second, _third = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC, score=100)
    claimed(second)
    assert everything() == before
    assert (first.results.count(), RejudgedCase.objects.count()) == (1, 1)
    intake.submit(student, problem, "python", b"print(1)")


def test_failures_of_ours_are_tried_again_and_give_no_result(
    make_judged: MakeSubmission, problem: Problem, teacher: User, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 2
    submission = make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    for _ in range(2):
        RejudgedSubmission.objects.update(next_try_at=None)
        release(claimed(rejudge.submissions.get())._lease, "the disk is full")
    row = rejudge.submissions.get()
    assert (row.status, row.is_given_up) == (Status.DONE, True)
    assert not rejudge.submissions.changed().exists()
    assert rejudging.try_again(rejudge) == 1
    row.refresh_from_db()
    assert (row.status, row.failures, row.verdict, row.is_given_up) == (Status.QUEUED, 0, "", False)
    judge(row, Verdict.AC)
    rejudging.apply(rejudge, by=teacher)
    submission.refresh_from_db()
    assert submission.verdict == "AC"


def test_what_the_judge_gave_up_keeps_its_old_result(
    make_judged: MakeSubmission, problem: Problem, teacher: User, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 1
    make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    release(claimed(rejudge.submissions.get())._lease, "the disk is full")
    before = everything()
    rejudging.apply(rejudge, by=teacher)
    rejudge.refresh_from_db()
    assert everything() == before
    assert rejudge.settled_at is not None


def test_judge_error_of_the_package_is_a_result(make_judged: MakeSubmission, problem: Problem, teacher: User) -> None:
    make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    judge(rejudge.submissions.get(), Verdict.JE)
    assert [row.verdict for row in rejudge.submissions.changed()] == ["JE"]


@pytest.mark.parametrize(
    ("old", "new", "is_changed"),
    [
        (("WA", None), (Verdict.WA, None), False),
        (("WA", None), (Verdict.AC, None), True),
        (("WA", 40.0), (Verdict.WA, 40.0), False),
        (("WA", 40.0), (Verdict.WA, 60.0), True),
        (("WA", None), (Verdict.WA, 60.0), True),
        (("WA", 40.0), (Verdict.WA, None), True),
    ],
)
def test_another_verdict_or_another_score_is_a_change(
    make_judged: MakeSubmission,
    problem: Problem,
    teacher: User,
    old: tuple[str, float | None],
    new: tuple[Verdict, float | None],
    is_changed: bool,
) -> None:
    make_judged(verdict=old[0], score=old[1])
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    assert not rejudge.submissions.changed().exists()
    judge(rejudge.submissions.get(), new[0], score=new[1])
    assert rejudge.submissions.changed().exists() == is_changed
