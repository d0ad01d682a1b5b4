"""A test case watched over time, as this reader may see it: a picture, and its totals in words.

Of a hidden case contestants see a few even steps with coarse rates: a program could else tell what it read by when it
works and when it sleeps.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.models import TestCaseResult
from sandbox.types import TimelinePoint
from web.presentation.charts import Tick
from web.presentation.measures import is_exact_for
from web.presentation.over_time import Panel, Step, panels, scales_for, steps_of
from web.presentation.units import counted, duration, percent, significant

_EVEN_STEPS = 20  # where the steps are not the looks themselves
_CORE_PARTS_OF_HIDDEN = 20  # a core's use is told to the twentieth
_RATE_DIGITS_OF_HIDDEN = 2
_WORTH_SAYING = 0.005  # of the wall time
_NOTABLY_OTHER = 0.1  # of the judged run's wall time


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchedView:
    """One run over its wall time. `totals` are the sentences that say the same, `remarks` how far the picture goes."""

    panels: tuple[Panel, ...]
    ticks: list[Tick]
    totals: tuple[str, ...]
    remarks: tuple[str, ...]


def watched_view(result: TestCaseResult, is_staff: bool) -> WatchedView | None:
    """The run of a case that was watched; None when it was not."""
    run: dict[str, Any] | None = result.timeline
    if run is None:
        return None
    is_exact = is_exact_for(result, is_staff)
    samples = [TimelinePoint(**point) for point in run["points"]]
    even = _even(samples)
    steps = steps_of(samples) if is_exact else _coarse(even)
    scales = scales_for(steps, run["cores"])
    return WatchedView(
        panels=panels(steps, scales),
        ticks=scales.time.ticks(),
        totals=tuple(_totals(run, result.wall_time_us, steps_of(even), int if is_exact else significant)),
        remarks=tuple(_remarks(run, steps)),
    )


def _even(samples: Sequence[TimelinePoint]) -> list[TimelinePoint]:
    """The same run at a few moments, all as far apart."""
    number = min(_EVEN_STEPS, len(samples) - 1)
    return [_between(samples, samples[-1].at_us * place // number) for place in range(number + 1)]


def _coarse(even: Sequence[TimelinePoint]) -> list[Step]:
    """The steps between these moments, their rates and their length rounded."""
    number, shown_us = len(even) - 1, significant(even[-1].at_us)
    return [
        Step(
            begin_us=shown_us * place // number,
            end_us=shown_us * (place + 1) // number,
            cores=round(step.cores * _CORE_PARTS_OF_HIDDEN) / _CORE_PARTS_OF_HIDDEN,
            own=significant(step.own, _RATE_DIGITS_OF_HIDDEN),
            forced=significant(step.forced, _RATE_DIGITS_OF_HIDDEN),
        )
        for place, step in enumerate(steps_of(even))
    ]


def _between(samples: Sequence[TimelinePoint], at_us: int) -> TimelinePoint:
    """How far the run had come at a moment between two looks, as if it had gone on evenly from one to the other."""
    after = next(place for place, sample in enumerate(samples) if sample.at_us >= at_us)
    if samples[after].at_us == at_us:
        return samples[after]
    one, other = samples[after - 1], samples[after]
    share = (at_us - one.at_us) / (other.at_us - one.at_us)

    def part(before: int, later: int) -> int:
        return round(before + share * (later - before))

    return TimelinePoint(
        at_us=at_us,
        cpu_time_us=part(one.cpu_time_us, other.cpu_time_us),
        voluntary_switches=part(one.voluntary_switches, other.voluntary_switches),
        involuntary_switches=part(one.involuntary_switches, other.involuntary_switches),
    )


def _totals(run: dict[str, Any], judged_us: int, even: Sequence[Step], shown: Callable[[float], int]) -> Iterable[str]:
    """`even`: the steps between a few moments. Two looks close to each other tell a core's use less well."""
    usage, cores = run["usage"], run["cores"]
    wall_us = max(1, shown(usage["wall_time_us"]))
    cpu_us = shown(usage["user_time_us"] + usage["system_time_us"])
    yield (
        f"It took {duration(wall_us)} and {duration(cpu_us)} of CPU time: {cpu_us / wall_us:.2f} of "
        f"{counted(cores, 'core')} busy on average."
    )
    if abs(wall_us - judged_us) > _NOTABLY_OTHER * judged_us:
        yield f"When it was judged it took {duration(shown(judged_us))}."
    off = sum(step.off * step.length_us for step in even) / sum(step.length_us for step in even)
    if off >= _WORTH_SAYING:
        least = "at least " if cores > 1 else ""
        yield f"For {least}{percent(off)} of the time not one core worked for it."
    queued_us = shown(usage["queued_time_us"])
    if queued_us >= _WORTH_SAYING * wall_us:
        yield f"Its first thread was ready for {duration(queued_us)} and got no core."
    own, forced = shown(usage["voluntary_switches"]), shown(usage["involuntary_switches"])
    yield f"It gave up its core {counted(own, 'time')} by itself and was made to {counted(forced, 'time')}."


def _remarks(run: dict[str, Any], steps: Sequence[Step]) -> Iterable[str]:
    if not run["is_whole"]:
        yield "The run did not come to its end, so this is what went on until then."
    every = duration(steps[-1].end_us / len(steps))
    yield f"One step is about {every}. Looking takes a little time too, which may show as forced switches."
    yield "Switches of a thread that ended between two looks are told at the run's end."
