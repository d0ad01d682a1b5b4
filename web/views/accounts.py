"""Sign up and sign in, and invitations to sign up. Signing out is Django's own view."""

from typing import Any, cast

from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from web import access
from web.forms.account import SignupForm
from web.forms.people import InvitationForm
from web.identity import login_throttle, signing_up
from web.presentation.paging import Paging
from web.server.client_address import client_address


class SignIn(LoginView):
    """Django's own, no faster from one address than `web.identity.login_throttle` says."""

    template_name = "accounts/login.html"
    extra_context = {"nav": "login"}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Look at the password, or say when it will be looked at."""
        with login_throttle.turn(request) as wait_s:
            if not wait_s:
                return super().post(request, *args, **kwargs)
        answer = render(request, "accounts/slowed.html", {"wait_s": wait_s}, status=429)
        answer["Retry-After"] = str(wait_s)
        return answer

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, or ask for the second factor first."""
        user = form.get_user()
        step = Login(user=user, redirect_url=self.get_success_url())
        return cast(HttpResponse, perform_password_login(self.request, {"username": user.get_username()}, step))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Offer the provider of OpenID Connect, if one is set."""
        name = settings.OPENID_NAME if settings.SOCIALACCOUNT_PROVIDERS else ""
        return {**super().get_context_data(**kwargs), "openid_name": name}


def signup(request: HttpRequest) -> HttpResponse:
    """Make an account, sign it in and go where the person came from, or where the invitation leads."""
    parameters = request.POST if request.method == "POST" else request.GET
    token, came_from = parameters.get("invitation", ""), parameters.get("next", "")
    target = came_from or signing_up.next_page(signing_up.invitation_of(token))
    is_own = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    if not is_own or not target.startswith("/"):  # a word would be the name of an address to `redirect`
        target = "problem_list"
    if request.user.is_authenticated:
        return redirect(target)
    form = SignupForm(request.POST if request.method == "POST" else None)
    context = {"form": form, "next": "" if target == "problem_list" else target, "invitation": token}
    try:
        signing_up.check(token)
        if form.is_valid():
            user = signing_up.sign_up(form, token, client_address(request))
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            answer: HttpResponse = redirect(target)
            login_throttle.remember(request, answer)
            return answer
    except signing_up.SignUpRefused as refusal:
        status = refusal.status if request.method == "POST" else 200  # who only loads the page has done nothing wrong
        page = render(request, "accounts/signup.html", {**context, "refusal": str(refusal)}, status=status)
        if refusal.again_s:
            page["Retry-After"] = str(refusal.again_s)
        return page
    except ValidationError as error:  # the button was pressed twice, or somebody else was faster
        form.add_error("username", error)
    except IntegrityError:  # likewise, by a command
        form.add_error("username", _("A user with that username already exists."))
    return render(request, "accounts/signup.html", context, status=422 if form.errors else 200)


PAGING = Paging(size=25)


@never_cache
def invitation_list(request: HttpRequest) -> HttpResponse:
    """Show the user's invitations that were not revoked, newest first, and a form for one more."""
    user = cast(User, request.user)
    form = InvitationForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Invitation created. Send its link to the people it is for."))
        return redirect("invitation_list")
    own = access.manageable_invitations(user)
    page = PAGING.page(own.select_related("owner", "assignment"), request.GET, keys=own)
    now, signup_page = timezone.now(), request.build_absolute_uri(reverse("signup"))
    invitations = [
        {
            "row": row,
            "link": f"{signup_page}?{urlencode({'invitation': row.token})}",
            "has_run_out": row.expires_at <= now,
        }
        for row in page.rows
    ]
    context = {
        "form": form,
        "page": page,
        "invitations": invitations,
        "sign_up": settings.SIGN_UP,
        "nav": "assignments",
    }
    return render(request, "accounts/invitations.html", context, status=422 if form.errors else 200)


def revoke_invitation(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Take one back: nobody makes an account with it any more."""
    invitation = get_object_or_404(access.manageable_invitations(request.user), pk=invitation_id)
    invitation.revoked_at = Now()
    invitation.save(update_fields=["revoked_at"])
    messages.success(request, _("Invitation revoked. Accounts created with it stay."))
    return redirect("invitation_list")
