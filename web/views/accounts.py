"""Signing up, and in. Signing out is Django's own view."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from web import login_throttle, signing_up
from web.client_address import client_address
from web.forms.accounts import SignupForm


class SignIn(LoginView):
    """Django's own, no faster from one address than `web.login_throttle` says."""

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
        """Sign in, and know this browser again."""
        answer = super().form_valid(form)
        login_throttle.remember(self.request, answer)
        return answer


def signup(request: HttpRequest) -> HttpResponse:
    """Make an account, sign it in and go where the person came from, or where the invitation leads."""
    asked = request.POST if request.method == "POST" else request.GET
    token, came_from = asked.get("invitation", ""), asked.get("next", "")
    target = _own_page(request, came_from or signing_up.next_page(signing_up.invitation_of(token)))
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
        return _refused(request, refusal, context)
    except IntegrityError:  # the button was pressed twice, or somebody else was faster
        form.add_error("username", _("A user with that username already exists."))
    return render(request, "accounts/signup.html", context, status=422 if form.errors else 200)


def _refused(request: HttpRequest, refusal: signing_up.SignUpRefused, context: dict[str, object]) -> HttpResponse:
    """The page that says why. Whoever only looks has done nothing wrong."""
    status = refusal.status if request.method == "POST" else 200
    answer = render(request, "accounts/signup.html", {**context, "refusal": str(refusal)}, status=status)
    if refusal.again_s:
        answer["Retry-After"] = str(refusal.again_s)
    return answer


def _own_page(request: HttpRequest, target: str) -> str:
    """The page of our own site that is meant, else the problem list."""
    # A word would be the name of an address to `redirect`.
    if target.startswith("/") and url_has_allowed_host_and_scheme(
        target, {request.get_host()}, require_https=request.is_secure()
    ):
        return target
    return "problem_list"
