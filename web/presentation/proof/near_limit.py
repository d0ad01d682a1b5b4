"""The runs of a case near its time limit: those that decided, further ones, how far they scatter, and the rule.

Of a case whose numbers are rounded a reader learns how many runs there were, how many were over the limit and how many
of them the wall time limit stopped, the fastest and the slowest further run, rounded, and sees no picture.
docs/security.md counts these bits.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.near_limit import NEAR_PERCENT, stopped_at_us
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.presentation.charts import Tick
from web.presentation.rounding import Rounding
from web.presentation.units import count, duration, limit, percent

_MARGIN = 3  # per cent of the drawing that is left at both ends


@dataclass(frozen=True, kw_only=True, slots=True)
class Dot:
    """One run in the drawing. `counts`: its time is the case's."""

    x: float
    is_over: bool
    counts: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsRow:
    """The runs of one kind."""

    label: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsPlot:
    """Runs as dots on an axis of CPU time around the limit; the axis does not begin at 0. Positions are per cents.

    `description` tells all of it in words.
    """

    rows: tuple[RunsRow, ...]
    limit: Tick
    ends: tuple[Tick, Tick]
    description: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NearLimitView:
    """`headline`: how sure the verdict is; `rule`: which run counts; one of them may be empty. `why`: the reason."""

    headline: str
    rule: str
    why: str
    plot: RunsPlot | None


def near_limit_view(result: TestCaseResult, time_limit_ms: int, shown: Rounding) -> NearLimitView | None:
    """Return what is to be said of a case's runs; None if it ran once."""
    judged: list[int] = result.run_times or []
    further: list[int] = result.repeats["cpu_times_us"] if result.repeats else []
    was_run_again = len(judged) > 1
    if not was_run_again and not further:
        return None
    headline = (_headline(result, further, time_limit_ms, shown), _stopped_by_clock(result)) if further else ()
    return NearLimitView(
        headline=" ".join(filter(None, headline)),
        rule=_rule(judged, time_limit_ms, shown) if was_run_again else "",
        why=" ".join(filter(None, (_why(was_run_again=was_run_again), _of_passes(result)))),
        plot=_plot(result, judged or [result.cpu_time_us], further, time_limit_ms) if shown.is_exact else None,
    )


def _rule(judged: Sequence[int], time_limit_ms: int, shown: Rounding) -> str:
    told = {"number": count(len(judged)), "limit": limit(time_limit_ms)}
    if not shown.is_exact:  # a translation may name any value, so it gets no times
        return _("The fastest of %(number)s runs counts. The limit is %(limit)s.") % told
    told["times"] = _listed(judged)
    return _("The fastest of %(number)s runs counts: %(times)s. The limit is %(limit)s.") % told


def _why(*, was_run_again: bool) -> str:
    if not was_run_again:
        return _("Further runs come after the verdict and do not change it.")
    return _(
        "A case that is over its limit by at most %(percent)s is run again before its verdict. Other work on the "
        "machine can only add time to a run, so the fastest counts. Runs after the verdict do not change it."
    ) % {"percent": percent(NEAR_PERCENT / 100)}


def _of_passes(result: TestCaseResult) -> str:
    if result.passes == 1:
        return ""
    return _("The limit is for each pass of a run, so the time of a run is that of its slowest pass.")


def _headline(result: TestCaseResult, further: Sequence[int], time_limit_ms: int, shown: Rounding) -> str:
    number, within = len(further), int(result.repeats["within"] if result.repeats else 0)
    over = number - within
    if result.verdict == Verdict.TLE and not within:
        sentence = _("%(over)s of %(number)s further runs were over the limit of %(limit)s too: %(times)s.")
    elif result.verdict == Verdict.TLE:
        sentence = ngettext(
            "%(within)s of %(number)s further runs was within the limit of %(limit)s: %(times)s. On another day, this "
            "case may be within the limit.",
            "%(within)s of %(number)s further runs were within the limit of %(limit)s: %(times)s. On another day, this "
            "case may be within the limit.",
            within,
        )
    elif not over:
        sentence = _("%(within)s of %(number)s further runs were within the limit of %(limit)s: %(times)s.")
    else:
        sentence = ngettext(
            "%(over)s of %(number)s further runs was over the limit of %(limit)s: %(times)s. On another day, this case "
            "may be over the limit.",
            "%(over)s of %(number)s further runs were over the limit of %(limit)s: %(times)s. On another day, this "
            "case may be over the limit.",
            over,
        )
    return sentence % {
        "within": count(within),
        "over": count(over),
        "number": count(number),
        "limit": limit(time_limit_ms),
        "times": _spread(further, time_limit_ms, shown),
    }


def _stopped_by_clock(result: TestCaseResult) -> str:
    stopped = int(result.repeats.get("stopped_by_clock", 0) if result.repeats else 0)
    if not stopped:
        return ""
    sentence = ngettext(
        "%(number)s of them was stopped by the wall time limit.",
        "%(number)s of them were stopped by the wall time limit.",
        stopped,
    )
    return sentence % {"number": count(stopped)}


def _spread(further: Sequence[int], time_limit_ms: int, shown: Rounding) -> str:
    fastest, slowest = (_time(time_us, time_limit_ms, shown) for time_us in (min(further), max(further)))
    if fastest == slowest:
        return _("%(time)s each") % {"time": fastest}
    if shown.is_exact:
        return _("%(fastest)s to %(slowest)s, median %(median)s") % {
            "fastest": fastest,
            "slowest": slowest,
            "median": _time(statistics.median(further), time_limit_ms, shown),
        }
    return _("%(fastest)s to %(slowest)s") % {"fastest": fastest, "slowest": slowest}


def _time(time_us: float, time_limit_ms: int, shown: Rounding) -> str:
    """Return a further run's time; of a run that was stopped over the limit only that it had come so far."""
    seen_us, stopped_us = shown.cpu_time_us(time_us), stopped_at_us(time_limit_ms)
    return duration(seen_us) if seen_us < stopped_us else _("at least %(time)s") % {"time": duration(stopped_us)}


def _plot(result: TestCaseResult, judged: Sequence[int], further: Sequence[int], time_limit_ms: int) -> RunsPlot:
    limit_us = time_limit_ms * 1_000
    room_us = limit_us * NEAR_PERCENT / 100
    least, most = min(limit_us - room_us, *judged, *further), max(limit_us + room_us, *judged, *further)

    def x(time_us: float) -> float:
        return round(_MARGIN + (100 - 2 * _MARGIN) * (time_us - least) / (most - least), 2)

    def dots(times: Sequence[int], counts: int | None) -> tuple[Dot, ...]:
        return tuple(
            Dot(x=x(time), is_over=time > limit_us, counts=place == counts) for place, time in enumerate(times)
        )

    rows = [RunsRow(label=_("judged"), dots=dots(judged, list(judged).index(min(judged))))]
    if further:
        rows.append(RunsRow(label=_("further runs"), dots=dots(further, None)))
        description = _("Judged: %(judged)s. Further runs: %(further)s. Limit: %(limit)s.")
    else:
        description = _("Judged: %(judged)s. Limit: %(limit)s.")
    return RunsPlot(
        rows=tuple(rows),
        limit=Tick(x=x(limit_us), label=_("limit %(time)s") % {"time": limit(time_limit_ms)}),
        ends=(
            Tick(x=x(least), label=duration(least), anchor="start"),
            Tick(x=x(most), label=duration(most), anchor="end"),
        ),
        description=description
        % {"judged": _listed(judged), "further": _listed(further), "limit": limit(time_limit_ms)},
    )


def _listed(times_us: Sequence[int]) -> str:
    return ", ".join(duration(time_us) for time_us in times_us)
