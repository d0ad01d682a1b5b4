"""What lists of problems tell of their submissions: how many were judged and accepted, and one's own best.

As written statements: lists ask both of every problem on a page, and Django takes longer to write them than PostgreSQL
to answer.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

from judge.grading.verdicts import Verdict
from judge.models import Status

_JUDGED = """
SELECT problem_id, coalesce(sum(number) FILTER (WHERE verdict <> %s), 0)::bigint,
    coalesce(sum(number) FILTER (WHERE verdict = %s), 0)::bigint
  FROM judge_tally WHERE problem_id = ANY(%s::bigint[]) GROUP BY problem_id
"""
_BEST = """
SELECT DISTINCT ON (problem_id) problem_id, verdict, score, max_score, id
  FROM judge_submission WHERE user_id = %s AND status = %s AND problem_id = ANY(%s::bigint[])
 ORDER BY problem_id, score DESC NULLS LAST, CASE WHEN verdict = %s THEN 0 ELSE 1 END, id DESC
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnBest:
    """One's best judged submission to a problem."""

    verdict: str
    score: float | None
    max_score: float | None
    submission: int


def judged_counts(problems: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return by problem how many submissions have a verdict other than JE, and how many of them were accepted."""
    if not problems:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_JUDGED, [Verdict.JE.value, Verdict.AC.value, [*problems]])
        return {problem: (judged, accepted) for problem, judged, accepted in cursor.fetchall()}


def own_best(user: int | None, problems: Collection[int]) -> dict[int, OwnBest]:
    """Return the user's best judged submission by problem: most points if there are any; then AC, then the newest."""
    if user is None or not problems:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_BEST, [user, Status.DONE.value, [*problems], Verdict.AC.value])
        return {
            problem: OwnBest(verdict=verdict, score=score, max_score=max_score, submission=key)
            for problem, verdict, score, max_score, key in cursor.fetchall()
        }
