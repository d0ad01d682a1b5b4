"""Select a problem's submissions for a rejudge, and count them before anything starts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from judge.models import Status, Submission, SubmissionQuerySet
from problems.models import Problem, ProblemVersion


class RejudgeRefused(Exception):
    """Why the rejudge is refused, as a sentence in the instructor's language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """A selection of a problem's submissions: those that meet every condition; an empty condition accepts all."""

    verdicts: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    users: frozenset[int] = frozenset()
    ids: frozenset[int] = frozenset()
    since: datetime | None = None
    until: datetime | None = None  # no longer included
    is_older_only: bool = False  # judged by another version than the current one

    @property
    def is_tallied(self) -> bool:
        """Whether only verdicts and languages filter, whose counts are stored (`judge.models.Tally`)."""
        return self == Filter(verdicts=self.verdicts, languages=self.languages)


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """The number of submissions in a selection. `unfinished` more match, but are still being judged."""

    total: int
    unfinished: int
    students: int
    by_verdict: dict[str, int]
    by_language: dict[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The number of a problem's judged submissions. `has_older`: another version judged some of them."""

    by_verdict: dict[str, int]
    by_language: dict[str, int]
    has_older: bool


def count(problem: Problem, choice: Filter) -> Preview:
    """Return the size of a rejudge with this selection."""
    rows = matching(problem, choice)
    if not choice.is_tallied:
        return _read_once(rows)
    students = get_user_model().objects.filter(pk__in=rows.filter(status=Status.DONE).values("user"))
    unfinished = rows.exclude(status=Status.DONE).count()
    return _chosen(_tallied(problem, choice), unfinished=unfinished, students=students.count())


def options(problem: Problem) -> Options:
    """Return the options for a problem's judged submissions."""
    verdicts, languages = _summed(_tallied(problem, Filter()))
    older = ProblemVersion.objects.filter(problem=problem).exclude(pk=current_version(problem).pk)
    judged_by_it = Submission.objects.filter(problem_version=OuterRef("pk"), status=Status.DONE)
    return Options(
        by_verdict=dict(verdicts.most_common()),
        by_language=dict(languages.most_common()),
        has_older=older.filter(Exists(judged_by_it)).exists(),
    )


def _tallied(problem: Problem, choice: Filter) -> Iterable[tuple[str, str, int]]:
    """Return counts by verdict and language without reading rows."""
    names = {"verdict__in": choice.verdicts, "language__in": choice.languages}
    tallies = problem.tallies.filter(**{name: value for name, value in names.items() if value})
    return tallies.values_list("verdict", "language", "number")


def _read_once(rows: SubmissionQuerySet) -> Preview:
    """Count by result and by owner in one reading: there may be hundreds of thousands."""
    sql, values = rows.order_by().values_list("verdict", "language", "user_id", "status").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT verdict, language, student, status, count(*) FROM ({sql})"  # noqa: S608 - of Django's own making
            " AS met (verdict, language, student, status)"
            " GROUP BY GROUPING SETS ((verdict, language, status), (student, status))",
            values,
        )
        counted = cursor.fetchall()
    groups = [row for row in counted if row[2] is None]
    return _chosen(
        [(verdict, language, number) for verdict, language, _, status, number in groups if status == Status.DONE],
        unfinished=sum(number for _, _, _, status, number in groups if status != Status.DONE),
        students=sum(student is not None and status == Status.DONE for _, _, student, status, _ in counted),
    )


def _chosen(counts: Iterable[tuple[str, str, int]], *, unfinished: int, students: int) -> Preview:
    verdicts, languages = _summed(counts)
    return Preview(
        total=verdicts.total(),
        unfinished=unfinished,
        students=students,
        by_verdict=dict(verdicts.most_common()),
        by_language=dict(languages.most_common()),
    )


def _summed(counts: Iterable[tuple[str, str, int]]) -> tuple[Counter[str], Counter[str]]:
    """Return sums by verdict and by language."""
    verdicts, languages = Counter[str](), Counter[str]()
    for verdict, language, number in counts:
        verdicts[verdict] += number
        languages[language] += number
    return +verdicts, +languages  # of tallies some rows take away


def current_version(problem: Problem) -> ProblemVersion:
    """Return the version that a rejudge uses. Raises RejudgeRefused."""
    if problem.current_version is None:
        raise RejudgeRefused(_("This problem has no version to judge by."))
    return problem.current_version


def matching(problem: Problem, choice: Filter) -> SubmissionQuerySet:
    """Return the submissions of the selection, judged or not. Raises RejudgeRefused."""
    rows = Submission.objects.filter(problem=problem)
    conditions = {
        "verdict__in": choice.verdicts,
        "language__in": choice.languages,
        "user__in": choice.users,
        "pk__in": choice.ids,
        "created_at__gte": choice.since,
        "created_at__lt": choice.until,
    }
    rows = rows.filter(**{name: value for name, value in conditions.items() if value})
    return rows.exclude(problem_version=current_version(problem)) if choice.is_older_only else rows
