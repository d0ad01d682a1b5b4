"""The account: what it has, its preferences, its password and e-mail address, the pages' language, and its removal."""

from copy import copy
from typing import Any, cast

from allauth.account import views
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.models import Preferences
from judge.removal import belongings_of
from web.forms import account as forms
from web.forms.people import OwnRemovalForm
from web.identity import language, preferences
from web.presentation.setter.people import removal_shown
from web.settings.connections import PROVIDER_ID


@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """Show the account, and keep its preferences."""
    user = cast(User, request.user)
    row = copy(preferences.of_request(request))  # the form writes its mistakes into it
    form = forms.PreferencesForm(request.POST if request.method == "POST" else None, instance=row)
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


def choose(request: HttpRequest) -> HttpResponse:
    """Keep the language in this browser and with the account, and go back to the page."""
    code = request.POST.get("language", "")
    if code not in dict(settings.LANGUAGES):
        return HttpResponse(_("There are no pages in this language."), "text/plain; charset=utf-8", status=422)
    page = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
    answer = redirect(page if is_ours else resolve_url("home"))
    language.remember(answer, code)
    if request.user.is_authenticated:
        Preferences.objects.update_or_create(user=request.user, defaults={"language": code})
    return answer


# This session stays; all others of the account end.
change_password = views.PasswordChangeView.as_view(
    template_name="accounts/password.html", form_class=forms.PasswordChangeForm
)
# For an account that OpenID Connect created.
set_password = views.PasswordSetView.as_view(
    template_name="accounts/password_set.html", form_class=forms.PasswordSetForm
)
# A known and an unknown address are answered alike, and a mail goes to both.
ask_for_reset = views.PasswordResetView.as_view(template_name="accounts/reset.html", form_class=forms.ResetAskForm)
reset_is_sent = views.PasswordResetDoneView.as_view(template_name="accounts/reset_sent.html")
# A link works once, for an hour: another password, or another sign-in, makes it stale.
_reset_options = {"form_class": forms.ResetForm, "success_url": reverse_lazy("login")}
reset = never_cache(views.PasswordResetFromKeyView.as_view(template_name="accounts/reset_link.html", **_reset_options))
# Add, change or remove the address. The confirmed one stays in use until the new one is confirmed.
email = never_cache(views.EmailView.as_view(template_name="accounts/email.html", form_class=forms.EmailForm))


@method_decorator(never_cache, name="dispatch")
class ConfirmEmail(views.ConfirmEmailView):  # type: ignore[misc]  # allauth has no types
    """A button, since programs that look at mail open its links."""

    template_name = "accounts/email_confirm.html"

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """Call the link's key as allauth does."""
        super().setup(request, *args, key=kwargs["link_key"])

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm; a link that no longer works gets the page with the sentence."""
        try:
            self.get_object()
        except Http404:
            return cast(HttpResponse, self.get(*args, **kwargs))
        return cast(HttpResponse, super().post(*args, **kwargs))


@never_cache
def remove_account(request: HttpRequest) -> HttpResponse:
    """Say what removing the account deletes and what stays; remove it, by its name and its password."""
    user = cast(User, request.user)
    owned = belongings_of(user)
    is_sent = request.method == "POST"
    if is_sent:
        refusal = ratelimit.consume_or_429(request, app="allauth.account", action="reauthenticate", user=user)
        if refusal:
            return cast(HttpResponse, refusal)
    form = OwnRemovalForm(request.POST if is_sent else None, person=user, needs_owner=owned.need_owner)
    if form.is_valid() and form.remove() is not None:
        logout(request)
        messages.success(request, _("Your account is removed."))
        return redirect("home")
    context = {"person": user, "is_own": True, "form": form, "removal": removal_shown(owned), "nav": "account"}
    return render(request, "people/remove.html", context, status=422 if form.errors else 200)
