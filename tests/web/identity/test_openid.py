"""Sign-in by OpenID Connect against a provider that runs here: who gets in, as whom; invitations still hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from tests.web.fresh import fresh_settings
from tests.web.identity.openid_provider import CLIENT, SECRET, Provider, running_provider
from tests.web.identity.test_accounts import is_signed_in, sign_in
from tests.web.views.account.test_account_page import OLD, confirm, text_of, with_address

pytestmark = pytest.mark.django_db

ADA = {"sub": "0815", "preferred_username": "ada", "email": "ada@example.org", "email_verified": True}
START, BACK = "/login/openid/", "/login/openid/back/"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Provider:
    """The provider, as the environment's variables set it; Ada is signed in there."""
    read = fresh_settings(
        monkeypatch,
        tmp_path,
        TALLY_OPENID_SERVER=f"{running.address}/",
        TALLY_OPENID_CLIENT=CLIENT,
        TALLY_OPENID_SECRET=SECRET,
        TALLY_OPENID_NAME="Campus",
    )
    settings.SOCIALACCOUNT_PROVIDERS, settings.OPENID_NAME = read["SOCIALACCOUNT_PROVIDERS"], read["OPENID_NAME"]
    assert read["OPENID_SIGN_UP"] is False
    running.person, running.is_broken = dict(ADA), False
    return running


def begin(client: Client, **form: str) -> str:
    """Press the button; return where the page leads on to."""
    answer = client.post(START, form)
    target = answer.headers["Refresh"].removeprefix("0; url=")
    assert answer.context["target"] == target
    return str(target)


def by_provider(client: Client, provider: Provider, **form: str) -> str:
    """Sign in by the provider; return the last page."""
    return client.get(provider.authorize(begin(client, **form)), follow=True).content.decode()


def connect(client: Client, provider: Provider) -> None:
    """Connect the identity to the student's account."""
    sign_in(client, "student", OLD)
    confirm(client)
    assert "Connected since" in by_provider(client, provider, process="connect")


def test_connected_identity_signs_in_and_goes_where_one_came_from(
    client: Client, provider: Provider, student: User
) -> None:
    connect(client, provider)
    fresh = Client()
    assert "Sign in with Campus" in text_of(fresh, "/login/")
    back = provider.authorize(begin(fresh, next="/submissions/"))
    answer = fresh.get(back)
    assert answer["Location"] == "/submissions/"
    assert fresh.session["_auth_user_id"] == str(student.pk)
    assert "signed_in_before" in answer.cookies
    assert "Connected" in text_of(fresh, "/account/")


@pytest.mark.parametrize("process", ["login", "connect"])
def test_no_link_and_no_foreign_page_begins_it(client: Client, provider: Provider, student: User, process: str) -> None:
    """Somebody else's link would connect their identity to the account of whoever follows it."""
    client.force_login(student)
    page = client.get(f"{START}?process={process}&next=/submissions/")
    assert (page.status_code, "Refresh" in page.headers) == (200, False)
    assert f'name="process" value="{process}"' in page.content.decode()
    assert 'name="next" value="/submissions/"' in page.content.decode()
    assert "Continue to Campus" in page.content.decode()
    assert not any(key.startswith("socialaccount") for key, _ in client.session.items())
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(student)
    assert strict.post(START, {"process": process}).status_code == 403


def test_connecting_is_for_who_is_signed_in(client: Client, provider: Provider) -> None:
    for answer in (
        client.get(f"{START}?process=connect"),
        client.post(START, {"process": "connect"}),
        client.post(f"{START}?process=connect"),
    ):
        assert answer["Location"] == "/login/?next=/account/openid/"
    assert client.post(START, {"process": "redirect"}).status_code == 404


def test_pages_for_signing_in_and_connecting_have_a_form(client: Client, provider: Provider, student: User) -> None:
    assert f'<form method="post" action="{START}">' in client.get("/login/?next=/submissions/").content.decode()
    client.force_login(student)
    assert f'<form method="post" action="{START}">' in client.get("/account/openid/").content.decode()


def test_connecting_takes_the_password(client: Client, provider: Provider, student: User) -> None:
    client.force_login(student)
    back = provider.authorize(begin(client, process="connect"))
    assert client.get(back)["Location"] == "/account/confirm/"
    assert not SocialAccount.objects.exists()
    page = client.post("/account/confirm/", {"password": OLD}, follow=True).content.decode()
    assert "Connected since" in page


@pytest.mark.parametrize("sign_up", ["open", "invitation", "closed"])
def test_nobody_gets_an_account_unless_a_setting_says_so(
    client: Client, provider: Provider, settings: Settings, sign_up: str
) -> None:
    settings.SIGN_UP = sign_up
    assert "No account of this site is connected to this sign-in." in by_provider(client, provider)
    assert not User.objects.exists()
    assert not is_signed_in(client)


def test_setting_lets_the_providers_people_in(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OPENID_SIGN_UP, settings.SIGN_UP = True, "closed"
    by_provider(client, provider)
    made = User.objects.get()
    assert (made.username, made.email, made.is_staff) == ("ada", "ada@example.org", False)
    assert not made.has_usable_password()
    assert EmailAddress.objects.get().verified
    assert is_signed_in(client)
    by_provider(Client(), provider)
    assert User.objects.count() == 1
    assert "Set a password" in text_of(client, "/account/")
    form = {"account": SocialAccount.objects.get().pk}
    assert "Set a password first" in client.post("/account/openid/", form).content.decode()
    client.post("/account/password/set/", {"password1": OLD, "password2": OLD})
    assert sign_in(Client(), "ada", OLD)["Location"] == "/problems/"


def test_name_and_address_of_an_account_give_nobody_that_account(
    client: Client, provider: Provider, settings: Settings, student: User
) -> None:
    settings.OPENID_SIGN_UP = True
    with_address(student)
    provider.person["preferred_username"] = "student"
    by_provider(client, provider)
    made = User.objects.exclude(pk=student.pk).get()
    assert made.username != "student"
    assert made.email == ""
    assert client.session["_auth_user_id"] == str(made.pk)
    assert EmailAddress.objects.get().user == student


def test_address_that_the_provider_has_not_verified_is_not_kept(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OPENID_SIGN_UP = True
    provider.person["email_verified"] = False
    by_provider(client, provider)
    assert User.objects.get().email == ""
    assert not EmailAddress.objects.exists()


def test_identity_of_another_account_is_not_moved(
    client: Client, provider: Provider, student: User, other_student: User
) -> None:
    connect(client, provider)
    other = Client()
    sign_in(other, "other", OLD)
    confirm(other)
    assert "connected to another account" in by_provider(other, provider, process="connect")
    assert SocialAccount.objects.get().user == student


def test_disconnected_identity_signs_in_no_more(client: Client, provider: Provider, student: User) -> None:
    connect(client, provider)
    assert (
        "Disconnected."
        in client.post("/account/openid/", {"account": SocialAccount.objects.get().pk}, follow=True).content.decode()
    )
    assert "No account of this site" in by_provider(Client(), provider)


def test_account_that_was_switched_off_is_refused(client: Client, provider: Provider, student: User) -> None:
    connect(client, provider)
    User.objects.update(is_active=False)
    fresh = Client()
    assert "This account is switched off." in by_provider(fresh, provider)
    assert not is_signed_in(fresh)


@pytest.mark.parametrize("query", ["", "?code=x&state=guessed", "?error=access_denied&state=guessed", "?state=x"])
def test_callback_that_nobody_asked_for_signs_nobody_in(client: Client, provider: Provider, query: str) -> None:
    page = client.get(f"{BACK}{query}", follow=True).content.decode()
    assert "Signing in with Campus did not work." in page
    assert not is_signed_in(client)


def test_code_of_somebody_else_signs_nobody_in(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OPENID_SIGN_UP = True
    others = provider.authorize(begin(Client()))
    assert "did not work" in client.get(others, follow=True).content.decode()
    assert not User.objects.exists()


def test_provider_that_is_away_is_said(client: Client, provider: Provider) -> None:
    provider.is_broken = True
    assert "Campus cannot be reached now." in client.post(START, follow=True).content.decode()


def test_it_leads_to_no_other_site(client: Client, provider: Provider, student: User) -> None:
    connect(client, provider)
    fresh = Client()
    back = provider.authorize(begin(fresh, next="https://evil.example/"))
    assert fresh.get(back)["Location"] == "/problems/"


def test_addresses_are_not_there_without_a_provider(client: Client, student: User) -> None:
    client.force_login(student)
    for address in (START, BACK, "/account/openid/"):
        assert client.get(address).status_code == 404


def test_own_pages_of_allauth_for_signing_up_have_no_address(client: Client) -> None:
    for address in ("/accounts/signup/", "/accounts/login/", "/accounts/social/signup/", "/login/openid/signup/"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({"TALLY_OPENID_SERVER": "id.example.org", "TALLY_OPENID_CLIENT": "x"}, "must be an address"),
        ({"TALLY_OPENID_SERVER": "https://id.example.org"}, "needs TALLY_OPENID_CLIENT"),
        ({"TALLY_OPENID_SECRET": "hidden"}, "need TALLY_OPENID_SERVER"),
        ({"TALLY_SMTP_URL": "mail.example.org"}, "TALLY_SMTP_URL must be"),
        ({"TALLY_SMTP_URL": "smtp://ada:hidden@mail.example.org:many"}, "TALLY_SMTP_URL must be"),
    ],
)
def test_wrong_setting_stops_the_start_and_tells_no_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variables: dict[str, str], why: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=why) as wrong:
        fresh_settings(monkeypatch, tmp_path, **variables)
    assert "hidden" not in str(wrong.value)


def test_mail_server_is_set_by_one_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert fresh_settings(monkeypatch, tmp_path)["EMAIL_BACKEND"].endswith("console.EmailBackend")
    read = fresh_settings(monkeypatch, tmp_path, TALLY_SMTP_URL="smtp://ada%40x:p%2Fw@mail.example.org")
    assert read["EMAIL_BACKEND"].endswith("smtp.EmailBackend")
    assert (read["EMAIL_HOST"], read["EMAIL_PORT"], read["EMAIL_USE_TLS"]) == ("mail.example.org", 587, True)
    assert (read["EMAIL_HOST_USER"], read["EMAIL_HOST_PASSWORD"]) == ("ada@x", "p/w")
    read = fresh_settings(monkeypatch, tmp_path, TALLY_SMTP_URL="smtps://mail.example.org:4650")
    assert (read["EMAIL_PORT"], read["EMAIL_USE_SSL"], read["EMAIL_USE_TLS"]) == (4650, True, False)


@pytest.mark.parametrize("name", ["\u0430da", "\u0430\u0430", "a\u202eda"])
def test_a_name_of_the_providers_that_nobody_may_choose_here_becomes_another(
    client: Client, provider: Provider, settings: Settings, name: str
) -> None:
    User.objects.create_user("aa")
    settings.OPENID_SIGN_UP = True
    provider.person["preferred_username"] = name
    by_provider(client, provider)
    made = User.objects.exclude(username="aa").get()
    assert made.username.isascii()
