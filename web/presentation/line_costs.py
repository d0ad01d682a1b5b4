"""The writes of a case by source line, as this reader may see them: a table in the case, and words beside the source.

Of a hidden case contestants see the few lines that matter, rounded: with a line for each digit of the input a program
could else tell what it read.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from judge.models import TestCaseResult
from web.presentation.measures import is_exact_for
from web.presentation.units import count, counted, data_size, significant

_MOST_LINES_OF_HIDDEN = 8
_LEAST_SHARE_OF_HIDDEN = 0.01  # of all writes
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostView:
    """What one line wrote. `width` is that of its bar, in per cent of all writes."""

    line: int
    writes: int
    bytes: int
    width: float

    @property
    def words(self) -> str:
        """The cost beside the line: "1,000,000 writes, 6.6 MiB"."""
        return f"{counted(self.writes, 'write')}, {data_size(self.bytes)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostsView:
    """The writes of one case by line, the most expensive first. `remarks` are the sentences on what is not in it."""

    case_name: str
    case_number: int
    total: int
    lines: tuple[LineCostView, ...]
    remarks: tuple[str, ...]

    def of_line(self, line: int) -> LineCostView | None:
        """What this line wrote, if it did."""
        return next((cost for cost in self.lines if cost.line == line), None)


def line_costs_view(result: TestCaseResult, is_staff: bool) -> LineCostsView | None:
    """The writes of a case by line; None when they were not counted."""
    costs: dict[str, Any] | None = result.line_costs
    if costs is None:
        return None
    is_exact = is_exact_for(result, is_staff)
    shown: Callable[[int], int] = int if is_exact else significant
    total = sum(line["writes"] for line in costs["lines"]) + costs["elsewhere"]
    chosen = [line for line in costs["lines"] if is_exact or line["writes"] >= total * _LEAST_SHARE_OF_HIDDEN]
    chosen = chosen if is_exact else chosen[:_MOST_LINES_OF_HIDDEN]
    left_out = sum(line["writes"] for line in costs["lines"]) - sum(line["writes"] for line in chosen)
    return LineCostsView(
        case_name=result.name,
        case_number=result.position + 1,
        total=shown(total),
        lines=tuple(
            LineCostView(
                line=line["line"],
                writes=shown(line["writes"]),
                bytes=shown(line["bytes"]),
                width=max(_VISIBLE, round(100 * shown(line["writes"]) / max(1, shown(total)), 1)),
            )
            for line in chosen
        ),
        remarks=tuple(_remarks(costs, shown(costs["elsewhere"]), shown(left_out))),
    )


def beside_source(views: Iterable[LineCostsView | None]) -> LineCostsView | None:
    """The case whose writes are shown beside the source: the one that has the most of them."""
    there = [view for view in views if view is not None]
    return max(there, key=lambda view: view.total, default=None)


def _remarks(costs: dict[str, Any], elsewhere: int, left_out: int) -> Iterable[str]:
    if left_out:
        yield f"Other lines made {count(left_out)} more."
    if elsewhere:
        yield (
            f"{count(elsewhere)} could not be told to a line of yours; what is written out when a program ends is of "
            "that kind."
        )
    if costs["sampled_every"] > 1:
        yield (
            f"There were so many ways to a write that only about one in {costs['sampled_every']} was looked at after "
            "the first ones: the counts of the lines are estimates."
        )
    if not costs["is_whole"]:
        yield "The run did not come to its end, so these are the writes until then."
