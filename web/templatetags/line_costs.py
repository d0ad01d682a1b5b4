"""The cost of one source line: `{{ report.line_costs|of_line:forloop.counter }}`."""

from django import template

from web.presentation.result.line_costs import LineCostsView, LineCostView
from web.presentation.result.line_times import LineTimesView, LineTimeView

register = template.Library()


@register.filter
def of_line(costs: LineCostsView | None, line: int) -> LineCostView | None:
    """Return the cost of a line; None without one, or if nothing was measured."""
    return costs.of_line(line) if isinstance(costs, LineCostsView) else None


@register.filter
def time_of_line(times: LineTimesView | None, line: int) -> LineTimeView | None:
    """Return the CPU time of a line; None without one, or if nothing was sampled."""
    return times.of_line(line) if isinstance(times, LineTimesView) else None
