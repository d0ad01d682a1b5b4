# For `manage.py shell`: forty submissions of ten students at once.
from pathlib import Path

from django.contrib.auth import get_user_model

from judge.submissions import intake
from problems.models import Problem

problem = Problem.objects.get(slug="sumoftwo")
source = Path("problems/library/sumoftwo/submissions/accepted/sum.py").read_bytes()
for number in range(10):
    student = get_user_model().objects.create_user(f"student{number}")
    for again in range(4):
        intake.submit(student, problem, "python", source + b"#" * again)  # the same would be one submission
print("container: forty submissions are taken")
