"""Files of a problem's package that its page shows or offers: pictures, attachments, PDF statements, samples."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404

from problems.jsonvalues import from_row
from problems.package import PageFile
from problems.statement.rendering import PDF, PICTURE
from problems.statement.samples import offered_name
from problems.statement.statement_files import PICTURE_TYPES
from problems.store.stores import package_store
from web import access
from web.server.streaming import file_response
from web.views.problems.problems import open_problem

_FOREVER = "private, max-age=31536000, immutable"  # the address names a version or an upload: neither changes


def problem_file(request: HttpRequest, slug: str, number: int, path: str) -> HttpResponseBase:
    """Return one file of a version that `ProblemVersion.files` names, to whoever may see the problem."""
    problem = open_problem(request.user, slug)
    version = get_object_or_404(access.readable_versions(request.user, problem), number=number)
    return _file(request, version.digest, version.files, path)


def upload_file(request: HttpRequest, upload_id: int, path: str) -> HttpResponseBase:
    """Return one file of a package that is not published, of those that its problem's page would serve."""
    upload = get_object_or_404(access.manageable_uploads(request.user).exclude(digest=""), pk=upload_id)
    files = from_row(dict[str, PageFile], upload.columns.get("files", {}))
    return _file(request, upload.digest, files, path)


def _file(request: HttpRequest, digest: str, files: Mapping[str, PageFile], path: str) -> HttpResponseBase:
    entry = files.get(path)
    if entry is None:
        raise Http404
    file = package_store().file(digest, path)
    picture_type = PICTURE_TYPES.get(PurePosixPath(path).suffix.lower()) if entry.kind == PICTURE else None
    response = file_response(
        request,
        file,
        name=offered_name(path),
        media_type=picture_type or ("application/pdf" if entry.kind == PDF else "application/octet-stream"),
        inline=picture_type is not None,
    )
    response["Cache-Control"] = _FOREVER
    return response
