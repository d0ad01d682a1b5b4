"""Signing up. Signing in and out are Django's own views."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from web.forms.accounts import SignupForm


def signup(request: HttpRequest) -> HttpResponse:
    """Make an account, sign it in and go where the person came from."""
    if request.user.is_authenticated:
        return redirect("problem_list")
    form = SignupForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        login(request, form.save(), backend="django.contrib.auth.backends.ModelBackend")
        return redirect(_next_page(request))
    context = {"form": form, "next": request.GET.get("next", "")}
    return render(request, "accounts/signup.html", context, status=422 if form.errors else 200)


def _next_page(request: HttpRequest) -> str:
    """The page of our own site named by `next`, else the problem list."""
    target = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        return target
    return "problem_list"
