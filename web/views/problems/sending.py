"""Send problem packages, one or several at once; each is taken or refused on its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from judge.models import PackageUpload
from judge.uploads import caps, uploads
from problems.format.files import printable
from problems.models import Problem
from problems.package import PackageErrors
from problems.translation import translated
from web import access
from web.forms.problems import PackageForm, PackagesForm
from web.presentation.setter.uploads import FileMistakes, by_file
from web.presentation.units import count
from web.views.problems.wizard import go_to, go_to_upload


@dataclass(frozen=True, kw_only=True, slots=True)
class _Refused:
    """An archive that was not taken."""

    name: str
    files: tuple[FileMistakes, ...]

    @property
    def mistakes(self) -> int:
        return sum(len(file.mistakes) for file in self.files)


@dataclass(kw_only=True, slots=True)
class _Sending:
    """Results of the archives of one request."""

    received: list[PackageUpload] = field(default_factory=list)
    refused: list[_Refused] = field(default_factory=list)
    without_room: list[str] = field(default_factory=list)  # names of archives
    why_no_room: str = ""
    trouble: str = ""  # ours: the rest was not looked at

    def take(self, archives: "Sequence[UploadedFile[bytes]]", **options: object) -> None:
        """Take each archive that can be taken."""
        for archive in archives:
            name = archive.name or ""
            try:
                upload = uploads.receive(cast(BinaryIO, archive.file), name=name, **options)  # type: ignore[arg-type]
            except PackageErrors as wrong:
                files = by_file([error.record for error in wrong.errors])
                self.refused.append(_Refused(name=printable(name), files=files))
            except uploads.NoRoom as refused:
                self.without_room.append(printable(name))
                self.why_no_room = str(refused)
            except uploads.StoreAway as away:
                self.trouble = str(away)
                return
            else:
                self.received.append(upload)

    def reasons(self) -> list[str]:
        """Return why archives were not taken that may be right, as sentences."""
        no_room = self.why_no_room
        if no_room and len(self.received) + len(self.without_room) > 1:
            no_room = translated(caps.fitted(len(self.received), self.without_room))
        return [why for why in (no_room, self.trouble) if why]


def upload(request: HttpRequest) -> HttpResponse:
    """Take packages, or say at once what is wrong with their archives, entry by entry."""
    return _take(request, None)


def replace(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a package that is to become the problem's next version."""
    return _take(request, get_object_or_404(access.manageable_problems(request.user), slug=slug))


def _take(request: HttpRequest, problem: Problem | None) -> HttpResponse:
    kind = PackageForm if problem else PackagesForm
    form = kind(request.POST, request.FILES) if request.method == "POST" else kind()
    sending = _Sending()
    if form.is_valid():
        archives, when_clean = form.cleaned_data["archive"], form.cleaned_data["when_clean"]
        sending.take(archives, owner=cast(User, request.user), replaces=problem, when_clean=when_clean)
        for why in sending.reasons():
            form.add_error(None, why)
        if not form.errors and not sending.refused:
            # redirect to the page of the only upload, or to the list of several
            received = sending.received
            if len(received) == 1:
                return go_to_upload(request, received[0])
            if any(upload.is_sent_again for upload in received):
                messages.info(request, _("You sent the same a few seconds ago. Each package was taken once."))
            messages.success(request, _said_of(received))
            return go_to(request, reverse("mine"))
    context = {
        "form": form,
        "refused": sending.refused,
        "taken": _said_of(sending.received) if sending.received else "",
        "problem": problem,
        "max_bytes": settings.MAX_PACKAGE_BYTES,
        "nav": "mine",
    }
    return render(request, "setter/upload.html", context, status=422 if sending.refused or form.errors else 200)


def _said_of(received: Sequence[PackageUpload]) -> str:
    number = len({upload.pk for upload in received})
    words = ngettext(
        "%(number)s package was taken. It gets its own report.",
        "%(number)s packages were taken. Each gets its own report.",
        number,
    )
    return words % {"number": count(number)}
