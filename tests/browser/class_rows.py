"""Run by `manage.py shell` on a Tally with demo accounts: rows for the pages of a class, without judging anything.

Prints the session of a new account with all rights, two addresses that only it may load, and those of an instructor's
pages about these rows.
"""

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from judge.models import Assignment, Rejudge, RejudgedSubmission, Status, Submission, TestCaseResult
from problems.models import Problem

operator = User.objects.create(username="operator", is_staff=True, is_superuser=True)
session = SessionStore()
session[SESSION_KEY] = str(operator.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = operator.get_session_auth_hash()
session.save()

problem = Problem.objects.get(slug="countton")
version = problem.current_version
assert version
instructor = User.objects.get(username="instructor")
made = Assignment.objects.create(title="Buffers", owner=instructor)
Assignment.objects.create(title="Closed", owner=instructor, closes_at=timezone.now())
Assignment.objects.create(title="Deleted", owner=instructor, deleted_at=timezone.now())
made.problems.add(problem)
for name, share, writes in (("ada", 700, 250_000), ("bob", 50, 12)):
    user = User.objects.create(username=name)
    made.students.add(user)
    evidence = {"write_calls": writes, "cpu_time_us": 1_000, "system_time_us": share}
    submission = Submission.objects.create(
        user=user,
        problem=problem,
        problem_version=version,
        language="cpp",
        source=b"int main() {}",
        status=Status.DONE,
        verdict="TLE",
        cause="flush-per-line",
        explanation=[{"code": "summary", "text": "", "evidence": evidence}],
    )
    for position, case in enumerate(("sample/1", "secret/1")):
        judged = TestCaseResult(
            submission=submission, attempt=0, position=position, name=case, is_sample=position == 0, verdict="TLE"
        )
        for field in TestCaseResult._meta.fields:
            if field.get_internal_type() == "PositiveBigIntegerField":
                setattr(judged, field.name, writes * 4)  # a TLE of 0.6 s takes 1 s
        judged.save()
rejudge = Rejudge.objects.create(problem=problem, version=version, reason="A longer limit")
rejudged = RejudgedSubmission.objects.create(
    rejudge=rejudge,
    submission=submission,
    old_version=version,
    old_attempt=submission.attempt,
    old_verdict="TLE",
    status=Status.DONE,
    verdict="AC",
)
page, result = f"/assignments/{made.pk}/", f"/rejudges/{rejudge.pk}/"
print(session.session_key, f"/submissions/{submission.pk}/", f"/compare/?a={submission.pk - 1}&b={submission.pk}")
print(page, f"{page}class/", f"{page}edit/", f"{page}delete/", f"{page}join/{made.token}/")
print(result, f"{result}results/{rejudged.pk}/", "/problems/countton/class/")
