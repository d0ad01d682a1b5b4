"""The runs of a case near its time limit: those that decided, further ones, how far they scatter, and the rule.

Of a case whose numbers are rounded a reader learns how many runs there were, how many were over the limit and how many
of them the wall time limit stopped, the fastest and the slowest further run, rounded, and sees no picture.
docs/security.md counts these bits.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from judge.grading.near_limit import (
    NEAR_PERCENT,
    OVER_PERCENT,
    clock_us,
    is_near,
    limited_us,
    stopped_at_us,
    wall_limit_ms,
)
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.access.rounding import Rounding
from web.presentation.charts import Tick
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
    """The runs of one kind; `times` has them in words."""

    label: str
    times: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunsPlot:
    """Runs as dots on an axis of time around the limit; the axis does not begin at 0. Positions are per cents."""

    rows: tuple[RunsRow, ...]
    limit: Tick
    ends: tuple[Tick, Tick]
    description: str  # all of it in words
    is_on_clock: bool

    @property
    def numbers(self) -> list[tuple[str, str]]:
        return [(row.label, row.times) for row in self.rows]


@dataclass(frozen=True, kw_only=True, slots=True)
class NearLimitView:
    """`headline`: how sure the verdict is; `rule`: which run counts; one of them may be empty. `why`: the reason."""

    headline: str
    rule: str
    why: str
    plot: RunsPlot | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Runs:
    """The times of a case's runs and their limit: CPU times, or those on the clock if only these are near."""

    judged: Sequence[int]
    further: Sequence[int]
    limit_ms: int
    stopped_at_us: int  # a run that used as much was stopped
    is_on_clock: bool

    def rounded(self, time_us: float, rounding: Rounding) -> int:
        return rounding.time_us(time_us) if self.is_on_clock else rounding.cpu_time_us(time_us)


def near_limit_view(result: TestCaseResult, time_limit_ms: int, rounding: Rounding) -> NearLimitView | None:
    """Return what is to be said of a case's runs; None if it ran once."""
    runs = _runs(result, time_limit_ms)
    was_run_again = len(runs.judged) > 1
    if not was_run_again and not runs.further:
        return None
    rule, why = "", [_("Further runs come after the verdict and do not change it.")]
    if was_run_again:
        words = _("The fastest of %(number)s runs counts. The limit is %(limit)s.")
        values = {"number": count(len(runs.judged)), "limit": limit(time_limit_ms)}
        if rounding.is_exact:  # a translation may name any value, so else it gets no times
            words = _("The fastest of %(number)s runs counts: %(times)s. The limit is %(limit)s.")
            values["times"] = _listed(runs.judged)
        rule = words % values
        again = _(
            "A case that is over its limit by at most %(percent)s is run again before its verdict. Other work on the "
            "machine can only add time to a run, so the fastest counts. Runs after the verdict do not change it."
        )
        why = [again % {"percent": percent(OVER_PERCENT / 100)}]
    if result.passes != 1:
        why.append(_("The limit is for each pass of a run, so the time of a run is that of its slowest pass."))
    if runs.is_on_clock:
        on_clock = _(
            "These are times on the clock and the limit on wall time: the case is far from the limit on CPU time."
        )
        why.append(on_clock)
    return NearLimitView(
        headline=_headline(result, runs, rounding) if runs.further else "",
        rule=rule,
        why=" ".join(why),
        plot=_plot(runs) if rounding.is_exact else None,
    )


def _runs(result: TestCaseResult, time_limit_ms: int) -> _Runs:
    repeats = result.repeats
    time_us, wall_ms = limited_us(result.cpu_time_us, result.passes, result.run_times), wall_limit_ms(time_limit_ms)
    on_clock_us = clock_us(result.wall_time_us, result.queued_time_us, result.passes)
    is_near_cpu_limit = bool(result.run_times) or (time_us is not None and is_near(time_us, time_limit_ms))
    if not is_near_cpu_limit and repeats and repeats.clock_times_us and is_near(on_clock_us, wall_ms):
        return _Runs(
            judged=[on_clock_us],
            further=repeats.clock_times_us,
            limit_ms=wall_ms,
            stopped_at_us=wall_ms * 1_000,
            is_on_clock=True,
        )
    return _Runs(
        judged=result.run_times or (result.cpu_time_us,),
        further=repeats.cpu_times_us if repeats else (),
        limit_ms=time_limit_ms,
        stopped_at_us=stopped_at_us(time_limit_ms),
        is_on_clock=False,
    )


def _headline(result: TestCaseResult, runs: _Runs, rounding: Rounding) -> str:
    number, within = len(runs.further), result.repeats.within if result.repeats else 0
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
    headline = sentence % {
        "within": count(within),
        "over": count(over),
        "number": count(number),
        "limit": limit(runs.limit_ms),
        "times": _spread(runs, rounding),
    }
    stopped = result.repeats.stopped_by_clock if result.repeats else 0
    if not stopped:
        return headline
    by_clock = ngettext(
        "%(number)s of them was stopped by the wall time limit.",
        "%(number)s of them were stopped by the wall time limit.",
        stopped,
    )
    return f"{headline} {by_clock % {'number': count(stopped)}}"


def _spread(runs: _Runs, rounding: Rounding) -> str:
    fastest, slowest = (_time(time_us, runs, rounding) for time_us in (min(runs.further), max(runs.further)))
    if fastest == slowest:
        return _("%(time)s each") % {"time": fastest}
    if rounding.is_exact:
        median = _time(statistics.median(runs.further), runs, rounding)
        values = {"fastest": fastest, "slowest": slowest, "median": median}
        return _("%(fastest)s to %(slowest)s, median %(median)s") % values
    return _("%(fastest)s to %(slowest)s") % {"fastest": fastest, "slowest": slowest}


def _time(time_us: float, runs: _Runs, rounding: Rounding) -> str:
    """Return a further run's time; of a run that was stopped over the limit only that it had come so far."""
    seen_us, stopped_us = runs.rounded(time_us, rounding), runs.stopped_at_us
    return duration(seen_us) if seen_us < stopped_us else _("at least %(time)s") % {"time": duration(stopped_us)}


def _plot(runs: _Runs) -> RunsPlot:
    judged, further, limit_us = runs.judged, runs.further, runs.limit_ms * 1_000
    room_us = limit_us * NEAR_PERCENT / 100
    least, most = min(limit_us - room_us, *judged, *further), max(limit_us + room_us, *judged, *further)

    def x(time_us: float) -> float:
        return round(_MARGIN + (100 - 2 * _MARGIN) * (time_us - least) / (most - least), 2)

    def dots(times: Sequence[int], counts: int | None) -> tuple[Dot, ...]:
        return tuple(
            Dot(x=x(time), is_over=time > limit_us, counts=place == counts) for place, time in enumerate(times)
        )

    rows = [RunsRow(label=_("judged"), times=_listed(judged), dots=dots(judged, list(judged).index(min(judged))))]
    description = _("Judged: %(judged)s. Limit: %(limit)s.")
    if further:
        rows.append(RunsRow(label=_("further runs"), times=_listed(further), dots=dots(further, None)))
        description = _("Judged: %(judged)s. Further runs: %(further)s. Limit: %(limit)s.")
    values = {"judged": _listed(judged), "further": _listed(further), "limit": limit(runs.limit_ms)}
    left, right = (
        Tick(x=x(time), label=duration(time), anchor=anchor) for time, anchor in ((least, "start"), (most, "end"))
    )
    return RunsPlot(
        rows=tuple(rows),
        limit=Tick(x=x(limit_us), label=_("limit %(time)s") % {"time": limit(runs.limit_ms)}),
        ends=(left, right),
        description=description % values,
        is_on_clock=runs.is_on_clock,
    )


def _listed(times_us: Sequence[int]) -> str:
    return ", ".join(duration(time_us) for time_us in times_us)
