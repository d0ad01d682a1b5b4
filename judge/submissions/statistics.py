"""Statistics of a problem's accepted programs: the best of each person, by language.

Read from an index alone, and never more than the newest MOST_PROGRAMS of each of the newest versions: a page must come
at once, however often a problem was solved. And what lists of problems tell: how many submissions were judged and
accepted, and one's own best.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from problems.models import Problem

MOST_PROGRAMS = 10_000
MOST_VERSIONS = 8
# As texts: lists ask both of every problem on a page, and Django takes longer to write them than PostgreSQL to answer.
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
_NUMBERS = ("cpu_time_us", "peak_memory_bytes", "write_calls")


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonsBest:
    """The least of each number over one person's accepted programs in one language; None: no program has the number."""

    user: int
    language: str
    cpu_time_us: int | None
    peak_memory_bytes: int | None
    write_calls: int | None  # of all test cases together


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemStatistics:
    """The accepted programs of a problem.

    `solvers` are the people with an accepted program to any of the newest versions. `bests` are of the current package
    alone: numbers of other test cases cannot be compared. `is_all`: nothing was left out as too old.
    """

    solvers: frozenset[int]
    bests: tuple[PersonsBest, ...]
    is_all: bool


def statistics_of(problem: Problem) -> ProblemStatistics:
    """Return the statistics of a published problem. Programs of its owner and of staff do not count: they test it."""
    digest = problem.current_version.digest if problem.current_version else ""
    versions = list(problem.versions.order_by("-number").values_list("pk", "digest")[: MOST_VERSIONS + 1])
    comparable = {key for key, version_digest in versions if version_digest == digest}
    left_out = {problem.owner_id, *get_user_model()._default_manager.filter(is_staff=True).values_list("pk", flat=True)}
    rows, most = _bests([key for key, _ in versions[:MOST_VERSIONS]])
    counted = [(version, best) for version, best in rows if best.user not in left_out]
    return ProblemStatistics(
        solvers=frozenset(best.user for _, best in counted),
        bests=tuple(_merged(best for version, best in counted if version in comparable)),
        is_all=most < MOST_PROGRAMS and len(versions) <= MOST_VERSIONS,
    )


def _bests(versions: list[int]) -> tuple[list[tuple[int, PersonsBest]], int]:
    """Return each person's best by version and language, and the most programs that were read of one version."""
    if not versions:
        return [], 0
    columns = ("problem_version", "user", "language", "max_cpu_time_us", "max_peak_memory_bytes", "total_write_calls")
    accepted = Submission.objects.filter(verdict=Verdict.AC, status=Status.DONE).order_by("-pk").values_list(*columns)
    newest = [accepted.filter(problem_version=version)[:MOST_PROGRAMS] for version in versions]
    sql, values = (newest[0].union(*newest[1:], all=True) if newest[1:] else newest[0]).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version, person, language, min(cpu), min(memory), min(writes), sum(count(*)) OVER"  # noqa: S608 - of Django's own making
            f" (PARTITION BY version) FROM ({sql}) AS newest (version, person, language, cpu, memory, writes)"
            " GROUP BY version, person, language",
            values,
        )
        rows = cursor.fetchall()
    names = ("user", "language", *_NUMBERS)
    bests = [(version, PersonsBest(**dict(zip(names, best, strict=True)))) for version, *best, _ in rows]
    return bests, max((int(row[-1]) for row in rows), default=0)


def _merged(bests: Iterable[PersonsBest]) -> list[PersonsBest]:
    """Return one best for each person and language: versions of the same package differ in settings only."""
    merged: dict[tuple[int, str], PersonsBest] = {}
    for best in bests:
        key = (best.user, best.language)
        earlier = merged.get(key, best)
        least: dict[str, Any] = {}
        for name in _NUMBERS:
            numbers = (getattr(earlier, name), getattr(best, name))
            least[name] = min((number for number in numbers if number is not None), default=None)
        merged[key] = replace(best, **least)
    return list(merged.values())


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
