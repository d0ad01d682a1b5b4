"""The hooks of allauth.account and allauth.mfa: the stages of a sign-in, what is told on pages, how mail is sent."""

import base64
import hashlib
import hmac
import logging
from collections.abc import Mapping
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import user_username
from allauth.core import context as allauth_context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy as _, override

from web.identity import language, login_throttle, user_names
from web.server.client_address import client_address

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105 - a path; whom sessions name
_PURPOSE = b"web.identity.second_factor"  # never changes: what was stored is sealed with it
_logger = logging.getLogger(__name__)

# what a page says after each step; steps that are not here say nothing
_SAID: Mapping[str, Any] = {
    "account/messages/password_changed.txt": _("Password changed. Other browsers were signed out."),
    "account/messages/password_set.txt": _("Password set."),
    "account/messages/email_confirmation_sent.txt": _("A link was sent to %(email)s. Open it to confirm the address."),
    "account/messages/email_confirmed.txt": _("E-mail address confirmed."),
    "account/messages/email_confirmation_failed.txt": _("Another account has this e-mail address."),
    "account/messages/email_deleted.txt": _("E-mail address removed."),
    "mfa/messages/totp_activated.txt": _("The second factor is on. From now on, signing in asks for a code."),
    "mfa/messages/totp_deactivated.txt": _("The second factor is off."),
    "mfa/messages/recovery_codes_generated.txt": _("Recovery codes made. Only these work from now on."),
    "socialaccount/messages/account_connected.txt": _("Connected. You can sign in this way from now on."),
    "socialaccount/messages/account_connected_updated.txt": _("This was connected already."),
    "socialaccount/messages/account_connected_other.txt": _("It is connected to another account of this site."),
    "socialaccount/messages/account_disconnected.txt": _("Disconnected."),
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Signing in: the password, then the second factor if there is one. No sign-up: `signing_up.py` has the rules."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "duplicate_email": _("Your account has this e-mail address already."),
        "enter_current_password": _("This is not your current password."),
        "incorrect_password": _("This is not your password."),
        "too_many_login_attempts": _("Too many wrong attempts. Try again in five minutes."),
        "rate_limited": _("Too many attempts. Try again in a few minutes."),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Refuse what our own form for signing up refuses; allauth then makes up a name."""
        name: str = super().clean_username(username, shallow)
        user_names.check(name)
        if not shallow:
            user_names.check_look(name)
        return name

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: allauth's own sign-up would pass by invitations and limits."""
        return False

    def get_login_stages(self) -> list[str]:
        return ["allauth.mfa.stages.AuthenticateStage"]

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in. The session names the backend that sessions without a second factor name too."""
        login(request, user, backend=PASSWORD_BACKEND)

    def post_login(self, request: HttpRequest, user: AbstractBaseUser, **kwargs: Any) -> HttpResponse:
        """Return where to go; know this browser again, and tell it the account's language."""
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        language.bring(user, answer)
        login_throttle.remember(request, answer)
        return answer

    def respond_user_inactive(self, request: HttpRequest, user: AbstractBaseUser) -> HttpResponse:
        messages.error(request, _("This account is switched off. Ask the administrator of this site."))
        return redirect("login")

    def get_client_ip(self, request: HttpRequest) -> str:
        return client_address(request) or "none"

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_email_verification_redirect_url(self, email_address: object) -> str:
        """Go to the account; who is not signed in signs in first."""
        return reverse("account")

    def is_ajax(self, request: HttpRequest) -> bool:
        """Return False: these pages answer with pages."""
        return False

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        sentence = message or _SAID.get(message_template or "")
        if sentence:
            values = {"email": (message_context or {}).get("email", "")}
            messages.add_message(request, level, str(sentence) if message else str(sentence) % values)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send it in the language that the account keeps, else in the page's, or answer 503 with a sentence."""
        try:
            with override(language.kept_by(context.get("user")) or get_language()):
                super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException) as error:
            _logger.error("mail %s was not sent: %s", template_prefix, error)
            raise ImmediateHttpResponse(render(allauth_context.request, "errors/mail.html", status=503)) from error

    def send_notification_mail(
        self, template_prefix: str, user: User, context: dict[str, Any] | None = None, email: str | None = None
    ) -> None:
        """Tell the account's owner of a change. The change holds also when the mail cannot be sent."""
        try:
            super().send_notification_mail(template_prefix, user, {**(context or {}), "user": user}, email)
        except ImmediateHttpResponse:
            return  # it is in the log


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """An authenticator app shows the account's name. Secrets are encrypted with a key made of settings.SECRET_KEY."""

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user_username(user))

    @property
    def _cipher(self) -> Fernet:
        key = hmac.digest(settings.SECRET_KEY.encode(), _PURPOSE, hashlib.sha256)
        return Fernet(base64.urlsafe_b64encode(key))

    def encrypt(self, text: str) -> str:
        return self._cipher.encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises ImproperlyConfigured when SECRET_KEY has changed since."""
        try:
            return self._cipher.decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ImproperlyConfigured(
                "a second factor was stored under another TALLY_SECRET_KEY; set that key again,"
                " or run manage.py remove_second_factor NAME"
            ) from None
