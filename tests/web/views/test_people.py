"""The administrator's pages of people: finding an account, giving rights and taking them back; and the command."""

import io

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judge.models import Submission
from problems.models import Problem
from web.identity.accounts import RightsStay, Role, make_instructor, remove_instructor, roles_of
from web.views.people import PAGING

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator(db: None) -> User:
    """Somebody whom `manage.py createsuperuser` made."""
    return User.objects.create_superuser("chief", password="a pass phrase", email="chief@example.org")


@pytest.fixture
def page(client: Client, administrator: User) -> Client:
    """The browser of the administrator."""
    client.force_login(administrator)
    return client


def names_on(page: Client, **query: str) -> list[str]:
    answer = page.get("/people/", query)
    assert answer.status_code == 200
    return [shown.user.username for shown in answer.context["people"]]


def role_of(user: User) -> Role:
    return roles_of([User.objects.get(pk=user.pk)])[user.pk]


def test_a_person_is_found_by_a_part_of_the_name_or_of_an_address(
    page: Client, student: User, other_student: User
) -> None:
    EmailAddress.objects.create(user=other_student, email="Ada@Example.net")
    assert names_on(page) == ["chief", "other", "student"]
    assert names_on(page, q="TUDE") == ["student"]
    assert names_on(page, q="ada@example") == ["other"]
    assert names_on(page, q="chief@") == ["chief"]
    assert "contains “nobody-here”" in page.get("/people/", {"q": "nobody-here"}).content.decode()
    assert page.get("/people/", {"q": "x" * 151}).status_code == 422


def test_the_list_says_role_and_submissions(page: Client, student: User, instructor: User, problem: Problem) -> None:
    sent = {"problem": problem, "problem_version": problem.current_version, "language": "python", "source": b"1"}
    Submission.objects.bulk_create(Submission(user=student, **sent) for _ in range(3))
    shown = {each.user.username: each for each in page.get("/people/").context["people"]}
    assert {name: each.role for name, each in shown.items()} == {
        "chief": Role.ADMINISTRATOR,
        "instructor": Role.INSTRUCTOR,
        "student": Role.STUDENT,
    }
    assert [shown[name].submissions for name in ("student", "instructor")] == [3, 0]


def test_a_page_has_so_many_people_and_costs_the_same_with_more(page: Client, student: User) -> None:
    page.get("/people/")
    with CaptureQueriesContext(connection) as few:
        page.get("/people/")
    User.objects.bulk_create(User(username=f"name-{number:03}") for number in range(2 * PAGING.size))
    with CaptureQueriesContext(connection) as many:
        first = page.get("/people/", {"q": "name"})
    assert len(many) <= len(few)
    assert len(first.context["people"]) == PAGING.size
    second = page.get(f"/people/?{first.context['page'].on}")
    assert second.context["people"][0].user.username == f"name-{PAGING.size:03}"
    assert second.context["text"] == "name"


def test_only_an_administrator_finds_the_link_and_the_pages(
    client: Client, page: Client, student: User, instructor: User
) -> None:
    assert 'href="/people/"' in page.get("/").content.decode()
    for user in (student, instructor):
        client.force_login(user)
        assert 'href="/people/"' not in client.get("/").content.decode()
        assert client.get("/people/").status_code == 404
        assert client.get(f"/people/{student.pk}/").status_code == 404
        assert client.post(f"/people/{student.pk}/rights", {"change": "give"}).status_code == 404
    assert role_of(student) is Role.STUDENT


def test_rights_are_given_and_taken_back_on_the_page_of_a_person(page: Client, student: User) -> None:
    address = f"/people/{student.pk}/"
    assert "Make instructor" in page.get(address).content.decode()
    answer = page.post(f"{address}rights", {"change": "give"}, follow=True)
    assert "student is an instructor now." in answer.content.decode()
    assert role_of(student) is Role.INSTRUCTOR
    answer = page.post(f"{address}rights", {"change": "take"}, follow=True)
    assert "student is a student now." in answer.content.decode()
    assert role_of(student) is Role.STUDENT


def test_nobody_takes_their_own_rights(page: Client, administrator: User) -> None:
    User.objects.create_superuser("second")
    address = f"/people/{administrator.pk}/"
    assert "Take the rights back" not in page.get(address).content.decode()
    page.post(f"{address}rights", {"change": "take"})
    assert role_of(administrator) is Role.ADMINISTRATOR


def test_every_right_goes_however_it_was_given(student: User) -> None:
    make_instructor(student)
    student.user_permissions.add(Permission.objects.get(codename="add_problem"))
    remove_instructor(student)
    assert role_of(student) is Role.STUDENT
    assert not User.objects.get(pk=student.pk).has_perm("problems.add_problem")


def test_the_last_administrator_stays_one(administrator: User) -> None:
    User.objects.create_superuser("switched-off", is_active=False)
    with pytest.raises(RightsStay, match="chief is the only administrator"):
        remove_instructor(administrator)
    User.objects.create_superuser("second")
    remove_instructor(administrator)
    assert role_of(administrator) is Role.STUDENT


def test_the_command_takes_rights_back_and_says_why_not(administrator: User, student: User) -> None:
    make_instructor(student)
    said = io.StringIO()
    call_command("remove_instructor", "student", stdout=said)
    assert said.getvalue() == "student is a student now.\n"
    assert role_of(student) is Role.STUDENT
    for name, why in (
        ("student", "student is no instructor"),
        ("nobody", "There is no account nobody"),
        ("chief", "only administrator"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("remove_instructor", name)
