"""A page of the list comes from the index that is meant for its filter, and reads few rows of the table."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judge.models import Submission
from problems.models import Problem
from web.forms.filters import PAGE_SIZE

pytestmark = pytest.mark.django_db

ROWS = 20_000
_MANY = """INSERT INTO judge_submission (user_id, problem_id, problem_version_id, language, source, status, attempt,
    failures, worker, verdict, toolchain, compile_message, groups, explanation, cause, judge_message,
    stages, turn)
SELECT CASE WHEN n %% 50 = 0 THEN %s ELSE %s END, CASE WHEN n %% 40 = 0 THEN %s ELSE %s END, %s,
    CASE WHEN n %% 30 = 0 THEN 'rust' ELSE 'cpp' END, '', CASE WHEN n > %s - 60 THEN 'queued' ELSE 'done' END, 1, 0, '',
    CASE WHEN n > %s - 60 THEN '' WHEN n < 600 AND n %% 10 = 0 THEN 'OLE' ELSE 'AC' END, '', '', '[]', '[]', '', '',
    '{}', n FROM generate_series(1, %s) AS n"""


@pytest.fixture
def many(student: User, other_student: User, problem: Problem, other_problem: Problem) -> None:
    """So many submissions, and what the planner wants to know about them. The rare values lie far back."""
    assert problem.current_version
    with connection.cursor() as cursor:
        ids = [student.pk, other_student.pk, problem.pk, other_problem.pk, problem.current_version.pk]
        cursor.execute(_MANY, [*ids, ROWS, ROWS, ROWS])
        cursor.execute("ANALYZE judge_submission")


# what is asked -> the index that answers it
INTENDED = {
    "": "judge_submission_pkey",
    "?before=999999999": "judge_submission_pkey",
    "?verdict=OLE": "submission_of_verdict",
    "?verdict=OLE&after=1": "submission_of_verdict",
    "?verdict=OLE&language=rust": "submission_of_verdict",
    "?language=rust": "submission_of_language",
    "?problem=sumoftwo": "submission_of_problem",
    "?user=STUDENT": "submission_of_user",
    "?user=student&problem=sumoftwo": "submission_of_user_problem",
    "?status=queued": "submission_unfinished",
}


def test_every_filter_is_answered_by_its_index(many: None, as_staff: Client, as_student: Client) -> None:
    for query, index in INTENDED.items():
        plan, asked = _plan_of_the_ids(as_staff, query)
        nodes = _nodes(plan)
        assert {node.get("Index Name") for node in nodes} - {None} == {index}, asked
        assert not {node["Node Type"] for node in nodes} & {"Seq Scan", "Sort", "Incremental Sort"}, asked
        looked_at = sum(node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in nodes)
        assert looked_at < ROWS / 10, asked
    plan, asked = _plan_of_the_ids(as_student, "?verdict=OLE")
    assert {node.get("Index Name") for node in _nodes(plan)} - {None} <= {"submission_of_user", "submission_of_verdict"}
    assert '"user_id"' in asked
    _far_back(as_staff)


def _far_back(as_staff: Client) -> None:
    """A page far back reads no more rows than the first."""
    far = Submission.objects.order_by("pk").values_list("pk", flat=True)[100]
    for query in ("", f"?before={far}", f"?after={far}"):
        plan, _ = _plan_of_the_ids(as_staff, query)
        assert plan["Actual Rows"] == PAGE_SIZE + 1
        assert all(node["Actual Rows"] <= PAGE_SIZE + 1 for node in _nodes(plan)), query


def _plan_of_the_ids(client: Client, query: str) -> tuple[dict[str, Any], str]:
    """How the database finds the ids of a page, and the statement that the page asks."""
    with CaptureQueriesContext(
        connection,
    ) as heard:
        assert client.get(reverse("submission_list") + query).status_code == 200
    asked = [each["sql"] for each in heard if re.match(r'SELECT "judge_submission"."id" AS "pk" FROM', each["sql"])]
    assert len(asked) == 1, [each["sql"] for each in heard]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {asked[0]}")
        found = cursor.fetchone()[0]
    found = json.loads(found) if isinstance(found, str) else found
    return found[0]["Plan"], asked[0]


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for below in plan.get("Plans", ()) for node in _nodes(below))]
