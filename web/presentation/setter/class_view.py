"""A class: how far it is in each problem, and as pictures why its programs are slow, with two distributions."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from judge.grading.explain.evidence.rule import Reason
from judge.models import Assignment
from judge.submissions.class_view import ClassView
from problems.models import Problem
from web.presentation.charts import Column
from web.presentation.units import count, per_cent

_SHARES = 10  # bins of a tenth each
_VISIBLE = 3  # per cent: a column of one student of many is drawn at least this high
_KINDS = {
    Reason.IO: "system",
    Reason.STEPS: "user",
    Reason.WAITING: "waiting",
    Reason.MEMORY: "memory",
    Reason.UNCLEAR: "unclear",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One segment of a bar of shares, in per cent."""

    name: str
    kind: str  # for its colour
    number: int
    x: float
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemClass:
    """One problem's class for its page."""

    problem: Problem
    view: ClassView
    reasons: list[Part]
    writes: list[Column]
    shares: list[Column]
    class_size: int  # students: the full height of a distribution


def problem_class(problem: Problem, view: ClassView, class_size: int) -> ProblemClass:
    """Return the class view of one problem, drawn on the scale of a class of this many students."""
    size = max(class_size, view.students)  # who has left the class meanwhile counts too
    measured = [submission for submission in view.best if submission.write_calls is not None]
    writes = [submission.write_calls or 0 for submission in measured]
    shares = [submission.system_share for submission in measured if submission.system_share is not None]
    reasons: list[Part] = []
    for reason, number in view.reasons.items():
        if number:
            x, width = round(sum(part.width for part in reasons), 2), round(100 * number / view.too_slow, 2)
            reasons.append(Part(name=_(reason.value), kind=_KINDS[reason], number=number, x=x, width=width))
    return ProblemClass(
        problem=problem,
        view=view,
        reasons=reasons,
        writes=_bins_by_power(writes, size),
        shares=_bins_by_share(shares, size),
        class_size=size,
    )


def _bins_by_power(numbers: Sequence[int], class_size: int) -> list[Column]:
    """Bin by powers of ten, from the smallest that occurs to the largest."""
    powers = [len(str(number)) if number else 0 for number in numbers]
    columns = []
    for power in range(max(powers, default=-1) + 1):
        least, most = (10 ** (power - 1), 10**power - 1) if power else (0, 0)
        number = powers.count(power)
        words = ngettext("no write calls: %(number)s student", "no write calls: %(number)s students", number)
        if most:
            words = ngettext(
                "%(least)s to %(most)s write calls: %(number)s student",
                "%(least)s to %(most)s write calls: %(number)s students",
                number,
            )
        title = words % {"least": count(least), "most": count(most), "number": count(number)}
        columns.append((count(least), title, number))
    return _bins(columns, class_size)


def _bins_by_share(shares: Sequence[float], class_size: int) -> list[Column]:
    tenths = [min(_SHARES - 1, int(share * _SHARES)) for share in shares]
    columns = []
    for tenth in range(_SHARES if shares else 0):
        number = tenths.count(tenth)
        words = ngettext(
            "%(least)s to %(most)s %% of the CPU time in the kernel: %(number)s student",
            "%(least)s to %(most)s %% of the CPU time in the kernel: %(number)s students",
            number,
        )
        values = {"least": 10 * tenth, "most": 10 * tenth + 10, "number": count(number)}
        columns.append((per_cent(10 * tenth), words % values, number))
    return _bins(columns, class_size)


def _bins(columns: Sequence[tuple[str, str, int]], class_size: int) -> list[Column]:
    """Draw columns of these labels, titles and numbers."""
    width = 100 / max(1, len(columns))
    return [
        Column(
            label=label,
            title=title if number else "",
            number=number,
            x=round(place * width, 2),
            width=round(width * 0.88, 2),
            height=max(_VISIBLE, round(100 * number / class_size, 2)) if number else 0,
        )
        for place, (label, title, number) in enumerate(columns)
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemProgress:
    """How many students solved a problem, tried it and did not solve it, and sent nothing; widths in per cent."""

    problem: Problem
    students: int
    solved: int
    trying: int
    not_begun: int

    @property
    def solved_width(self) -> float:
        return round(100 * self.solved / max(1, self.students), 2)

    @property
    def trying_width(self) -> float:
        return round(100 * self.trying / max(1, self.students), 2)


def class_progress(assignment: Assignment) -> list[ProblemProgress]:
    """Return the progress of the class in each problem, the hidden ones too, in the teacher's order."""
    students, counts = assignment.students.count(), assignment.tried_and_solved()
    progress = []
    for problem in assignment.in_order(Problem.objects.all()):
        tries, solved = counts.get(problem.pk, (0, 0))
        trying, not_begun = tries - solved, students - tries
        of_problem = ProblemProgress(
            problem=problem, students=students, solved=solved, trying=trying, not_begun=not_begun
        )
        progress.append(of_problem)
    return progress
