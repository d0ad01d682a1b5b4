"""The e-mail address of an account: add it, change it, remove it. It counts once its link was opened."""

from typing import Any

from allauth.account import views
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from web.forms.account import EmailForm


@method_decorator(never_cache, name="dispatch")
class Email(views.EmailView):  # type: ignore[misc]  # allauth has no types
    """The confirmed address stays in use until the new one is confirmed."""

    template_name = "accounts/email.html"
    form_class = EmailForm


@method_decorator(never_cache, name="dispatch")
class ConfirmEmail(views.ConfirmEmailView):  # type: ignore[misc]
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
            answer: HttpResponse = self.get(*args, **kwargs)
            return answer
        confirmed: HttpResponse = super().post(*args, **kwargs)
        return confirmed
