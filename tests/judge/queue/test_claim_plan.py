"""A claim takes the first row from an index, however many wait, though PostgreSQL expects none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from judge.models import Status, Submission, WorkerNode
from judge.workers import tasks
from problems.models import Problem, ProblemVersion
from tests.judge.conftest import SubmissionMaker

JUDGED, WAITING, VERSIONS = 5_000, 1_000, 30


@pytest.fixture
def _rush(transactional_db: None, student: User, problem: Problem, make_submission: SubmissionMaker) -> Iterator[None]:
    """Many wait, and PostgreSQL's statistics are of the time before."""

    def add(number: int, **columns: Any) -> None:
        like = {"user": student, "problem": problem, "problem_version": problem.current_version, "language": "cpp"}
        source = b"int main() {}" * 50
        Submission.objects.bulk_create(
            Submission(**like, source=source, turn=place, **columns) for place in range(number)
        )

    version = problem.current_version
    assert version
    like_it = {"problem": problem, "digest": version.digest, "title": "another", "test_case_count": 1}
    limits = {name: getattr(version, name) for name in ("time_limit_ms", "memory_bytes", "output_bytes", "code_bytes")}
    ProblemVersion.objects.bulk_create(
        ProblemVersion(**like_it, **limits, number=number) for number in range(2, VERSIONS)
    )
    add(JUDGED, status=Status.DONE, verdict="AC")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judge_submission, problems_problemversion")
    add(WAITING)
    yield
    with connection.cursor() as cursor:  # other tests ask for plans too: what is left of these rows would count
        cursor.execute("DELETE FROM judge_submission")
        cursor.execute("VACUUM ANALYZE judge_submission")


@pytest.mark.usefixtures("_rush", "silent_wakeup")
@pytest.mark.parametrize("is_small", [False, True])
def test_claim_reads_one_row_of_a_long_queue(is_small: bool) -> None:
    node = f"node {is_small}"
    for name, cores in ((node, 2 if is_small else 4), ("large", 4)):
        WorkerNode.objects.create(name=name, started_at=Now(), last_seen_at=Now(), cores=cores, memory_bytes=1 << 30)
    with CaptureQueriesContext(connection) as asked:
        lease = tasks._claim(tasks.SUBMISSIONS, node, passing=None)
    assert lease
    assert lease.claimed
    assert lease.claimed.turn == 0
    (select,) = [each["sql"] for each in asked.captured_queries if "SKIP LOCKED" in each["sql"]]
    nodes = _nodes(_plan(select))
    (queue,) = [node for node in nodes if node.get("Relation Name") == Submission._meta.db_table]
    assert queue["Index Name"] == "submission_turn", nodes
    assert "Sort" not in {node["Node Type"] for node in nodes}, nodes


def _plan(query: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {query}")
        (found,) = cursor.fetchone()
    plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for below in plan.get("Plans", []) for node in _nodes(below))]
