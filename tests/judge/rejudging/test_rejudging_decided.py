"""A rejudge at its end: what applying replaces, and what discarding leaves."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from judge.grading.verdicts import Verdict
from judge.models import (
    CaseRerun,
    Rejudge,
    RejudgedCase,
    Status,
    Submission,
)
from judge.queue import wakeup
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter, RejudgeRefused
from problems.models import Problem, ProblemVersion
from tests.judge.rejudging.rejudged import claimed, everything, judge, judge_all

MakeSubmission = Callable[..., Submission]

pytestmark = pytest.mark.usefixtures("silent_wakeup")


# Applying


def test_applying_replaces_the_result_and_its_cases(
    make_judged: MakeSubmission, problem: Problem, newer: ProblemVersion, teacher: User
) -> None:
    older = problem.versions.exclude(pk=newer.pk).get()
    submission = make_judged(problem_version=older, judge_message="old", max_cpu_time_us=1, created_at=timezone.now())
    CaseRerun.objects.of(submission.results.all()[0], examination="profile")
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="New data")
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
    assert not CaseRerun.objects.exists()
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
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=teacher)
    before, decided = everything(), Rejudge.objects.values().get()
    rejudging.apply(rejudge, by=User.objects.create_user("somebody else"))
    assert everything() == before
    assert Rejudge.objects.values().get() == decided


def test_nothing_is_applied_before_all_are_judged(make_judged: MakeSubmission, problem: Problem, teacher: User) -> None:
    make_judged()
    make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    first, second = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC)
    claimed(second)
    before = everything()
    with pytest.raises(RejudgeRefused, match="Not every submission is judged yet"):
        rejudging.apply(rejudge, by=teacher)
    assert everything() == before
    assert Rejudge.objects.get().is_open


def test_a_submission_judged_by_something_else_meanwhile_keeps_that(
    make_judged: MakeSubmission, problem: Problem, teacher: User
) -> None:
    both, only_second = make_judged(), make_judged()
    first = rejudging.start(problem, Filter(ids=frozenset({both.pk})), by=teacher, reason="first")
    second = rejudging.start(problem, Filter(), by=teacher, reason="second")
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


def test_an_interrupted_apply_is_finished_by_maintenance_turn_by_turn(
    make_judged: MakeSubmission, problem: Problem, teacher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejudging, "CHUNK", 2)
    for _ in range(5):
        make_judged()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
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
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=teacher)
    assert Submission.objects.filter(verdict="AC", attempt=2).count() == applied
    rejudge.refresh_from_db()
    assert rejudge.is_being_applied == (applied < 5)
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(wakeup, "announce", lambda work, news: told.append((work.channel, news)))
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
    before = everything()
    rejudge = rejudging.start(problem, Filter(), by=teacher, reason="r")
    first, _second = rejudge.submissions.order_by("pk")
    judge(first, Verdict.AC)
    rejudging.discard(rejudge, by=teacher)
    rejudging.discard(rejudge, by=User.objects.create_user("somebody else"))
    rejudge.refresh_from_db()
    assert everything() == before
    assert (rejudge.discarded_by, rejudge.is_open) == (teacher, False)
    assert list(rejudge.submissions.all()) == [first]
    assert not RejudgedCase.objects.exists()
    with pytest.raises(RejudgeRefused, match="has been discarded"):
        rejudging.apply(rejudge, by=teacher)
    with pytest.raises(RejudgeRefused, match="has been discarded"):
        rejudging.try_again(rejudge)
