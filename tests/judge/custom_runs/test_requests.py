"""What a custom run is refused for, each in a sentence; its quotas; and how long it is kept."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from judge import custom_runs as requests
from judge.custom_runs import TestInput
from judge.models import CustomRun, Status, Submission
from judge.queue import leases, wakeup
from judge.submissions import intake
from judge.submissions.intake import IntakeRefused, SentProgram
from judge.workers import reaper, tasks
from problems.models import Audience, Problem, ProblemVersion
from problems.package import Sample

pytestmark = pytest.mark.usefixtures("silent_wakeup")
OWN = TestInput(content=b"1 2\n")
SAMPLES = (Sample(name="sample/1", input="1 2\n", answer="3\n"), Sample(name="sample/2", input="", answer=""))


@pytest.fixture
def version(problem: Problem) -> ProblemVersion:
    """The problem's version, with two samples."""
    version = problem.current_version
    assert version is not None
    version.samples = SAMPLES
    version.save()
    return version


@pytest.fixture
def start(student: User, problem: Problem, version: ProblemVersion) -> Callable[..., CustomRun]:
    """A function that starts a run of the student's."""

    def do(test: TestInput = OWN, user: User = student) -> CustomRun:
        return requests.start(user, problem, _python(b"print(3)\n"), test)

    return do


def _python(source: bytes, file_name: str = "") -> SentProgram:
    return SentProgram(language="python", source=source, file_name=file_name)


def _refusal(start: Callable[..., CustomRun], test: TestInput = OWN) -> IntakeRefused:
    with pytest.raises(IntakeRefused) as refused:
        start(test)
    return refused.value


@pytest.mark.django_db(transaction=True)
def test_a_source_in_cp949_runs_as_utf8(student: User, problem: Problem, version: ProblemVersion) -> None:
    run = requests.start(student, problem, _python("print('값')".encode("cp949")), OWN)
    run.refresh_from_db()
    assert (bytes(run.source), run.converted_from) == ("print('값')".encode(), "CP949")
    with pytest.raises(IntakeRefused, match="neither UTF-8 nor CP949"):
        requests.start(student, problem, _python(b"# caf\xe9\n"), OWN)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("sent", "kept"), [("letter.py", "letter.py"), ("내 풀이.py", "")])
def test_the_files_name_is_kept(sent: str, kept: str, student: User, problem: Problem, version: ProblemVersion) -> None:
    run = requests.start(student, problem, _python(b"print(1)", sent), OWN)
    run.refresh_from_db()
    assert run.file_name == kept


@pytest.mark.django_db(transaction=True)
def test_run_is_queued_and_rung_for(start: Callable[..., CustomRun], version: ProblemVersion) -> None:
    run = start()
    run.refresh_from_db()
    assert (run.status, bytes(run.input or b""), run.time_limit_ms) == (Status.QUEUED, b"1 2\n", 1_000)
    assert wakeup.unread_wakeups() == 1
    assert not Submission.objects.exists()


def test_time_of_a_run_is_capped_by_the_setting(start: Callable[..., CustomRun], settings: Settings) -> None:
    settings.CUSTOM_RUN_TIME_MS = 300
    assert start().time_limit_ms == 300


def test_input_over_the_limit_is_refused(start: Callable[..., CustomRun], settings: Settings) -> None:
    most = settings.MAX_CUSTOM_INPUT_BYTES
    assert most == 1024 * 1024
    refusal = _refusal(start, TestInput(content=b"x" * (most + 1)))
    assert (refusal.code, refusal.message) == (
        "input",
        "The input has 1,048,577 bytes; at most 1,048,576 are allowed.",
    )
    assert start(TestInput(content=b"x" * most)).pk


def test_program_is_checked_like_a_submission(student: User, problem: Problem) -> None:
    with pytest.raises(IntakeRefused, match=r"The source is empty\."):
        requests.start(student, problem, _python(b" "), OWN)
    problem.audience = Audience.HIDDEN
    with pytest.raises(IntakeRefused, match=r"This problem is not open for submissions\."):
        requests.start(student, problem, _python(b"print(1)"), OWN)


def test_sample_that_is_not_there_is_refused(start: Callable[..., CustomRun]) -> None:
    assert _refusal(start, TestInput(sample="secret/1")).message == "There is no such sample. Choose one from the list."
    assert start(TestInput(sample="sample/2")).sample == "sample/2"


def test_problem_without_samples_offers_own_input_only(
    start: Callable[..., CustomRun], version: ProblemVersion
) -> None:
    ProblemVersion.objects.update(samples=[])
    version.samples = ()
    assert _refusal(start, TestInput()).message == "This problem has no samples to run. Choose your own input."


def test_interactive_problem_says_how_to_try_it(
    start: Callable[..., CustomRun], version: ProblemVersion, problem: Problem
) -> None:
    version.is_interactive = True
    assert problem.current_version is version
    assert "type the other side" in _refusal(start, TestInput(sample="sample/1")).message
    assert start().pk


def test_conversation_of_a_multi_pass_problem_is_a_sample_where_it_has_an_input(version: ProblemVersion) -> None:
    turns = Sample(name="sample/1", dialogue=())
    version.samples = (turns, replace(turns, name="sample/2", downloads=("data/sample/2.in",)))
    assert requests.sample_names(version) == ["sample/2"]


@pytest.mark.usefixtures("every_send_counts")
def test_nobody_has_more_runs_in_the_queue_than_the_setting_says(
    start: Callable[..., CustomRun], student: User, problem: Problem
) -> None:
    runs = [start(), start()]
    refusal = _refusal(start)
    assert refusal.code == "busy"
    assert refusal.message.startswith("You have 2 runs waiting or running")
    assert start(user=User.objects.create_user("other")).pk
    intake.submit(student, problem, "python", b"print(3)\n")  # runs never keep their author from submitting
    CustomRun.objects.filter(pk=runs[0].pk).update(status=Status.DONE)
    assert start().pk


@pytest.mark.usefixtures("every_send_counts")
def test_runs_of_all_people_have_a_limit(start: Callable[..., CustomRun], settings: Settings) -> None:
    settings.MAX_CUSTOM_RUNS = 1
    start(user=User.objects.create_user("other"))
    start()  # whoever has none may send one, however many others have
    refusal = _refusal(start)
    assert (refusal.code, "Too many runs of all users are waiting." in refusal.message) == ("busy", True)


@pytest.mark.usefixtures("every_send_counts")
def test_oldest_runs_of_a_person_are_forgotten(
    start: Callable[..., CustomRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "KEPT_RUNS", 2)
    runs = []
    for _ in range(3):
        runs.append(start().pk)
        CustomRun.objects.update(status=Status.DONE)
    assert list(CustomRun.objects.order_by("pk").values_list("pk", flat=True)) == runs[1:]


@pytest.mark.usefixtures("every_send_counts")
def test_sweeping_deletes_what_is_older_than_a_day_but_nothing_that_runs(start: Callable[..., CustomRun]) -> None:
    young, old = start().pk, start().pk
    running = start(user=User.objects.create_user("other")).pk
    CustomRun.objects.exclude(pk=young).update(created_at=timezone.now() - timedelta(hours=25))
    CustomRun.objects.filter(pk=running).update(status=Status.JUDGING, lease_until=timezone.now() + timedelta(hours=1))
    reaper.sweep()
    assert set(CustomRun.objects.values_list("pk", flat=True)) == {young, running}
    assert old not in {young, running}


@pytest.mark.usefixtures("every_send_counts")
def test_submissions_and_reruns_go_before_runs(
    start: Callable[..., CustomRun], make_submission: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    start()
    make_submission()
    done: list[str] = []

    def do(lease: leases.Lease[Any], *_: object) -> None:
        done.append(lease.model.__name__)
        lease.model._default_manager.filter(pk=lease.id).update(status=Status.DONE)

    monkeypatch.setattr(tasks, "LINES", [replace(line, work=do) for line in tasks.LINES])
    for _ in range(2):
        tasks.run_custom_test.apply(args=[0], throw=True)
        assert done == ["Submission", "CustomRun"]
        done.clear()
        start()
        make_submission()
