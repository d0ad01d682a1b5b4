"""Change the password, set a first one, or set a new one by a link that was sent by mail."""

from allauth.account import views
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from web.forms.account import PasswordChangeForm, PasswordSetForm, ResetAskForm, ResetForm


class ChangePassword(views.PasswordChangeView):  # type: ignore[misc]  # allauth has no types
    """This session stays; all others of the account end."""

    template_name = "accounts/password.html"
    form_class = PasswordChangeForm


class SetPassword(views.PasswordSetView):  # type: ignore[misc]
    """For an account that OpenID Connect created."""

    template_name = "accounts/password_set.html"
    form_class = PasswordSetForm


class AskForReset(views.PasswordResetView):  # type: ignore[misc]
    """A known and an unknown address are answered alike, and a mail goes to both."""

    template_name = "accounts/reset.html"
    form_class = ResetAskForm


class AskedForReset(views.PasswordResetDoneView):  # type: ignore[misc]
    """Says that a mail was sent."""

    template_name = "accounts/reset_sent.html"


@method_decorator(never_cache, name="dispatch")
class Reset(views.PasswordResetFromKeyView):  # type: ignore[misc]
    """A link works once, for an hour: another password, or another sign-in, makes it stale."""

    template_name = "accounts/reset_link.html"
    form_class = ResetForm
    success_url = reverse_lazy("login")
