"""The account page: password, e-mail address, preferences; a new password by a link that was sent."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission, User
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judge.models import Assignment, Preferences
from tests.web.identity.test_accounts import is_signed_in, sign_in

pytestmark = pytest.mark.django_db

OLD, NEW = "a pass phrase", "another pass phrase"
CHANGE = {"oldpassword": OLD, "password1": NEW, "password2": NEW}


@pytest.fixture
def own(client: Client, student: User) -> Client:
    """The student's browser, signed in by the form."""
    sign_in(client, "student", OLD)
    return client


def text_of(client: Client, address: str) -> str:
    return client.get(address, follow=True).content.decode()


def confirm(client: Client) -> None:
    """Say the password once more, as before each change that matters."""
    assert client.post("/account/confirm/?next=/account/", {"password": OLD})["Location"] == "/account/"


def link_of(message: mail.EmailMessage) -> str:
    """The link in a mail, without scheme and host."""
    (link,) = re.findall(r"http://testserver(/\S+)", str(message.body))
    return str(link)


def with_address(user: User, email: str = "ada@example.org") -> User:
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    User.objects.filter(pk=user.pk).update(email=email)
    return user


def test_name_in_the_header_leads_to_the_account(own: Client) -> None:
    assert '<a class="who" href="/account/"' in text_of(own, "/")
    page = text_of(own, "/account/")
    assert "None: you could not reset a forgotten password." in page
    assert 'name="scheme"' in page


def test_password_change_keeps_this_session_and_ends_the_others(own: Client, student: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(student)
    page = own.post("/account/password/", CHANGE, follow=True).content.decode()
    assert "Password changed. Other browsers were signed out." in page
    assert own.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    student.refresh_from_db()
    assert student.check_password(NEW)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"oldpassword": "wrong"}, "This is not your current password."),
        ({"password2": "else"}, "same password"),
        ({"password1": "12345", "password2": "12345"}, "too short"),
        ({"password1": "student1", "password2": "student1"}, "too similar"),
    ],
)
def test_password_change_says_what_is_wrong(own: Client, student: User, wrong: dict[str, str], sentence: str) -> None:
    assert sentence in own.post("/account/password/", CHANGE | wrong).content.decode()
    student.refresh_from_db()
    assert student.check_password(OLD)


def test_password_guesses_in_a_stolen_session_are_limited(own: Client) -> None:
    statuses = [own.post("/account/password/", CHANGE | {"oldpassword": "wrong"}).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]


def test_address_counts_once_its_link_was_opened(own: Client, student: User) -> None:
    form = {"email": "ada@example.org", "action_add": "1"}
    assert own.post("/account/email/", form)["Location"] == "/account/confirm/?next=%2Faccount%2Femail%2F"
    confirm(own)
    assert "Open it to confirm the address." in own.post("/account/email/", form, follow=True).content.decode()
    assert "ada@example.org, not confirmed yet" in text_of(own, "/account/")
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    link, stranger = link_of(message), Client()
    assert "Does <strong>ada@example.org</strong> belong to the account student?" in text_of(stranger, link)
    assert not EmailAddress.objects.get().verified, "a program that looks at mail has opened it"
    stranger.post(link)
    assert EmailAddress.objects.get().verified
    student.refresh_from_db()
    assert student.email == "ada@example.org"
    assert "This link does not work any more" in own.post(link).content.decode() + text_of(own, "/account/email/x/")


def test_changed_address_replaces_the_old_one_once_confirmed_and_the_old_one_is_told(
    own: Client, student: User
) -> None:
    with_address(student)
    confirm(own)
    own.post("/account/email/", {"email": "new@example.org", "action_add": "1"})
    assert list(EmailAddress.objects.filter(verified=True).values_list("email", flat=True)) == ["ada@example.org"]
    own.post(link_of(mail.outbox[0]))
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.org", True)]
    assert [message.to for message in mail.outbox[1:]] == [["ada@example.org"]]


def test_address_of_another_account_is_not_taken_over(own: Client, other_student: User) -> None:
    with_address(other_student)
    confirm(own)
    own.post("/account/email/", {"email": "ada@example.org", "action_add": "1"})
    for message in mail.outbox:
        for link in re.findall(r"http://testserver(/account/email/\S+)", str(message.body)):
            own.post(link)
    assert EmailAddress.objects.get(verified=True).user == other_student


def test_reset_by_mail_sets_a_password_once(client: Client, student: User) -> None:
    with_address(student)
    answer = client.post("/login/reset/", {"email": "Ada@example.org"})
    assert answer["Location"] == "/login/reset/sent/"
    (message,) = mail.outbox
    assert "for the account student" in message.body
    link = link_of(message)
    assert "New password again" in text_of(client, link)
    form = {"password1": NEW, "password2": NEW}
    assert client.post(client.get(link)["Location"], form)["Location"] == "/login/"
    assert not is_signed_in(client)
    assert sign_in(client, "student", NEW)["Location"] == "/problems/"
    again = Client()
    assert "This link does not work any more" in text_of(again, link)
    again.post(link, form | {"password1": "a third phrase", "password2": "a third phrase"})
    student.refresh_from_db()
    assert student.check_password(NEW)


def test_reset_link_that_is_old_or_guessed_is_refused(client: Client, student: User, settings: Settings) -> None:
    with_address(student)
    client.post("/login/reset/", {"email": "ada@example.org"})
    link = link_of(mail.outbox[0])
    settings.PASSWORD_RESET_TIMEOUT = -1
    for address in (link, "/login/reset/1-guessed/", "/login/reset/zzzzzzzzzzzzz-x/"):
        assert "This link does not work any more" in text_of(client, address)


def test_unknown_and_known_addresses_are_answered_alike(client: Client, student: User) -> None:
    with_address(student)
    answers = [client.post("/login/reset/", {"email": f"{name}@example.org"}) for name in ("ada", "nobody")]
    assert len({(answer.status_code, answer["Location"], answer.content) for answer in answers}) == 1
    assert [message.to for message in mail.outbox] == [["ada@example.org"], ["nobody@example.org"]]
    assert "http" not in mail.outbox[1].body


def test_unconfirmed_address_gets_no_link_for_an_account(own: Client, student: User) -> None:
    EmailAddress.objects.create(user=student, email="victim@example.org", verified=False)
    own.logout()
    own.post("/login/reset/", {"email": "victim@example.org"})
    assert "/login/reset/" not in mail.outbox[0].body


def test_resets_for_one_address_are_limited(client: Client) -> None:
    statuses = [client.post("/login/reset/", {"email": "ada@example.org"}).status_code for _ in range(6)]
    assert statuses == [302] * 5 + [429]
    assert len(mail.outbox) == 5


def test_mail_server_that_does_not_answer_is_said_and_changes_go_through(
    own: Client, student: User, settings: Settings
) -> None:
    with_address(student)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = Client().post("/login/reset/", {"email": "ada@example.org"})
    assert answer.status_code == 503
    assert "The mail server of this site does not answer now." in answer.content.decode()
    assert own.post("/account/password/", CHANGE).status_code == 302
    student.refresh_from_db()
    assert student.check_password(NEW)


def test_sign_in_page_offers_the_reset_and_no_provider(client: Client) -> None:
    page = text_of(client, "/login/")
    assert 'href="/login/reset/"' in page
    assert "Sign in with" not in page


def test_colours_are_kept_with_the_account(own: Client, student: User) -> None:
    form = {"scheme": "dark", "time_zone": "Europe/Berlin", "shows_name": "on"}
    assert own.post("/account/", form)["Location"] == "/account/"
    kept = Preferences.objects.get(user=student)
    assert (kept.scheme, kept.time_zone, kept.shows_name) == ("dark", "Europe/Berlin", True)
    elsewhere = Client()
    elsewhere.force_login(student)
    for address in ("/", "/nowhere/"):
        page = text_of(elsewhere, address)
        assert '<meta name="color-scheme" content="dark">' in page
        assert re.search(r'build/dark\.\w+\.css">', page)
    own.post("/account/", form | {"scheme": "light"})
    assert "build/dark" not in text_of(elsewhere, "/")
    assert re.search(r'build/dark\.\w+\.css" media="\(prefers-color-scheme: dark\)">', text_of(Client(), "/"))


@pytest.mark.parametrize("wrong", [{"scheme": "pink"}, {"time_zone": "Mars/Olympus"}, {"time_zone": "../etc/passwd"}])
def test_unknown_choice_is_refused_and_nothing_is_kept(own: Client, wrong: dict[str, str]) -> None:
    answer = own.post("/account/", {"scheme": "dark", "time_zone": "UTC"} | wrong)
    assert answer.status_code == 422
    assert "Select a valid choice" in answer.content.decode()
    assert not Preferences.objects.exists()


def test_nobodys_name_is_shown_on_boards_unless_they_say_so(student: User) -> None:
    assert not Preferences.objects.of(student.pk).shows_name
    assert not Preferences.objects.exists(), "asking stores nothing"


def test_times_are_shown_and_read_in_the_accounts_zone(client: Client, instructor: User) -> None:
    client.force_login(instructor)
    Preferences.objects.create(user=instructor, time_zone="Asia/Kolkata")
    summer = datetime(2026, 7, 1, 18, 45, tzinfo=UTC)
    assignment = Assignment.objects.create(title="Buffers", owner=instructor, closes_at=summer)
    page = text_of(client, f"/assignments/{assignment.pk}/")
    assert '<time datetime="2026-07-01T18:45:00+00:00" title="2026-07-02 00:15:00 Asia/Kolkata">' in page
    assert "2026-07-02 00:15 Asia/Kolkata</time> count." in page
    page = text_of(client, f"/assignments/{assignment.pk}/edit/")
    assert "Counts until (Asia/Kolkata)" in page
    assert 'value="2026-07-02T00:15"' in page
    nobody = Client()
    nobody.force_login(User.objects.create_user("else", is_staff=True))
    assert "2026-07-01 18:45 UTC</time>" in text_of(nobody, f"/assignments/{assignment.pk}/")
    assert timezone.get_current_timezone_name() == "UTC", "the zone ends with the request"


@pytest.mark.parametrize("said", ["Mars/Olympus", "../../etc/passwd", "", "x" * 3_000, "\x00"])
def test_the_browsers_zone_holds_until_one_is_chosen(client: Client, instructor: User, said: str) -> None:
    client.force_login(instructor)
    summer = datetime(2026, 7, 1, 18, 45, tzinfo=UTC)
    page = f"/assignments/{Assignment.objects.create(title='x', owner=instructor, closes_at=summer).pk}/"
    client.cookies["time_zone"] = "Asia/Seoul"
    assert "2026-07-02 03:45 Asia/Seoul</time>" in text_of(client, page)
    client.cookies["time_zone"] = said  # not as the script writes it
    assert "2026-07-01 18:45 UTC</time>" in text_of(client, page)
    client.cookies["time_zone"] = "Asia/Seoul"
    form = {"scheme": "system", "time_zone": ""}
    client.post("/account/", form)
    assert "2026-07-02 03:45 Asia/Seoul</time>" in text_of(client, page), "another choice leaves the zone alone"
    client.post("/account/", form | {"time_zone": "UTC"})
    assert "2026-07-01 18:45 UTC</time>" in text_of(client, page), "a chosen zone goes before the browser's"


def test_zone_has_its_summer_time(client: Client, instructor: User) -> None:
    client.force_login(instructor)
    Preferences.objects.create(user=instructor, time_zone="Europe/Berlin")
    shown: list[str] = []
    for month in (1, 7):
        row = Assignment.objects.create(title="x", owner=instructor, closes_at=datetime(2026, month, 1, tzinfo=UTC))
        shown += set(re.findall(r">(2026-\S+ \S+) Europe/Berlin</time>", text_of(client, f"/assignments/{row.pk}/")))
    assert shown == ["2026-01-01 01:00", "2026-07-01 02:00"]


def test_zone_that_this_host_lacks_is_utc(client: Client, instructor: User) -> None:
    client.force_login(instructor)
    Preferences.objects.create(user=instructor, time_zone="Mars/Olympus")
    row = Assignment.objects.create(title="x", owner=instructor, closes_at=timezone.now() + timedelta(days=1))
    assert " UTC</time>" in text_of(client, f"/assignments/{row.pk}/")


def test_permissions_come_with_the_preferences(student: User, django_assert_num_queries: Callable[..., Any]) -> None:
    teaching, adding = Permission.objects.filter(codename__in=("add_problem", "add_submission")).order_by("pk")[:2]
    student.user_permissions.add(teaching)
    group = Group.objects.create(name="teachers")
    group.permissions.add(teaching, adding)
    student.groups.add(group)
    Preferences.objects.create(user=student, scheme="dark", time_zone="Asia/Kolkata", shows_name=True)
    with django_assert_num_queries(1):
        found = Preferences.objects.with_permissions(student)
        permissions = student.get_all_permissions()
    assert permissions == User.objects.get(pk=student.pk).get_all_permissions()
    assert len(permissions) == 2
    assert found == Preferences.objects.get(user=student)
    assert (found.scheme, found.time_zone, found.shows_name) == ("dark", "Asia/Kolkata", True)


def test_who_may_do_nothing_and_never_chose_has_the_defaults(student: User) -> None:
    found = Preferences.objects.with_permissions(student)
    assert (found.user_id, found.scheme, found.time_zone) == (student.pk, "system", "")
    assert not Preferences.objects.exists()
    assert student.get_all_permissions() == set()
    student.is_active, student.is_superuser = True, True
    assert student.has_perm("problems.add_problem")


def test_an_account_that_was_switched_off_has_no_permissions(student: User) -> None:
    student.user_permissions.add(Permission.objects.get(content_type__app_label="problems", codename="add_problem"))
    student.is_active = False
    Preferences.objects.with_permissions(student)
    assert not student.has_perm("problems.add_problem")
