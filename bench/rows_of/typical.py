"""`python -m bench.rows_of.typical`: fill a site's database like one in use, and name the ten commonest pages.

Prints a list of `{"name", "path", "cookie"}`, the pages of bench/pages.py. It needs the environment of that site. The
rows are those of `two_years.py` in small; two submissions get twenty test cases with numbers like those of real runs,
and the findings of the recorded example on the home page.
"""

import json
import random
import sys
from contextlib import redirect_stdout
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - needs Django set up
from django.utils import timezone  # noqa: E402

from bench.rows_of.asked import cookie_of  # noqa: E402
from bench.rows_of.two_years import People, Size, fill  # noqa: E402
from judge.grading.events import Finding  # noqa: E402
from judge.grading.measures import STORED  # noqa: E402
from judge.grading.verdicts import Verdict  # noqa: E402
from judge.models import Assignment, Status, Submission, TestCaseResult, WorkerNode  # noqa: E402
from problems.jsonvalues import from_row  # noqa: E402
from problems.models import Problem  # noqa: E402
from sandbox.types import Profile  # noqa: E402
from web.presentation.welcome.example import EXAMPLE  # noqa: E402

CASES = 20
_SIZE = Size(
    users=300, problems=30, submissions=20_000, unfinished=10, with_results=2_000, rejudged=100, uploads=20,
    assignments=6, students=120, runs=50,
)  # fmt: skip
_LIKE_REAL = {  # the order of magnitude of each number: counts of a small program; times are drawn apart
    "read_calls": 40,
    "write_calls": 90_000,
    "read_bytes": 50_000,
    "write_bytes": 600_000,
    "stdout_bytes": 600_000,
    "stderr_bytes": 0,
    "voluntary_switches": 2,
    "involuntary_switches": 40,
    "minor_faults": 900,
    "major_faults": 0,
}
_PROFILE = {
    "syscalls": {
        "read": 38,
        "write": 90_000,
        "mmap": 24,
        "brk": 4,
        "openat": 7,
        "close": 7,
        "fstat": 6,
        "exit_group": 1,
    },
    "streams": {"stdin": {"calls": 38, "bytes": 50_000}, "stdout": {"calls": 90_000, "bytes": 600_000}},
}


def main() -> None:
    """Fill the database and print the pages."""
    with redirect_stdout(sys.stderr):  # it tells how far it is
        people = fill(_SIZE)
    example = json.loads(EXAMPLE.read_text())
    problem = Problem.objects.select_related("current_version").get(slug=example["problem"])
    too_slow, accepted = (_graded(people, problem, program) for program in example["programs"])
    WorkerNode.objects.update(last_seen_at=timezone.now() + timedelta(days=1))
    assignment = Assignment.objects.earliest("pk")
    student = people.many
    paths = {
        "problem list": "/problems/",
        "problem with editor": f"/problems/{problem.slug}/",
        "result, accepted": f"/submissions/{accepted.pk}/",
        "result, too slow": f"/submissions/{too_slow.pk}/",
        "submissions": "/submissions/",
        "home": "/",
        "statistics": f"/problems/{problem.slug}/statistics/",
        "comparison": f"/compare/?s={too_slow.pk}&s={accepted.pk}",
        "class view": f"/assignments/{assignment.pk}/class/",
        "account": "/account/",
    }
    json.dump(
        [_page(name, path, people.owner if name == "class view" else student) for name, path in paths.items()],
        sys.stdout,
    )


def _page(name: str, path: str, user: User) -> dict[str, str]:
    return {"name": name, "path": path, "cookie": cookie_of(user)}


def _graded(people: People, problem: Problem, program: dict[str, Any]) -> Submission:
    """Return a submission of this program with CASES cases, of which the last too slow one decided."""
    assert problem.current_version is not None, "the library is published"
    verdict, now = Verdict(program["verdict"]), timezone.now()
    case = program["case"]
    submission = Submission.objects.create(
        user=people.many,
        problem=problem,
        problem_version=problem.current_version,
        language=program["language"],
        source=program["source"].encode(),
        status=Status.DONE,
        attempt=1,
        verdict=verdict,
        compile_ok=True,
        compile_wall_time_us=640_000,
        toolchain=program["toolchain"],
        test_case_count=CASES,
        max_cpu_time_us=case["user_time_us"] + case["system_time_us"],
        max_peak_memory_bytes=case["peak_memory_bytes"],
        total_write_calls=CASES * case["write_calls"],
        started_at=now,
        finished_at=now,
        cause="flush-per-line" if verdict is Verdict.TLE else "",
        explanation=from_row(
            tuple[Finding, ...],
            [{**each, "evidence": {**each["evidence"], "test_case": _name(CASES - 1)}} for each in program["findings"]],
        ),
        stages={"queue": 9_000, "compile": 640_000, "run": 2_400_000},
    )
    draw = random.Random(submission.pk % 2)  # noqa: S311 - the same rows each time
    for position in range(CASES):
        is_last = position == CASES - 1
        numbers = _numbers(draw) | ({name: case[name] for name in _numbers(draw)} if is_last else {})
        TestCaseResult.objects.create(
            submission=submission,
            attempt=1,
            position=position,
            name=_name(position),
            is_sample=position == 0,
            verdict=verdict if is_last else Verdict.AC,
            profile=from_row(Profile, _PROFILE) if is_last else None,
            **numbers,
        )
    return submission


def _name(position: int) -> str:
    return "sample/1" if position == 0 else f"secret/{position:02}"


def _numbers(draw: random.Random) -> dict[str, int]:
    user = draw.randrange(3_000, 200_000)
    numbers = {measure.name: 0 for measure in STORED}
    numbers |= {name: draw.randrange(most // 2, most + 1) for name, most in _LIKE_REAL.items() if name in numbers}
    times = {"user_time_us": user, "system_time_us": user // 3, "wall_time_us": user * 3 // 2}
    return numbers | times | {"peak_memory_bytes": draw.randrange(3 * 2**20, 9 * 2**20)}


if __name__ == "__main__":
    main()
