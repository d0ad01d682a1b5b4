"""What one line of a source cost: `{{ report.line_costs|of_line:forloop.counter }}`."""

from django import template

from web.presentation.line_costs import LineCostsView, LineCostView

register = template.Library()


@register.filter
def of_line(costs: LineCostsView | None, line: int) -> LineCostView | None:
    """The cost of a line; None when there is none, or nothing was counted."""
    return costs.of_line(line) if isinstance(costs, LineCostsView) else None
