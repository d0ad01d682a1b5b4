"""Line costs as this reader may see them: a table in the case, and text beside the source.

Of a hidden case contestants see the few lines that matter: with a line for each digit of the input a program could else
tell what it read.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.events import LineCosts
from judge.models import TestCaseResult
from web.access.rounding import Rounding
from web.presentation.units import count, data_size

_ELSEWHERE = "elsewhere"
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostView:
    """The writes of one line. `width` is that of its bar, in per cent of all writes."""

    line: int
    writes: int
    bytes: int
    width: float

    @property
    def words(self) -> str:
        """The cost beside the line: "1,000,000 writes, 6.6 MiB"."""
        words = ngettext("%(writes)s write, %(size)s", "%(writes)s writes, %(size)s", self.writes)
        return words % {"writes": count(self.writes), "size": data_size(self.bytes)}


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostsView:
    """The writes of one case by line, the most expensive first. `remarks` explain what is missing."""

    case_name: str
    case_number: int
    total: int
    lines: tuple[LineCostView, ...]
    remarks: tuple[str, ...]

    def of_line(self, line: int) -> LineCostView | None:
        """Return the cost of this line, if it has any."""
        return next((cost for cost in self.lines if cost.line == line), None)


def line_costs_view(result: TestCaseResult, rounding: Rounding) -> LineCostsView | None:
    """Return the line costs of a case; None if they were not measured."""
    costs = result.line_costs
    if costs is None:
        return None
    size = {line.line: line.bytes for line in costs.lines}
    total = rounding.count(sum(line.writes for line in costs.lines) + costs.elsewhere)
    listed = _listed(costs, rounding)
    return LineCostsView(
        case_name=result.name,
        case_number=result.position + 1,
        total=total,
        lines=tuple(
            LineCostView(
                line=line,
                writes=writes,
                bytes=rounding.count(size[line]),
                width=max(_VISIBLE, round(100 * writes / max(1, total), 1)),
            )
            for line, writes in listed.items()
        ),
        remarks=tuple(_remarks(costs, rounding, has_others=len(listed) < len(costs.lines))),
    )


def _listed(costs: LineCosts, rounding: Rounding) -> dict[int, int]:
    """Return the writes of the lines that this reader sees, in order."""
    if rounding.is_exact:
        return {line.line: line.writes for line in costs.lines}
    # Fixed width, so that equal ones are in the order of the lines. What is of no line counts among all writes.
    by_name = {f"{line.line:09}": line.writes for line in costs.lines}
    matter = rounding.names_that_matter({**by_name, _ELSEWHERE: costs.elsewhere})
    return {int(name): writes for name, writes in matter.items() if name != _ELSEWHERE}


def _remarks(costs: LineCosts, rounding: Rounding, *, has_others: bool) -> Iterable[str]:
    elsewhere = rounding.count(costs.elsewhere)
    if has_others:
        yield _("Other lines made a few more.")
    if elsewhere:
        yield _(
            "Write calls that belong to no line of yours: %(writes)s. One example is output at the program's end."
        ) % {"writes": count(elsewhere)}
    if costs.sampled_every > 1 and rounding.is_exact:
        yield _(
            "There were so many ways to a write that only about one in %(every)s was looked at after the first ones: "
            "the counts of the lines are estimates."
        ) % {"every": costs.sampled_every}
    elif costs.sampled_every > 1:
        yield _(
            "There were so many ways to a write that only a part of them was looked at after the first ones: the "
            "counts of the lines are estimates."
        )
    if not costs.is_whole:
        yield _("The run did not come to its end, so these are the writes until then.")
