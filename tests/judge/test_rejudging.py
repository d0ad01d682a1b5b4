"""A rejudge from the choice to the end: what is chosen, what is kept apart, what applying and discarding do."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge import doorbell, intake, rejudge_choice, rejudging
from judge.models import (
    CaseRequest,
    Precedence,
    Rejudge,
    RejudgedCase,
    RejudgedSubmission,
    Status,
    Submission,
    TestCaseResult,
    WorkerNode,
)
from judge.records import release
from judge.rejudge_choice import Choice, RejudgeRefused
from judge.verdicts import Verdict
from judge.workers import sweeper
from problems.models import Problem, ProblemVersion
from tests.judge.rejudged import claimed, judge, judge_all

MakeSubmission = Callable[..., Submission]

pytestmark = pytest.mark.usefixtures("silent_doorbell")


def _everything() -> list[object]:
    """All that pages, lists, counts and exports of students read."""
    return [*Submission.objects.order_by("pk").values(), *TestCaseResult.objects.order_by("pk").values()]


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
    expected: list[tuple[Choice, set[Submission]]] = [
        (Choice(), {wrong, slow, others, old}),
        (Choice(verdicts=frozenset({"TLE"})), {slow}),
        (Choice(verdicts=frozenset({"TLE", "WA"}), languages=frozenset({"python"})), {wrong, others, old}),
        (Choice(users=frozenset({other.pk})), {others}),
        (Choice(ids=frozenset({wrong.pk, slow.pk}), users=frozenset({student.pk})), {wrong, slow}),
        (Choice(since=a_day_ago), {wrong, slow, others}),
        (Choice(until=a_day_ago), {old}),
        (Choice(users=frozenset({other.pk}), verdicts=frozenset({"AC"})), set()),
    ]
    for choice, met in expected:
        assert rejudge_choice.count(problem, choice).total == len(met), choice
        if met:
            rejudge = rejudging.start(problem, choice, by=student, reason="r")
            assert {row.submission for row in rejudge.submissions.all()} == met, choice


def test_counts_tell_verdicts_languages_people_and_what_is_left_out(
    make_judged: MakeSubmission, make_submission: MakeSubmission, problem: Problem
) -> None:
    for columns in ({}, {}, {"verdict": "AC"}, {"language": "cpp", "user": User.objects.create_user("other")}):
        make_judged(**columns)
    make_submission()
    chosen = rejudge_choice.count(problem, Choice())
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
    assert rejudge_choice.count(problem, Choice()).total == 4
    for verdicts, languages in product([(), ("AC",), ("WA", "AC"), ("JE",)], [(), ("cpp",), ("python", "cpp")]):
        choice = Choice(verdicts=frozenset(verdicts), languages=frozenset(languages))
        assert choice.is_tallied
        by_number = replace(choice, ids=everything)
        assert not by_number.is_tallied
        assert rejudge_choice.count(problem, choice) == rejudge_choice.count(problem, by_number), choice


def test_only_those_of_older_versions_are_found(
    make_judged: MakeSubmission, problem: Problem, newer: ProblemVersion
) -> None:
    older = problem.versions.exclude(pk=newer.pk).get()
    make_judged(problem_version=newer)
    make_judged(problem_version=older)
    assert rejudge_choice.count(problem, Choice(is_older_only=True)).total == 1


def test_submissions_of_another_problem_are_never_chosen(make_judged: MakeSubmission, problem: Problem) -> None:
    mine = make_judged()
    another = Problem.objects.create(slug="another", title="Another", current_version=problem.current_version)
    assert rejudge_choice.count(another, Choice(ids=frozenset({mine.pk}))).total == 0


def test_a_rejudge_of_nothing_is_refused_and_leaves_nothing(
    make_submission: MakeSubmission, problem: Problem, teacher: User
) -> None:
    make_submission()
    with pytest.raises(RejudgeRefused, match="No submission that is judged"):
        rejudging.start(problem, Choice(), by=teacher, reason="r")
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
        rejudge = rejudging.start(problem, Choice(), by=teacher, reason="New data")
    row = rejudge.submissions.get()
    assert (rejudge.version, rejudge.made_by, rejudge.reason, rejudge.is_open) == (newer, teacher, "New data", True)
    assert (row.submission, row.old_version, row.old_attempt, row.status) == (submission, older, 1, Status.QUEUED)
    assert (row.old_verdict, row.old_score, row.old_max_cpu_time_us, row.old_max_peak_memory_bytes) == ("WA", 40, 5, 6)
    assert row.old_finished_at == submission.finished_at
    assert (doorbell.ringing(Precedence.STUDENTS), doorbell.ringing(Precedence.BACKGROUND)) == (0, 1)


def test_thousands_are_not_rung_for_at_once(
    make_judged: MakeSubmission, problem: Problem, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeper, "MOST_RINGS", 3)
    monkeypatch.setattr(rejudging, "FEW_RINGS", 1)
    for _ in range(6):
        make_judged()
    rejudging.start(problem, Choice(), by=teacher, reason="r")
    rejudging.ring_on()
    assert doorbell.ringing(Precedence.BACKGROUND) == 3
    rejudging.ring_on()
    assert doorbell.ringing(Precedence.BACKGROUND) == 3
    RejudgedSubmission.objects.filter(pk__in=RejudgedSubmission.objects.order_by("pk")[:5]).update(status=Status.DONE)
    with doorbell._client() as client:
        client.flushall()
    rejudging.ring_on()
    assert doorbell.ringing(Precedence.BACKGROUND) == 1


def test_students_see_and_pay_nothing_before_it_is_applied(
    make_judged: MakeSubmission, problem: Problem, student: User, teacher: User, settings: Settings
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    now = timezone.now()
    WorkerNode.objects.create(name="w", started_at=now, last_seen_at=now, languages={"python": "Python"})
    for _ in range(3):
        make_judged()
    before = _everything()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    first, second, _third = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC, score=100)
    claimed(second)
    assert _everything() == before
    assert (first.results.count(), RejudgedCase.objects.count()) == (1, 1)
    intake.submit(student, problem, "python", b"print(1)")


def test_failures_of_ours_are_tried_again_and_give_no_result(
    make_judged: MakeSubmission, problem: Problem, teacher: User, settings: Settings
) -> None:
    settings.MAX_ATTEMPTS = 2
    submission = make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
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
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    release(claimed(rejudge.submissions.get())._lease, "the disk is full")
    before = _everything()
    rejudging.apply(rejudge, by=teacher)
    rejudge.refresh_from_db()
    assert _everything() == before
    assert rejudge.settled_at is not None


def test_judge_error_of_the_package_is_a_result(make_judged: MakeSubmission, problem: Problem, teacher: User) -> None:
    make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
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
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    assert not rejudge.submissions.changed().exists()
    judge(rejudge.submissions.get(), new[0], score=new[1])
    assert rejudge.submissions.changed().exists() == is_changed


# Applying


def test_applying_replaces_the_result_and_its_cases(
    make_judged: MakeSubmission, problem: Problem, newer: ProblemVersion, teacher: User
) -> None:
    older = problem.versions.exclude(pk=newer.pk).get()
    submission = make_judged(problem_version=older, judge_message="old", max_cpu_time_us=1, created_at=timezone.now())
    CaseRequest.objects.create(result=submission.results.all()[0])
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="New data")
    judge(rejudge.submissions.get(), Verdict.AC, score=100, user_time_us=77)
    row = rejudge.submissions.get()
    rejudging.apply(rejudge, by=teacher)
    after = Submission.objects.get()
    assert (after.verdict, after.score, after.max_cpu_time_us, after.judge_message) == ("AC", 100, 77, "")
    assert (after.problem_version, after.attempt, after.status) == (newer, 2, Status.DONE)
    assert (after.toolchain, after.compile_ok, after.test_case_count) == ("Python 3", True, 1)
    assert (after.finished_at, after.worker) == (row.finished_at, row.worker)
    assert (bytes(after.source), after.created_at, after.user) == (
        b"print(1)\n",
        submission.created_at,
        submission.user,
    )
    case = after.results.get()
    assert (case.name, case.attempt, case.verdict, case.user_time_us) == ("secret/1", 2, "AC", 77)
    assert case.judge_message == "said by the checker"
    assert not CaseRequest.objects.exists()
    assert not RejudgedCase.objects.exists()
    rejudge.refresh_from_db()
    row.refresh_from_db()
    assert (rejudge.applied_by, rejudge.is_open) == (teacher, False)
    assert rejudge.settled_at is not None
    assert row.applied_at is not None
    assert (row.old_verdict, row.verdict, row.old_version) == ("WA", "AC", older)


def test_applying_twice_is_applying_once(make_judged: MakeSubmission, problem: Problem, teacher: User) -> None:
    for _ in range(3):
        make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=teacher)
    before, decided = _everything(), Rejudge.objects.values().get()
    rejudging.apply(rejudge, by=User.objects.create_user("somebody else"))
    assert _everything() == before
    assert Rejudge.objects.values().get() == decided


def test_nothing_is_applied_before_all_are_judged(make_judged: MakeSubmission, problem: Problem, teacher: User) -> None:
    make_judged()
    make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    first, second = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC)
    claimed(second)
    before = _everything()
    with pytest.raises(RejudgeRefused, match="Not every submission is judged yet"):
        rejudging.apply(rejudge, by=teacher)
    assert _everything() == before
    assert Rejudge.objects.get().is_open


def test_a_submission_judged_by_something_else_meanwhile_keeps_that(
    make_judged: MakeSubmission, problem: Problem, teacher: User
) -> None:
    both, only_second = make_judged(), make_judged()
    first = rejudging.start(problem, Choice(ids=frozenset({both.pk})), by=teacher, reason="first")
    second = rejudging.start(problem, Choice(), by=teacher, reason="second")
    judge_all(first, Verdict.AC)
    judge_all(second, Verdict.TLE)
    assert not second.submissions.overtaken().exists()
    rejudging.apply(first, by=teacher)
    assert [row.submission for row in second.submissions.overtaken()] == [both]
    assert second.submissions.newly_overtaken().exists()
    rejudging.apply(second, by=teacher)
    verdicts = dict(Submission.objects.values_list("pk", "verdict"))
    assert verdicts == {both.pk: "AC", only_second.pk: "TLE"}
    stale = second.submissions.get(is_stale=True)
    assert (stale.submission, stale.applied_at) == (both, None)
    assert [row.submission for row in second.submissions.overtaken()] == [both]
    assert not second.submissions.newly_overtaken().exists()
    assert not first.submissions.overtaken().exists()
    second.refresh_from_db()
    assert second.settled_at is not None


def test_an_interrupted_apply_is_finished_by_the_caretaker_turn_by_turn(
    make_judged: MakeSubmission, problem: Problem, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejudging, "CHUNK", 2)
    for _ in range(5):
        make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.AC)
    real, calls = rejudging._apply_some, []

    def interrupted(rejudge_id: int) -> int:
        calls.append(rejudge_id)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return real(rejudge_id)

    monkeypatch.setattr(rejudging, "_apply_some", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rejudging.apply(rejudge, by=teacher)
    monkeypatch.setattr(rejudging, "_apply_some", real)
    rejudge.refresh_from_db()
    assert rejudge.is_being_applied
    assert Submission.objects.filter(verdict="AC").count() == 2
    with pytest.raises(RejudgeRefused, match="has been applied"):
        rejudging.discard(rejudge, by=teacher)
    monkeypatch.setattr(rejudging, "TURN_S", 0.0)
    for number in (4, 5):
        rejudge.refresh_from_db()
        assert rejudge.is_being_applied
        rejudging.carry_out_interrupted()
        assert Submission.objects.filter(verdict="AC", attempt=2).count() == number
    rejudge.refresh_from_db()
    assert not rejudge.is_being_applied
    assert not RejudgedCase.objects.exists()


@pytest.mark.parametrize(("most", "applied"), [(5, 5), (4, 2)])
def test_who_applies_many_waits_for_the_first_only(
    make_judged: MakeSubmission,
    problem: Problem,
    teacher: User,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    applied: int,
) -> None:
    monkeypatch.setattr(rejudging, "CHUNK", 2)
    monkeypatch.setattr(rejudging, "AT_ONCE", most)
    monkeypatch.setattr(rejudging, "FIRST_TURN_S", 0.0)
    for _ in range(5):
        make_judged()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=teacher)
    assert Submission.objects.filter(verdict="AC", attempt=2).count() == applied
    rejudge.refresh_from_db()
    assert rejudge.is_being_applied == (applied < 5)
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(doorbell, "announce", lambda work, news: told.append((work.channel, news)))
    rejudging.carry_out_interrupted()
    assert Submission.objects.filter(verdict="AC", attempt=2).count() == 5
    rejudge.refresh_from_db()
    assert not rejudge.is_being_applied
    assert told[-1:] == ([(rejudge.channel, "settled")] if applied < 5 else [])


# Discarding


def test_discarding_leaves_every_submission_and_drops_the_new_results(
    make_judged: MakeSubmission, problem: Problem, teacher: User
) -> None:
    make_judged()
    make_judged()
    before = _everything()
    rejudge = rejudging.start(problem, Choice(), by=teacher, reason="r")
    first, _second = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC)
    rejudging.discard(rejudge, by=teacher)
    rejudging.discard(rejudge, by=User.objects.create_user("somebody else"))
    rejudge.refresh_from_db()
    assert _everything() == before
    assert (rejudge.discarded_by, rejudge.is_open) == (teacher, False)
    assert list(rejudge.submissions.all()) == [first]
    assert not RejudgedCase.objects.exists()
    with pytest.raises(RejudgeRefused, match="has been discarded"):
        rejudging.apply(rejudge, by=teacher)
    with pytest.raises(RejudgeRefused, match="has been discarded"):
        rejudging.try_again(rejudge)
