"""Rows that no worker leaves behind, as they are: work that goes on, a judge error, a class, a rejudge, links."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.utils import timezone

from judge.grading.events import Finding
from judge.grading.measures import STORED
from judge.grading.verification.verified import Phase, Progress
from judge.models import (
    Assignment,
    Invitation,
    PackageUpload,
    Rejudge,
    RejudgedSubmission,
    SharedComparison,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)
from problems.models import Problem


def unfinished(student: User, instructor: User) -> dict[str, Any]:
    """A submission and an upload that another worker has for a day, and a submission that our own failure ended."""
    problem, until = Problem.objects.get(slug="countton"), timezone.now() + timedelta(days=1)
    taken = {"status": Status.JUDGING, "attempt": 1, "worker": "elsewhere/0", "lease_until": until}
    columns: dict[str, Any] = {
        "user": student,
        "problem": problem,
        "problem_version": problem.current_version,
        "language": "cpp",
    }
    columns["source"] = b"int main() {}"
    running = Submission.objects.create(**columns, **taken, compile_ok=True, test_case_count=9)
    numbers = dict.fromkeys((measure.name for measure in STORED), 1)
    case = {"attempt": 1, "position": 0, "name": "sample/1", "is_sample": True, "verdict": "AC"}
    TestCaseResult.objects.create(submission=running, **case, **numbers)
    failed = {"status": Status.DONE, "verdict": "JE", "attempt": 1, "judge_message": "The checker crashed."}
    progress = Progress(phases=(Phase(name="reading", done=2, total=5, problems=1),), file="data/1.in")
    upload = PackageUpload.objects.create(owner=instructor, name="going.zip", size=1, **taken, progress=progress)
    whole = PackageUpload.objects.create(owner=instructor, name="set.zip", size=1, status=Status.DONE)
    PackageUpload.objects.create(owner=instructor, name="first", size=1, **taken, progress=progress, part_of=whole)
    return {
        "running": running.pk,
        "failed_by_us": Submission.objects.create(**columns, **failed).pk,
        "under_way": upload.pk,
        "taken_apart": whole.pk,
    }


def of_class(student: User, instructor: User) -> dict[str, Any]:
    """An assignment with three students whose programs were too slow, and one that can be brought back."""
    problem = Problem.objects.get(slug="countton")
    assert problem.current_version
    until = timezone.now() + timedelta(days=7)
    made = Assignment.objects.create(title="Buffers", owner=instructor, closes_at=until)
    Assignment.objects.create(title="Closed", owner=instructor, closes_at=timezone.now())
    Assignment.objects.create(title="Deleted", owner=instructor, deleted_at=timezone.now())
    made.problems.add(problem)
    made.students.add(student)
    for name, share, writes in (("ada", 700, 250_000), ("bob", 50, 12)):
        user = User.objects.create(username=name)
        made.students.add(user)
        evidence = {"write_calls": writes, "cpu_time_us": 1_000, "system_time_us": share}
        Submission.objects.create(
            user=user,
            problem=problem,
            problem_version=problem.current_version,
            language="cpp",
            source=b"int main() {}",
            status=Status.DONE,
            verdict="TLE",
            cause="flush-per-line",
            explanation=(Finding(code="summary", evidence=evidence),),
        )
    invitation = Invitation.objects.create(note="class", owner=instructor, most_uses=30, expires_at=until)
    return {"assignment_id": made.pk, "token": made.token, "invitation_token": invitation.token}


def rejudge(instructor: User, submission_id: int) -> dict[str, Any]:
    """A rejudge of one submission, which would be accepted."""
    slow = Submission.objects.get(pk=submission_id)
    ordered = Rejudge.objects.create(
        problem=slow.problem, version=slow.problem_version, reason="A longer limit", made_by=instructor
    )
    rejudged = RejudgedSubmission.objects.create(
        rejudge=ordered,
        submission=slow,
        old_version=slow.problem_version,
        old_attempt=slow.attempt,
        old_verdict=slow.verdict,
        status=Status.DONE,
        verdict="AC",
    )
    return {"rejudge_id": ordered.pk, "rejudged_id": rejudged.pk}


def links(student: User, submission_ids: tuple[int, int]) -> dict[str, Any]:
    """A comparison that the student shares, and the keys of the links in two mails to them."""
    shared = SharedComparison.objects.create(token="A" * 32, owner=student)
    for position, submission_id in enumerate(submission_ids):
        SharedSide.objects.create(shared=shared, submission_id=submission_id, position=position)
    address = EmailAddress.objects.create(user=student, email="student@example.org")
    return {
        "link_token": shared.token,
        "uidb36": user_pk_to_url_str(student),
        "link_key": EmailConfirmationHMAC(address).key,
    }
