"""Access rules of the site, each with its reason.

How it works: `web.access.addresses` says of each named address who may load it and who may post to it;
`web.access.guard` refuses anybody else before the view runs. What is left to a view is the row that its address names.
The view takes it by the rule that the table names beside the address (`asks`), and a row that one may not have is
answered like one that does not exist. Templates ask by `templatetags/access.py`.

Which rows a person may have is said in the room that owns them (`visible_to`, `manageable_by`, `readable_by`), where
verbs of the judge ask it too; what an account is, in `problems/roles.py`. How much a reader sees of the test cases of a
submission is `visibility.py`, which `sight_of` fills in for one person.
"""

import secrets
from collections.abc import Callable, Collection
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, QuerySet
from django.http import Http404, HttpRequest
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404
from django.utils.crypto import constant_time_compare

from judge import models
from judge.grading.experiment.spec import ExperimentSpec
from judge.models import ExplanationLevel, assignments
from problems import roles
from problems.models import CaseVisibility, Problem, ProblemQuerySet, ProblemVersion
from web.access.guard import Person
from web.access.visibility import Visibility

# headers that a proxy adds
_PROXIED = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-IP")

# What a person is


def is_signed_in(user: Person) -> bool:
    """Return whether somebody asks: work belongs to an account."""
    return bool(user.is_authenticated)


def may_publish(user: Person) -> bool:
    """Publish problems and experiments, invite people, teach a class: instructors. Their programs run on our hosts."""
    return roles.may_publish(user)


def may_operate(user: Person) -> bool:
    """Return whether this account may see workers and stuck work, and retry it: staff. It shows all people's work."""
    return roles.is_staff(user)


def may_administer(user: Person) -> bool:
    """Return whether this account may see who has one, give and take back rights, and remove people: administrators."""
    return roles.is_administrator(user)


def reads_every_submission(user: Person) -> bool:
    """Read everybody's submissions, with their names: staff, who help."""
    return roles.is_staff(user)


def is_offered_openid(user: Person) -> bool:
    """Sign in by OpenID Connect: everybody, where the installation names a provider."""
    return bool(settings.SOCIALACCOUNT_PROVIDERS)


def may_connect_openid(user: Person) -> bool:
    """Connect an identity to one's own account, likewise."""
    return is_signed_in(user) and is_offered_openid(user)


# Problems, and what is sent in to become one


def visible_problems(user: Person) -> ProblemQuerySet:
    """Return what is published for all or in an opened assignment of the user's, and own ones: others may be a test."""
    return assignments.visible_problems(user)


def sees_problem(user: Person | None, problem: Problem, assigned: Callable[[], Collection[int]] | None = None) -> bool:
    """Return whether `visible_problems` has this problem; None: somebody without an account."""
    return assignments.sees_problem(user, problem, assigned)


def manageable_problems(user: Person) -> ProblemQuerySet:
    """Return an instructor's own problems: to change, replace and rejudge them, and to see the class view."""
    return Problem.objects.manageable_by(user)


def manages_problem(user: Person, problem: Problem) -> bool:
    """Return whether `manageable_problems` has this problem."""
    return problem.is_manageable_by(user)


def readable_versions(user: Person, problem: Problem) -> QuerySet[ProblemVersion]:
    """Return versions whose files a problem's reader may load: what was taken out of a package was taken on purpose."""
    is_current = {"digest": F("problem__current_version__digest")}
    return problem.versions.filter(**({} if manages_problem(user, problem) else is_current))


def manageable_uploads(user: Person) -> models.PackageUploadQuerySet:
    """Return an instructor's own uploads: a package holds the hidden tests."""
    return models.PackageUpload.objects.manageable_by(user)


def manageable_rejudges(user: Person) -> QuerySet[models.Rejudge]:
    """Return the rejudges of problems that the user manages: they decide verdicts of others."""
    return models.Rejudge.objects.filter(problem__in=manageable_problems(user))


# Submissions


def readable_submissions(user: Person) -> models.SubmissionQuerySet:
    """Return the user's own submissions: a source is its author's. A problem's owner sees numbers, but no source."""
    return models.Submission.objects.readable_by(user)


def readable_custom_runs(user: Person) -> models.CustomRunQuerySet:
    """Return the user's own custom runs of problems that they may see: it is their program. Staff read all, to help."""
    return models.CustomRun.objects.readable_by(user)


def reads_source(user: Person, submission: models.Submission) -> bool:
    """Return whether `readable_submissions` has this one. Whoever reads no source reads no compiler's words either."""
    return reads_every_submission(user) or submission.user_id == user.pk


def own_submissions(user: Person) -> models.SubmissionQuerySet:
    """Return what the user sent: only that is offered to be edited and sent again, staff too sends its own programs."""
    return models.Submission.objects.filter(user=user.pk)


def sight_of(user: Person, problem: Problem) -> Visibility:
    """Return what a reader of a submission sees of its cases: staff and the problem's owner everything, exactly.

    Others see what the problem shows of hidden cases, rounded: exact numbers could tell what is in a hidden case.
    """
    is_owner = user.pk is not None and problem.owner_id == user.pk
    return Visibility(sees_all=roles.is_staff(user) or is_owner, visibility=CaseVisibility(problem.case_visibility))


def explained(user: Person, problem: Problem) -> ExplanationLevel:
    """Return how much a reader sees explained: all of it, or what an open assignment with the problem shows.

    That holds for everybody who sees the problem, in the class or not: else a second account would see all. Staff, the
    problem's owner and the assignment's own see all.
    """
    return explained_of(user, [problem])[problem.pk]


def explained_of(user: Person, problems: Collection[Problem]) -> dict[int, ExplanationLevel]:
    """Return the same of each problem, by its key."""
    restricted = [problem.pk for problem in problems if not sight_of(user, problem).sees_all]
    levels = {problem.pk: ExplanationLevel.FIX for problem in problems}
    return levels | (models.Assignment.objects.levels_for(user.pk, restricted) if restricted else {})


def readable_fixes(user: Person, problem: Problem) -> QuerySet[models.TestCaseResult]:
    """Return the cases of the user's own submissions to a problem with a changed source that they may see.

    Of a submission that was judged again the current cases; of a hidden case where its numbers may be seen.
    """
    rows = models.TestCaseResult.objects.filter(
        submission__user=user.pk, submission__problem=problem, attempt=F("submission__attempt"), fix__isnull=False
    )
    if not explained(user, problem).reaches(ExplanationLevel.FIX):
        return rows.none()
    return rows.filter(is_sample=True) if sight_of(user, problem).is_restricted else rows


def students_sight(problem: Problem) -> Visibility:
    """Return what a student of the problem sees of a submission: for pages that show everybody the same."""
    return sight_of(AnonymousUser(), problem)


def own_links(user: Person) -> models.SharedComparisonQuerySet:
    """Return the user's own links to comparisons that were not revoked: only their owner revokes them."""
    return models.SharedComparison.objects.owned_by(user)


def readable_links(user: Person) -> models.SharedComparisonQuerySet:
    """Return shared comparisons of problems that the reader may see, until they are revoked."""
    return models.SharedComparison.objects.readable_by(user)


# Classes


def readable_assignments(user: Person) -> models.AssignmentQuerySet:
    """Return the assignments that the user joined or manages: who is in a class is the class's business."""
    return models.Assignment.objects.readable_by(user)


def manageable_assignments(user: Person) -> models.AssignmentQuerySet:
    """Return an instructor's own assignments: the class view has names and verdicts."""
    return models.Assignment.objects.manageable_by(user)


def restorable_assignments(user: Person) -> models.AssignmentQuerySet:
    """Return an instructor's own deleted assignments, while deleting them can be undone."""
    return models.Assignment.with_deleted.deleted().manageable_by(user)


def assignment_of_link(assignment_id: int, token: str) -> models.Assignment:
    """Return the assignment that a link invites to: the link is the permission to join. Raises Http404."""
    assignment = get_object_or_404(models.Assignment.objects.select_related("owner"), pk=assignment_id)
    if not secrets.compare_digest(assignment.token.encode(), token.encode()):
        raise Http404
    return assignment


def joined_assignments(user: Person) -> models.AssignmentQuerySet:
    """Return the assignments that the user joined, to leave one."""
    return models.Assignment.objects.joined_by(user)


def teacher_of_replaced_link(assignment_id: int, token: str) -> str:
    """Return who can give the link that replaced this one, by name; "" if this link was not replaced."""
    replaced = models.ReplacedLink.objects.filter(assignment=assignment_id, assignment__deleted_at=None, token=token)
    return replaced.values_list("assignment__owner__username", flat=True).first() or ""


def manageable_invitations(user: Person) -> models.InvitationQuerySet:
    """Return an instructor's own invitations that were not revoked: each lets people create accounts."""
    return models.Invitation.objects.left().manageable_by(user)


def manageable_people(user: Person) -> QuerySet[User]:
    """Return all accounts, to an administrator: names and addresses of all people are nobody else's business.

    Those that are being removed are nobody's any more.
    """
    return User.objects.filter(removal=None) if may_administer(user) else User.objects.none()


def may_decide_about(user: Person, person: User) -> bool:
    """Return whether this administrator may take the person's rights, or remove them: nobody decides about oneself."""
    return may_administer(user) and user.pk != person.pk


# Experiments


def visible_experiments(user: Person) -> models.ExperimentQuerySet:
    """Return published experiments and the user's own. Those that ship with Tally are for everybody."""
    return models.Experiment.objects.visible_to(user)


def manageable_experiments(user: Person) -> models.ExperimentQuerySet:
    """Return an instructor's own experiments: to change, publish and delete."""
    return models.Experiment.objects.manageable_by(user)


def readable_runs(user: Person) -> models.ExperimentRunQuerySet:
    """Return own and shared runs; on a test case of a problem that the user may not see, only own ones."""
    return models.ExperimentRun.objects.readable_by(user)


def own_runs(user: Person) -> models.ExperimentRunQuerySet:
    """Return the runs that the user started: sharing one shows its sources to everybody."""
    return models.ExperimentRun.objects.owned_by(user)


def may_run_again(user: Person, spec: ExperimentSpec) -> bool:
    """Ask for a run once more: on a test case where one sees the problem and the case's numbers."""
    if spec.case is None:
        return True
    version = ProblemVersion.objects.select_related("problem").filter(pk=spec.case.version).first()
    if version is None or not sees_problem(user, version.problem):
        return False
    return spec.case.is_sample or not sight_of(user, version.problem).is_restricted


def may_run_changed(spec: ExperimentSpec) -> bool:
    """Change what was run and run that: nobody on a test case. A changed program could print the case's input."""
    return spec.case is None


# Machines


def may_read_metrics(request: HttpRequest) -> bool:
    """Return whether the request has the token; without one, whether it comes from this machine, through no proxy."""
    if settings.METRICS_TOKEN:
        return constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}")
    if any(name in request.headers for name in _PROXIED):
        return False
    host, _ = split_domain_port(request.get_host())  # a proxy that says nothing of itself passes the name asked for
    try:
        return host in settings.LOOPBACK_HOSTS and ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
