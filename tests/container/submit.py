# For `manage.py shell`: one submission in each language, judged by the worker in its container, and one case counted.
import time
from pathlib import Path

from django.contrib.auth import get_user_model

from judge.models import Submission
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from problems.models import Problem

student, _ = get_user_model().objects.get_or_create(username="student")
problem = Problem.objects.get(slug="sumoftwo")
sources = {"python": "sum.py", "cpp": "sum.cpp", "rust": "sum.rs"}
for language, name in sources.items():
    source = Path("problems/library/sumoftwo/submissions/accepted", name).read_bytes()
    pk = intake.submit(student, problem, language, source).pk
    deadline = time.monotonic() + 120
    while not (submission := Submission.objects.get(pk=pk)).is_done and time.monotonic() < deadline:
        time.sleep(0.2)
    request = intake.request_examination(submission.results.all()[0], RerunKind.PROFILE, student)
    while not request.is_done and time.monotonic() < deadline:
        time.sleep(0.2)
        request.refresh_from_db()
    profile = submission.results.all()[0].profile
    calls = sum(profile.syscalls.values()) if profile else 0
    print(f"container: {language} {submission.status} {submission.verdict}, {calls} system calls counted by name")
    assert submission.verdict == "AC", submission.judge_message
    assert calls > 0
