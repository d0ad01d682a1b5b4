"""Mails are in the language of whoever gets them, and in our own words."""

from pathlib import Path

import allauth
import pytest
from allauth.core.context import request_context
from django.conf import settings
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client, RequestFactory
from django.utils import translation

from judge.models import Preferences
from tests.web.views.account.test_account_page import with_address
from web.identity.account_adapter import AccountAdapter

pytestmark = pytest.mark.django_db


def test_mails_are_in_the_language_of_the_account(client: Client, student: User) -> None:
    with_address(student)
    with translation.override("ko"):
        korean = [translation.gettext(subject) for subject in ("Set a new password", "Password changed")]
    Preferences.objects.update_or_create(user=student, defaults={"language": "ko"})
    client.post("/login/reset/", {"email": "ada@example.org"})
    assert mail.outbox[0].subject.endswith(korean[0])
    assert korean[0] != "Set a new password"
    with request_context(RequestFactory().get("/")):
        AccountAdapter().send_mail("account/email/password_changed", "ada@example.org", {"user": student, "ip": "::1"})
    assert mail.outbox[1].subject.endswith(korean[1])
    Preferences.objects.filter(user=student).update(language="")
    client.post("/login/reset/", {"email": "ada@example.org"}, headers={"Accept-Language": "ko"})
    assert mail.outbox[2].subject == mail.outbox[0].subject
    client.post("/login/reset/", {"email": "ada@example.org"}, headers={"Accept-Language": "en"})
    assert mail.outbox[3].subject.endswith("Set a new password")


@pytest.mark.parametrize("kind", ["account", "mfa", "socialaccount"])
def test_no_mail_is_said_in_the_words_of_allauth(kind: str) -> None:
    theirs = Path(allauth.__file__).parent / "templates" / kind / "email"
    ours = Path(settings.BASE_DIR) / "web" / "templates" / kind / "email"
    not_sent = {"account_already_exists", "login_code", "password_reset_code", "email_confirmation_signup"}
    not_sent |= {"webauthn_added", "webauthn_removed"}
    names = {path.name for path in theirs.glob("*.txt") if not path.name.startswith(tuple(not_sent))}
    assert names - {path.name for path in ours.glob("*.txt")} == set()
