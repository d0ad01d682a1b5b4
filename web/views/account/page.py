"""The account page: what an account has, and its preferences."""

from typing import cast

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.models import Preferences
from web.forms.account import PreferencesForm
from web.identity import preferences
from web.settings.sign_in import PROVIDER_ID


@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """Show the account, and keep its preferences."""
    user = cast(User, request.user)
    row = Preferences.objects.of(user.pk)
    form = PreferencesForm(request.POST if request.method == "POST" else None, instance=row)
    if form.is_valid():
        _keep(user, form.cleaned_data)
        messages.success(request, _("Preferences saved."))
        return redirect("account")
    preferences.forget(request)  # the form has written its mistakes into the row
    factors = Authenticator.objects.filter(user=user)
    context = {
        "form": form,
        "email": EmailAddress.objects.filter(user=user, verified=True).first(),
        "new_email": EmailAddress.objects.filter(user=user, verified=False).first(),
        "has_password": user.has_usable_password(),
        "has_second_factor": factors.filter(type=Authenticator.Type.TOTP).exists(),
        "openid_name": settings.OPENID_NAME if settings.SOCIALACCOUNT_PROVIDERS else "",
        "is_connected": SocialAccount.objects.filter(user=user, provider=PROVIDER_ID).exists(),
        "nav": "account",
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


def _keep(user: User, chosen: dict[str, object]) -> None:
    Preferences.objects.update_or_create(user=user, defaults=chosen)
