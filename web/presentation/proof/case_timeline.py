"""The timeline of a case as its page shows it: the panels, the totals in words, how far the picture goes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.events import TimelineRun
from judge.models import TestCaseResult
from web.access.rounding import Rounding
from web.presentation.charts import Tick
from web.presentation.proof.timeline import (
    MOST_ROWS,
    Panel,
    Row,
    Step,
    even_samples,
    panels,
    rows,
    scales_for,
    shown_samples,
    steps_of,
)
from web.presentation.units import count, duration, percent

_WORTH_SAYING = 0.005  # of the wall time
_NOTABLY_OTHER = 0.1  # of the judged run's wall time


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineView:
    """One run over its wall time. `totals` are the sentences that say the same, `remarks` how far the picture goes."""

    panels: tuple[Panel, ...]
    rows: tuple[Row, ...]
    ticks: list[Tick]
    totals: tuple[str, ...]
    remarks: tuple[str, ...]


def timeline_view(result: TestCaseResult, rounding: Rounding) -> TimelineView | None:
    """Return the timeline of a case; None if no run was sampled."""
    run = result.timeline
    if run is None:
        return None
    samples = shown_samples(run.points, rounding)
    steps = steps_of(samples)
    scales = scales_for(steps, run.cores)
    even = even_samples(run.points, MOST_ROWS) if rounding.is_exact else samples
    return TimelineView(
        panels=panels(steps, scales),
        rows=rows(samples, rounding),
        ticks=scales.time.ticks(),
        totals=tuple(_totals(run, result.wall_time_us, steps_of(even), rounding)),
        remarks=tuple(_remarks(run, steps)),
    )


def _totals(run: TimelineRun, judged_us: int, even: Sequence[Step], rounding: Rounding) -> Iterable[str]:
    """Return the totals. `even`: the steps between a few moments; two close samples tell a core's use less well."""
    usage, cores = run.usage, run.cores
    wall_us = rounding.time_us(usage.wall_time_us)
    cpu_us = rounding.cpu_time_us(usage.cpu_time_us)
    if wall_us:
        took = ngettext(
            "It took %(wall)s and %(cpu)s of CPU time: %(busy)s of %(cores)s core busy on average.",
            "It took %(wall)s and %(cpu)s of CPU time: %(busy)s of %(cores)s cores busy on average.",
            cores,
        ) % {
            "busy": f"{cpu_us / wall_us:.2f}",
            "cores": count(cores),
            "wall": duration(wall_us),
            "cpu": duration(cpu_us),
        }
    else:
        took = _("It took %(wall)s and %(cpu)s of CPU time.") % {"wall": duration(wall_us), "cpu": duration(cpu_us)}
    yield took
    judged = rounding.time_us(judged_us)
    if abs(wall_us - judged) > _NOTABLY_OTHER * judged:
        yield _("When it was judged it took %(time)s.") % {"time": duration(judged)}
    off = sum(step.off * step.length_us for step in even) / sum(step.length_us for step in even)
    if off >= _WORTH_SAYING:
        if cores > 1:
            idle = _("For at least %(share)s of the time, the program ran on no core.")
        else:
            idle = _("For %(share)s of the time, the program ran on no core.")
        yield idle % {"share": percent(off)}
    queued_us = rounding.time_us(usage.queued_time_us)
    if queued_us and queued_us >= _WORTH_SAYING * wall_us:
        yield _("Its first thread was runnable for %(time)s, waiting for a core.") % {"time": duration(queued_us)}
    own, forced = rounding.count(usage.voluntary_switches), rounding.count(usage.involuntary_switches)
    yield _("It made %(own)s voluntary and %(forced)s involuntary context switches.") % {
        "own": count(own),
        "forced": count(forced),
    }


def _remarks(run: TimelineRun, steps: Sequence[Step]) -> Iterable[str]:
    if not run.is_whole:
        yield _("The run did not come to its end, so this is what went on until then.")
    every = duration(steps[-1].end_us / len(steps))
    yield _(
        "One step is about %(time)s. Looking takes a little time too, which may show as involuntary context switches."
    ) % {"time": every}
    yield _("Switches of a thread that ended between two looks are told at the run's end.")
