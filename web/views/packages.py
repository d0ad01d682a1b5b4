"""Uploading a problem package."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from problems.models import ProblemVersion
from problems.package import PackageError, PackageErrors
from sandbox.errors import SandboxError
from web.admission import publish_archive
from web.forms import PackageForm


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """One thing wrong with a package, for the page: where, a sentence, and what a compiler said below it."""

    where: str
    sentence: str
    transcript: str


def may_publish(user: object) -> bool:
    """Whether this person may publish problems: staff and the group "instructors"."""
    return isinstance(user, User) and (user.is_staff or user.has_perm("problems.add_problem"))


@login_required
def upload(request: HttpRequest) -> HttpResponse:
    """Publish the package in an archive, or say what is wrong with it, file by file."""
    user = request.user
    if not isinstance(user, User) or not may_publish(user):
        raise PermissionDenied
    form = PackageForm(request.POST, request.FILES) if request.method == "POST" else PackageForm()
    errors: list[Mistake] = []
    if form.is_valid():
        try:
            version = publish_archive(form.cleaned_data["archive"], owner=user, is_hidden=form.cleaned_data["hidden"])
        except PackageErrors as wrong:
            errors = [_mistake(error) for error in wrong.errors]
        except SandboxError as error:
            form.add_error(None, f"This machine cannot try the package's validator, so nothing was published: {error}")
        else:
            return _published(request, version)
    context = {"form": form, "errors": errors, "max_bytes": settings.MAX_PACKAGE_BYTES, "nav": "upload"}
    return render(request, "problems/upload.html", context, status=422 if errors or form.errors else 200)


def _mistake(error: PackageError) -> Mistake:
    sentence, _, transcript = error.why.partition("\n")
    where = f"{error.file}: {error.key}" if error.key else error.file
    return Mistake(where=where, sentence=sentence, transcript=transcript)


def _published(request: HttpRequest, version: ProblemVersion) -> HttpResponse:
    count = version.test_case_count
    messages.success(request, f"Published with {count} test case{'' if count == 1 else 's'}.")
    page = reverse("problem", args=[version.problem.slug])
    return HttpResponseClientRedirect(page) if request.headers.get("HX-Request") else redirect(page)
