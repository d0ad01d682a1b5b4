"""The cost of one source line: `{{ report.line_costs|of_line:forloop.counter }}`."""

from django import template

from web.presentation.result.line_costs import LineCostsView, LineCostView

register = template.Library()


@register.filter
def of_line(costs: LineCostsView | None, line: int) -> LineCostView | None:
    """Return the cost of a line; None without one, or if nothing was measured."""
    return costs.of_line(line) if isinstance(costs, LineCostsView) else None
