"""The second factor: switched on with an app's code, asked for at sign-in, replaced by a recovery code."""

import re
import time
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from tests.web.identity.test_accounts import is_signed_in, sign_in
from tests.web.views.account.test_account_page import OLD, confirm, text_of

pytestmark = pytest.mark.django_db

ON, CODES = "/account/second-factor/on/", "/account/second-factor/codes/"
PERIOD_S = 30


class App:
    """An authenticator app on a phone whose clock a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secret = ""
        self._now = time.time()
        monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", lambda: self._now)

    def code(self) -> str:
        """What it shows."""
        return str(format_hotp_value(hotp_value(self.secret, int(self._now) // PERIOD_S)))

    def wait(self) -> None:
        """The next code: each works once."""
        self._now += PERIOD_S


@pytest.fixture
def app(client: Client, student: User, monkeypatch: pytest.MonkeyPatch) -> App:
    """The student's, after it was switched on in their browser, which is signed out again."""
    app = App(monkeypatch)
    sign_in(client, "student", OLD)
    confirm(client)
    app.secret = re.findall(r"<code>([A-Z2-7]{32})</code>", text_of(client, ON))[0]
    assert client.post(ON, {"code": app.code()})["Location"] == CODES
    return app


def recovery_codes(client: Client) -> list[str]:
    return re.findall(r"<li><code>(\d+)</code>", text_of(client, CODES))


def test_it_is_switched_on_by_the_apps_code(client: Client, student: User, monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(monkeypatch)
    sign_in(client, "student", OLD)
    assert client.get(ON)["Location"].startswith("/account/confirm/?next=")
    confirm(client)
    page = text_of(client, ON)
    assert 'src="data:image/svg+xml;base64,' in page
    app.secret = re.findall(r"<code>([A-Z2-7]{32})</code>", page)[0]
    assert "Incorrect code" in client.post(ON, {"code": "000000"}).content.decode()
    assert not Authenticator.objects.exists()
    assert client.post(ON, {"code": app.code()})["Location"] == CODES
    assert len(recovery_codes(client)) == 10


def test_database_has_no_secret_in_clear(app: App, student: User, settings: Settings) -> None:
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert app.secret not in stored
    settings.SECRET_KEY = "another one"
    with pytest.raises(ImproperlyConfigured, match="remove_second_factor"):
        Authenticator.objects.get(type="totp").wrap().validate_code("123456")


def test_sign_in_takes_the_password_and_a_code(app: App, client: Client) -> None:
    client.post("/logout/")
    assert sign_in(client, "student", OLD, next="/submissions/")["Location"] == "/login/code/"
    assert not is_signed_in(client)
    assert client.get("/submissions/").status_code == 302
    assert "Incorrect code" in client.post("/login/code/", {"code": "000000"}).content.decode()
    assert not is_signed_in(client)
    app.wait()
    answer = client.post("/login/code/", {"code": app.code()})
    assert answer["Location"] == "/submissions/"
    assert is_signed_in(client)
    assert "signed_in_before" in answer.cookies


def test_code_works_once(app: App, client: Client) -> None:
    app.wait()
    for expected in (True, False):
        other = Client()
        sign_in(other, "student", OLD)
        other.post("/login/code/", {"code": app.code()})
        assert is_signed_in(other) is expected


def test_recovery_code_signs_in_once(app: App, client: Client) -> None:
    code = recovery_codes(client)[3]
    for expected in (True, False):
        other = Client()
        sign_in(other, "student", OLD)
        other.post("/login/code/", {"code": code})
        assert is_signed_in(other) is expected
    assert len(recovery_codes(client)) == 9


def test_code_without_the_password_leads_to_the_sign_in(app: App) -> None:
    stranger = Client()
    for ask in (stranger.get, stranger.post):
        assert ask("/login/code/", {"code": app.code()})["Location"] == "/login/"
    sign_in(stranger, "student", "wrong")
    assert stranger.get("/login/code/")["Location"] == "/login/"


def test_guessed_codes_are_limited(app: App) -> None:
    stranger = Client()
    sign_in(stranger, "student", OLD)
    answers = [stranger.post("/login/code/", {"code": "000000"}).content.decode() for _ in range(6)]
    assert ["Too many wrong attempts" in answer for answer in answers] == [False] * 5 + [True]
    app.wait()
    stranger.post("/login/code/", {"code": app.code()})
    assert not is_signed_in(stranger)


def test_form_without_a_code_is_no_error(app: App) -> None:
    stranger = Client()
    sign_in(stranger, "student", OLD)
    assert stranger.post("/login/code/", {})["Location"] == "/login/code/"


def test_new_recovery_codes_replace_the_old_ones(app: App, client: Client) -> None:
    before = recovery_codes(client)
    client.post(f"{CODES}new/")
    assert set(before).isdisjoint(recovery_codes(client))


def test_it_is_switched_off_after_the_password(app: App, client: Client, student: User) -> None:
    fresh = Client()
    fresh.force_login(student)
    assert fresh.post("/account/second-factor/off/")["Location"].startswith("/account/confirm/")
    assert Authenticator.objects.exists()
    client.post("/account/second-factor/off/")
    assert not Authenticator.objects.exists()
    client.post("/logout/")
    assert sign_in(client, "student", OLD)["Location"] == "/problems/"


def test_change_may_be_confirmed_by_a_code(app: App, student: User) -> None:
    fresh = Client()
    fresh.force_login(student)
    app.wait()
    assert "Use the password instead" in text_of(fresh, "/account/confirm/code/?next=/account/")
    answer = fresh.post("/account/confirm/code/?next=/account/email/", {"code": app.code()})
    assert answer["Location"] == "/account/email/"


def test_pages_without_a_second_factor_lead_back(client: Client, student: User) -> None:
    client.force_login(student)
    for address in ("/account/second-factor/off/", CODES, f"{CODES}new/"):
        assert client.get(address)["Location"] == "/account/second-factor/"


def test_operator_removes_it_for_who_lost_the_phone(app: App, client: Client) -> None:
    out = StringIO()
    call_command("remove_second_factor", "student", stdout=out)
    assert "student signs in by the password alone now." in out.getvalue()
    assert sign_in(Client(), "student", OLD)["Location"] == "/problems/"
    for name in ("student", "nobody"):
        with pytest.raises(CommandError, match=name):
            call_command("remove_second_factor", name)


def test_locked_account_stays_locked_with_a_second_factor(app: App, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    stranger = Client()
    for _ in range(2):
        sign_in(stranger, "student", "wrong")
    assert sign_in(stranger, "student", OLD).status_code == 429
    assert stranger.get("/login/code/")["Location"] == "/login/"
