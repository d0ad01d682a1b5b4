"""Runs of experiments as rows: who may start, share, keep and make what."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from pytest_django import Settings

from judge.experiments import actions
from judge.experiments.interleaving import most_time_ms
from judge.grading.experiment.spec import CaseRef, ExperimentSpec, SpecError
from judge.models import Experiment, ExperimentRun, Status, Submission
from judge.queue import wakeup
from judge.submissions.intake import IntakeRefused
from problems.models import Problem, ProblemVersion
from tests.judge.grading.experiment.specs import TINY, of_submission

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "living_worker")]
MakeSubmission = Callable[..., Submission]


# taken in


@pytest.mark.django_db(transaction=True)  # it rings after the commit
def test_run_is_queued_with_its_spec_and_rung_for(student: User) -> None:
    run = actions.start(student, TINY, "e0-tiny")
    assert (run.status, run.key, run.user, run.total_runs) == (Status.QUEUED, "e0-tiny", student, 4)
    assert run.spec == TINY
    assert wakeup.unread_wakeups() == 1


def _refused(user: User, spec: ExperimentSpec) -> str:
    with pytest.raises(IntakeRefused) as caught:
        actions.start(user, spec, "own-1")
    assert not ExperimentRun.objects.filter(key="own-1").exists()
    return caught.value.code


def test_what_may_not_be_run_is_refused(student: User, settings: Settings) -> None:
    assert _refused(student, replace(TINY, rounds=99)) == "spec"
    settings.DISABLED_LANGUAGES = ["python"]
    assert _refused(student, TINY) == "language"


def test_change_uses_no_more_of_the_host_than_its_experiment(student: User, author: User) -> None:
    base = replace(TINY, settings=replace(TINY.settings, cores=2, processes=100))
    for more in ({"cores": 3}, {"processes": 101}):
        spec = replace(base, settings=replace(base.settings, **more))
        with pytest.raises(IntakeRefused, match="2 and 100,") as caught:
            actions.start(student, spec, "e0", base=base)
        assert caught.value.code == "share"
    assert _refused(student, base) == "share"  # of no experiment: the usual one core
    assert not ExperimentRun.objects.exists()
    actions.start(student, base, "e0", base=base)
    actions.start(author, replace(base, settings=replace(base.settings, cores=16, processes=256)), "e0")


@pytest.mark.usefixtures("every_send_counts")
def test_one_person_may_have_two_unfinished(student: User, teacher: User) -> None:
    runs = [actions.start(student, TINY, "e0") for _ in range(2)]
    assert _refused(student, TINY) == "busy"
    actions.start(teacher, TINY, "e0")
    ExperimentRun.objects.filter(pk=runs[0].pk).update(status=Status.DONE)
    actions.start(student, TINY, "e0")


def test_submissions_in_flight_count_too(student: User, make_submission: MakeSubmission, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    make_submission()
    assert _refused(student, TINY) == "busy"


def test_oldest_runs_go_but_for_those_that_are_shared(student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "KEPT_RUNS", 2)
    made = [
        ExperimentRun.objects.create(
            user=student, key="e0", spec=TINY, total_runs=4, status=Status.DONE, is_shared=number == 0
        )
        for number in range(4)
    ]
    newest = actions.start(student, TINY, "e0")
    left = set(ExperimentRun.objects.values_list("pk", flat=True))
    assert left == {made[0].pk, made[3].pk, newest.pk}


# on a test case


def test_own_submission_may_be_run_on_a_case(student: User, make_submission: MakeSubmission) -> None:
    run = actions.start(student, of_submission(make_submission(status=Status.DONE)), actions.SUBMISSIONS)
    assert run.spec.case
    assert run.spec.case.case == "secret/1"


def test_other_program_is_not_run_on_a_hidden_case(student: User, make_submission: MakeSubmission) -> None:
    submission = make_submission(status=Status.DONE)
    assert _refused(student, of_submission(submission, source="print(2)")) == "case"
    assert _refused(student, of_submission(submission, submission=None)) == "case"
    assert _refused(student, of_submission(submission, language="cpp")) == "case"


def test_source_that_is_no_text_is_not_run_changed(student: User, make_submission: MakeSubmission) -> None:
    assert _refused(student, of_submission(make_submission(status=Status.DONE, source=b"print('\xe9')"))) == "utf8"


def test_submission_of_another_is_run_by_staff_only(
    student: User, teacher: User, make_submission: MakeSubmission
) -> None:
    spec = of_submission(make_submission(status=Status.DONE))
    assert _refused(User.objects.create_user("other"), spec) == "case"
    actions.start(teacher, spec, actions.SUBMISSIONS)


def test_case_must_be_of_a_version_that_judged_it(student: User, make_submission: MakeSubmission, newer: Any) -> None:
    submission = make_submission(status=Status.DONE, problem_version=Problem.objects.get().versions.first())
    spec = replace(of_submission(submission), case=CaseRef(version=newer.pk, case="secret/1"))
    assert _refused(student, spec) == "case"
    assert _refused(student, replace(spec, case=CaseRef(version=10**6, case="secret/1"))) == "case"


def test_run_on_a_case_has_no_more_time_than_a_comparison_gives_it(
    student: User, make_submission: MakeSubmission
) -> None:
    spec = of_submission(make_submission(status=Status.DONE))
    version = ProblemVersion.objects.get(pk=spec.case.version if spec.case else 0)

    def with_time(cpu_time_ms: int) -> ExperimentSpec:
        return replace(spec, case=CaseRef(version=version.pk, case="secret/1", cpu_time_ms=cpu_time_ms))

    ProblemVersion.objects.filter(pk=version.pk).update(time_limit_ms=2_000)
    version.refresh_from_db()
    with pytest.raises(IntakeRefused, match="on this test case may take at most 10 s of CPU time") as caught:
        actions.start(student, with_time(most_time_ms(version) + 1), actions.SUBMISSIONS)
    assert caught.value.code == "time"
    assert _refused(student, with_time(-1)) == "spec"
    actions.start(student, with_time(most_time_ms(version)), actions.SUBMISSIONS)


# shared, made, published


def _done(user: User, spec: ExperimentSpec = TINY) -> ExperimentRun:
    return ExperimentRun.objects.create(user=user, key="e0", spec=spec, total_runs=4, status=Status.DONE)


def test_run_is_shared_by_its_user_only(student: User, teacher: User) -> None:
    other = User.objects.create_user("other")
    run = _done(student)
    with pytest.raises(IntakeRefused):
        actions.share(run, other)
    assert not ExperimentRun.objects.readable_by(other).exists()
    actions.share(run, student)
    assert ExperimentRun.objects.readable_by(other).get() == run
    with pytest.raises(IntakeRefused):
        actions.unshare(run, other)
    actions.unshare(run, student)
    assert not ExperimentRun.objects.readable_by(other).exists()
    with pytest.raises(IntakeRefused):
        actions.share(_done(student), teacher)


def test_run_with_submissions_of_others_is_not_shared(teacher: User, make_submission: MakeSubmission) -> None:
    run = _done(teacher, of_submission(make_submission(status=Status.DONE)))
    with pytest.raises(IntakeRefused) as caught:
        actions.share(run, teacher)
    assert caught.value.code == "others"
    run.refresh_from_db()
    assert not run.is_shared


def test_sharing_has_a_bound(student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "KEPT_RUNS", 1)
    actions.share(_done(student), student)
    with pytest.raises(IntakeRefused):
        actions.share(_done(student), student)


def test_student_makes_no_experiments(student: User, author: User) -> None:
    for experiment in (None, actions.save_experiment(author, TINY)):
        with pytest.raises(IntakeRefused):
            actions.save_experiment(student, TINY, experiment)
    assert Experiment.objects.count() == 1


def test_author_makes_changes_publishes_and_deletes_one(author: User, student: User) -> None:
    experiment = actions.save_experiment(author, TINY)
    assert not Experiment.objects.visible_to(student).exists()
    actions.save_experiment(author, replace(TINY, title="Changed"), experiment)
    actions.publish(experiment, author)
    found = Experiment.objects.visible_to(student).get()
    assert (found.spec.title, found.owner) == ("Changed", author)
    actions.publish(experiment, author, is_published=False)
    assert not Experiment.objects.visible_to(student).exists()
    actions.delete(experiment, author)
    assert not Experiment.objects.exists()


def test_only_its_owner_and_staff_change_it(author: User, teacher: User) -> None:
    experiment = actions.save_experiment(author, TINY)
    colleague = User.objects.create_user("colleague")
    colleague.user_permissions.add(Permission.objects.get(codename="add_problem"))
    for change in (
        lambda: actions.publish(experiment, colleague),
        lambda: actions.delete(experiment, colleague),
        lambda: actions.save_experiment(colleague, TINY, experiment),
    ):
        with pytest.raises(IntakeRefused):
            change()
    actions.publish(experiment, teacher)
    author.user_permissions.clear()
    with pytest.raises(IntakeRefused):
        actions.publish(experiment, User.objects.get(pk=author.pk), is_published=False)


def test_own_experiment_holds_no_test_case_and_no_submission(author: User, make_submission: MakeSubmission) -> None:
    spec = of_submission(make_submission(status=Status.DONE))
    with pytest.raises(SpecError) as caught:
        actions.save_experiment(author, spec)
    assert list(caught.value.problems) == ["case"]
    kept = actions.save_experiment(author, replace(spec, case=None))
    assert kept.spec.variants[0].submission is None
    with pytest.raises(SpecError):
        actions.save_experiment(author, replace(TINY, rounds=0))
