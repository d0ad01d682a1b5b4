"""Send a problem package, follow its verification live, read the report, and publish or discard it."""

from functools import partial
from typing import BinaryIO, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django_htmx.http import HttpResponseClientRedirect

from judge.models import PackageUpload
from judge.uploads import uploads
from problems import versions
from problems.models import Problem
from problems.package import PackageErrors
from web import access
from web.forms.problems import PackageForm, PublishForm
from web.identity import language
from web.live.stream import event_stream, while_it_may_change
from web.presentation.setter.uploads import FileMistakes, by_file, proposed_slug, shown
from web.presentation.statement import of_upload, shown_statement
from web.views.problems.manage import package_download
from web.views.sent_again import say_if_sent_again


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
            files = by_file([error.as_json() for error in wrong.errors])
        except uploads.UploadRefused as refused:
            form.add_error(None, str(refused))
        else:
            say_if_sent_again(request, taken)
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


@never_cache
def package_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Show the page of an upload."""
    return _page(request, _manageable(request, upload_id))


@never_cache
def upload_live(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Return the changing part of the page; without a trigger once nothing more comes."""
    upload = _manageable(request, upload_id)
    return render(request, "uploads/live.html", {**_changing(request, upload), "form": _form(upload)})


@require_GET
async def upload_events(request: HttpRequest, upload_id: int) -> StreamingHttpResponse:
    """Send server-sent events: "news" whenever the page should fetch its changing part again (see `web.live`)."""
    found = await sync_to_async(_manageable)(request, upload_id)
    return event_stream(request, found.channel, while_it_may_change(partial(_is_unfinished, upload_id)))


def upload_package(request: HttpRequest, upload_id: int) -> HttpResponseBase:
    """Return the package as stored, converted if need be, as a zip."""
    upload = _manageable(request, upload_id)
    return package_download(request, upload.digest, f"{upload.slug or 'package'}.zip")


def publish_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Publish the package; one whose report is not clean needs a reason."""
    upload = _manageable(request, upload_id)
    form = PublishForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        hidden = True if given["hidden"] else None
        try:
            version = uploads.publish(upload, _person(request), given["reason"], slug=given["slug"], hidden=hidden)
        except uploads.UploadRefused as refused:
            form.add_error(None, str(refused))
        else:
            said = _("Published as version %(number)s of %(title)s.")
            messages.success(request, said % {"number": version.number, "title": version.shown_title})
            return redirect("manage", version.problem.slug)
    return _page(request, upload, form, status=422)


def verify_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Verify once more; the ticked jury submissions count no more for the time limit."""
    upload = _manageable(request, upload_id)
    known = set(shown(upload).limiting)
    try:
        uploads.verify_again(upload, [name for name in request.POST.getlist("exclude") if name in known])
    except uploads.UploadRefused as refused:
        messages.error(request, str(refused))
    return redirect("package_upload", upload.pk)


def discard_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Forget the package."""
    upload = _manageable(request, upload_id)
    try:
        uploads.discard(upload)
    except uploads.UploadRefused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("%(title)s is discarded.") % {"title": upload.title})
    return redirect("mine")


def _page(
    request: HttpRequest, upload: PackageUpload, form: PublishForm | None = None, status: int = 200
) -> HttpResponse:
    context = {**_changing(request, upload), "form": form or _form(upload), "nav": "mine"}
    return render(request, "uploads/page.html", context, status=status)


def _changing(request: HttpRequest, upload: PackageUpload) -> dict[str, object]:
    """Return the values of the part that changes; `same_title`: other problems of this title, visible to the reader."""
    upload_shown = shown(upload)
    own = upload_shown.target or upload.replaces
    named = (
        access.visible_problems(request.user).titled(upload.title) if upload.is_publishable else Problem.objects.none()
    )
    return {
        "shown": upload_shown,
        "same_title": named.exclude(pk=own.pk) if own else named,
        **_as_students_see_it(request, upload),
    }


def _as_students_see_it(request: HttpRequest, upload: PackageUpload) -> dict[str, object]:
    """Return the values of the statement's part; none without a package, or once it is published."""
    if not upload.digest or upload.is_decided or "statement_html" not in upload.columns:
        return {}
    version = versions.unsaved(upload.digest, upload.columns)
    asked = request.GET.get("lang", "")[:16]
    statement = shown_statement(version, of_upload(upload.pk), asked, language.accepted(request))
    return {"version": version, "statement": statement, "is_statement_open": bool(asked)}


def _form(upload: PackageUpload) -> PublishForm:
    return PublishForm(initial={"slug": proposed_slug(upload)})


def _manageable(request: HttpRequest, upload_id: int) -> PackageUpload:
    """Return the upload if this person may decide about it. Raises Http404."""
    manageable = access.manageable_uploads(request.user)
    return get_object_or_404(
        manageable.select_related("owner", "replaces", "published_version__problem", "published_by"), pk=upload_id
    )


def _is_unfinished(upload_id: int) -> bool:
    upload = PackageUpload.objects.filter(pk=upload_id).first()
    return upload is not None and (not upload.is_done or upload.is_publishing_itself)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User), "nobody else may manage an upload"
    return request.user
