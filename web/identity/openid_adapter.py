"""The hooks of allauth.socialaccount: who may sign in by OpenID Connect, and whose account that is.

An identity belongs to the account that connected it on the account page, or to the one it created. A name or an e-mail
address never decides: the provider could give one person another one's.
"""

import logging
from typing import Any

from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

_logger = logging.getLogger(__name__)


class OpenIdAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Sign-in by OpenID Connect. It creates accounts only where settings.OPENID_SIGN_UP says so."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "no_password": _("Set a password first: without one you could not sign in any more.")
    }

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Forget e-mail addresses that the provider has not verified, or that another account has."""
        if sociallogin.is_existing:
            return
        addresses = [
            address
            for address in sociallogin.email_addresses
            if address.verified
            and not EmailAddress.objects.filter(email__iexact=address.email).exists()
            and not User.objects.filter(email__iexact=address.email).exists()
        ]
        sociallogin.email_addresses = addresses
        if sociallogin.user is not None:
            sociallogin.user.email = addresses[0].email if addresses else ""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return True where a setting allows accounts from the provider; otherwise say what to do."""
        if settings.OPENID_SIGN_UP:
            return True
        why = _(
            "No account of this site is connected to this sign-in. Sign in with your password and connect it on your"
            " account page."
        )
        raise _to_sign_in(request, str(why))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: object,
        error: object = None,
        exception: Exception | None = None,
        extra_context: dict[str, Any] | None = None,
    ) -> None:
        """Go back to the page for signing in, with a sentence."""
        _logger.warning("sign-in by OpenID Connect failed: %s %s", error, exception or "")
        why = _("Signing in with %(name)s did not work. Try again, or use your password.")
        raise _to_sign_in(request, str(why) % {"name": settings.OPENID_NAME})


def unreachable(request: HttpRequest, error: Exception) -> ImmediateHttpResponse:
    """Return the answer when the provider does not answer."""
    _logger.error("the OpenID Connect provider cannot be reached: %s", error)
    why = _("%(name)s cannot be reached now. Try again later, or use your password.")
    return _to_sign_in(request, str(why) % {"name": settings.OPENID_NAME})


def _to_sign_in(request: HttpRequest, why: str) -> ImmediateHttpResponse:
    messages.error(request, why)
    return ImmediateHttpResponse(redirect("account" if request.user.is_authenticated else "login"))
