"""What stands on a page many times, drawn without a template: `{% time_bar bar times limit_ms %}`,
`{% case_readings measures %}`, `{% case_numbers case memory_bytes %}`, `{% table_cells case %}`,
`{% metric_rows metrics %}`, `{% time_lines runs %}`, `{% write_lines runs %}`.

Each test case of a page has them, and a template needs hundreds of steps for one.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape  # Django's looks first whether it may have to wait

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from judge.grading.measures import MEASURES, Limit, Measure, Place, measures_at
from web.presentation.charts import DRAWN_AS, RunTimes, TimeBar
from web.presentation.compare.comparing import CaseRun
from web.presentation.compare.metrics import Metric, Reading
from web.presentation.measures import Measures
from web.presentation.result.case import CaseView
from web.presentation.units import count, data_size, duration, limit
from web.templatetags.terms import term, term_id

register = template.Library()
_MEMORY_BAR = (
    ' <svg class="memory-bar" width="100%" height="5" aria-hidden="true"><rect class="track" width="100%" height="5"/>'
)


@register.simple_tag
def time_bar(bar: TimeBar, times: RunTimes, limit_ms: int | None = None) -> SafeString:
    """Return the bar of one run. `limit_ms`: the problem's limit, of which its description tells."""
    label = escape(_label(times, limit_ms))
    drawn = [
        f'<svg class="time-bar" width="100%" height="20" role="img" aria-label="{label}">'
        '<rect class="track" x="0" y="4" width="100%" height="12"/>'
    ]
    for part in bar.segments:
        drawn.append(f'<rect class="{part.kind}" x="{part.x}%" y="4" width="{part.width}%" height="12"/>')
    if bar.overrun:
        for y in ("0", "17.5"):
            x, width = bar.overrun.x, bar.overrun.width
            drawn.append(f'<rect class="overrun" x="{x}%" y="{y}" width="{width}%" height="2.5"/>')
    if bar.limit_x is not None:
        drawn.append(f'<line class="limit" x1="{bar.limit_x}%" x2="{bar.limit_x}%" y1="0" y2="20"/>')
    return mark_safe(f"{''.join(drawn)}</svg>")  # noqa: S308 - numbers, our own words, and the label is escaped


def _label(times: RunTimes, limit_ms: int | None) -> str:
    words = {
        "user": duration(times.user_us),
        "system": duration(times.system_us),
        "blocked": duration(times.waiting_us),
    }
    if not limit_ms:
        return _("user %(user)s, system %(system)s, blocked %(blocked)s") % words
    return _("user %(user)s, system %(system)s, blocked %(blocked)s, limit %(limit)s") % {
        **words,
        "limit": limit(limit_ms),
    }


@register.simple_tag
def case_readings(measures: Measures) -> SafeString:
    """Return the numbers of one case that stand in its line."""
    switches = f"{count(measures['voluntary_switches'])}&#8239;/ {count(measures['involuntary_switches'])}"
    words = (
        duration(measures["cpu_time_us"]),
        duration(measures["wall_time_us"]),
        data_size(measures["peak_memory_bytes"]),
        count(measures["read_calls"]),
        count(measures["write_calls"]),
        data_size(measures.bytes_per_write),
        switches,
    )
    drawn = (
        f'<span class="reading"><span class="reading-label">{label}</span> <span class="number">{word}</span></span>\n'
        for label, word in zip(_labels(get_language()), words, strict=True)
    )
    return mark_safe("".join(drawn))  # noqa: S308 - digits and units, and the labels are escaped


@cache
def _labels(_language: str | None) -> tuple[str, ...]:
    """Return the words before the numbers in the line of a case: on a small screen they have no heads."""
    labels = (
        _("CPU time"),
        _("wall time"),
        _("peak memory"),
        _("read calls"),
        _("write calls"),
        _("bytes/write"),
        _("context switches, voluntary / involuntary"),
    )
    return tuple(map(escape, labels))


@register.simple_tag
def case_numbers(case: CaseView, memory_bytes: int) -> SafeString:
    """Return the numbers of one case as pairs for a list. `memory_bytes`: the problem's limit."""
    drawn = []
    for measure, before in _headed(get_language()):
        words = case.measures.words(measure, Place.CASE)
        if measure.limit is Limit.MEMORY:
            words = _("%(memory)s of %(limit)s") % {"memory": words, "limit": data_size(memory_bytes)}
            bar = f'{_MEMORY_BAR}<rect class="memory" width="{case.memory_width}%" height="5"/></svg>'
        else:
            bar = ""
        drawn.append(f"{before}{escape(words)}{bar}</dd></div>\n")
    return mark_safe("".join(drawn))  # noqa: S308 - the words are escaped


@cache
def _headed(_language: str | None) -> tuple[tuple[Measure, str], ...]:
    """Return what is told of a case, each with all that stands before its number. Made once for a language."""
    headed = []
    for measure in measures_at(Place.CASE):
        kind = DRAWN_AS.get(measure.name)
        row = ' class="pair-with-bar"' if measure.limit is Limit.MEMORY else ""
        square = '<svg width="10" height="10" aria-hidden="true"><rect class="{}" width="10" height="10"/></svg>'
        before = format_html(
            "<div{}><dt>{}{}{}</dt><dd>",
            mark_safe(row),  # noqa: S308 - one of two literals
            format_html(square, kind) if kind else "",
            _(measure.label),
            term(term_id(measure)),
        )
        headed.append((measure, before))
    return tuple(headed)


@register.simple_tag
def table_cells(case: CaseView) -> SafeString:
    """Return the numbers of one case as the cells of its row in the table of all cases."""
    words = (case.measures.words(measure, Place.CASES) for measure in measures_at(Place.CASES))
    cells = "".join(f'<td class="number">{escape(each)}</td>' for each in words)
    return mark_safe(cells)  # noqa: S308 - the words are escaped


@register.simple_tag
def metric_rows(metrics: Sequence[Metric]) -> SafeString:
    """Return the rows of a table that compares several runs, one for each metric."""
    drawn = []
    heads = _heads(get_language())
    for metric in metrics:
        cells = "".join(map(_metric_cell, metric.readings))
        drawn.append(f"<tr>{heads[metric.measure.name]}{cells}</tr>\n")
    return mark_safe("".join(drawn))  # noqa: S308 - the words are escaped


@cache
def _heads(_language: str | None) -> dict[str, str]:
    """Return the head of each metric's row, by its name."""
    return {measure.name: f'<th scope="row">{escape(_(measure.label))}</th>' for measure in MEASURES}


def _metric_cell(reading: Reading) -> str:
    words, change = escape(reading.words), reading.change
    changed = f' <span class="{change.direction}">{escape(change.words)}</span>' if change else ""
    return f'<td data-side="{reading.letter}"><span class="number">{words}</span>{changed}</td>'


@register.simple_tag
def time_lines(runs: Sequence[CaseRun]) -> SafeString:
    """Return the times of one case in several runs, as bars with the CPU time; the first has a colour of its own."""
    lines = (
        (time_bar(run.bar, run.measures.times, run.limit_ms), duration(run.measures["cpu_time_us"])) for run in runs
    )
    return _lines(runs, lines)


@register.simple_tag
def write_lines(runs: Sequence[CaseRun]) -> SafeString:
    """Return the write calls of one case in several runs, likewise."""
    lines = (
        (
            '<svg class="time-bar" width="100%" height="20" aria-hidden="true"><rect class="track" y="3" width="100%"'
            f' height="14"/><rect class="{"series-b" if place else "series-a"}" y="3" width="{run.writes_width}%"'
            ' height="14"/></svg>',
            count(run.measures["write_calls"]),
        )
        for place, run in enumerate(runs)
    )
    return _lines(runs, lines)


def _lines(runs: Sequence[CaseRun], lines: Iterable[tuple[str, str]]) -> SafeString:
    drawn = (
        f'<span class="pair-line"><b class="{"in-b" if place else "in-a"}">{run.letter}</b>{picture}'
        f'<span class="number">{escape(words)}</span></span>\n'
        for place, (run, (picture, words)) in enumerate(zip(runs, lines, strict=True))
    )
    return mark_safe("".join(drawn))  # noqa: S308 - the words are escaped
