"""The second factor: an authenticator app and recovery codes; its code at sign-in and before changes."""

from collections.abc import Callable
from functools import wraps
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
from django.views.decorators.cache import never_cache

from web.forms.account import CodeForChangeForm, FirstCodeForm, PasswordAgainForm, SignInCodeForm

View = Callable[..., HttpResponseBase]


def _only_with(factor: Authenticator.Type, view: View) -> View:
    """Return the view of a page about a kind of factor; an account that has none goes back."""

    @wraps(view)
    def page(request: HttpRequest, **parameters: Any) -> HttpResponseBase:
        return view(request, **parameters) if is_mfa_enabled(request.user, [factor]) else redirect("mfa_index")

    return never_cache(page)


# on or off, and the number of recovery codes left
second_factor = never_cache(base_views.IndexView.as_view(template_name="second_factor/page.html"))
# the picture for the app, and its first code
switch_on = never_cache(
    totp_views.ActivateTOTPView.as_view(template_name="second_factor/on.html", form_class=FirstCodeForm)
)
switch_off = _only_with(
    Authenticator.Type.TOTP, totp_views.DeactivateTOTPView.as_view(template_name="second_factor/off.html")
)
recovery_codes = _only_with(
    Authenticator.Type.RECOVERY_CODES,
    recovery_views.ViewRecoveryCodesView.as_view(template_name="second_factor/recovery_codes.html"),
)
# asks once more: the earlier codes stop working
new_recovery_codes = _only_with(
    Authenticator.Type.TOTP,
    recovery_views.GenerateRecoveryCodesView.as_view(template_name="second_factor/recovery_codes_new.html"),
)


class SignInCode(base_views.AuthenticateView):  # type: ignore[misc]  # allauth has no types
    """The step of signing in after the password."""

    template_name = "second_factor/sign_in_code.html"
    form_class = SignInCodeForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Read a form without a code as one with an empty one: there is no other kind here."""
        if request.method == "POST" and "code" not in request.POST:
            return redirect("mfa_authenticate")
        return cast(HttpResponseBase, super().dispatch(request, *args, **kwargs))


def _before_change(view: View) -> View:
    """Return the view of a page before a change; an account without a password and a second factor goes to its page."""

    @wraps(view)
    def page(request: HttpRequest, **parameters: Any) -> HttpResponseBase:
        try:
            return view(request, **parameters)
        except PermissionDenied:
            return redirect("account")

    return never_cache(page)


# before a change with which somebody could take the account over
confirm_by_password = _before_change(
    ReauthenticateView.as_view(template_name="accounts/confirm.html", form_class=PasswordAgainForm)
)
confirm_by_code = _before_change(
    base_views.ReauthenticateView.as_view(template_name="accounts/confirm.html", form_class=CodeForChangeForm)
)
