"""What stands on a page hundreds of times, such as the forms that have a case run once more.

The templates are below web/jinja2: Django's own take many steps for each value, and a page has thousands of these.
"""

from collections.abc import Sequence

from django import template
from django.template.context import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from judge.grading.measures import Place, measures_at
from judge.reruns.kinds import RerunKind
from web.presentation.charts import RunTimes, TimeBar
from web.presentation.compare.comparing import CaseRun
from web.presentation.compare.metrics import Metric
from web.presentation.result.case import CaseView
from web.presentation.units import count, duration
from web.templatetags.terms import term

register = template.Library()
_SHOWN = ("button", "asks_itself", "what", "problem")  # of an offer; the last two, why a rerun failed, in a list only


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


@register.simple_tag(takes_context=True)
def examine_form(
    context: Context, case: CaseView, examination: str, words: str, place: str = "", *, asks_itself: bool = False
) -> SafeString:
    """Return the form with one button. `place`: the beginning of its id, where the page has two of them."""
    form = _form(context, case, RerunKind(examination), place, button=words, asks_itself=asks_itself)
    return drawn("rerun_forms", forms=[form], case=case, csrf_token=context["csrf_token"])


@register.simple_tag(takes_context=True)
def rerun_offers(context: Context, case: CaseView) -> SafeString:
    """Return what may be asked for of a case, as the items of a list, but for what the page offers above its cases."""
    above = context["report"].proofs.kinds_of(case)
    forms = [
        _form(context, case, offer.examination, **{name: getattr(offer, name) for name in _SHOWN})
        for offer in case.offers
        if offer.examination not in above
    ]
    return drawn("rerun_forms", forms=forms, case=case, csrf_token=context["csrf_token"], is_list=True)


def _form(context: Context, case: CaseView, kind: RerunKind, place: str = "", **shown: object) -> dict[str, object]:
    address = reverse("examine_case", args=(context["report"].submission.pk, case.position, kind.value))
    return {"address": address, "id": f"{place}{kind.value}-{case.number}", **shown}
