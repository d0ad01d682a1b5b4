"""A new problem, typed by hand: the form becomes a package, which then goes the way of every upload."""

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from judge.models import PackageUpload
from judge.uploads import uploads
from problems.archive.export import zip_files
from problems.convert.native import write_native
from problems.diagnostics import Report
from problems.editing.draft import TypedSample, problem_of
from problems.format.files import package_files, sweep
from problems.loading.loading import load_package
from problems.models import Problem
from problems.package import PackageErrors
from web.forms.fields import wants_other_rows
from web.forms.typed.draft import NewProblemForm, ProblemForm
from web.views.problems.sent_again import say_if_sent_again

_PREFIX = "typed-"
_NO_SAMPLE = TypedSample(input="", answer="")


def new_problem(request: HttpRequest) -> HttpResponse:
    """Take a problem that was typed, or say at its fields what is wrong with it."""
    owner = cast(User, request.user)
    if request.method != "POST":
        return _page(request, NewProblemForm(owner=owner, initial={"samples": [_NO_SAMPLE]}))
    form = NewProblemForm(request.POST, request.FILES, owner=owner)
    if wants_other_rows(request.POST):
        return _page(request, NewProblemForm(owner=owner, initial=with_other_rows(form, request.POST)))
    if form.is_valid() and (upload := _take(form, owner)):
        return go_to_upload(request, upload)
    return _page(request, form, 422)


def scratch_folder() -> "tempfile.TemporaryDirectory[str]":
    """Provide a folder on the store's disk in which a package is put together; removed at the end."""
    root = settings.STORE_DIR / "typing"
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep(root, _PREFIX)
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=root)


def send(
    form: ProblemForm, files: Mapping[str, Path], short_name: str, folder: Path, *, by: User, replaces: Problem | None
) -> PackageUpload | None:
    """Have the files taken as an uploaded package; None, with the reason in the form, if they are not."""
    path = folder / "package.zip"
    with path.open("wb") as target:
        for chunk in zip_files(short_name, files):
            target.write(chunk)
    try:
        with open(str(path), "rb") as archive:  # noqa: PTH123 - `receive` takes the place of a file that has a name
            when_clean, name = form.cleaned_data["when_clean"], f"{short_name}.zip"
            return uploads.receive(
                cast(BinaryIO, archive), name=name, owner=by, replaces=replaces, when_clean=when_clean
            )
    except uploads.UploadRefused as refused:
        form.add_error(None, str(refused))
    except PackageErrors as wrong:
        form.blame(wrong)
    return None


def with_other_rows(form: ProblemForm, data: QueryDict) -> dict[str, object]:
    """Return what was typed, with a row for a sample added or removed."""
    typed = form.typed()
    rows = list(typed["samples"])
    if "more" in data:
        rows.append(_NO_SAMPLE)
    with suppress(ValueError, IndexError):
        del rows[int(data.get("less", ""))]
    return {**typed, "samples": rows}


def go_to_upload(request: HttpRequest, upload: PackageUpload) -> HttpResponse:
    """Redirect to the page where the package is verified."""
    say_if_sent_again(request, upload)
    return go_to(request, reverse("package_upload", args=[upload.pk]))


def go_to(request: HttpRequest, page: str) -> HttpResponse:
    """Redirect to a page, also from a form that htmx sent."""
    return HttpResponseClientRedirect(page) if request.headers.get("HX-Request") else redirect(page)


def _take(form: NewProblemForm, owner: User) -> PackageUpload | None:
    slug = form.cleaned_data["slug"]
    with scratch_folder() as name:
        folder = Path(name)
        root = folder / "package" / slug
        try:
            write_native(problem_of(form.draft(folder / "tests"), slug), root)
            load_package(root)
        except PackageErrors as wrong:
            form.blame(wrong)
            return None
        return send(form, package_files(root, Report()), slug, folder, by=owner, replaces=None)


def _page(request: HttpRequest, form: NewProblemForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "problem": None, "max_bytes": settings.MAX_PACKAGE_BYTES, "nav": "mine"}
    return render(request, "typed/wizard.html", context, status=status)
