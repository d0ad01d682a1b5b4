"""Follow the verification of an uploaded package live, read the report, and publish or discard it."""

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.models import PackageUpload
from judge.uploads import uploads
from judge.uploads.time_limits import target_of
from problems import versions
from problems.models import Problem
from web import access
from web.forms.problems import PublishForm
from web.identity import language
from web.live.stream import event_stream, while_it_may_change
from web.presentation.paging import id_key
from web.presentation.setter.uploads import proposed_slug, shown
from web.presentation.statement import of_upload, shown_statement
from web.presentation.units import count
from web.views.problems.manage import package_download


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
    upload = await sync_to_async(_manageable)(request, upload_id)
    return event_stream(request, upload.channel, while_it_may_change(lambda: is_unfinished(upload_id)))


def is_unfinished(upload_id: int) -> bool:
    """Return whether an upload may still change by itself."""
    upload = PackageUpload.objects.filter(pk=upload_id).first()
    return upload is not None and (not upload.is_done or upload.is_publishing_itself)


def upload_package(request: HttpRequest, upload_id: int) -> HttpResponseBase:
    """Return the package as stored, converted if need be, as a zip."""
    upload = _manageable(request, upload_id)
    return package_download(request, upload.digest, f"{upload.slug or 'package'}.zip")


def publish_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Publish the package; one whose report is not clean needs a reason."""
    upload = _manageable(request, upload_id)
    form = _form(upload, request.POST)
    if form.is_valid():
        reason, slug, audience = (form.cleaned_data[name] for name in ("reason", "slug", "audience"))
        try:
            assert isinstance(request.user, User), "nobody else may manage an upload"
            version = uploads.publish(upload, request.user, reason, slug=slug, audience=audience)
        except uploads.UploadRefused as refused:
            form.add_error(None, str(refused))
        else:
            message = _("Published as version %(number)s of %(title)s.")
            messages.success(request, message % {"number": version.number, "title": version.shown_title})
            return redirect("manage", version.problem.slug)
    return _page(request, upload, form, status=422)


def verify_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Verify once more; the ticked jury submissions count no more for the time limit."""
    upload = _manageable(request, upload_id)
    limiting = set(shown(upload).limiting)
    try:
        uploads.verify_again(upload, [name for name in request.POST.getlist("exclude") if name in limiting])
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


def discard_uploads(request: HttpRequest) -> HttpResponse:
    """Forget the ticked ones of the user's own packages, or all refused ones."""
    own = PackageUpload.objects.to_decide().filter(owner=request.user.pk)
    ticked = {key for value in request.POST.getlist("upload") if (key := id_key(value)) is not None}
    number = uploads.discard_all(own.refused() if "refused" in request.POST else own.filter(pk__in=ticked))
    if number:
        sentence = ngettext("%(number)s upload is discarded.", "%(number)s uploads are discarded.", number)
        messages.success(request, sentence % {"number": count(number)})
    else:
        messages.info(request, _("Nothing is discarded: choose uploads first."))
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
    titled = access.visible_problems(request.user).titled(upload.title)
    named = titled if upload.is_publishable else Problem.objects.none()
    page: dict[str, object] = {"shown": upload_shown, "same_title": named.exclude(pk=own.pk) if own else named}
    if upload.digest and not upload.is_decided and "statement_html" in upload.columns:
        version, code = versions.unsaved(upload.digest, upload.columns), request.GET.get("lang", "")[:16]
        statement = shown_statement(version, of_upload(upload.pk), code, language.accepted(request))
        page |= {"version": version, "statement": statement, "is_statement_open": bool(code)}
    return page


def _form(upload: PackageUpload, data: QueryDict | None = None) -> PublishForm:
    return PublishForm(data, target=target_of(upload), proposed=proposed_slug(upload))


def _manageable(request: HttpRequest, upload_id: int) -> PackageUpload:
    """Return the upload if this person may decide about it. Raises Http404."""
    related = ("owner", "replaces", "published_version__problem", "published_by")
    return get_object_or_404(access.manageable_uploads(request.user).select_related(*related), pk=upload_id)
