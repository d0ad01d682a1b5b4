"""A claim takes the first row from an index, however many wait and whatever PostgreSQL expects."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judge import tasks
from judge.models import Status, Submission
from problems.models import Problem
from tests.judge.conftest import SubmissionMaker

JUDGED, WAITING = 5_000, 1_000


@pytest.fixture
def _rush(db: None, student: User, problem: Problem, make_submission: SubmissionMaker) -> None:
    """Many wait, and PostgreSQL's statistics are of the time before."""

    def add(number: int, **columns: Any) -> None:
        like = {"user": student, "problem": problem, "problem_version": problem.current_version, "language": "cpp"}
        source = b"int main() {}" * 50
        Submission.objects.bulk_create(
            Submission(**like, source=source, turn=place, **columns) for place in range(number)
        )

    add(JUDGED, status=Status.DONE, verdict="AC")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE judge_submission")
    add(WAITING)


@pytest.mark.usefixtures("_rush", "silent_wakeup")
def test_claim_reads_one_row_of_a_long_queue() -> None:
    with CaptureQueriesContext(connection) as asked:
        lease = tasks._claim(Submission, "node")
    assert lease
    assert lease.claimed
    assert lease.claimed.turn == 0
    (select,) = [each["sql"] for each in asked.captured_queries if "SKIP LOCKED" in each["sql"]]
    nodes = _nodes(_plan(select))
    assert {node.get("Index Name") for node in nodes} - {None} == {"submission_turn"}, nodes
    assert not {node["Node Type"] for node in nodes} & {"Sort", "Seq Scan"}, nodes


def _plan(query: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {query.replace('%', '%%')}")
        (found,) = cursor.fetchone()
    plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for below in plan.get("Plans", []) for node in _nodes(below))]
