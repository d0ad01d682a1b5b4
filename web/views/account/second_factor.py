"""The second factor: an authenticator app and recovery codes; its code at sign-in and before changes."""

from typing import Any, cast

from allauth.account.views import ReauthenticateView
from allauth.mfa.base import views as base_views
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as recovery_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.utils import is_mfa_enabled
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from web.forms.account import CodeForChangeForm, FirstCodeForm, PasswordAgainForm, SignInCodeForm


@method_decorator(never_cache, name="dispatch")
class SecondFactor(base_views.IndexView):  # type: ignore[misc]  # allauth has no types
    """State of the second factor: on or off, and the number of recovery codes left."""

    template_name = "second_factor/page.html"


@method_decorator(never_cache, name="dispatch")
class SwitchOn(totp_views.ActivateTOTPView):  # type: ignore[misc]
    """The picture for the app, and its first code."""

    template_name = "second_factor/on.html"
    form_class = FirstCodeForm


class _Needing:
    """Common part of the pages about something that must be there: goes back when it is not."""

    needed: Authenticator.Type

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_mfa_enabled(request.user, [self.needed]):
            return redirect("mfa_index")
        return cast(HttpResponseBase, super().dispatch(request, *args, **kwargs))  # type: ignore[misc]


@method_decorator(never_cache, name="dispatch")
class SwitchOff(_Needing, totp_views.DeactivateTOTPView):  # type: ignore[misc]
    """Asks once more."""

    template_name = "second_factor/off.html"
    needed = Authenticator.Type.TOTP


@method_decorator(never_cache, name="dispatch")
class RecoveryCodes(_Needing, recovery_views.ViewRecoveryCodesView):  # type: ignore[misc]
    """The codes that are left."""

    template_name = "second_factor/recovery_codes.html"
    needed = Authenticator.Type.RECOVERY_CODES


@method_decorator(never_cache, name="dispatch")
class NewRecoveryCodes(_Needing, recovery_views.GenerateRecoveryCodesView):  # type: ignore[misc]
    """Asks once more: the earlier codes stop working."""

    template_name = "second_factor/recovery_codes_new.html"
    needed = Authenticator.Type.TOTP


class SignInCode(base_views.AuthenticateView):  # type: ignore[misc]
    """The step of signing in after the password."""

    template_name = "second_factor/sign_in_code.html"
    form_class = SignInCodeForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Read a form without a code as one with an empty one: there is no other kind here."""
        if request.method == "POST" and "code" not in request.POST:
            return redirect("mfa_authenticate")
        return cast(HttpResponseBase, super().dispatch(request, *args, **kwargs))


class _BeforeChange:
    """Common part of the two pages before a change."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Go to the account when there is neither a password nor a second factor to ask for."""
        try:
            return cast(HttpResponseBase, super().dispatch(request, *args, **kwargs))  # type: ignore[misc]
        except PermissionDenied:
            return redirect("account")


@method_decorator(never_cache, name="dispatch")
class ConfirmByPassword(_BeforeChange, ReauthenticateView):  # type: ignore[misc]
    """Asks for the password before a change with which somebody could take the account over."""

    template_name = "accounts/confirm.html"
    form_class = PasswordAgainForm


@method_decorator(never_cache, name="dispatch")
class ConfirmByCode(_BeforeChange, base_views.ReauthenticateView):  # type: ignore[misc]
    """Likewise, by the second factor."""

    template_name = "accounts/confirm.html"
    form_class = CodeForChangeForm
