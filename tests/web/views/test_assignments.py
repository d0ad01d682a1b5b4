"""Assignments: made by instructors, joined with a link, and the class view for those who manage them."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judge.models import Assignment, Invitation, RemovedStudent, Status, Submission
from problems.models import Audience, Problem, ProblemVersion
from tests.web.dense import dense
from web.identity.signing_up import next_page

pytestmark = pytest.mark.django_db


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def assignment(instructor: User, student: User, problem: Problem) -> Assignment:
    """One with a problem and a student."""
    made = Assignment.objects.create(title="Buffers", owner=instructor)
    made.problems.add(problem)
    made.students.add(student)
    return made


def send(user: User, problem: Problem, **columns: object) -> Submission:
    given: dict[str, object] = {
        "user": user,
        "problem": problem,
        "problem_version": problem.current_version,
        "language": "cpp",
        "source": b"int main() {}",
        "status": Status.DONE,
        "verdict": "TLE",
        "cause": "flush-per-line",
        "explanation": [
            {
                "code": "summary",
                "text": "",
                "evidence": {"write_calls": 250_000, "cpu_time_us": 1_000, "system_time_us": 700},
            }
        ],
    }
    return Submission.objects.create(**{**given, **columns})


def test_instructor_makes_one_and_a_student_joins_with_the_link(
    instructor: User, student: User, problem: Problem
) -> None:
    answer = browser(instructor).post("/assignments/new/", {"title": "Buffers", "problems": [problem.pk]})
    made = Assignment.objects.get()
    assert answer.headers["Location"] == reverse("assignment", args=[made.pk])
    assert made.token in browser(instructor).get(reverse("assignment", args=[made.pk])).content.decode()
    link = reverse("join_assignment", args=[made.pk, made.token])
    reader = browser(student)
    assert "Join Buffers?" in reader.get(link).content.decode()
    assert not made.students.exists()
    reader.post(link)
    assert made.students.get() == student
    page = reader.get(reverse("assignment", args=[made.pk])).content.decode()
    assert problem.title in page
    assert made.token not in page


def test_student_cannot_make_change_or_watch_one(student: User, assignment: Assignment, problem: Problem) -> None:
    reader = browser(student)
    assert reader.get("/assignments/new/").status_code == 403
    for name in ("edit_assignment", "assignment_class"):
        assert reader.get(reverse(name, args=[assignment.pk])).status_code == 404
    assert reader.post(reverse("change_assignment", args=[assignment.pk]), {"change": "new_link"}).status_code == 404
    assert reader.post(reverse("delete_assignment", args=[assignment.pk])).status_code == 404
    assert reader.get(reverse("problem_class", args=[problem.slug])).status_code == 404


def test_wrong_token_joins_nobody(other_student: User, assignment: Assignment) -> None:
    reader = browser(other_student)
    assert reader.post(reverse("join_assignment", args=[assignment.pk, "guessed"])).status_code == 404
    assert reader.post(reverse("join_assignment", args=[assignment.pk, "\u00e9"])).status_code == 404
    assert reader.get(reverse("assignment", args=[assignment.pk])).status_code == 404


def test_class_view_tells_reasons_distribution_and_whom_a_hint_helps(
    instructor: User, student: User, other_student: User, assignment: Assignment, problem: Problem
) -> None:
    send(student, problem)
    send(other_student, problem)  # has not joined
    page = browser(instructor).get(reverse("assignment_class", args=[assignment.pk])).content.decode()
    assert "1 submission exceeded the time limit: where the time went" in page
    assert "input and output" in page
    assert "100,000 to 999,999 write calls: 1 student." in page
    assert "70 to 80 % of the CPU time in the kernel: 1 student." in page
    assert "Gather the output" in page
    assert "student</a>(TLE)" in dense(page)
    assert "other" not in page.partition("<main")[2]
    everybody = browser(instructor).get(reverse("problem_class", args=[problem.slug])).content.decode()
    assert "<strong>2 students</strong>" in everybody


def test_only_what_was_sent_in_its_time_counts(
    instructor: User, student: User, assignment: Assignment, problem: Problem
) -> None:
    send(student, problem)
    assignment.opens_at = timezone.now() + timedelta(hours=1)
    assignment.save()
    assert "No submissions yet." in (
        browser(instructor).get(reverse("assignment_class", args=[assignment.pk])).content.decode()
    )
    assert "not tried" in browser(student).get(reverse("assignment", args=[assignment.pk])).content.decode()


def test_teacher_sees_how_many_of_the_class_solved_and_tried_and_have_not_begun(
    instructor: User, student: User, other_student: User, assignment: Assignment, problem: Problem
) -> None:
    def row(user: User) -> tuple[str, list[str]]:
        page = browser(user).get(reverse("assignment", args=[assignment.pk])).content.decode()
        shown = page.partition("class-progress")[2]
        return "".join(re.findall("[0-9]+ of [0-9]+ solved", shown)), re.findall(
            '<td class="number">([0-9]+)</td>', shown
        )

    third, ours = User.objects.create_user("third"), User.objects.create_user("ours")
    assignment.students.add(other_student, third, ours)
    send(student, problem, verdict="WA")
    send(student, problem, verdict="AC")
    send(student, problem, verdict="AC")
    send(other_student, problem)
    send(ours, problem, verdict="JE")
    send(instructor, problem, verdict="AC")  # is not of the class
    assert row(instructor) == ("1 of 4 solved", ["1", "2"])
    assert "Your verdict" not in browser(instructor).get(reverse("assignment", args=[assignment.pk])).content.decode()
    assert row(student) == ("", [])
    Assignment.objects.update(opens_at=timezone.now() + timedelta(hours=1))
    assert row(instructor) == ("0 of 4 solved", ["0", "4"])
    assignment.students.clear()
    assert row(instructor) == ("0 of 0 solved", ["0", "0"])


def test_mistakes_of_the_form_are_told(instructor: User, assignment: Assignment, problem: Problem) -> None:
    writer = browser(instructor)
    times = {"opens_at": "2026-11-02T10:00", "closes_at": "2026-11-01T10:00"}
    answer = writer.post("/assignments/new/", {"title": "", "problems": [problem.pk], **times})
    assert answer.status_code == 422
    assert "The end must be later than the start." in answer.content.decode()
    assert "Choose at least one problem." in writer.post("/assignments/new/", {"title": "x"}).content.decode()
    page = writer.get(reverse("edit_assignment", args=[assignment.pk])).content.decode()
    assert 'value="Buffers"' in page


def test_removing_a_student_can_be_undone(instructor: User, student: User, assignment: Assignment) -> None:
    writer, reader = browser(instructor), browser(student)
    address, page = (reverse(name, args=[assignment.pk]) for name in ("change_assignment", "assignment"))

    def change(what: str) -> str:
        return writer.post(address, {"change": f"{what}-{student.pk}"}, follow=True).content.decode()

    said = change("remove")
    assert "Undo it below if that was a mistake." in said
    assert f'value="return-{student.pk}"' in said
    assert reader.get(page).status_code == 404
    said = change("return")
    assert "The student is back." in said
    assert f'value="return-{student.pk}"' not in said
    assert reader.get(page).status_code == 200
    assert "The student is back." not in change("return"), "there is nothing to undo"
    change("remove")
    reader.post(reverse("join_assignment", args=[assignment.pk, assignment.token]))
    assert not RemovedStudent.objects.exists()
    change("remove")
    RemovedStudent.objects.update(removed_at=timezone.now() - timedelta(days=30, seconds=1))
    assert f'value="return-{student.pk}"' not in writer.get(page).content.decode()
    assert "The student is back." not in change("return")
    RemovedStudent.objects.removed_long_ago().delete()
    assert not RemovedStudent.objects.exists()


def test_long_list_of_students_is_searched_by_name(instructor: User, student: User, assignment: Assignment) -> None:
    writer, page = browser(instructor), reverse("assignment", args=[assignment.pk])
    assert "Search students" not in writer.get(page).content.decode()
    assignment.students.add(*(User.objects.create(username=f"person{n:03}") for n in range(120)))

    def names(**query: str) -> list[str]:
        shown = dense(writer.get(page, query).content.decode())
        assert "Search students" in shown
        return re.findall("<li><span>([^<]*)</span>", shown)

    assert len(names()) == 100
    assert names(student="ON00") == [f"person{n:03}" for n in range(10)]
    assert names(student=" stud ") == ["student"]
    assert len(names(student="person")) == 100
    assert names(student="person", after="person099")[0] == "person100"
    assert "No student has this in the user name." in writer.get(page, {"student": "nobody"}).content.decode()
    address = f"{reverse('change_assignment', args=[assignment.pk])}?student=stud"
    assert writer.post(address, {"change": f"remove-{student.pk}"}).headers["Location"] == f"{page}?student=stud"


def test_student_leaves_and_comes_back_with_the_link(
    instructor: User, student: User, other_student: User, assignment: Assignment
) -> None:
    leave, page = (reverse(name, args=[assignment.pk]) for name in ("leave_assignment", "assignment"))
    reader = browser(student)
    assert leave in reader.get(page).content.decode()
    assert leave not in browser(instructor).get(page).content.decode()
    assert browser(other_student).post(leave).status_code == 404
    assert browser(instructor).post(leave).status_code == 404, "who has not joined cannot leave"
    assert "You have left Buffers." in reader.post(leave, follow=True).content.decode()
    assert (reader.get(page).status_code, assignment.students.exists()) == (404, False)
    reader.post(reverse("join_assignment", args=[assignment.pk, assignment.token]))
    assert reader.get(page).status_code == 200


def test_owner_removes_students_and_renews_the_link(instructor: User, assignment: Assignment) -> None:
    writer, address = browser(instructor), reverse("change_assignment", args=[assignment.pk])
    writer.post(address, {"change": f"remove-{assignment.students.get().pk}"})
    assert not assignment.students.exists()
    before = assignment.token
    writer.post(address, {"change": "new_link"})
    assignment.refresh_from_db()
    assert assignment.token != before
    assert writer.post(address, {"change": "remove-" + "9" * 400}).status_code == 302


def test_replaced_link_says_whom_to_ask_and_nothing_else(
    instructor: User, student: User, other_student: User, assignment: Assignment
) -> None:
    old = [assignment.token]
    for _ in range(2):
        browser(instructor).post(reverse("change_assignment", args=[assignment.pk]), {"change": "new_link"})
        assignment.refresh_from_db()
        old.append(assignment.token)
    new = old.pop()
    reader = browser(other_student)
    for token in old:
        link = reverse("join_assignment", args=[assignment.pk, token])
        for answer in (reader.get(link), reader.post(link)):
            page = answer.content.decode()
            assert answer.status_code == 410
            assert "This link was replaced. Ask instructor for the new one." in page
            assert not [each for each in ("Buffers", new, student.username) if each in page.partition("<main")[2]]
        assert Client().get(link).status_code == 302, "to sign in"
        assert reader.get(reverse("join_assignment", args=[assignment.pk + 1, token])).status_code == 404
    assert not assignment.students.filter(pk=other_student.pk).exists()
    assert reader.get(reverse("join_assignment", args=[assignment.pk, "guessed"])).status_code == 404
    assert reader.get(reverse("join_assignment", args=[assignment.pk, new])).status_code == 200
    Assignment.objects.update(deleted_at=timezone.now())
    assert reader.get(reverse("join_assignment", args=[assignment.pk, old[0]])).status_code == 404


def test_deleting_asks_first_and_can_be_undone(instructor: User, student: User, assignment: Assignment) -> None:
    writer, reader = browser(instructor), browser(student)
    link, page = reverse("join_assignment", args=[assignment.pk, assignment.token]), f"/assignments/{assignment.pk}/"
    invitation = Invitation.objects.create(
        note="x", owner=instructor, most_uses=1, expires_at=timezone.now() + timedelta(days=1), assignment=assignment
    )
    asked = writer.get(reverse("delete_assignment", args=[assignment.pk])).content.decode()
    assert "Delete Buffers?" in asked
    assert "1 student loses the assignment." in asked
    assert "1 invitation that leads here still creates accounts" in asked
    assert Assignment.objects.exists()
    writer.post(reverse("delete_assignment", args=[assignment.pk]))
    for gone in (page, f"{page}class/", f"{page}edit/", f"{page}delete/", link):
        assert writer.get(gone).status_code == 404, gone
    assert reader.get(page).status_code == 404
    assert reader.post(link).status_code == 404
    assert "Buffers" not in reader.get("/assignments/").content.decode()
    assert next_page(Invitation.objects.get(pk=invitation.pk)) == ""
    assert "Leads to Buffers" not in writer.get("/invitations/").content.decode()
    restore = reverse("restore_assignment", args=[assignment.pk])
    assert restore in writer.get("/assignments/").content.decode()
    assert reader.post(restore).status_code == 404
    assert writer.post(restore).headers["Location"] == page
    assert student.username in writer.get(page).content.decode()
    assert reader.get(link).status_code == 200


def test_deleted_one_is_removed_when_it_can_no_longer_be_undone(instructor: User, assignment: Assignment) -> None:
    recent = Assignment.objects.create(title="Recent", owner=instructor, deleted_at=timezone.now())
    old = {"deleted_at": timezone.now() - timedelta(days=30, seconds=1)}
    Assignment.objects.filter(pk=assignment.pk).update(**old)
    assert browser(instructor).post(reverse("restore_assignment", args=[assignment.pk])).status_code == 404
    Assignment.with_deleted.deleted_long_ago().delete()
    assert list(Assignment.with_deleted.all()) == [recent]


def test_closed_one_is_not_to_solve(student: User, assignment: Assignment) -> None:
    reader = browser(student)
    assert ">Closed<" not in reader.get("/assignments/").content.decode()
    assignment.closes_at = timezone.now() - timedelta(hours=1)
    assignment.save()
    to_solve, _, closed = reader.get("/assignments/").content.decode().partition('id="closed"')
    assert "Buffers" not in to_solve
    assert "Buffers" in closed
    assert "submissions no longer count here" in reader.get(f"/assignments/{assignment.pk}/").content.decode()


def test_one_that_is_to_open_says_when_in_the_list(student: User, assignment: Assignment) -> None:
    reader = browser(student)
    assert "opens at" not in reader.get("/assignments/").content.decode()
    Assignment.objects.update(opens_at=timezone.now() + timedelta(hours=1))
    assert "opens at" in reader.get("/assignments/").content.decode()


def test_join_page_says_that_earlier_submissions_are_seen(student: User, assignment: Assignment) -> None:
    link = reverse("join_assignment", args=[assignment.pk, assignment.token])
    assert "everything that you submitted to these problems before you joined" in (
        browser(student).get(link).content.decode()
    )
    assignment.opens_at = datetime(2026, 11, 2, 10, tzinfo=UTC)
    assignment.save()
    page = browser(student).get(link).content.decode()
    assert re.search("what you submitted from <time [^>]*>2026-11-02 10:00 UTC</time> on", page)


def test_one_student_is_not_as_tall_as_the_class(instructor: User, student: User, problem: Problem) -> None:
    send(student, problem)
    made = Assignment.objects.create(title="Large", owner=instructor)
    made.problems.add(problem)
    made.students.set([student, *(User.objects.create(username=f"other{n}") for n in range(3))])
    shown = browser(instructor).get(reverse("assignment_class", args=[made.pk]))
    assert [one.height for one in shown.context["classes"][0].writes if one.number] == [25]
    assert "The dashed line is the whole class: 4 students." in shown.content.decode()


def test_hidden_problem_of_somebody_else_is_neither_offered_nor_shown(
    student: User, other_student: User, assignment: Assignment, problem: Problem
) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    assert problem.title not in browser(student).get(reverse("assignment", args=[assignment.pk])).content.decode()


def test_who_is_no_instructor_any_more_manages_no_assignment(assignment: Assignment, other_student: User) -> None:
    """Names and verdicts of a class are for teachers: the list shows it to nobody else, and neither do its pages."""
    instructors = Permission.objects.get(codename="add_problem")
    other_student.user_permissions.add(instructors)
    Assignment.objects.update(owner=other_student)
    managing = [reverse(name, args=[assignment.pk]) for name in ("assignment_class", "edit_assignment")]
    page, change = (reverse(name, args=[assignment.pk]) for name in ("assignment", "change_assignment"))
    assert [browser(other_student).get(address).status_code for address in [page, *managing]] == [200, 200, 200]
    other_student.user_permissions.clear()
    former = browser(other_student)
    assert [former.get(address).status_code for address in [page, *managing]] == [404, 404, 404]
    assert former.post(change, {"change": "new_link"}).status_code == 404
    assert former.post(reverse("delete_assignment", args=[assignment.pk])).status_code == 404
    assert Assignment.objects.exists()
    assignment.students.add(other_student)
    assert assignment.token not in former.get(page).content.decode()


@pytest.fixture
def three(problem: Problem) -> list[Problem]:
    """Problems with the titles A, B and C."""
    made = []
    for title in "ABC":
        copy = Problem.objects.create(slug=title.lower(), title=title)
        version = ProblemVersion.objects.get(problem=problem)
        version.pk, version.problem = None, copy
        version.save()
        copy.current_version = version
        copy.save()
        made.append(copy)
    return made


def _titles(page: str) -> list[str]:
    """The titles of the problems that a page lists, in its order."""
    return re.findall(r'<a href="/problems/[abc]/">([ABC])</a>', page.partition("<main")[2])


def test_the_teachers_order_is_the_students_order_and_that_of_every_page(
    instructor: User, student: User, three: list[Problem]
) -> None:
    writer, (a, b, c) = browser(instructor), three
    sent = {"title": "Week 1", "problems": [a.pk, b.pk, c.pk], f"place-{c.pk}": "1", f"place-{a.pk}": " 2 "}
    answer = writer.post(reverse("new_assignment"), sent)
    assert answer.status_code == 422, "spaces around a number are a mistake that is told"
    answer = writer.post(reverse("new_assignment"), {**sent, f"place-{a.pk}": "20"})
    assert answer.status_code == 302
    made = Assignment.objects.get()
    made.students.add(student)
    pages = [(who, name) for name in ("assignment",) for who in (instructor, student)] + [
        (instructor, "assignment_class")
    ]
    for who, name in pages:
        page = browser(who).get(reverse(name, args=[made.pk])).content.decode()
        assert _titles(page) == ["C", "A", "B"], (who, name)
    form = writer.get(reverse("edit_assignment", args=[made.pk])).content.decode()
    numbers = re.findall(r'name="place-([0-9]+)" value="([0-9]*)"', form)
    assert numbers[:3] == [(str(c.pk), "1"), (str(a.pk), "2"), (str(b.pk), "3")]
    assert {value for _, value in numbers[3:]} == {""}
    writer.post(reverse("edit_assignment", args=[made.pk]), {"title": "Week 1", "problems": [b.pk, c.pk]})
    assert [each.title for each in made.in_order(Problem.objects.all())] == ["B", "C"]


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "x", "1000", "9" * 40, "\u0663"])
def test_what_is_no_number_of_the_order_is_told_and_kept(instructor: User, three: list[Problem], number: str) -> None:
    sent = {"title": "x", "problems": [three[1].pk, three[0].pk], f"place-{three[0].pk}": number}
    answer = browser(instructor).post(reverse("new_assignment"), sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Number the problems with whole numbers from 1 to 999, or not at all." in page
    assert re.findall(r'name="place-[0-9]+" value="([^"]+)"', page) == [number]
    assert not Assignment.objects.exists()


@pytest.mark.parametrize("key", ["x", "", "9" * 40, "9" * 5_000, "\u0663"])
def test_what_is_no_problem_is_refused(instructor: User, three: list[Problem], key: str) -> None:
    sent = {"title": "x", "problems": [three[0].pk, key]}
    assert browser(instructor).post(reverse("new_assignment"), sent).status_code == 422
    assert not Assignment.objects.exists()


def test_an_assignment_from_before_the_order_is_ordered_by_title(instructor: User, three: list[Problem]) -> None:
    made = Assignment.objects.create(title="Old", owner=instructor)
    for problem in reversed(three):
        made.problems.add(problem)  # position 0, as of every row that was there
    assert _titles(browser(instructor).get(reverse("assignment", args=[made.pk])).content.decode()) == ["A", "B", "C"]


def test_the_form_says_which_problems_students_do_not_see(instructor: User, three: list[Problem]) -> None:
    Problem.objects.filter(slug="a").update(audience=Audience.HIDDEN)
    Problem.objects.filter(slug="b").update(audience=Audience.ASSIGNMENTS)
    form = dense(browser(instructor).get(reverse("new_assignment")).content.decode())
    assert re.search(r'>A<span class="tag">hidden</span></label>', form)
    assert re.search(r'>B<span class="tag">assignments only</span></label>', form)
    assert re.search(r">C</label>", form)
    assert 'data-filter="problem-choices"' in form
