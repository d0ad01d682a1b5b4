"""A rejudge as its page shows it: how far it has come, the matrix of verdicts, and the submissions one by one."""

import math
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q
from django.http import QueryDict

from judge import rejudging
from judge.models import Rejudge, RejudgedSubmission, RejudgedSubmissionQuerySet, Status, WorkerNode
from judge.verdicts import Verdict
from web.presentation.report import Report, report
from web.presentation.units import counted

PAGE_SIZE = 50
CELL = 32  # the side of a cell of the matrix, in its own units
_LEAST_SIDE = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """How many submissions went from one verdict to another, as a square whose area says so."""

    old: Verdict
    new: Verdict
    number: int
    side: float
    is_chosen: bool

    @property
    def offset(self) -> float:
        """Where the square begins, so that it lies in the middle of its cell."""
        return (CELL - self.side) / 2

    @property
    def is_same(self) -> bool:
        """Whether the verdict stays."""
        return self.old is self.new


@dataclass(frozen=True, kw_only=True, slots=True)
class Matrix:
    """Old verdicts down, new ones across; a cell is None where no submission is."""

    columns: list[Verdict]
    rows: list[tuple[Verdict, list[Cell | None]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """How many submissions of a rejudge are where."""

    total: int
    done: int
    judging: int
    changed: int
    gained: int  # accepted now, and were not
    lost: int  # were accepted, and are not
    broken: int  # a judge error of the package
    given_up: int  # by our own failures
    overtaken: int
    applied: int

    @property
    def unfinished(self) -> int:
        """Those that are not judged yet."""
        return self.total - self.done

    @property
    def applicable(self) -> int:
        """Those whose result would be replaced."""
        return self.total - self.given_up - self.overtaken


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """Which of the submissions are listed: `kind` is "changed" or "all"; one cell of the matrix if both are given."""

    kind: str = "changed"
    old: Verdict | None = None
    new: Verdict | None = None
    after: int = 0  # the submission's number after which the page begins

    @classmethod
    def asked(cls, query: QueryDict) -> "Shown":
        """What the query string asks for; what is not offered counts as not asked."""
        after = query.get("after", "")
        return cls(
            kind="all" if query.get("show") == "all" else "changed",
            old=_verdict(query.get("old", "")),
            new=_verdict(query.get("new", "")),
            after=int(after) if after.isascii() and after.isdecimal() and len(after) < 19 else 0,
        )

    @property
    def has_cell(self) -> bool:
        """Whether one cell of the matrix is asked for."""
        return self.old is not None and self.new is not None

    def query(self, after: int = 0) -> str:
        """The query string of this, or of its page after that submission."""
        cell = {"old": self.old, "new": self.new} if self.has_cell else {"show": self.kind}
        return urlencode({**cell, **({"after": after} if after else {})})


@dataclass(frozen=True, kw_only=True, slots=True)
class RejudgePage:
    """Everything on the page of one rejudge."""

    rejudge: Rejudge
    numbers: Numbers
    matrix: Matrix
    shown: Shown
    listed: list[RejudgedSubmission]
    next_query: str  # of the next page of the list; empty on the last
    has_worker: bool

    @property
    def is_live(self) -> bool:
        """Whether the page must go on looking."""
        is_judging = self.rejudge.is_open and self.numbers.unfinished > 0
        return is_judging or self.rejudge.is_being_applied

    @property
    def title(self) -> str:
        """Where it is, in a few words."""
        numbers = self.numbers
        if self.rejudge.discarded_at:
            return "Discarded"
        if self.rejudge.is_being_applied:
            return f"Being applied: {numbers.applied:,} of {numbers.applicable:,}"
        if self.rejudge.applied_at:
            return f"Applied to {counted(numbers.applied, 'submission')}"
        if numbers.unfinished:
            return f"Judging again: {numbers.done:,} of {numbers.total:,}"
        return f"{numbers.changed:,} of {numbers.total:,} would change"


def rejudge_page(rejudge: Rejudge, shown: Shown) -> RejudgePage:
    """The page of a rejudge whose reader has been checked."""
    listed = list(_listed(rejudge, shown)[: PAGE_SIZE + 1])
    has_more = len(listed) > PAGE_SIZE
    return RejudgePage(
        rejudge=rejudge,
        numbers=numbers_of(rejudge),
        matrix=_matrix(rejudge, shown),
        shown=shown,
        listed=listed[:PAGE_SIZE],
        next_query=shown.query(after=listed[PAGE_SIZE - 1].submission_id) if has_more else "",
        has_worker=WorkerNode.objects.alive().exists(),
    )


def preview_report(rejudged: RejudgedSubmission, user: AbstractBaseUser | AnonymousUser) -> Report:
    """The report on what the submission would be once this is applied, for a reader who has been checked."""
    submission, results = rejudging.as_applied(rejudged)
    return report(submission, user, results=results)


def is_live(rejudge_id: int) -> bool:
    """Whether news of a rejudge may still come. May ask the database."""
    rejudge = Rejudge.objects.filter(pk=rejudge_id).first()
    if rejudge is None:
        return False
    return rejudge.is_being_applied or (rejudge.is_open and rejudge.submissions.unfinished().exists())


def numbers_of(rejudge: Rejudge) -> Numbers:
    """How many of its submissions are where."""
    rows = rejudge.submissions.all()
    judged = Q(status=Status.DONE, is_given_up=False)
    was_right, is_right = Q(old_verdict=Verdict.AC), Q(verdict=Verdict.AC)
    found = rows.aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(status=Status.DONE)),
        judging=Count("pk", filter=Q(status=Status.JUDGING)),
        gained=Count("pk", filter=judged & is_right & ~was_right),
        lost=Count("pk", filter=judged & was_right & ~is_right),
        broken=Count("pk", filter=judged & Q(verdict=Verdict.JE)),
        given_up=Count("pk", filter=Q(is_given_up=True)),
        applied=Count("pk", filter=Q(applied_at__isnull=False)),
    )
    overtaken = rows.overtaken().filter(is_given_up=False).count()
    return Numbers(**found, changed=rows.changed().count(), overtaken=overtaken)


def _verdict(text: str) -> Verdict | None:
    return Verdict(text) if text in Verdict.__members__ else None


def _matrix(rejudge: Rejudge, shown: Shown) -> Matrix:
    counts = rejudge.submissions.judged().order_by().values_list("old_verdict", "verdict").annotate(Count("pk"))
    numbers = {(Verdict(old), Verdict(new)): number for old, new, number in counts}
    most = max(numbers.values(), default=1)
    columns = [verdict for verdict in Verdict if any(new is verdict for _, new in numbers)]

    def cell(old: Verdict, new: Verdict) -> Cell | None:
        number = numbers.get((old, new))
        if not number:
            return None
        side = round(max(_LEAST_SIDE, CELL * math.sqrt(number / most)), 2)
        return Cell(old=old, new=new, number=number, side=side, is_chosen=(shown.old, shown.new) == (old, new))

    olds = [verdict for verdict in Verdict if any(old is verdict for old, _ in numbers)]
    return Matrix(columns=columns, rows=[(old, [cell(old, new) for new in columns]) for old in olds])


def _listed(rejudge: Rejudge, shown: Shown) -> RejudgedSubmissionQuerySet:
    rows: RejudgedSubmissionQuerySet = rejudge.submissions.all()
    if shown.old and shown.new:
        rows = rows.judged().filter(old_verdict=shown.old, verdict=shown.new)
    elif shown.kind == "changed":
        rows = rows.changed()
    rows = rows.filter(submission__gt=shown.after).select_related("submission__user").order_by("submission")
    return rows.defer("compile_message", "explanation", "groups", "submission__source", "submission__compile_message")
