"""The page of a rejudge: its progress, the matrix of verdicts, and the submissions one by one."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import Count
from django.http import QueryDict
from django.utils.translation import gettext as _, ngettext

from judge.grading.verdicts import Verdict
from judge.models import Rejudge, RejudgedSubmission, RejudgedSubmissionQuerySet, Status, WorkerNode
from judge.models.rejudges import CHANGED
from web.presentation.paging import Key, Page, Paging
from web.presentation.units import count

PAGING = Paging(size=50, column="submission_id", is_descending=False)
CELL = 32  # the side of a cell of the matrix, in its own units
_LEAST_SIDE = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """The number of submissions that went from one verdict to another, drawn as a square of that area."""

    old: Verdict
    new: Verdict
    number: int
    side: float
    is_chosen: bool

    @property
    def offset(self) -> float:
        """The corner of the square that centres it in its cell."""
        return (CELL - self.side) / 2

    @property
    def is_same(self) -> bool:
        return self.old is self.new


@dataclass(frozen=True, kw_only=True, slots=True)
class Matrix:
    """Old verdicts down, new ones across; a cell is None without submissions."""

    columns: list[Verdict]
    rows: list[tuple[Verdict, list[Cell | None]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Numbers:
    """Counts of a rejudge's submissions."""

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
        return self.total - self.done

    @property
    def applicable(self) -> int:
        return self.total - self.given_up - self.overtaken


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Submissions of a rejudge that agree in all fields but the last three, which count them."""

    status: str
    is_given_up: bool
    is_stale: bool
    old_verdict: str
    verdict: str
    number: int
    changed: int
    applied: int

    @property
    def is_judged(self) -> bool:
        return self.status == Status.DONE and not self.is_given_up


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """Which submissions are listed: one cell of the matrix if both verdicts are given."""

    kind: str = "changed"  # or "all"
    old: Verdict | None = None
    new: Verdict | None = None
    key: Mapping[str, Key] = field(default_factory=dict)  # where the page begins, as the address says it

    @classmethod
    def asked(cls, query: QueryDict) -> "Shown":
        """Parse the query string; unknown values are ignored."""
        kind = "all" if query.get("show") == "all" else "changed"
        old, new = (Verdict.__members__.get(query.get(name, "")) for name in ("old", "new"))
        return cls(kind=kind, old=old, new=new, key=PAGING.asked(query))

    @property
    def has_cell(self) -> bool:
        return self.old is not None and self.new is not None

    @property
    def choice(self) -> dict[str, str | None]:
        return {"old": self.old, "new": self.new} if self.has_cell else {"show": self.kind}

    @property
    def query(self) -> str:
        return urlencode({**self.choice, **self.key})


@dataclass(frozen=True, kw_only=True, slots=True)
class RejudgePage:
    """Everything on the page of one rejudge."""

    rejudge: Rejudge
    numbers: Numbers
    matrix: Matrix
    shown: Shown
    listed: Page[RejudgedSubmission]
    has_worker: bool

    @property
    def is_live(self) -> bool:
        is_judging = self.rejudge.is_open and self.numbers.unfinished > 0
        return is_judging or self.rejudge.is_being_applied

    @property
    def title(self) -> str:
        numbers = self.numbers
        if self.rejudge.discarded_at:
            return _("Discarded")
        if self.rejudge.is_being_applied:
            counts = {"applied": count(numbers.applied), "total": count(numbers.applicable)}
            return _("Being applied: %(applied)s of %(total)s") % counts
        if self.rejudge.applied_at:
            words = ngettext("Applied to %(number)s submission", "Applied to %(number)s submissions", numbers.applied)
            return words % {"number": count(numbers.applied)}
        counts = {"done": count(numbers.done), "changed": count(numbers.changed), "total": count(numbers.total)}
        if numbers.unfinished:
            return _("Judging again: %(done)s of %(total)s") % counts
        return (
            ngettext("%(changed)s of %(total)s would change", "%(changed)s of %(total)s would change", numbers.changed)
            % counts
        )


def rejudge_page(rejudge: Rejudge, selection: Shown) -> RejudgePage:
    """Return the page of a rejudge; the caller has checked access."""
    grouped = rejudge.submissions.order_by().values("status", "is_given_up", "is_stale", "old_verdict", "verdict")
    counts = grouped.annotate(number=Count("pk"), changed=Count("pk", filter=CHANGED), applied=Count("applied_at"))
    groups = [Group(**row) for row in counts]
    rows: RejudgedSubmissionQuerySet = rejudge.submissions.all()
    if selection.old and selection.new:
        rows = rows.judged().filter(old_verdict=selection.old, verdict=selection.new)
    elif selection.kind == "changed":
        rows = rows.changed()
    rows = rows.select_related("submission__user").defer(
        "compile_message", "explanation", "groups", "submission__source", "submission__compile_message"
    )
    return RejudgePage(
        rejudge=rejudge,
        numbers=_numbers(rejudge, groups),
        matrix=_matrix(groups, selection),
        shown=selection,
        listed=PAGING.page(rows, selection.key, beside=selection.choice),
        has_worker=WorkerNode.objects.grading().exists(),
    )


def is_live(rejudge_id: int) -> bool:
    """Return whether a rejudge may still change. May query the database."""
    rejudge = Rejudge.objects.filter(pk=rejudge_id).first()
    if rejudge is None:
        return False
    return rejudge.is_being_applied or (rejudge.is_open and rejudge.submissions.unfinished().exists())


def _numbers(rejudge: Rejudge, groups: Sequence[Group]) -> Numbers:
    """Count its submissions by state."""

    def total(is_meant: Callable[[Group], bool]) -> int:
        return sum(group.number for group in groups if is_meant(group))

    return Numbers(
        total=total(lambda group: True),
        done=total(lambda group: group.status == Status.DONE),
        judging=total(lambda group: group.status == Status.JUDGING),
        changed=sum(group.changed for group in groups),
        gained=total(lambda group: group.is_judged and group.verdict == Verdict.AC != group.old_verdict),
        lost=total(lambda group: group.is_judged and group.old_verdict == Verdict.AC != group.verdict),
        broken=total(lambda group: group.is_judged and group.verdict == Verdict.JE),
        given_up=total(lambda group: group.is_given_up),
        overtaken=total(lambda group: group.is_stale and not group.is_given_up)
        + rejudge.submissions.newly_overtaken().filter(is_given_up=False).count(),
        applied=sum(group.applied for group in groups),
    )


def _matrix(groups: Sequence[Group], selection: Shown) -> Matrix:
    numbers = Counter[tuple[Verdict, Verdict]]()
    for group in groups:
        if group.is_judged:
            numbers[Verdict(group.old_verdict), Verdict(group.verdict)] += group.number
    most = max(numbers.values(), default=1)
    columns = [verdict for verdict in Verdict if any(new is verdict for _, new in numbers)]

    def cell(old: Verdict, new: Verdict) -> Cell | None:
        number = numbers.get((old, new))
        if not number:
            return None
        side = round(max(_LEAST_SIDE, CELL * math.sqrt(number / most)), 2)
        return Cell(old=old, new=new, number=number, side=side, is_chosen=(selection.old, selection.new) == (old, new))

    olds = [verdict for verdict in Verdict if any(old is verdict for old, _ in numbers)]
    return Matrix(columns=columns, rows=[(old, [cell(old, new) for new in columns]) for old in olds])
