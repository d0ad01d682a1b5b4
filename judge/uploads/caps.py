"""What the uploads of one person may take up, and how long they are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from django.contrib.auth.models import User
from django.db.models import Count, Sum
from django.utils.translation import gettext as _, ngettext

from judge.models import PackageUpload
from problems.format.files import MIB
from problems.translation import Sentence, listed

GIB = 1024 * MIB
MOST_UNDECIDED = 40  # uploads of one person whose packages are kept until somebody decides about them
MOST_UNDECIDED_BYTES = 4 * GIB  # of them, unpacked
UNDECIDED_FOR = timedelta(days=30)  # then an upload that nobody decided about is discarded
REFUSED_FOR = timedelta(days=1)  # likewise one whose package cannot be used
_MOST_NAMES = 10  # of packages that a sentence lists


@dataclass(kw_only=True, slots=True)
class Kept:
    """What is kept of one person until somebody decides about it."""

    uploads: int
    unpacked_bytes: int

    @classmethod
    def of(cls, owner: User, besides: PackageUpload | None = None) -> Self:
        """Count it, without the upload `besides`. Call in a transaction that holds the owner."""
        uploads = PackageUpload.objects.keeping().filter(owner=owner)
        if besides:
            uploads = uploads.exclude(pk=besides.pk)
        return cls(**uploads.aggregate(uploads=Count("pk"), unpacked_bytes=Sum("kept_bytes", default=0)))

    def add(self, unpacked_bytes: int) -> None:
        """Count one more upload of this size."""
        self.uploads += 1
        self.unpacked_bytes += unpacked_bytes

    def why_no_more(self, more_bytes: int) -> str:
        """Return why an upload of so many bytes cannot be kept as well, as sentences; "" if it can."""
        if self.uploads >= MOST_UNDECIDED:
            words = ngettext(
                "You have %(number)s upload that is neither published nor discarded, which is as many as are kept"
                " of one person. Publish or discard it, then send this one again.",
                "You have %(number)s uploads that are neither published nor discarded, which is as many as are kept"
                " of one person. Publish or discard some of them, then send this one again.",
                self.uploads,
            )
            return words % {"number": self.uploads}
        if self.uploads and self.unpacked_bytes + more_bytes > MOST_UNDECIDED_BYTES:
            words = _(
                "Your uploads that are neither published nor discarded and this one hold more than %(size)s GiB"
                " together. Publish or discard some of them, then send this one again."
            )
            return words % {"size": MOST_UNDECIDED_BYTES // GIB}
        return ""


def goes_at(upload: PackageUpload) -> datetime | None:
    """Return when an upload that is done is discarded, if nobody decides about it."""
    kept_for = REFUSED_FOR if upload.mistakes else UNDECIDED_FOR
    return upload.finished_at and upload.finished_at + kept_for


def fitted(number: int, without_room: Sequence[str]) -> Sentence:
    """Return that only so many of several packages could be kept; `without_room` are the names of the others."""
    return Sentence(
        "%(fitted)s of the %(sent)s packages fitted: one person may have %(most)s uploads that are neither published"
        " nor discarded, and %(size)s GiB of them. Publish or discard some, then send the others again: %(names)s.",
        fitted=number,
        sent=number + len(without_room),
        most=MOST_UNDECIDED,
        size=MOST_UNDECIDED_BYTES // GIB,
        names=listed(without_room, _MOST_NAMES),
    )
