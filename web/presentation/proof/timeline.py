"""The timeline of a run, as this reader may see it: panels over its wall time, a table of the same, totals in words.

Positions and heights are per cents of the drawing; 0 is at the left and at the top.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext as _, ngettext

from judge.grading.events import TimelineRun
from judge.models import TestCaseResult
from sandbox.types import TimelinePoint
from web.access.rounding import STEPS, Rounding, Under
from web.presentation.charts import LogScale, Tick, TimeScale
from web.presentation.units import count, duration, per_cent, percent, plural_of

_MOST_ROWS = 20
_WORTH_SAYING = 0.005  # of the wall time
_NOTABLY_OTHER = 0.1  # of the judged run's wall time


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """The part of a run between two samples."""

    begin_us: int
    end_us: int
    cores: float  # CPU time over wall time
    own: float  # switches per second
    forced: float

    @property
    def length_us(self) -> int:
        return self.end_us - self.begin_us

    @property
    def off(self) -> float:
        """The share of the time in which not even one core worked for it: it waited, or others had the cores."""
        return max(0.0, 1.0 - self.cores)


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """One thing over the time of a run: paths in a drawing of 100 by 100; `top` is what its upper edge stands for."""

    label: str
    paths: tuple[tuple[str, str], ...]  # class and path
    top: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Scales:
    """The common scales of several runs."""

    time: TimeScale
    cores: float
    switches: LogScale


def steps_of(samples: Sequence[TimelinePoint]) -> list[Step]:
    """Return the steps between samples, without a last one right before the end: a rate over no time says nothing."""
    points = list(samples)
    if len(points) > 2 and (points[-1].at_us - points[-2].at_us) * 2 < points[-1].at_us / (len(points) - 1):
        del points[-2]
    steps = []
    for before, after in pairwise(points):
        length_us = after.at_us - before.at_us
        if length_us > 0:
            own = max(0, after.voluntary_switches - before.voluntary_switches)
            forced = max(0, after.involuntary_switches - before.involuntary_switches)
            steps.append(
                Step(
                    begin_us=before.at_us,
                    end_us=after.at_us,
                    cores=max(0, after.cpu_time_us - before.cpu_time_us) / length_us,
                    own=own * (1_000_000 / length_us),
                    forced=forced * (1_000_000 / length_us),
                )
            )
    return steps


def _even_samples(samples: Sequence[TimelinePoint], most: int) -> list[TimelinePoint]:
    """Return samples of the same run at a few moments, all as far apart."""
    number = min(most, len(samples) - 1)
    return [_between(samples, samples[-1].at_us * place // number) for place in range(number + 1)] if number else []


def shown_samples(samples: Sequence[TimelinePoint], rounding: Rounding) -> list[TimelinePoint]:
    """Return the samples a reader may see: of a hidden case a few even ones, by the coarse rates between them.

    Otherwise a program could tell what it read by when it works and when it sleeps.
    """
    if rounding.is_exact or not samples:
        return list(samples)
    end = rounding.time_us(samples[-1].at_us)
    end_us = end.bound if isinstance(end, Under) else int(end)
    points = [TimelinePoint(at_us=0, cpu_time_us=0, voluntary_switches=0, involuntary_switches=0)]
    spent = own = forced = 0.0
    steps = steps_of(_even_samples(samples, STEPS))
    for place, step in enumerate(steps, 1):
        length_us = end_us / len(steps)
        spent += rounding.cores(step.cores) * length_us
        own += rounding.rate(step.own) * length_us / 1_000_000
        forced += rounding.rate(step.forced) * length_us / 1_000_000
        points.append(
            TimelinePoint(
                at_us=end_us * place // len(steps),
                cpu_time_us=round(spent),
                voluntary_switches=round(own),
                involuntary_switches=round(forced),
            )
        )
    return points


def _between(samples: Sequence[TimelinePoint], at_us: int) -> TimelinePoint:
    """Return the progress of a run at a moment between two samples, by linear interpolation."""
    after = next(place for place, sample in enumerate(samples) if sample.at_us >= at_us)
    if samples[after].at_us == at_us:
        return samples[after]
    before_it, other = samples[after - 1], samples[after]
    share = (at_us - before_it.at_us) / (other.at_us - before_it.at_us)

    def part(before: int, later: int) -> int:
        return round(before + share * (later - before))

    return TimelinePoint(
        at_us=at_us,
        cpu_time_us=part(before_it.cpu_time_us, other.cpu_time_us),
        voluntary_switches=part(before_it.voluntary_switches, other.voluntary_switches),
        involuntary_switches=part(before_it.involuntary_switches, other.involuntary_switches),
    )


def scales_for(steps: Sequence[Step], cores: int | None = None) -> Scales:
    """Return scales on which all of these steps fit, with so many cores if the number of cores is known."""
    return Scales(
        time=TimeScale(end_us=max(step.end_us for step in steps), limit_us=None),
        cores=float(cores) if cores else max(1.0, *(step.cores for step in steps)),
        switches=LogScale(largest=round(max(1.0, *(max(step.own, step.forced) for step in steps)))),
    )


def panels(steps: Sequence[Step], scales: Scales) -> tuple[Panel, ...]:
    """Return the panels: CPU use, the share off the cores, and both kinds of switches."""
    use = _path([(step, min(100, 100 * step.cores / scales.cores)) for step in steps], scales.time, is_filled=True)
    off = _path([(step, 100 * step.off) for step in steps], scales.time, is_filled=True)
    own = _path([(step, scales.switches.x(step.own)) for step in steps], scales.time)
    forced = _path([(step, scales.switches.x(step.forced)) for step in steps], scales.time)
    top = f"{scales.cores:.1f}".removesuffix(".0")
    return (
        Panel(
            label=_("CPU use"),
            paths=(("user", use),),
            top=ngettext("%(cores)s core", "%(cores)s cores", plural_of(float(top))) % {"cores": top},
        ),
        Panel(label=_("Off the cores"), paths=(("waiting", off),), top=per_cent(100)),
        Panel(
            label=_("Context switches per second"),
            paths=(("line-own", own), ("line-forced", forced)),
            top=_("%(number)s, logarithmic") % {"number": count(scales.switches.largest)},
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One part of a run in words. `own` and `forced`: context switches per second."""

    begin: str
    end: str
    cores: str
    off: str
    own: str
    forced: str


def rows(samples: Sequence[TimelinePoint], rounding: Rounding) -> tuple[Row, ...]:
    """Return what the panels draw as the rows of a table, in a few even parts. `samples`: those a reader may see."""
    return tuple(
        Row(
            begin=duration(step.begin_us),
            end=duration(step.end_us),
            cores=f"{step.cores:.1f}",
            off=percent(step.off),
            own=count(rounding.rate(step.own)),
            forced=count(rounding.rate(step.forced)),
        )
        for step in steps_of(_even_samples(samples, _MOST_ROWS))
    )


def _path(heights: Sequence[tuple[Step, float]], scale: TimeScale, *, is_filled: bool = False) -> str:
    parts: list[str] = []
    for step, height in heights:
        y = round(100 - height, 2)
        parts.append(f"{'L' if parts else 'M'}{scale.x(step.begin_us)} {y}H{scale.x(step.end_us)}")
    line = "".join(parts)
    first, last = scale.x(heights[0][0].begin_us), scale.x(heights[-1][0].end_us)
    return f"{line}L{last} 100L{first} 100Z" if is_filled else line


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
    even = _even_samples(run.points, _MOST_ROWS) if rounding.is_exact else samples
    remarks = [] if run.is_whole else [_("The run did not come to its end, so this is what went on until then.")]
    looking = _(
        "One step is about %(time)s. Looking takes a little time too, which may show as involuntary context switches."
    )
    remarks.append(looking % {"time": duration(steps[-1].end_us / len(steps))})
    remarks.append(_("Switches of a thread that ended between two looks are told at the run's end."))
    return TimelineView(
        panels=panels(steps, scales),
        rows=rows(samples, rounding),
        ticks=scales.time.ticks(),
        totals=tuple(_totals(run, result.wall_time_us, steps_of(even), rounding)),
        remarks=tuple(remarks),
    )


def _totals(run: TimelineRun, judged_us: int, even: Sequence[Step], rounding: Rounding) -> Iterator[str]:
    """Return the totals. `even`: the steps between a few moments; two close samples tell a core's use less well."""
    usage, cores = run.usage, run.cores
    wall_us = rounding.time_us(usage.wall_time_us)
    cpu_us = rounding.cpu_time_us(usage.cpu_time_us)
    values = {"wall": duration(wall_us), "cpu": duration(cpu_us)}
    if wall_us:
        took = ngettext(
            "It took %(wall)s and %(cpu)s of CPU time: %(busy)s of %(cores)s core busy on average.",
            "It took %(wall)s and %(cpu)s of CPU time: %(busy)s of %(cores)s cores busy on average.",
            cores,
        )
        yield took % {**values, "busy": f"{cpu_us / wall_us:.2f}", "cores": count(cores)}
    else:
        yield _("It took %(wall)s and %(cpu)s of CPU time.") % values
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
    switches = _("It made %(own)s voluntary and %(forced)s involuntary context switches.")
    yield switches % {"own": count(own), "forced": count(forced)}
