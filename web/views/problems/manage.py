"""The instructor's side of a problem: its versions and settings, whether it is shown, and the list of one's own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Q, Sum
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache

from judge.models import PackageUpload
from problems import versions
from problems.archive.export import zip_chunks, zip_files
from problems.editing.editing import files_as_judged
from problems.models import Problem, ProblemVersion
from problems.store.publishing import choose_settings
from problems.store.stores import package_store
from web import access
from web.forms.problems import ListingForm, SettingsForm
from web.presentation.setter.settings import chosen_in_words, warning_in_words
from web.server.streaming import download

# what a button may ask for -> the problem's field and its new value, and what is said then
_CHANGES = {
    "archive": ("is_archived", True, gettext_lazy("%(title)s is archived: lists omit it, its submissions stay.")),
    "unarchive": ("is_archived", False, gettext_lazy("%(title)s is no longer archived.")),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionShown:
    """One line of a problem's versions."""

    version: ProblemVersion
    is_current: bool
    chosen: list[str]
    upload: PackageUpload | None  # the one whose report is about this package
    reasons: list[PackageUpload]  # those that were published although their report was not clean


@never_cache
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Show everything about a problem that its owner may change."""
    problem = _manageable(request, slug)
    return _page(request, problem, _settings_form(problem))


def change_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Judge by these settings from now on, and show of the secret cases what was chosen."""
    problem = _manageable(request, slug)
    form = _settings_form(problem, request.POST)
    if form is None or not form.is_valid():
        return _page(request, problem, form, status=422)
    before = problem.current_version
    version = choose_settings(problem, form.chosen(), cast(User, request.user))
    Problem.objects.filter(pk=problem.pk).update(case_visibility=form.cleaned_data["case_visibility"])
    if version == before:
        messages.success(request, _("Settings saved."))
    else:
        messages.success(request, _now_current(version.number))
        if warning := warning_in_words(form.needs, version.time_limit_ms):
            messages.warning(request, warning)
    return redirect("manage", problem.slug)


def change_listing(request: HttpRequest, slug: str) -> HttpResponse:
    """Set who sees the problem, what lists say of it, and what everybody learns of its accepted programs."""
    problem = _manageable(request, slug)
    form = ListingForm(request.POST, instance=problem)
    if not form.is_valid():
        return _page(request, _manageable(request, slug), _settings_form(problem), form, status=422)
    form.save()
    messages.success(request, _("Settings saved."))
    return redirect("manage", problem.slug)


def change_problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the problem into the archive or take it out again."""
    problem = _manageable(request, slug)
    change = _CHANGES.get(request.POST.get("change", ""))
    if change:
        field, value, words = change
        Problem.objects.filter(pk=problem.pk).update(**{field: value})
        messages.success(request, words % {"title": problem.shown_title})
    return redirect("manage", problem.slug)


def make_current(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Make an earlier version current."""
    problem = _manageable(request, slug)
    get_object_or_404(problem.versions, number=number)
    versions.go_back(problem, number)
    messages.success(request, _now_current(number))
    return redirect("manage", problem.slug)


def version_package(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    """Return the package of a version as a zip, with the settings by which the version judges."""
    problem = _manageable(request, slug)
    version = get_object_or_404(problem.versions, number=number)
    return package_download(request, version.digest, f"{problem.slug}-{number}.zip", version.chosen_settings)


@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """Show the user's own problems, and the uploads without a decision."""
    own = Problem.objects.filter(owner=request.user.pk).select_related("current_version")
    judged = Sum("tallies__number", default=0)
    uploads = PackageUpload.objects.to_decide().filter(owner=request.user.pk).order_by("-pk")
    context = {
        "problems": own.annotate(judged=judged).by_title("is_archived"),
        "uploads": uploads.select_related("replaces", "part_of").defer("report", "excluded")[:50],
        "has_refused": uploads.refused().exists(),
        "nav": "mine",
    }
    return render(request, "setter/mine.html", context)


def package_download(
    request: HttpRequest, digest: str, name: str, chosen: Mapping[str, Any] | None = None
) -> HttpResponseBase:
    """Return a stored package as a zip, with `chosen` settings for its own. Raises Http404, PackageMissing."""
    if not digest:
        raise Http404
    package_store().open(digest)  # before anything is sent
    return download(request, _packed(digest, chosen or {}), name=name, media_type="application/zip")


def _packed(digest: str, chosen: Mapping[str, Any]) -> Iterator[bytes]:
    with package_store().using(digest) as package:
        if not chosen:
            yield from zip_chunks(package)
            return
        with files_as_judged(package, chosen) as files:
            yield from zip_files(package.short_name, files)


def _page(
    request: HttpRequest,
    problem: Problem,
    form: SettingsForm | None,
    listing: ListingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    undecided = access.manageable_uploads(request.user).undecided().order_by("-pk")
    published = PackageUpload.objects.filter(published_version__problem=problem)
    uploads = list(published.only("pk", "digest", "reason", "published_version").order_by("pk"))
    by_digest = {upload.digest: upload for upload in uploads}
    versions_shown = [
        VersionShown(
            version=version,
            is_current=version.pk == problem.current_version_id,
            chosen=chosen_in_words(version),
            upload=by_digest.get(version.digest),
            reasons=[upload for upload in uploads if upload.published_version_id == version.pk and upload.reason],
        )
        for version in problem.versions.select_related("created_by").order_by("-number")
    ]
    context = {
        "problem": problem,
        "version": problem.current_version,
        "versions": versions_shown,
        "form": form,
        "listing": listing or ListingForm(instance=problem),
        "same_title": access.visible_problems(request.user).titled(problem.title).exclude(pk=problem.pk),
        "uploads": undecided.filter(Q(replaces=problem) | Q(slug=problem.slug, owner=problem.owner_id)),
        "nav": "mine",
    }
    return render(request, "setter/manage.html", context, status=status)


def _settings_form(problem: Problem, data: QueryDict | None = None) -> SettingsForm | None:
    """Return the settings form; None for a problem without a version."""
    version = problem.current_version
    if version is None:
        return None
    return SettingsForm(data, version=version, case_visibility=problem.case_visibility)


def _manageable(request: HttpRequest, slug: str) -> Problem:
    """Return the problem if this person may change it. Raises Http404."""
    manageable = access.manageable_problems(request.user).select_related("current_version", "owner")
    return get_object_or_404(manageable, slug=slug)


def _now_current(number: int) -> str:
    words = _("Version %(number)s judges new submissions from now on. Earlier submissions keep their version.")
    return words % {"number": number}
