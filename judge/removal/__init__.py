"""Remove a person with all that is theirs.

How it works: `begin` closes the account in one transaction. It loses its name, its rights and every way to sign in, so
its sessions are void; what others need gets a new owner. The rest follows, a few rows in each transaction, and the
account's own row goes last with all that points at it (`carry_out`). Whoever asked waits for FIRST_TURN_S; the
maintenance of any worker goes on, as it does with what was interrupted. A worker that has a row in hand loses its lease
with the row, and writes nothing more.

Locks are taken in this order: the row of a rejudge, the submission, its reruns, its results (as
`judge.rejudging.rejudging` and `judge.submissions.intake` do).
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import DEFAULT_DB_ALIAS, OperationalError, models, transaction
from django.db.models import Exists, OuterRef, QuerySet

from judge.models import (
    Assignment,
    AssignmentQuerySet,
    CaseRerun,
    CustomRun,
    Experiment,
    ExperimentRun,
    Invitation,
    PackageUpload,
    RejudgedSubmission,
    Removal,
    SharedComparison,
    Submission,
    TestCaseResult,
)
from judge.rejudging import rejudging
from judge.uploads import uploads
from problems.models import Problem

CHUNK = 50  # rows in a transaction: a submission may have hundreds of test cases
FIRST_TURN_S = 1.0  # how long whoever asked waits
TURN_S = 5.0  # how long maintenance goes on with one of them
_logger = logging.getLogger(__name__)


def problems_of(user: User) -> QuerySet[Problem]:
    """Return the problems that get a new owner: all, since others may have sent programs to them."""
    return Problem.objects.filter(owner=user)


def uploads_of_versions(user: User) -> QuerySet[PackageUpload]:
    """Return the uploads that became versions of problems: the report of a version is its upload's."""
    return PackageUpload.objects.filter(owner=user, published_version__isnull=False)


def assignments_of(user: User) -> AssignmentQuerySet:
    """Return the assignments that others have joined, those deleted lately too: they can come back."""
    joined = Assignment.students.through.objects.filter(assignment=OuterRef("pk")).exclude(user=user)
    return Assignment.with_deleted.filter(Exists(joined), owner=user)


def experiments_of(user: User) -> QuerySet[Experiment]:
    """Return the experiments that everybody sees."""
    return Experiment.objects.filter(owner=user, is_published=True)


def links_to(user: User) -> QuerySet[SharedComparison]:
    """Return the comparisons that others share and in which a submission of the person's stands."""
    return SharedComparison.objects.filter(sides__submission__user=user).exclude(owner=user).distinct()


@dataclass(frozen=True, kw_only=True, slots=True)
class Belongings:
    """How many of each: first what goes, then what gets a new owner."""

    submissions: int
    custom_runs: int
    experiment_runs: int
    drafts: int  # experiments that were not published
    uploads: int  # that became no version
    links: int  # comparisons that the person shares
    links_of_others: int
    invitations: int
    empty_assignments: int
    problems: int
    assignments: int
    experiments: int

    @property
    def need_owner(self) -> bool:
        """Return whether something gets a new owner."""
        return bool(self.problems or self.assignments or self.experiments)


def belongings_of(user: User) -> Belongings:
    """Count what belongs to a person."""
    handed_over = {
        "problems": problems_of(user),
        "assignments": assignments_of(user),
        "experiments": experiments_of(user),
    }
    own_assignments = Assignment.with_deleted.filter(owner=user)
    deleted: dict[str, QuerySet[Any]] = {
        "submissions": Submission.objects.filter(user=user),
        "custom_runs": CustomRun.objects.filter(user=user),
        "experiment_runs": ExperimentRun.objects.filter(user=user),
        "drafts": Experiment.objects.filter(owner=user, is_published=False),
        "uploads": PackageUpload.objects.filter(owner=user, published_version=None),
        "links": SharedComparison.objects.owned_by(user),
        "links_of_others": links_to(user).filter(revoked_at=None),
        "invitations": Invitation.objects.left().filter(owner=user),
        "empty_assignments": own_assignments.exclude(pk__in=assignments_of(user).values("pk")),
    }
    return Belongings(**{name: rows.count() for name, rows in (deleted | handed_over).items()})


class OwnerNeeded(Exception):
    """There is something to hand over, and nobody to have it."""


def name_while_removed(user_id: int) -> str:
    """Return the name of an account that is being removed: nobody can sign up with a bracket."""
    return f"(removed {user_id})"


def begin(user: User, new_owner: User | None) -> None:
    """Close the account and hand over what others need. Raises OwnerNeeded."""
    with transaction.atomic():
        row = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if new_owner is None and belongings_of(row).need_owner:
            raise OwnerNeeded
        for rows_of in (problems_of, uploads_of_versions, assignments_of, experiments_of):
            rows_of(row).update(owner=new_owner)
        row.groups.clear()
        row.user_permissions.clear()
        row.username, row.first_name, row.last_name, row.email = name_while_removed(row.pk), "", "", ""
        row.is_active = row.is_staff = row.is_superuser = False
        row.set_unusable_password()
        row.save()
        Removal.objects.get_or_create(user=row)
    _logger.warning("account %s is being removed", user.pk)


def carry_out(user_id: int, within_s: float) -> bool:
    """Go on removing the data of an account; return whether it is gone."""
    deadline = time.monotonic() + within_s
    pieces: tuple[Callable[[int], int], ...] = (_some_submissions, _some_runs, _some_uploads)
    for piece in pieces:
        while piece(user_id):
            if time.monotonic() > deadline:
                return False
    # the sessions are void already: each says only inside whose it is
    for session in Session.objects.order_by("pk").iterator(chunk_size=500):
        if session.get_decoded().get(SESSION_KEY) == str(user_id):
            session.delete()
    with transaction.atomic():
        user = User.objects.select_for_update().filter(pk=user_id, removal__isnull=False).first()
        if user is not None:
            Experiment.objects.filter(owner=user).delete()
            user.delete()
    _logger.warning("account %s is removed", user_id)
    return True


def first_turn(user_id: int) -> bool:
    """Go on with it for a moment; return whether the account is gone, or maintenance goes on."""
    try:
        return carry_out(user_id, FIRST_TURN_S)
    except OperationalError as error:
        _logger.warning("account %s is removed later: %s", user_id, error)
        return False


def carry_out_interrupted() -> None:
    """Go on with all accounts that are being removed; maintenance calls this and has other work too."""
    for user_id in Removal.objects.order_by("pk").values_list("user", flat=True):
        carry_out(user_id, TURN_S)


def _some_submissions(user_id: int) -> int:
    """Delete the next few submissions with their results; return how many."""
    with transaction.atomic():
        own = Submission.objects.filter(user=user_id).order_by("pk")
        chosen = list(own.values_list("pk", flat=True)[:CHUNK])
        list(_locked(RejudgedSubmission.objects.filter(submission__in=chosen).order_by("submission", "pk")))
        list(_locked(Submission.objects.filter(pk__in=chosen).order_by("pk")))
        rejudging.hold_results(chosen)
        SharedComparison.objects.filter(sides__submission__in=chosen).delete()
        # as statements that name the submission: a key of the results alone would be looked for in each partition
        CaseRerun.objects.filter(submission__in=chosen)._raw_delete(DEFAULT_DB_ALIAS)
        TestCaseResult.objects.filter(submission__in=chosen)._raw_delete(DEFAULT_DB_ALIAS)
        Submission.objects.filter(pk__in=chosen).only("pk").delete()
    return len(chosen)


def _some_runs(user_id: int) -> int:
    """Delete the next few custom runs and runs of experiments; return how many."""
    number = 0
    for kind in (CustomRun, ExperimentRun):
        with transaction.atomic():
            rows: QuerySet[models.Model] = kind._default_manager.filter(user=user_id)
            chosen = list(_locked(rows.order_by("pk"))[:CHUNK])
            rows.filter(pk__in=chosen).only("pk").delete()
        number += len(chosen)
    return number


def _some_uploads(user_id: int) -> int:
    """Delete the next few uploads with their packages; return how many."""
    chosen = list(PackageUpload.objects.filter(owner=user_id).order_by("pk")[:CHUNK])
    for upload in chosen:
        with suppress(uploads.UploadRefused, PackageUpload.DoesNotExist):  # published, or deleted, at this moment
            uploads.discard(upload)
        upload.delete()
    return len(chosen)


def _locked(rows: QuerySet[models.Model]) -> QuerySet[models.Model, int]:
    return rows.select_for_update(no_key=True, of=("self",)).values_list("pk", flat=True)
