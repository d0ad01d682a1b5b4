"""The numbered lines of a program: `{% numbered_lines lines marked costs times %}`. A program has hundreds."""

from collections.abc import Collection, Sequence
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from web.presentation.result.line_costs import LineCostsView, LineCostView
from web.presentation.result.line_times import LineTimesView, LineTimeView

register = template.Library()
_BAR = '<svg width="4rem" height="8" aria-hidden="true"><rect class="line-cost-room" width="100%" height="8"/>'


@register.simple_tag
def numbered_lines(
    lines: Sequence[SafeString],
    marked: Collection[int],
    costs: LineCostsView | None = None,
    times: LineTimesView | None = None,
) -> SafeString:
    """Return the items of a list. `costs` and `times`, each of one case, stand beside the lines."""
    cost_of = {cost.line: cost for cost in costs.lines} if costs else {}
    time_of = {time.line: time for time in times.lines} if times else {}
    drawn = []
    for number, line in enumerate(lines, 1):
        mark = ' class="marked"' if marked and number in marked else ""
        beside = _beside(cost_of.get(number), time_of.get(number))
        drawn.append(f'<li id="L{number}"{mark}><code>{line}</code>{beside}</li>\n')
    return mark_safe("".join(drawn))  # noqa: S308 - the lines are escaped


def _beside(cost: LineCostView | None, time: LineTimeView | None) -> str:
    if not cost and not time:
        return ""
    drawn = []
    if time:
        bar = f'{_BAR}<rect class="heat-bar" width="{time.width}%" height="8"/></svg>'
        drawn.append(f'<span class="line-time">{bar} {escape(time.words)}</span>')
    if cost:
        bar = f'{_BAR}<rect class="call-bar" width="{cost.width}%" height="8"/></svg>'
        drawn.append(f"<span>{bar} {escape(cost.words)}</span>")
    heat = f" heat-{time.heat}" if time else ""
    return f'<span class="line-cost{heat}">{"".join(drawn)}</span>'
