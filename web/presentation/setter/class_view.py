"""The class view as pictures: how many programs were slow for which reason, and two distributions."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.explain.evidence.rule import Reason
from judge.submissions.class_view import ClassView
from problems.models import Problem
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
class Bin:
    """One column of a distribution: position and size in per cent."""

    label: str  # where it begins, and the words below it
    title: str  # empty of a column without students
    number: int
    x: float
    width: float
    height: float

    @property
    def y(self) -> float:
        """The top of the column."""
        return round(100 - self.height, 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemClass:
    """One problem's class for its page."""

    problem: Problem
    view: ClassView
    reasons: list[Part]
    writes: list[Bin]
    shares: list[Bin]
    class_size: int  # students: the full height of a distribution


def problem_class(problem: Problem, view: ClassView, class_size: int) -> ProblemClass:
    """Return the class view of one problem, drawn on the scale of a class of this many students."""
    size = max(class_size, view.students)  # who has left the class meanwhile counts too
    measured = [submission for submission in view.best if submission.write_calls is not None]
    return ProblemClass(
        problem=problem,
        view=view,
        reasons=_parts(view),
        writes=_writes([submission.write_calls or 0 for submission in measured], size),
        shares=_by_share(
            [submission.system_share for submission in measured if submission.system_share is not None], size
        ),
        class_size=size,
    )


def _parts(view: ClassView) -> list[Part]:
    parts: list[Part] = []
    for reason, number in view.reasons.items():
        if number:
            x = sum(part.width for part in parts)
            width = round(100 * number / view.too_slow, 2)
            parts.append(Part(name=_(reason.value), kind=_KINDS[reason], number=number, x=round(x, 2), width=width))
    return parts


def _writes(numbers: Sequence[int], class_size: int) -> list[Bin]:
    """Bin by powers of ten, from the smallest that occurs to the largest."""
    if not numbers:
        return []
    powers = [len(str(number)) if number else 0 for number in numbers]
    bounds = [(0, 0) if power == 0 else (10 ** (power - 1), 10**power - 1) for power in range(max(powers) + 1)]
    labels = [count(least) for least, _ in bounds]
    heights = [powers.count(power) for power in range(len(bounds))]
    titles = [
        _writes_title(least, most, number) if number else ""
        for (least, most), number in zip(bounds, heights, strict=True)
    ]
    return _bins(labels, titles, heights, class_size)


def _writes_title(least: int, most: int, number: int) -> str:
    if not most:
        words = ngettext("no write calls: %(number)s student", "no write calls: %(number)s students", number)
    else:
        words = ngettext(
            "%(least)s to %(most)s write calls: %(number)s student",
            "%(least)s to %(most)s write calls: %(number)s students",
            number,
        )
    return words % {"least": count(least), "most": count(most), "number": count(number)}


def _by_share(shares: Sequence[float], class_size: int) -> list[Bin]:
    if not shares:
        return []
    tenths = [min(_SHARES - 1, int(share * _SHARES)) for share in shares]
    labels = [per_cent(10 * tenth) for tenth in range(_SHARES)]
    heights = [tenths.count(tenth) for tenth in range(_SHARES)]
    titles = [
        ngettext(
            "%(least)s to %(most)s %% of the CPU time in the kernel: %(number)s student",
            "%(least)s to %(most)s %% of the CPU time in the kernel: %(number)s students",
            number,
        )
        % {"least": 10 * tenth, "most": 10 * tenth + 10, "number": count(number)}
        if number
        else ""
        for tenth, number in enumerate(heights)
    ]
    return _bins(labels, titles, heights, class_size)


def _bins(labels: Sequence[str], titles: Sequence[str], numbers: Sequence[int], class_size: int) -> list[Bin]:
    width = 100 / len(labels)
    return [
        Bin(
            label=label,
            title=title,
            number=number,
            x=round(place * width, 2),
            width=round(width * 0.88, 2),
            height=max(_VISIBLE, round(100 * number / class_size, 2)) if number else 0,
        )
        for place, (label, title, number) in enumerate(zip(labels, titles, numbers, strict=True))
    ]
