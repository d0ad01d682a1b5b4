"""`manage.py grade` on the scoring problem of the library: points as text and as JSON, and what the jury's own earn."""

from pathlib import Path

import pytest

from judge.grading.events import Event, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import LANGUAGES
from judge.grading.submission.grading import grade
from judge.management import report
from problems.loading.loading import load_package
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox

BEST_STRETCH = Path(__file__).resolve().parents[3] / "problems" / "library" / "beststretch"


@pytest.fixture(scope="module")
def package() -> Package:
    return load_package(BEST_STRETCH)


def graded(package: Package, source: bytes, sandbox: NsjailSandbox, work_root: Path) -> list[Event]:
    job = GradingJob(package=package, language="python", source=source, profile=ProfilePolicy.NONE)
    return list(grade(job, sandbox, work_root))


def test_a_partial_answer_is_told_in_points(package: Package, sandbox: NsjailSandbox, work_root: Path) -> None:
    events = graded(package, b"input()\nprint(sum(map(int, input().split())))\n", sandbox, work_root)
    answer = report.grading_as_json(package, LANGUAGES["python"], events)
    assert list(answer)[-3:] == ["score", "max_score", "groups"]
    assert (answer["verdict"], answer["score"], answer["max_score"]) == ("WA", 10, 100)
    assert [tuple(group.values()) for group in answer["groups"]] == [
        ("secret/1-no-losses", "AC", 10, 10, 3, 3),
        ("secret/2-short", "WA", 0, 30, 4, 1),
        ("secret/3-long", None, 0, 60, 3, 0),
    ]
    finished = events[-1]
    assert isinstance(finished, GradingFinished)
    judged = report.judged_as_text(package, LANGUAGES["python"], events)
    lines = [*judged.splitlines(), *report.findings_as_text(LANGUAGES["python"], finished.explanation).splitlines()]
    table = lines.index("WA: Wrong answer") - 4
    assert [line.split() for line in lines[table : table + 4]] == [
        ["group", "verdict", "points", "of", "accepted"],
        ["secret/1-no-losses", "AC", "10", "10", "3", "of", "3"],
        ["secret/2-short", "WA", "0", "30", "1", "of", "4"],
        ["secret/3-long", "not", "run", "0", "60", "0", "of", "3"],
    ]
    assert "- 10 of 100 points: group 2 of 3 failed (WA), group 3 of 3 was not run." in lines


def test_a_right_answer_has_all_points_in_the_real_jail(
    package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    source = (BEST_STRETCH / "submissions/accepted/one_walk.py").read_bytes()
    finished = graded(package, source, sandbox, work_root)[-1]
    assert isinstance(finished, GradingFinished)
    assert (finished.verdict.value, finished.score, finished.max_score) == ("AC", 100, 100)
