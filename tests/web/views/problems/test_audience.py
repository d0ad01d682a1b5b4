"""Who sees a problem that is for assignments only: the same at every door, from the opening of an assignment on."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from judge.models import Assignment, CustomRun, ExperimentRun, SharedComparison, SharedSide, Status, Submission
from judge.submissions.intake import IntakeRefused, submit
from problems.models import Audience, Problem
from problems.package import PageFile
from tests.web.experiment_rows import make_run
from tests.web.views.experiments.test_experiment_runs import on_case
from web.identity.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup")]
PICTURE = "statement/cave.png"
People = dict[str, Any]  # by what they are: User, None for nobody
SINCE, LATER = timedelta(hours=-1), timedelta(hours=1)


@pytest.fixture
def people(student: User, other_student: User, instructor: User) -> People:
    """Everybody who could ask; the teacher and the owner are instructors, but no staff."""
    owner, teacher = User.objects.create_user("owner"), User.objects.create_user("teacher")
    for each in (owner, teacher):
        make_instructor(each)
    User.objects.filter(pk__in=[owner.pk, teacher.pk]).update(is_staff=False)
    return {
        "nobody": None,
        "stranger": other_student,
        "member": student,
        "removed": User.objects.create_user("removed"),
        "teacher": User.objects.get(pk=teacher.pk),
        "owner": User.objects.get(pk=owner.pk),
        "staff": instructor,
    }


@pytest.fixture
def assignment(people: People, problem: Problem, tmp_path: Path, settings: Settings) -> Assignment:
    """The teacher's, with a problem for assignments only whose statement has a picture."""
    settings.STORE_DIR = tmp_path
    version = problem.current_version
    assert version
    version.files = {PICTURE: PageFile(kind="picture", bytes=4)}
    version.save()
    picture = tmp_path / version.digest / "sumoftwo" / PICTURE
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"\x89PNG")
    Problem.objects.update(audience=Audience.ASSIGNMENTS, owner=people["owner"])
    made = Assignment.objects.create(title="Week 1", owner=people["teacher"])
    made.problems.add(problem)
    made.students.add(people["member"], people["removed"])
    made.students.remove(people["removed"])
    return made


def browser(user: User | None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


def opens_in(assignment: Assignment, opens: timedelta | None, closes: timedelta | None = None) -> None:
    now = timezone.now()
    times = {"opens_at": opens and now + opens, "closes_at": closes and now + closes}
    Assignment.objects.filter(pk=assignment.pk).update(**times)


def _pages(client: Client, problem: Problem) -> dict[str, bool]:
    """Whether each page of a problem is there, and whether each list has it."""
    slug, text = problem.slug, ">Sum of Two Numbers</a>"
    file = client.get(reverse("problem_file", args=[slug, 1, PICTURE]))
    if file.streaming:
        b"".join(file)
    return {
        "page": client.get(reverse("problem", args=[slug])).status_code == 200,
        "statistics": client.get(reverse("problem_statistics", args=[slug])).status_code == 200,
        "file": file.status_code == 200,
        "list": text in client.get(reverse("problem_list")).content.decode(),
        "search": text in client.get(reverse("problem_list"), {"q": "Two"}).content.decode(),
    }


def _sent(client: Client, problem: Problem) -> dict[str, bool]:
    """Whether a program and a custom run are taken."""
    program = {"language": "python", "source": f"print({Submission.objects.count()})", "test": "own", "input": "1"}
    before = Submission.objects.count(), CustomRun.objects.count()
    client.post(reverse("submit", args=[problem.slug]), program)
    client.post(reverse("start_run", args=[problem.slug]), program)
    return {"submit": Submission.objects.count() > before[0], "run": CustomRun.objects.count() > before[1]}


def _shared(client: Client, problem: Problem, author: User) -> dict[str, bool]:
    """Whether what somebody shared about the problem can be read."""
    version = problem.current_version
    assert version
    sides = [
        Submission.objects.create(
            user=author, problem=problem, problem_version=version, language="cpp", source=b"", status=Status.DONE
        )
        for _ in range(2)
    ]
    shared = SharedComparison.objects.create(token=f"t{sides[0].pk}", owner=author)
    for position, side in enumerate(sides):
        SharedSide.objects.create(shared=shared, submission=side, position=position)
    run: ExperimentRun = make_run(author, "submissions", on_case(problem, "sample/1"), is_shared=True)
    return {
        "comparison": client.get(reverse("shared_comparison", args=[shared.token])).status_code == 200,
        "experiment": client.get(reverse("experiment_run", args=[run.pk])).status_code == 200,
    }


@pytest.mark.each
@pytest.mark.parametrize(
    ("opens", "closes", "member_sees"),
    [(LATER, None, False), (SINCE, None, True), (None, None, True), (2 * SINCE, SINCE, True)],
    ids=["before its opening", "after its opening", "without an opening", "after its end"],
)
def test_every_door_is_open_to_the_same_people(
    opens: timedelta | None,
    closes: timedelta | None,
    member_sees: bool,
    people: People,
    assignment: Assignment,
    problem: Problem,
) -> None:
    opens_in(assignment, opens, closes)
    problem.refresh_from_db()
    author = people["staff"]
    for who, user in people.items():
        client = browser(user)
        doors = {**_pages(client, problem), **_sent(client, problem), **_shared(client, problem, author)}
        sees = who in ("teacher", "owner", "staff") or (who == "member" and member_sees)
        assert (who, doors) == (who, dict.fromkeys(doors, sees))


def test_a_hidden_one_is_seen_by_no_member_and_not_by_the_teacher(
    people: People, assignment: Assignment, problem: Problem
) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    seen = {who: any(_pages(browser(user), problem).values()) for who, user in people.items()}
    assert [who for who, sees in seen.items() if sees] == ["owner", "staff"]


def test_one_without_an_assignment_or_of_a_deleted_one_is_seen_by_no_student(
    people: People, assignment: Assignment, problem: Problem
) -> None:
    Assignment.objects.update(deleted_at=timezone.now())
    seen = {who: any(_pages(browser(user), problem).values()) for who, user in people.items()}
    assert [who for who, sees in seen.items() if sees] == ["owner", "staff"]


def test_work_stays_with_its_author_who_sees_the_problem_no_more(
    people: People, assignment: Assignment, problem: Problem
) -> None:
    member = people["member"]
    client = browser(member)
    _sent(client, problem)
    submission = Submission.objects.get()
    assignment.students.clear()
    assert client.get(reverse("problem", args=[problem.slug])).status_code == 404
    page = client.get(reverse("submission", args=[submission.pk]))
    assert (page.status_code, problem.title in page.content.decode()) == (200, True)
    assert reverse("problem", args=[problem.slug]) not in page.content.decode()
    with pytest.raises(IntakeRefused, match="not open"):
        submit(member, Problem.objects.get(), "python", b"print()")


def test_a_list_of_submissions_asks_once_what_assignments_show(
    people: People, assignment: Assignment, problem: Problem
) -> None:
    client = browser(people["member"])

    def statements() -> int:
        _sent(client, problem)
        with CaptureQueriesContext(connection) as captured:
            page = client.get(reverse("submission_list")).content.decode()
        assert page.count(f'href="{reverse("problem", args=[problem.slug])}"') == Submission.objects.count()
        return len(captured)

    statements()
    assert statements() == statements()


def _told(client: Client, assignment: Assignment) -> str:
    return client.get(reverse("assignment", args=[assignment.pk])).content.decode()


def test_a_teacher_is_told_what_students_do_not_see_and_what_everybody_sees_early(
    people: People, assignment: Assignment
) -> None:
    teacher, member = browser(people["teacher"]), browser(people["member"])
    hidden, early = "so no student sees it", "so people see it before the assignment opens"
    told: Callable[[Client], list[bool]] = lambda who: [said in _told(who, assignment) for said in (hidden, early)]  # noqa: E731
    opens_in(assignment, LATER)
    assert told(teacher) == [False, False]
    Problem.objects.update(audience=Audience.EVERYBODY)
    assert told(teacher) == [False, True]
    Problem.objects.update(audience=Audience.HIDDEN)
    assert (told(teacher), told(member)) == ([True, False], [False, False])
    opens_in(assignment, SINCE)
    Problem.objects.update(audience=Audience.EVERYBODY)
    assert told(teacher) == [False, False]
    Problem.objects.update(is_archived=True)
    assert told(teacher) == [True, False]


def test_members_are_told_when_the_problems_appear(people: People, assignment: Assignment) -> None:
    member = browser(people["member"])
    opens_in(assignment, LATER)
    page = _told(member, assignment)
    assert ("appear at" in page, "Sum of Two Numbers" in page) == (True, False)
    opens_in(assignment, SINCE)
    page = _told(member, assignment)
    assert ("appear at" in page, "Sum of Two Numbers" in page) == (False, True)


def test_saving_an_assignment_keeps_a_problem_that_was_hidden_since(
    people: People, assignment: Assignment, problem: Problem
) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    teacher, sent = browser(people["teacher"]), {"title": "Week 1", "problems": [problem.pk]}
    assert teacher.post(reverse("edit_assignment", args=[assignment.pk]), sent).status_code == 302
    assert assignment.problems.get() == problem
    assert teacher.post(reverse("new_assignment"), sent).status_code == 422, "a hidden one of somebody else"
