"""Summarise a class: why programs were too slow, how they wrote, and which students one hint would help.

Counted over judged submissions, by the database. The distributions and hints are of each student's best submission to
a problem: an accepted one, else the one with the most points, else the last. Who solved a problem needs no hint,
whatever was sent later. Only these are read as rows.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from judge.grading.explain import CAUSES
from judge.grading.explain.evidence.rule import Reason
from judge.grading.verdicts import Verdict
from judge.models.submissions import Submission, SubmissionQuerySet
from problems.translation import gettext

MOST_SUBMISSIONS = 50_000  # to a problem, the newest ones: a page must come at once
_ANY_PROBLEM = -1  # stands for a problem in a statement that is written once


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """One judged submission. The last two fields are of its decisive case, None if none ran."""

    submission: int
    student: str
    language: str
    verdict: str
    cause: str
    write_calls: int | None
    system_share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hint:
    """One hint, and the students whose best program it would help."""

    cause: str
    text: str
    students: tuple[Sent, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassView:
    """One problem's class. `reasons` counts too slow submissions among all sent ones."""

    is_all: bool  # not only the newest MOST_SUBMISSIONS
    submissions: int
    students: int
    solved: int
    reasons: Mapping[Reason, int]
    best: tuple[Sent, ...]  # of each student
    hints: tuple[Hint, ...]  # the one that helps most comes first

    @property
    def too_slow(self) -> int:
        """The number of submissions that exceeded the time limit."""
        return sum(self.reasons.values())


def look_at(submissions: SubmissionQuerySet, problems: Sequence[int]) -> dict[int, ClassView]:
    """Return the class of each of these problems, from their judged submissions."""
    classes = {problem: _Counted() for problem in problems}
    for group in _grouped(submissions, list(classes)):
        classes[group.problem].add(group)
    sent: dict[int, list[Sent]] = {problem: [] for problem in classes}
    for problem, submission in _rows([key for result in classes.values() for key in result.best]):
        sent[problem].append(submission)
    views = {}
    for problem, result in classes.items():
        is_full, best = result.submissions == MOST_SUBMISSIONS, tuple(sent[problem])
        views[problem] = ClassView(
            is_all=not is_full or not submissions.filter(problem=problem, pk__lt=result.least).exists(),
            submissions=result.submissions,
            students=len(result.best),
            solved=result.solved,
            reasons={reason: result.slow[reason] for reason in Reason},
            best=best,
            hints=_hints(best),
        )
    return views


@dataclass(frozen=True, kw_only=True, slots=True)
class _Group:
    """The database's counts for one student, or for one verdict and cause: the other fields are None."""

    problem: int
    student: int | None
    verdict: str | None
    cause: str | None
    number: int
    accepted: int
    least: int  # id
    best: int  # id


@dataclass(kw_only=True, slots=True)
class _Counted:
    """The database's counts for one problem."""

    submissions: int = 0
    solved: int = 0
    slow: Counter[Reason] = field(default_factory=Counter)
    least: int | None = None  # the oldest submission that was read
    best: list[int] = field(default_factory=list)  # of each student

    def add(self, group: _Group) -> None:
        """Add a group of its submissions."""
        if group.student is not None:
            self.best.append(group.best)
            self.solved += group.accepted > 0
            return
        self.submissions += group.number
        self.least = group.least if self.least is None else min(self.least, group.least)
        if group.verdict == Verdict.TLE:
            cause = CAUSES.get(group.cause or "")  # None too for one that another version of Tally found
            self.slow[cause.reason if cause else Reason.UNCLEAR] += group.number


def _grouped(submissions: SubmissionQuerySet, problems: Sequence[int]) -> list[_Group]:
    """Read once and group twice: by students, and by verdicts and causes."""
    if not problems:
        return []
    columns = ("pk", "problem_id", "user_id", "verdict", "cause", "score")
    newest = submissions.filter(problem=_ANY_PROBLEM).order_by("-pk").values_list(*columns)[:MOST_SUBMISSIONS]
    try:
        of_one, values = newest.query.sql_with_params()
    except EmptyResultSet:
        return []
    sql = " UNION ALL ".join([f"({of_one})"] * len(problems))
    of_each = [problem if value == _ANY_PROBLEM else value for problem in problems for value in values]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT problem, student, verdict, cause, count(*) AS number, min(id) AS least,"  # noqa: S608 - of Django's own making
            # float8 holds each id exactly (up to 2**53) and compares in a third of the time of numeric
            " (max(ARRAY[(verdict = %s)::int, coalesce(score, -1), id]::float8[]))[3]::bigint AS best,"
            f" count(*) FILTER (WHERE verdict = %s) AS accepted FROM ({sql})"
            " AS newest (id, problem, student, verdict, cause, score)"
            " GROUP BY GROUPING SETS ((problem, student), (problem, verdict, cause))",
            (Verdict.AC.value, Verdict.AC.value, *of_each),
        )
        names = [column.name for column in cursor.description]
        return [_Group(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _rows(keys: list[int]) -> Iterator[tuple[int, Sent]]:
    """Return these submissions, each with its problem, oldest first."""
    evidence = "explanation__0__evidence__"
    one_value = RawSQL("SELECT unnest(%s::bigint[])", [keys])  # thousands of values take longer to write than to find
    rows = Submission.objects.filter(pk__in=one_value).annotate(
        writes=Cast(KT(f"{evidence}write_calls"), BigIntegerField()),
        cpu=Cast(KT(f"{evidence}cpu_time_us"), BigIntegerField()),
        system=Cast(KT(f"{evidence}system_time_us"), BigIntegerField()),
    )
    names = ("problem_id", "pk", "user__username", "language", "verdict", "cause", "writes", "cpu", "system")
    for problem, key, student, language, verdict, cause, writes, cpu, system in rows.order_by("pk").values_list(*names):
        share = system / cpu if cpu and system is not None else None
        sent = {"submission": key, "student": student, "language": language, "verdict": verdict, "cause": cause}
        yield problem, Sent(**sent, write_calls=writes, system_share=share)


def _hints(best: Sequence[Sent]) -> tuple[Hint, ...]:
    to_help: dict[str, list[Sent]] = {}
    for submission in best:
        if submission.verdict != Verdict.AC and submission.cause in CAUSES:
            to_help.setdefault(submission.cause, []).append(submission)
    return tuple(
        Hint(cause=cause, text=gettext(CAUSES[cause].hint), students=tuple(sorted(those, key=attrgetter("student"))))
        for cause, those in sorted(to_help.items(), key=lambda group: -len(group[1]))
    )
