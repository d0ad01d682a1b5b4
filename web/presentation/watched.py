"""A test case watched over time, as this reader may see it: a picture, and its totals in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.models import TestCaseResult
from sandbox.types import TimelinePoint
from web.presentation.charts import Tick
from web.presentation.over_time import Panel, Step, even_samples, panels, scales_for, shown_samples, steps_of
from web.presentation.rounding import Rounding
from web.presentation.units import count, counted, duration, percent

_EVEN_STEPS = 20  # by which the time off the cores is told
_WORTH_SAYING = 0.005  # of the wall time
_NOTABLY_OTHER = 0.1  # of the judged run's wall time


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchedView:
    """One run over its wall time. `totals` are the sentences that say the same, `remarks` how far the picture goes."""

    panels: tuple[Panel, ...]
    ticks: list[Tick]
    totals: tuple[str, ...]
    remarks: tuple[str, ...]


def watched_view(result: TestCaseResult, shown: Rounding) -> WatchedView | None:
    """The run of a case that was watched; None when it was not."""
    run: dict[str, Any] | None = result.timeline
    if run is None:
        return None
    whole = [TimelinePoint(**point) for point in run["points"]]
    samples = shown_samples(whole, shown)
    steps = steps_of(samples)
    scales = scales_for(steps, run["cores"])
    even = even_samples(whole, _EVEN_STEPS) if shown.is_exact else samples
    return WatchedView(
        panels=panels(steps, scales),
        ticks=scales.time.ticks(),
        totals=tuple(_totals(run, result.wall_time_us, steps_of(even), shown)),
        remarks=tuple(_remarks(run, steps)),
    )


def _totals(run: dict[str, Any], judged_us: int, even: Sequence[Step], shown: Rounding) -> Iterable[str]:
    """`even`: the steps between a few moments. Two looks close to each other tell a core's use less well."""
    usage, cores = run["usage"], run["cores"]
    wall_us = shown.time_us(usage["wall_time_us"])
    cpu_us = shown.cpu_time_us(usage["user_time_us"] + usage["system_time_us"])
    busy = f": {cpu_us / wall_us:.2f} of {counted(cores, 'core')} busy on average" if wall_us else ""
    yield f"It took {duration(wall_us)} and {duration(cpu_us)} of CPU time{busy}."
    judged = shown.time_us(judged_us)
    if abs(wall_us - judged) > _NOTABLY_OTHER * judged:
        yield f"When it was judged it took {duration(judged)}."
    off = sum(step.off * step.length_us for step in even) / sum(step.length_us for step in even)
    if off >= _WORTH_SAYING:
        least = "at least " if cores > 1 else ""
        yield f"For {least}{percent(off)} of the time not one core worked for it."
    queued_us = shown.time_us(usage["queued_time_us"])
    if queued_us and queued_us >= _WORTH_SAYING * wall_us:
        yield f"Its first thread was runnable for {duration(queued_us)}, waiting for a core."
    own, forced = shown.count(usage["voluntary_switches"]), shown.count(usage["involuntary_switches"])
    yield f"It made {count(own)} voluntary and {count(forced)} involuntary context switches."


def _remarks(run: dict[str, Any], steps: Sequence[Step]) -> Iterable[str]:
    if not run["is_whole"]:
        yield "The run did not come to its end, so this is what went on until then."
    every = duration(steps[-1].end_us / len(steps))
    yield f"One step is about {every}. Looking takes a little time too, which may show as involuntary context switches."
    yield "Switches of a thread that ended between two looks are told at the run's end."
