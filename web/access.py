"""Access rules of the site: every rule with its reason, and every address with its rules.

How it works: `ADDRESSES` says of each named address who may load it and who may post to it; `web.guard` refuses anybody
else before the view runs. What is left to a view is the row that its address names. The view takes it by the rule that
the table names beside the address (`asks`), and a row that one may not have is answered like one that does not exist.
Templates ask by `templatetags/access.py`.

Which rows a person may have is said in the room that owns them (`visible_to`, `manageable_by`, `readable_by`), where
verbs of the judge ask it too; what an account is, in `problems/roles.py`. How much a reader sees of the test cases of a
submission is `presentation/sight.py`, which `sight_of` fills in for one person.
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

from judge.grading.experiment.spec import ExperimentSpec
from judge.models import (
    Assignment,
    AssignmentQuerySet,
    CustomRun,
    CustomRunQuerySet,
    Experiment,
    ExperimentQuerySet,
    ExperimentRun,
    ExperimentRunQuerySet,
    ExplanationLevel,
    Invitation,
    InvitationQuerySet,
    PackageUpload,
    PackageUploadQuerySet,
    Rejudge,
    ReplacedLink,
    SharedComparison,
    SharedComparisonQuerySet,
    Submission,
    SubmissionQuerySet,
    TestCaseResult,
    assignments,
)
from problems import roles
from problems.models import CaseVisibility, Problem, ProblemQuerySet, ProblemVersion
from web import signing_up
from web.guard import Address, Person, Refusal, Rule
from web.presentation.visibility import Visibility

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
    """Return published problems for everybody or for an assignment of the user's that has opened, and the user's own: a
    hidden one may be next week's test.
    """
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


def manageable_uploads(user: Person) -> PackageUploadQuerySet:
    """Return an instructor's own uploads: a package holds the hidden tests."""
    return PackageUpload.objects.manageable_by(user)


def manageable_rejudges(user: Person) -> QuerySet[Rejudge]:
    """Return the rejudges of problems that the user manages: they decide verdicts of others."""
    return Rejudge.objects.filter(problem__in=manageable_problems(user))


# Submissions


def readable_submissions(user: Person) -> SubmissionQuerySet:
    """Return the user's own submissions: a source is its author's. A problem's owner sees its numbers, but reads no
    source.
    """
    return Submission.objects.readable_by(user)


def readable_custom_runs(user: Person) -> CustomRunQuerySet:
    """Return the user's own custom runs of problems that they may see: it is their program, their input, their output.
    Staff read all, to help.
    """
    return CustomRun.objects.readable_by(user)


def reads_source(user: Person, submission: Submission) -> bool:
    """Return whether `readable_submissions` has this one. Whoever reads no source reads no compiler's words either."""
    return reads_every_submission(user) or submission.user_id == user.pk


def own_submissions(user: Person) -> SubmissionQuerySet:
    """Return what the user sent: only that is offered to be edited and sent again, staff too sends its own programs."""
    return Submission.objects.filter(user=user.pk)


def sight_of(user: Person, problem: Problem) -> Visibility:
    """Return what a reader of a submission sees of its cases: staff and the problem's owner everything, exactly.

    Others see what the problem shows of hidden cases, rounded: exact numbers could tell what is in a hidden case.
    """
    is_owner = user.pk is not None and problem.owner_id == user.pk
    return Visibility(sees_all=roles.is_staff(user) or is_owner, visibility=CaseVisibility(problem.case_visibility))


def explained(user: Person, problem: Problem) -> ExplanationLevel:
    """Return how much a reader sees explained of submissions and runs: all of it, or what an open assignment with the
    problem shows.

    That holds for everybody who sees the problem, in the class or not: else a second account would see all. Staff, the
    problem's owner and the assignment's own see all.
    """
    return explained_of(user, [problem])[problem.pk]


def explained_of(user: Person, problems: Collection[Problem]) -> dict[int, ExplanationLevel]:
    """Return the same of each problem, by its key."""
    restricted = [problem.pk for problem in problems if not sight_of(user, problem).sees_all]
    levels = {problem.pk: ExplanationLevel.FIX for problem in problems}
    return levels | (Assignment.objects.levels_for(user.pk, restricted) if restricted else {})


def readable_fixes(user: Person, problem: Problem) -> QuerySet[TestCaseResult]:
    """Return the cases of the user's own submissions to a problem with a changed source that they may see.

    Of a submission that was judged again the current cases; of a hidden case where its numbers may be seen.
    """
    rows = TestCaseResult.objects.filter(
        submission__user=user.pk, submission__problem=problem, attempt=F("submission__attempt"), fix__isnull=False
    )
    if not explained(user, problem).reaches(ExplanationLevel.FIX):
        return rows.none()
    return rows.filter(is_sample=True) if sight_of(user, problem).is_restricted else rows


def students_sight(problem: Problem) -> Visibility:
    """Return what a student of the problem sees of a submission: for pages that show everybody the same."""
    return sight_of(AnonymousUser(), problem)


def own_links(user: Person) -> SharedComparisonQuerySet:
    """Return the user's own links to comparisons that were not revoked: only their owner revokes them."""
    return SharedComparison.objects.owned_by(user)


def readable_links(user: Person) -> SharedComparisonQuerySet:
    """Return shared comparisons of problems that the reader may see, until they are revoked."""
    return SharedComparison.objects.readable_by(user)


# Classes


def readable_assignments(user: Person) -> AssignmentQuerySet:
    """Return the assignments that the user joined or manages: who is in a class is the class's business."""
    return Assignment.objects.readable_by(user)


def manageable_assignments(user: Person) -> AssignmentQuerySet:
    """Return an instructor's own assignments: the class view has names and verdicts."""
    return Assignment.objects.manageable_by(user)


def restorable_assignments(user: Person) -> AssignmentQuerySet:
    """Return an instructor's own deleted assignments, while deleting them can be undone."""
    return Assignment.with_deleted.deleted().manageable_by(user)


def assignment_of_link(assignment_id: int, token: str) -> Assignment:
    """Return the assignment that a link invites to: the link is the permission to join. Raises Http404."""
    assignment = get_object_or_404(Assignment.objects.select_related("owner"), pk=assignment_id)
    if not secrets.compare_digest(assignment.token.encode(), token.encode()):
        raise Http404
    return assignment


def joined_assignments(user: Person) -> AssignmentQuerySet:
    """Return the assignments that the user joined, to leave one."""
    return Assignment.objects.joined_by(user)


def teacher_of_replaced_link(assignment_id: int, token: str) -> str:
    """Return the name of whoever can give the link that replaced this one; "" if it replaced none. Whoever had a link
    learns that, and nothing else.
    """
    replaced = ReplacedLink.objects.filter(assignment=assignment_id, assignment__deleted_at=None, token=token)
    return replaced.values_list("assignment__owner__username", flat=True).first() or ""


def manageable_invitations(user: Person) -> InvitationQuerySet:
    """Return an instructor's own invitations that were not revoked: each lets people create accounts."""
    return Invitation.objects.left().manageable_by(user)


def manageable_people(user: Person) -> QuerySet[User]:
    """Return all accounts, to an administrator: names and addresses of all people are nobody else's business.

    Those that are being removed are nobody's any more.
    """
    return User.objects.filter(removal=None) if may_administer(user) else User.objects.none()


def may_decide_about(user: Person, person: User) -> bool:
    """Return whether this administrator may take the person's rights, or remove them: nobody decides about oneself."""
    return may_administer(user) and user.pk != person.pk


# Experiments


def visible_experiments(user: Person) -> ExperimentQuerySet:
    """Return published experiments and the user's own. Those that ship with Tally are for everybody."""
    return Experiment.objects.visible_to(user)


def manageable_experiments(user: Person) -> ExperimentQuerySet:
    """Return an instructor's own experiments: to change, publish and delete."""
    return Experiment.objects.manageable_by(user)


def readable_runs(user: Person) -> ExperimentRunQuerySet:
    """Return own and shared runs; on a test case of a problem that the user may not see, only own ones."""
    return ExperimentRun.objects.readable_by(user)


def own_runs(user: Person) -> ExperimentRunQuerySet:
    """Return the runs that the user started: sharing one shows its sources to everybody."""
    return ExperimentRun.objects.owned_by(user)


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
    """Return whether the request has the token; without a token, whether it comes from this machine, not through a
    proxy.
    """
    if settings.METRICS_TOKEN:
        return constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}")
    if any(name in request.headers for name in _PROXIED):
        return False
    host, _ = split_domain_port(request.get_host())  # a proxy that says nothing of itself passes the name asked for
    try:
        return host in settings.LOOPBACK_HOSTS and ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


# Addresses

EVERYBODY = Rule(admits=lambda user: True)
SIGNED_IN = Rule(admits=is_signed_in)
SIGNED_IN_PART = Rule(admits=is_signed_in, nobody=Refusal.NOT_FOUND)  # of a page: no page to sign in belongs inside
OPENID = Rule(admits=is_offered_openid, nobody=Refusal.NOT_FOUND)
OPENID_OWN = Rule(admits=may_connect_openid)
INSTRUCTORS = Rule(admits=may_publish, others=Refusal.FORBIDDEN)  # what every instructor has, a secret to nobody
MANAGERS = Rule(admits=may_publish)  # of the thing that the address names
MANAGERS_PART = Rule(admits=may_publish, nobody=Refusal.NOT_FOUND)
STAFF = Rule(admits=may_operate)
ADMINISTRATORS = Rule(admits=may_administer)

# `asks` is the rule by which the view takes what its address names; `page` has the form of an address that takes POST.
ADDRESSES = {
    "home": Address(get=EVERYBODY, asks=visible_problems),
    "help": Address(get=EVERYBODY),
    "language": Address(post=EVERYBODY, page="home"),
    "problem_list": Address(get=EVERYBODY, asks=visible_problems),
    "problem": Address(get=EVERYBODY, asks=visible_problems),
    "problem_file": Address(get=EVERYBODY, asks=readable_versions),
    "problem_statistics": Address(get=EVERYBODY, asks=visible_problems),
    "recognise": Address(post=SIGNED_IN_PART, page="problem", asks=visible_problems),
    "submit": Address(post=SIGNED_IN, page="problem", asks=visible_problems),
    "upload": Address(get=INSTRUCTORS, post=INSTRUCTORS),
    "mine": Address(get=INSTRUCTORS),
    "discard_uploads": Address(post=INSTRUCTORS, page="mine"),
    "new_problem": Address(get=INSTRUCTORS, post=INSTRUCTORS),
    "preview": Address(post=INSTRUCTORS, page="new_problem", asks=visible_problems),
    "replace": Address(get=MANAGERS_PART, post=MANAGERS_PART, asks=manageable_problems),
    "edit_problem": Address(get=MANAGERS_PART, post=MANAGERS_PART, asks=manageable_problems),
    "manage": Address(get=MANAGERS_PART, asks=manageable_problems),
    "change_settings": Address(post=MANAGERS_PART, page="manage", asks=manageable_problems),
    "change_problem": Address(post=MANAGERS_PART, page="manage", asks=manageable_problems),
    "change_listing": Address(post=MANAGERS_PART, page="manage", asks=manageable_problems),
    "make_current": Address(post=MANAGERS_PART, page="manage", asks=manageable_problems),
    "version_package": Address(get=MANAGERS_PART, asks=manageable_problems),
    "package_upload": Address(get=MANAGERS_PART, asks=manageable_uploads),
    "upload_live": Address(get=MANAGERS_PART, asks=manageable_uploads),
    "upload_events": Address(get=MANAGERS_PART, asks=manageable_uploads),
    "upload_package": Address(get=MANAGERS_PART, asks=manageable_uploads),
    "upload_file": Address(get=MANAGERS_PART, asks=manageable_uploads),
    "publish_upload": Address(post=MANAGERS_PART, page="package_upload", asks=manageable_uploads),
    "verify_upload": Address(post=MANAGERS_PART, page="package_upload", asks=manageable_uploads),
    "discard_upload": Address(post=MANAGERS_PART, page="package_upload", asks=manageable_uploads),
    "rejudge_list": Address(get=MANAGERS, asks=manageable_problems),
    "rejudge_new": Address(get=MANAGERS, post=MANAGERS, asks=manageable_problems),
    "rejudge": Address(get=MANAGERS, asks=manageable_rejudges),
    "rejudge_live": Address(get=MANAGERS_PART, asks=manageable_rejudges),
    "rejudge_events": Address(get=MANAGERS_PART, asks=manageable_rejudges),
    "rejudge_result": Address(get=MANAGERS, asks=manageable_rejudges),
    "rejudge_apply": Address(post=MANAGERS, page="rejudge", asks=manageable_rejudges),
    "rejudge_discard": Address(post=MANAGERS, page="rejudge", asks=manageable_rejudges),
    "rejudge_try_again": Address(post=MANAGERS, page="rejudge", asks=manageable_rejudges),
    "progress": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission_list": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission_csv": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission_source": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission_speedscope": Address(get=SIGNED_IN, asks=readable_submissions),
    "submission_live": Address(get=SIGNED_IN_PART, asks=readable_submissions),
    "submission_events": Address(get=SIGNED_IN_PART, asks=readable_submissions),
    "examine_case": Address(post=SIGNED_IN_PART, page="submission", asks=readable_submissions),
    "start_run": Address(post=SIGNED_IN, page="problem", asks=visible_problems),
    "custom_run": Address(get=SIGNED_IN, asks=readable_custom_runs),
    "custom_run_live": Address(get=SIGNED_IN_PART, asks=readable_custom_runs),
    "custom_run_events": Address(get=SIGNED_IN_PART, asks=readable_custom_runs),
    "problem_class": Address(get=MANAGERS, asks=manageable_problems),
    "assignment_list": Address(get=SIGNED_IN, asks=readable_assignments),
    "new_assignment": Address(get=INSTRUCTORS, post=INSTRUCTORS),
    "assignment": Address(get=SIGNED_IN, asks=readable_assignments),
    "edit_assignment": Address(get=MANAGERS, post=MANAGERS, asks=manageable_assignments),
    "change_assignment": Address(post=MANAGERS_PART, page="assignment", asks=manageable_assignments),
    "delete_assignment": Address(get=MANAGERS, post=MANAGERS, asks=manageable_assignments),
    "restore_assignment": Address(post=MANAGERS_PART, page="assignment_list", asks=restorable_assignments),
    "assignment_class": Address(get=MANAGERS, asks=manageable_assignments),
    "leave_assignment": Address(post=SIGNED_IN_PART, page="assignment", asks=joined_assignments),
    "join_assignment": Address(get=SIGNED_IN, post=SIGNED_IN, asks=assignment_of_link),
    "experiment_list": Address(get=EVERYBODY, asks=visible_experiments),
    "experiment": Address(get=EVERYBODY, asks=visible_experiments),
    "experiment_new": Address(get=INSTRUCTORS, post=INSTRUCTORS, asks=visible_experiments),
    "experiment_start": Address(post=SIGNED_IN, page="experiment", asks=visible_experiments),
    "experiment_change": Address(get=SIGNED_IN, post=SIGNED_IN, asks=visible_experiments),
    "experiment_edit": Address(get=MANAGERS, post=MANAGERS, asks=manageable_experiments),
    "experiment_publish": Address(post=MANAGERS, page="experiment", asks=manageable_experiments),
    "experiment_delete": Address(post=MANAGERS, page="experiment", asks=manageable_experiments),
    "experiment_run": Address(get=SIGNED_IN, asks=readable_runs),
    "experiment_run_live": Address(get=SIGNED_IN, asks=readable_runs),
    "experiment_run_events": Address(get=SIGNED_IN_PART, asks=readable_runs),
    "experiment_run_json": Address(get=SIGNED_IN, asks=readable_runs),
    "experiment_run_csv": Address(get=SIGNED_IN, asks=readable_runs),
    "experiment_run_again": Address(post=SIGNED_IN, page="experiment_run", asks=readable_runs),
    "experiment_run_change": Address(get=SIGNED_IN, post=SIGNED_IN, asks=readable_runs),
    "experiment_run_share": Address(post=SIGNED_IN, page="experiment_run", asks=own_runs),
    "compare": Address(get=SIGNED_IN, asks=readable_submissions),
    "run_again": Address(post=SIGNED_IN_PART, page="compare", asks=readable_submissions),
    "share_comparison": Address(post=SIGNED_IN_PART, page="compare", asks=readable_submissions),
    "shared_comparisons": Address(get=SIGNED_IN, asks=own_links),
    "shared_comparison": Address(get=SIGNED_IN, asks=readable_links),
    "revoke_shared": Address(post=SIGNED_IN_PART, page="shared_comparisons", asks=own_links),
    "login": Address(get=EVERYBODY, post=EVERYBODY),
    "logout": Address(post=EVERYBODY, page="home"),
    "signup": Address(get=EVERYBODY, post=EVERYBODY, asks=signing_up.check),
    "account_login": Address(get=EVERYBODY, post=EVERYBODY),  # "login" and "signup" under the names that allauth uses
    "account_signup": Address(get=EVERYBODY, post=EVERYBODY, asks=signing_up.check),
    "mfa_authenticate": Address(get=EVERYBODY, post=EVERYBODY),  # after the password; else it leads to "login"
    "openid_connect_login": Address(get=OPENID, post=OPENID),
    "openid_connect_callback": Address(get=OPENID),
    "account_reset_password": Address(get=EVERYBODY, post=EVERYBODY),
    "account_reset_password_done": Address(get=EVERYBODY),
    "account_reset_password_from_key": Address(get=EVERYBODY, post=EVERYBODY),  # the link is the permission
    "account": Address(get=SIGNED_IN, post=SIGNED_IN),
    "remove_account": Address(get=SIGNED_IN, post=SIGNED_IN),
    "account_change_password": Address(get=SIGNED_IN, post=SIGNED_IN),
    "account_set_password": Address(get=SIGNED_IN, post=SIGNED_IN),
    "account_email": Address(get=SIGNED_IN, post=SIGNED_IN),
    "account_confirm_email": Address(get=EVERYBODY, post=EVERYBODY),  # the link is the permission
    "account_reauthenticate": Address(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_reauthenticate": Address(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_index": Address(get=SIGNED_IN),
    "mfa_activate_totp": Address(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_deactivate_totp": Address(get=SIGNED_IN, post=SIGNED_IN),
    "mfa_view_recovery_codes": Address(get=SIGNED_IN),
    "mfa_generate_recovery_codes": Address(get=SIGNED_IN, post=SIGNED_IN),
    "socialaccount_connections": Address(get=OPENID_OWN, post=OPENID_OWN),
    "invitation_list": Address(get=INSTRUCTORS, post=INSTRUCTORS, asks=manageable_invitations),
    "revoke_invitation": Address(post=MANAGERS_PART, page="invitation_list", asks=manageable_invitations),
    "workers": Address(get=STAFF),
    "stuck": Address(get=STAFF),
    "try_again": Address(post=STAFF, page="stuck"),
    "people": Address(get=ADMINISTRATORS, asks=manageable_people),
    "person": Address(get=ADMINISTRATORS, asks=manageable_people),
    "change_rights": Address(post=ADMINISTRATORS, page="person", asks=manageable_people),
    "remove_person": Address(get=ADMINISTRATORS, post=ADMINISTRATORS, asks=manageable_people),
    "healthz": Address(get=EVERYBODY),
    "readyz": Address(get=EVERYBODY),
    "metrics": Address(get=EVERYBODY, asks=may_read_metrics),
}
