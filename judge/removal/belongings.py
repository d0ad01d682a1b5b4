"""What belongs to a person: what goes with the account, and what others need and a new owner gets."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet

from judge.models import (
    Assignment,
    AssignmentQuerySet,
    CustomRun,
    Experiment,
    ExperimentRun,
    Invitation,
    PackageUpload,
    SharedComparison,
    Submission,
)
from problems.models import Problem


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
