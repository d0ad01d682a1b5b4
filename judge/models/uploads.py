"""Uploaded packages as rows: from the archive's bytes to a report, and what somebody decided about it.

Written by `judge.uploads.uploads` and `judge.uploads.importing` only.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from judge.grading.verdicts import Verdict
from judge.grading.verification.verified import Progress, ReportRecord
from judge.models.queue import UNFINISHED, QueuedWork, Status
from problems.columns import RecordField
from problems.models import AuthorsQuerySet
from problems.package import ErrorRecord
from problems.translation import translated


class WhenClean(models.TextChoices):
    """The next step after a clean report."""

    ASK = "ask", gettext_lazy("Wait for me")
    PUBLISH = "publish", gettext_lazy("Publish it")
    ASSIGN = "assign", gettext_lazy("Publish it, for assignments only")
    HIDE = "hide", gettext_lazy("Publish it, hidden")


class PackageUploadQuerySet(AuthorsQuerySet["PackageUpload"]):
    """Sets of uploads; who may manage one may see it and decide about it."""

    def undecided(self) -> "PackageUploadQuerySet":
        """Return the uploads that were neither published nor discarded."""
        return self.filter(published_at=None, discarded_at=None)

    def to_decide(self) -> "PackageUploadQuerySet":
        """Return the undecided uploads, without the sets that were taken apart."""
        return self.undecided().filter(parts=None)

    def refused(self) -> "PackageUploadQuerySet":
        """Return the undecided uploads whose packages cannot be used."""
        return self.undecided().filter(status=Status.DONE).exclude(mistakes=[])

    def publishing_themselves(self) -> "PackageUploadQuerySet":
        """Return the uploads for which `is_publishing_itself` holds."""
        return self.undecided().filter(status=Status.DONE, is_clean=True).exclude(when_clean=WhenClean.ASK)

    def keeping(self) -> "PackageUploadQuerySet":
        """Return the undecided uploads whose bytes lie on our disk; a refused upload has none there."""
        return self.undecided().exclude(token="", digest="")


class PackageUpload(QueuedWork):
    """An uploaded package: its bytes, then its version in the store, its report, and the decision about it.

    Done means that the report is there (or, with `trouble`, that we failed). Nothing is published by that alone. A set
    has no report: it is done when each of its packages has become an upload (`parts`).
    """

    TASK = "judge.import_package"
    PERSON = "owner"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    replaces = models.ForeignKey("problems.Problem", null=True, on_delete=models.CASCADE, related_name="uploads")
    part_of = models.ForeignKey("self", null=True, on_delete=models.CASCADE, related_name="parts")  # the set it came in
    name = models.CharField(max_length=200)  # of the file, as its sender called it; for people only
    size = models.PositiveBigIntegerField()
    sent_digest = models.CharField(max_length=64, blank=True, default="", db_default="")  # sha256 of the file, in hex
    kept_bytes = models.PositiveBigIntegerField(default=0)  # unpacked: what it says it holds, then what is in the store
    token = models.CharField(max_length=32, blank=True)  # names its bytes (judge.uploads.archives); "": they are gone
    when_clean = models.CharField(max_length=8, choices=WhenClean.choices, default=WhenClean.ASK)
    # what the worker found
    progress = RecordField(Progress, default=dict)
    origin = models.CharField(max_length=8, blank=True)  # the format it came in: problems.convert.detection
    slug = models.CharField(max_length=64, blank=True)  # of the problem that publishing makes, unless it replaces one
    digest = models.CharField(max_length=64, blank=True)  # of the package in the store; "": it is not there
    # those of the version that publishing makes, each as its own field takes it: problems.store.publishing.describe
    columns = RecordField(dict[str, Any], default=dict)
    excluded = models.JSONField(default=list)  # jury submissions that do not count for the time limit, by name
    mistakes = RecordField(tuple[ErrorRecord, ...], default=list)  # of a package that cannot be used
    report = RecordField(ReportRecord, null=True)
    is_clean = models.BooleanField(null=True)  # None: no report yet
    trouble = models.TextField(blank=True)  # for staff: why we could not finish
    refusal = models.TextField(blank=True)  # why it was not published by itself, as it should have been
    # what was decided
    published_version = models.ForeignKey(
        "problems.ProblemVersion", null=True, on_delete=models.CASCADE, related_name="uploads"
    )
    published_at = models.DateTimeField(null=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField(blank=True)  # why it was published although its report is not clean
    discarded_at = models.DateTimeField(null=True)

    objects = PackageUploadQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-id"], name="upload_by_owner"),
            models.Index(fields=["digest"], name="upload_by_digest"),
            models.Index(fields=["status", "next_try_at"], name="upload_unfinished", condition=UNFINISHED),
        ]

    def __str__(self) -> str:
        return f"upload {self.pk}"

    @property
    def channel(self) -> str:
        return f"upload:{self.pk}"

    @property
    def title(self) -> str:
        """Its name on pages: the problem's title as soon as it is known, else the file's name."""
        title: Any = self.columns.get("title")
        return str(title or self.name)

    @property
    def is_decided(self) -> bool:
        """Return whether it was published or discarded."""
        return self.published_at is not None or self.discarded_at is not None

    @property
    def is_publishing_itself(self) -> bool:
        """Return whether its report is clean and we are to publish it without asking; a refusal of that ends it."""
        return self.is_done and not self.is_decided and bool(self.is_clean) and self.when_clean != WhenClean.ASK

    @property
    def is_publishable(self) -> bool:
        """Return whether publishing can be asked for: the package is in the store, and programs get verdicts by it."""
        is_there = self.is_done and not self.is_decided and bool(self.digest) and self.report is not None
        return is_there and not self.no_verdicts

    @property
    def no_verdicts(self) -> str:
        """The first line of why no program gets a verdict by the package, in the reader's language; "": some may."""
        return translated(self.report.no_verdicts).partition("\n")[0] if self.report else ""

    @property
    def is_solved(self) -> bool:
        """Return whether a submission of the jury was run and accepted, which proves that the problem can be solved."""
        return self.report is not None and any(
            submission.verdict is Verdict.AC for submission in self.report.submissions
        )

    @property
    def can_be_verified_again(self) -> bool:
        """Return whether a worker could look at it once more."""
        return self.is_done and not self.is_decided and bool(self.digest or self.token)

    def start_over(self) -> list[str]:
        """Forget the progress and the report; a package that is in the store already stays there."""
        return self.note(progress=Progress(), mistakes=(), report=None, is_clean=None, trouble="", refusal="")

    def give_up(self, why: str) -> None:
        """Say that it was our fault; the bytes stay, so that it can be tried again."""
        self.trouble = why


class UnwantedPackage(models.Model):
    """A stored package that an upload released; the row stays until the package is removed.

    Several rows may name the same digest: who lets go of it must not count on a row that another one is about to end.
    """

    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"released package {self.digest[:12]}"
