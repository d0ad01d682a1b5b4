"""Signing up, in and out; the throttle on wrong passwords; instructors and demo accounts."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from web.identity.accounts import INSTRUCTORS

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, password: str, **extra: str) -> HttpResponse:
    return client.post("/login/", {"username": name, "password": password, **extra})  # type: ignore[return-value]


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_sign_up_signs_in_and_goes_where_one_came_from(client: Client) -> None:
    page = client.get("/signup/?next=/problems/sumoftwo/").content.decode()
    assert 'name="next" value="/problems/sumoftwo/"' in page
    form = {
        "username": "ada",
        "password1": "a pass phrase",
        "password2": "a pass phrase",
        "next": "/problems/sumoftwo/",
    }
    answer = client.post("/signup/", form)
    assert (answer.status_code, answer["Location"]) == (302, "/problems/sumoftwo/")
    assert is_signed_in(client)
    assert not User.objects.get(username="ada").is_staff


@pytest.mark.parametrize("target", ["//evil.example/", "https://evil.example/", "javascript:alert(1)", "word", "1\0"])
def test_sign_up_leads_to_no_other_site(client: Client, target: str) -> None:
    form = {"username": "ada", "password1": "a pass phrase", "password2": "a pass phrase", "next": target}
    assert client.post("/signup/", form)["Location"] == "/problems/"


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"username": "student"}, "already exists"),
        ({"password2": "another phrase"}, "match"),
        ({"password1": "12345", "password2": "12345"}, "too short"),
        ({"password1": "password1", "password2": "password1"}, "too common"),
        ({"username": "<b>"}, "Enter a valid username"),
        ({"username": ""}, "This field is required"),
    ],
)
def test_sign_up_says_what_is_wrong(client: Client, student: User, form: dict[str, str], sentence: str) -> None:
    whole = {"username": "ada", "password1": "a pass phrase", "password2": "a pass phrase"}
    answer = client.post("/signup/", {**whole, **form})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert User.objects.count() == 1


def test_sign_in_and_out(client: Client, student: User) -> None:
    assert sign_in(client, "student", "a pass phrase", next="/submissions/")["Location"] == "/submissions/"
    assert is_signed_in(client)
    assert client.get("/logout/")["Location"] == "/"
    assert is_signed_in(client), "a link must not sign anybody out"
    assert client.post("/logout/").status_code == 302
    assert not is_signed_in(client)


def test_wrong_password_says_so(client: Client, student: User) -> None:
    answer = sign_in(client, "student", "wrong")
    assert "correct username and password" in answer.content.decode()
    assert not is_signed_in(client)


def test_many_wrong_passwords_lock_this_account_from_this_address_only(
    client: Client, student: User, other_student: User, settings: Settings
) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    answers = [sign_in(client, "student", "wrong") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "Too many wrong passwords" in answers[-1].content.decode()
    assert sign_in(client, "student", "a pass phrase").status_code == 429
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7"), "student", "a pass phrase").status_code == 302
    assert sign_in(client, "other", "a pass phrase").status_code == 302


def test_demo_accounts_are_refused_where_nobody_asked_for_them(settings: Settings) -> None:
    settings.DEMO_ACCOUNTS = False
    with pytest.raises(CommandError, match="TALLY_DEMO_ACCOUNTS"):
        call_command("make_demo_accounts")
    assert not User.objects.exists()


def test_demo_accounts_can_sign_in_with_what_is_printed(client: Client, settings: Settings, tmp_path: object) -> None:
    settings.DEMO_ACCOUNTS, settings.VAR_DIR = True, tmp_path
    printed = [_run("make_demo_accounts"), _run("make_demo_accounts")]
    assert printed[0] == printed[1], "the second start prints the same"
    for line in printed[0].splitlines():
        _, _, name, _, password = line.split()
        assert sign_in(client, name, password).status_code == 302
    instructor = User.objects.get(username="instructor")
    assert instructor.has_perm("problems.add_problem")
    assert not User.objects.filter(is_superuser=True).exists()
    assert not User.objects.get(username="student").has_perm("problems.add_problem")


def test_demo_accounts_leave_a_name_that_is_taken(settings: Settings, tmp_path: object) -> None:
    settings.DEMO_ACCOUNTS, settings.VAR_DIR = True, tmp_path
    User.objects.create_user("instructor", password="mine alone")
    assert "instructor" not in _run("make_demo_accounts")
    taken = User.objects.get(username="instructor")
    assert taken.check_password("mine alone")
    assert not taken.is_staff


def test_make_instructor_names_the_account_that_is_missing(student: User) -> None:
    with pytest.raises(CommandError, match="no account nobody"):
        call_command("make_instructor", "nobody")
    call_command("make_instructor", "student", stdout=StringIO())
    student.refresh_from_db()
    assert student.is_staff
    assert student.groups.filter(name=INSTRUCTORS).exists()


def _run(command: str) -> str:
    out = StringIO()
    call_command(command, stdout=out)
    return out.getvalue()
