"""Sending a problem package in: of a new problem, or in the place of one that there is."""

from typing import BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from judge import uploads
from problems.models import Problem
from problems.package import PackageErrors
from web import access
from web.forms.problems import PackageForm
from web.presentation.uploads import FileMistakes, by_file


def upload(request: HttpRequest) -> HttpResponse:
    """Take a package, or say at once what is wrong with its archive, entry by entry."""
    return _take(request, None)


def replace(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a package that is to become the problem's next version."""
    return _take(request, get_object_or_404(access.manageable_problems(request.user), slug=slug))


def _take(request: HttpRequest, problem: Problem | None) -> HttpResponse:
    form = PackageForm(request.POST, request.FILES) if request.method == "POST" else PackageForm()
    files: tuple[FileMistakes, ...] = ()
    if form.is_valid():
        archive = form.cleaned_data["archive"]
        try:
            taken = uploads.receive(
                cast(BinaryIO, archive.file),
                name=archive.name or "",
                owner=cast(User, request.user),
                replaces=problem,
                when_clean=form.cleaned_data["when_clean"],
            )
        except PackageErrors as wrong:
            files = by_file([{"file": one.file, "key": one.key, "why": one.why} for one in wrong.errors])
        except uploads.UploadRefused as refused:
            form.add_error(None, str(refused))
        else:
            return _go_to(request, reverse("package_upload", args=[taken.pk]))
    context = {
        "form": form,
        "files": files,
        "mistakes": sum(len(file.mistakes) for file in files),
        "problem": problem,
        "max_bytes": settings.MAX_PACKAGE_BYTES,
        "nav": "mine",
    }
    return render(request, "problems/upload.html", context, status=422 if files or form.errors else 200)


def _go_to(request: HttpRequest, page: str) -> HttpResponse:
    return HttpResponseClientRedirect(page) if request.headers.get("HX-Request") else redirect(page)
