"""What stands on a page hundreds of times.

The templates are below web/jinja2: Django's own take many steps for each value, and a page has thousands of these.
"""

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from judge.grading.measures import Place, measures_at
from web.presentation.charts import RunTimes, TimeBar
from web.presentation.compare.comparing import CaseRun
from web.presentation.compare.metrics import Metric
from web.presentation.result.case import CaseView
from web.presentation.units import count, duration
from web.templatetags.terms import term

register = template.Library()


def drawn(name: str, **values: object) -> SafeString:
    """Return what a template of web/jinja2 makes of these values."""
    return mark_safe(render_to_string(f"{name}.html", values, using="jinja2"))  # noqa: S308 - the template escapes


@register.simple_tag
def time_bar(bar: TimeBar, times: RunTimes, limit_ms: int | None = None) -> SafeString:
    """Return the bar of one run. `limit_ms`: the problem's limit, of which its description tells."""
    return drawn("time_bar", bar=bar, label=times.in_words(limit_ms))


@register.simple_tag
def case_numbers(case: CaseView) -> SafeString:
    """Return the numbers of one case as pairs for a list."""
    return drawn("case_numbers", case=case, term=term)


@register.simple_tag
def table_cells(case: CaseView) -> SafeString:
    """Return the numbers of one case as the cells of its row in the table of all cases."""
    return drawn(
        "table_cells", numbers=[case.measures.words(measure, Place.CASES) for measure in measures_at(Place.CASES)]
    )


@register.simple_tag
def metric_rows(metrics: Sequence[Metric]) -> SafeString:
    """Return the rows of a table that compares several runs, one for each metric."""
    return drawn("metric_rows", metrics=metrics)


@register.simple_tag
def time_lines(runs: Sequence[CaseRun]) -> SafeString:
    """Return the times of one case in several runs, as bars with the CPU time."""
    lines = [
        (run.letter, run.bar, run.measures.times.in_words(run.limit_ms), duration(run.measures["cpu_time_us"]))
        for run in runs
    ]
    return drawn("time_lines", lines=lines)


@register.simple_tag
def write_lines(runs: Sequence[CaseRun]) -> SafeString:
    """Return the write calls of one case in several runs, likewise."""
    lines = [(run.letter, run.writes_width, count(run.measures["write_calls"])) for run in runs]
    return drawn("write_lines", lines=lines)
