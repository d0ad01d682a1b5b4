"""A problem whose package is changed in a form: what the form does not show stays as it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.models import PackageUpload
from problems.editing.editable import NotEditable, read_editable
from problems.editing.editing import edited, on_disk
from problems.languages import PACKAGE_LANGUAGES
from problems.models import Problem, ProblemVersion
from problems.package import PackageErrors
from problems.store.stores import package_store
from problems.translation import translated
from web import access
from web.forms.fields import wants_other_rows
from web.forms.typed.draft_edit import EditForm, attachments, picture_folder
from web.presentation.setter.settings import chosen_in_words
from web.presentation.setter.verification import either
from web.views.problems.wizard import go_to_upload, scratch_folder, send, with_other_rows

_ANOTHER = "other"  # in the place of a language: one in which there is no statement yet


@dataclass(frozen=True, kw_only=True, slots=True)
class FileShown:
    """A file that can be removed: `name` in the package, and what people call it."""

    name: str
    label: str
    expected: str = ""


@never_cache
def edit_problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the package in the form, or take what was changed as an upload that replaces it."""
    problem = get_object_or_404(access.manageable_problems(request.user).select_related("current_version"), slug=slug)
    if problem.current_version is None:
        raise Http404
    version = problem.current_version
    try:
        now = read_editable(package_store().open(version.digest))
    except NotEditable as reason:
        context = {"problem": problem, "version": version, "reason": translated(reason.why), "nav": "mine"}
        return render(request, "typed/not_editable.html", context)
    texts = [statement.language for statement in now.statements if statement.format != "pdf"]
    code = request.GET.get("language", "")
    language = "" if code == _ANOTHER else code if code in texts else (*texts, "en")[0]
    opened: dict[str, Any] = {"now": now, "number": version.number, "language": language}
    if request.method != "POST":
        return _page(request, problem, version, EditForm(**opened))
    form = EditForm(request.POST, request.FILES, **opened)
    if wants_other_rows(request.POST):
        typed = with_other_rows(form, request.POST)
        return _page(request, problem, version, EditForm(**opened, initial=typed))
    if form.is_valid() and (upload := _take(form, problem, cast(User, request.user))):
        return go_to_upload(request, upload)
    return _page(request, problem, version, form, 422)


def _take(form: EditForm, problem: Problem, by: User) -> PackageUpload | None:
    with scratch_folder() as name:
        folder = Path(name)
        try:
            files = edited(form.now, form.draft(folder / "tests"))
        except PackageErrors as wrong:
            form.blame(wrong)
            return None
        if files == form.now.files:
            form.add_error(None, _("No changes to save."))
            return None
        short_name = form.now.package.short_name
        return send(form, on_disk(files, folder / "files"), short_name, folder, by=by, replaces=problem)


def _page(
    request: HttpRequest, problem: Problem, version: ProblemVersion, form: EditForm, status: int = 200
) -> HttpResponse:
    now, package = form.now, form.now.package
    undecided = access.manageable_uploads(request.user).undecided().filter(replaces=problem)
    context = {
        "form": form,
        "problem": problem,
        "version": version,
        "now": now,
        "chosen": chosen_in_words(version),
        "undecided": undecided.order_by("-pk").first(),
        "languages": [*dict.fromkeys(text.language for text in now.statements if text.format != "pdf")],
        "pdfs": [statement.file for statement in now.statements if statement.format == "pdf"],
        "language": form.opened_language,  # the one that was opened, whatever is typed
        "jury": [
            FileShown(name=f"submissions/{program.name}", label=program.name, expected=either(sorted(program.expected)))
            for program in package.submissions
        ],
        "input_validators": [FileShown(name=name, label=name) for name in now.input_validators],
        "pictures": [
            FileShown(name=f"{picture_folder(now, picture.name)}/{picture.name}", label=picture.name)
            for picture in package.pictures
        ],
        "attachments": [FileShown(name=f"attachments/{file.name}", label=file.name) for file in attachments(now)],
        "other_programs": [other.name for other in PACKAGE_LANGUAGES.values() if other.id not in now.functions],
        "max_bytes": settings.MAX_PACKAGE_BYTES,
        "nav": "mine",
    }
    return render(request, "typed/wizard.html", context, status=status)
