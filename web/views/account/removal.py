"""Remove one's own account with all data."""

from typing import cast

from allauth.core.internal import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.removal import belongings_of
from web.forms.people import OwnRemovalForm
from web.presentation.setter.people import removal_shown


@never_cache
def remove_account(request: HttpRequest) -> HttpResponse:
    """Say what removing the account deletes and what stays; remove it, by its name and its password."""
    user = cast(User, request.user)
    owned, is_sent, limit = belongings_of(user), request.method == "POST", ratelimit.consume_or_429
    if is_sent and (refusal := limit(request, app="allauth.account", action="reauthenticate", user=user)):
        return cast(HttpResponse, refusal)
    form = OwnRemovalForm(request.POST if is_sent else None, person=user, needs_owner=owned.need_owner)
    if form.is_valid() and form.remove() is not None:
        logout(request)
        messages.success(request, _("Your account is removed."))
        return redirect("home")
    context = {"person": user, "is_own": True, "form": form, "removal": removal_shown(owned), "nav": "account"}
    return render(request, "people/remove.html", context, status=422 if form.errors else 200)
