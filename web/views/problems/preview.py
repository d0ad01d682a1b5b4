"""A statement that is still being written, as its page will show it.

A form shows it beside the text with `hx-trigger="input delay:500ms" hx-sync="this:queue last"`: a person's previews are
made one at a time, a second one meanwhile is refused.
"""

from pathlib import PurePosixPath

from django import forms
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from problems.models import ProblemVersion
from problems.package import PackageError
from problems.statement.pictures import Beside
from problems.statement.rendering import PICTURE
from problems.statement.statement import RenderedStatement, Surroundings, render_source
from problems.statement.statement_files import FOLDERS, MOST_BYTES, PICTURE_TYPES
from problems.translation import translated
from web.presentation.statement import CHOSEN, of_version, preview_parts
from web.views.problems.problems import open_problem

_LOCK = 0x5072  # names the locks of this view among PostgreSQL's advisory ones
_MOST_SAMPLES = 99
_MOST_CHOSEN = 200


class PreviewForm(forms.Form):
    """A statement's text and what is needed to show it. `problem`: the one whose pictures it may show."""

    statement = forms.CharField(strip=False, required=False)
    form = forms.ChoiceField(choices=[("markdown", "Markdown"), ("latex", "LaTeX")])
    language = forms.RegexField(r"^[A-Za-z]{2,3}(-[A-Za-z]{2})?$", required=False)
    sample_count = forms.IntegerField(min_value=0, max_value=_MOST_SAMPLES, required=False)
    problem = forms.SlugField(required=False)

    def clean_statement(self) -> str:
        """Return the text as a file would hold it."""
        text = str(self.cleaned_data["statement"]).replace("\r\n", "\n")
        if len(text.encode()) > MOST_BYTES:
            raise forms.ValidationError(_("The statement exceeds %(most)s KiB.") % {"most": MOST_BYTES // 1024})
        return text


def preview(request: HttpRequest) -> HttpResponse:
    """Return the statement as a fragment, or a fragment with its errors; for instructors."""
    form = PreviewForm(request.POST)
    if not form.is_valid():
        return _refused(request, [str(error) for errors in form.errors.values() for error in errors], 422)
    # one at a time of each person, in any process
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK, (request.user.pk or 0) % 2**31])
        if not (cursor.fetchone() or (False,))[0]:
            return _refused(request, [_("Your preview before this one is still being made.")], 429)
        slug = form.cleaned_data["problem"]
        version = open_problem(request.user, slug).current_version if slug else None
        try:
            rendered = _rendered(form, version, request.POST.getlist("chosen")[:_MOST_CHOSEN])
        except PackageError as error:
            return _refused(request, [_("The statement %(why)s") % {"why": translated(error.why)}], 422)
    address = of_version(slug, version.number) if version else None
    parts = preview_parts(rendered.html, _samples(form), address)
    context = {"parts": parts, "language": rendered.language, "warnings": [*map(translated, rendered.warnings)]}
    return render(request, "typed/preview.html", context)


def _rendered(form: PreviewForm, version: ProblemVersion | None, chosen: list[str]) -> RenderedStatement:
    """Return the statement with the version's pictures, and the `chosen` ones, of which only the browser has more."""
    pictures = {
        name.removeprefix(f"{folder}/"): name
        for name, entry in (version.files.items() if version else ())
        for folder in FOLDERS
        if entry.kind == PICTURE and name.startswith(f"{folder}/")
    }
    pictures |= {name: f"{CHOSEN}/{name}" for name in chosen if PurePosixPath(name).suffix.lower() in PICTURE_TYPES}
    return render_source(
        form.cleaned_data["statement"],
        form=form.cleaned_data["form"],
        language=form.cleaned_data["language"] or "en",
        name="statement",
        around=Surroundings(
            beside=Beside(pictures=pictures, drawings=frozenset(chosen) - pictures.keys()),
            samples=tuple(map(str, range(1, _samples(form) + 1))),
        ),
    )


def _samples(form: PreviewForm) -> int:
    return int(form.cleaned_data["sample_count"] or 0)


def _refused(request: HttpRequest, errors: list[str], status: int) -> HttpResponse:
    return render(request, "typed/preview.html", {"errors": errors}, status=status)
