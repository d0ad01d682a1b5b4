"""The account page: what an account has, and its preferences."""

from copy import copy
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
    row = copy(preferences.of_request(request))  # the form writes its mistakes into it
    form = PreferencesForm(request.POST if request.method == "POST" else None, instance=row)
    if form.is_valid():
        Preferences.objects.update_or_create(user=user, defaults=form.cleaned_data)
        messages.success(request, _("Preferences saved."))
        return redirect("account")
    factors = Authenticator.objects.filter(user=user)
    addresses = list(EmailAddress.objects.filter(user=user).order_by("pk"))
    has_openid = bool(settings.SOCIALACCOUNT_PROVIDERS)
    context = {
        "form": form,
        "email": next((address for address in addresses if address.verified), None),
        "new_email": next((address for address in addresses if not address.verified), None),
        "has_password": user.has_usable_password(),
        "has_second_factor": factors.filter(type=Authenticator.Type.TOTP).exists(),
        "openid_name": settings.OPENID_NAME if has_openid else "",
        "is_connected": has_openid and SocialAccount.objects.filter(user=user, provider=PROVIDER_ID).exists(),
        "nav": "account",
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)
