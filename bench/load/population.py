"""`python -m bench.load.population PEOPLE SUBMISSIONS`: fill a site's database, and sign people in.

Prints one mapping for each person, as `bench.load.site.Person` has it. It needs the environment of that site.
"""

import json
import random
import sys
from typing import Any

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - needs Django set up
from django.db import connection  # noqa: E402
from django.db.models import Max  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402
from django.utils.crypto import get_random_string  # noqa: E402

from judge.grading.measures import STORED  # noqa: E402
from judge.grading.verdicts import Verdict  # noqa: E402
from judge.models import Status, Submission, TestCaseResult  # noqa: E402
from problems.models import Problem  # noqa: E402

_CASES = 6
_SOURCES = {"python": b"print(sum(map(int, input().split())))\n", "cpp": b"int main() { return 0; }\n" * 20}
_VERDICTS = (Verdict.AC, Verdict.AC, Verdict.WA, Verdict.TLE, Verdict.RE)


def main(people: int, submissions: int) -> None:
    """Make them and print who is there."""
    draw = random.Random(6)  # noqa: S311 - the same rows each time
    users = User.objects.bulk_create(User(username=f"person{number:04}", password="!") for number in range(people))  # noqa: S106
    problems = list(Problem.objects.filter(current_version__isnull=False).select_related("current_version"))
    now = timezone.now()
    made = Submission.objects.bulk_create(
        (_submission(draw, users[number % people], draw.choice(problems), now) for number in range(submissions)),
        batch_size=1_000,
    )
    TestCaseResult.objects.bulk_create(
        (_result(draw, each, position) for each in made for position in range(_CASES)), batch_size=2_000
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    last = dict(Submission.objects.values_list("user").annotate(Max("pk")))
    json.dump([_signed_in(user, last.get(user.pk, 0)) for user in users], sys.stdout)


def _submission(draw: random.Random, user: User, problem: Problem, now: Any) -> Submission:
    language = draw.choice(list(_SOURCES))
    return Submission(
        user=user,
        problem=problem,
        problem_version=problem.current_version,
        language=language,
        source=_SOURCES[language],
        status=Status.DONE,
        attempt=1,
        verdict=draw.choice(_VERDICTS),
        compile_ok=True,
        compile_wall_time_us=400_000,
        test_case_count=_CASES,
        max_cpu_time_us=draw.randrange(1_000, 900_000),
        max_peak_memory_bytes=draw.randrange(2**20, 2**26),
        started_at=now,
        finished_at=now,
    )


def _result(draw: random.Random, submission: Submission, position: int) -> TestCaseResult:
    cpu = draw.randrange(500, 900_000)
    numbers = {measure.name: draw.randrange(1, 500) for measure in STORED}
    numbers |= {"user_time_us": cpu, "system_time_us": cpu // 10, "wall_time_us": cpu * 5 // 4}
    numbers |= {"peak_memory_bytes": draw.randrange(2**20, 2**26), "write_calls": draw.randrange(1, 5_000)}
    return TestCaseResult(
        submission=submission,
        attempt=1,
        position=position,
        name=f"secret/{position + 1:02}",
        is_sample=position == 0,
        verdict=Verdict.AC,
        **numbers,
    )


def _signed_in(user: User, submission: int) -> dict[str, object]:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    session = client.cookies["sessionid"].value
    return {"session": session, "token": get_random_string(32), "submission": submission}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
