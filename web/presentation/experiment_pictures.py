"""Pictures of an experiment as plain values: bars with the interval of their median, and what went on during a run.

Positions are per cents of the drawing's width. In a timeline's panel heights are per cents too, 0 at the top.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from judge.experiment.results import Cell, Sample
from web.presentation.charts import LogScale, Segment, Tick, TimeScale
from web.presentation.experiment_metrics import METRICS, Kind, Metric, median_of, spread
from web.presentation.units import NOTHING, count, duration, percent

_PART_CLASSES = {"user_time_us": "user", "system_time_us": "system"}
_LEAST_WHISKER = 0.3  # per cent: a shorter interval is not drawn, since nobody would see it


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One cell as a bar; `whisker` is where its median lies with about 95 % confidence, if that can be seen."""

    variant: str
    destination: str
    words: str
    spread: str
    segments: tuple[Segment, ...]
    whisker: tuple[float, float] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """All cells by one metric, on one scale."""

    metric: Metric
    bars: tuple[Bar, ...]
    ticks: list[Tick]

    @property
    def is_logarithmic(self) -> bool:
        """Whether the scale is a logarithmic one."""
        return self.metric.kind is Kind.COUNT


@dataclass(frozen=True, kw_only=True, slots=True)
class _SizeScale:
    """Sizes from 0 to the largest."""

    largest: float

    def x(self, size: float) -> float:
        return round(100 * min(max(0.0, size), self.largest) / self.largest, 2)

    def ticks(self) -> list[Tick]:
        return []


def picture(name: str, cells: Sequence[Cell]) -> Picture | None:
    """The cells by one metric; None where there is nothing of it."""
    metric = METRICS[name]
    largest = max((_reach(cell, name) for cell in cells), default=0.0)
    if not largest:
        return None
    scale = _scale(metric.kind, largest)
    return Picture(metric=metric, bars=tuple(_bar(cell, metric, scale) for cell in cells), ticks=scale.ticks())


def _scale(kind: Kind, largest: float) -> TimeScale | LogScale | _SizeScale:
    if kind is Kind.TIME:
        return TimeScale(end_us=max(1, round(largest * 1.02)), limit_us=None)
    if kind is Kind.COUNT:
        return LogScale(largest=round(largest))
    return _SizeScale(largest=largest * 1.02)


def _reach(cell: Cell, name: str) -> float:
    """How far to the right something of the cell lies."""
    estimate = cell.estimates.get(name)
    parts = sum(median_of(cell, part) or 0 for part in METRICS[name].parts)
    return max(median_of(cell, name) or 0, estimate.high if estimate else 0, parts)


def _bar(cell: Cell, metric: Metric, scale: TimeScale | LogScale | _SizeScale) -> Bar:
    estimate = cell.estimates.get(metric.name)
    whisker = (scale.x(estimate.low), scale.x(estimate.high)) if estimate else None
    if whisker and whisker[1] - whisker[0] < _LEAST_WHISKER:
        whisker = None
    return Bar(
        variant=cell.variant,
        destination=cell.destination,
        words=metric.worded(median_of(cell, metric.name)),
        spread=spread(metric, estimate),
        segments=_segments(cell, metric, scale),
        whisker=whisker,
    )


def _segments(cell: Cell, metric: Metric, scale: TimeScale | LogScale | _SizeScale) -> tuple[Segment, ...]:
    if not metric.parts:
        width = scale.x(median_of(cell, metric.name) or 0)
        return (Segment(kind="plain-bar", x=0.0, width=width),) if width else ()
    segments, position = [], 0.0
    for part in metric.parts:
        width = min(scale.x(median_of(cell, part) or 0), 100 - position)
        if width:
            segments.append(Segment(kind=_PART_CLASSES[part], x=round(position, 2), width=round(width, 2)))
        position += width
    return tuple(segments)


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """One thing over the time of a run: paths in a drawing of 100 by 100; `top` is what its upper edge stands for."""

    label: str
    paths: tuple[tuple[str, str], ...]  # class and path
    top: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """What went on during the run in the middle of one cell."""

    variant: str
    destination: str
    panels: tuple[Panel, ...]
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Timelines:
    """Those of all cells that have one, on common scales."""

    rows: tuple[Timeline, ...]
    ticks: list[Tick]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """What went on between two looks at a run."""

    begin_us: int
    end_us: int
    cores: float  # CPU time over wall time
    own: float  # switches per second
    forced: float

    @property
    def off(self) -> float:
        """The share of the time in which not even one core worked for it: it waited, or others had the cores."""
        return max(0.0, 1.0 - self.cores)


def timelines(cells: Sequence[Cell]) -> Timelines | None:
    """The timelines of the cells; None where no run was looked at while it went on."""
    known = [(cell, found) for cell in cells if (found := _steps(cell.timeline))]
    if not known:
        return None
    every = [step for _, found in known for step in found]
    scale = TimeScale(end_us=max(step.end_us for step in every), limit_us=None)
    cores = max(1.0, *(step.cores for step in every))
    switches = LogScale(largest=round(max(1.0, *(max(step.own, step.forced) for step in every))))
    rows = tuple(_timeline(cell, found, scale, cores, switches) for cell, found in known)
    return Timelines(rows=rows, ticks=scale.ticks())


def _steps(samples: Sequence[Sample]) -> list[_Step]:
    return [_step(before, after) for before, after in pairwise(samples) if after.at_us > before.at_us]


def _step(before: Sample, after: Sample) -> _Step:
    length_us = after.at_us - before.at_us
    per_second = 1_000_000 / length_us
    return _Step(
        begin_us=before.at_us,
        end_us=after.at_us,
        cores=max(0, after.cpu_time_us - before.cpu_time_us) / length_us,
        own=max(0, after.voluntary_switches - before.voluntary_switches) * per_second,
        forced=max(0, after.involuntary_switches - before.involuntary_switches) * per_second,
    )


def _timeline(cell: Cell, steps: list[_Step], scale: TimeScale, cores: float, switches: LogScale) -> Timeline:
    use = _path([(step, 100 * step.cores / cores) for step in steps], scale, is_filled=True)
    off = _path([(step, 100 * step.off) for step in steps], scale, is_filled=True)
    own = _path([(step, switches.x(step.own)) for step in steps], scale)
    forced = _path([(step, switches.x(step.forced)) for step in steps], scale)
    top = f"{cores:.1f}".removesuffix(".0")
    panels = (
        Panel(label="CPU use", paths=(("user", use),), top=f"{top} core{'s' if cores > 1 else ''}"),
        Panel(label="Off the cores", paths=(("waiting", off),), top="100 %"),
        Panel(
            label="Switches per second",
            paths=(("line-own", own), ("line-forced", forced)),
            top=f"{count(switches.largest)}, logarithmic",
        ),
    )
    return Timeline(variant=cell.variant, destination=cell.destination, panels=panels, sentence=_sentence(cell, steps))


def _path(heights: list[tuple[_Step, float]], scale: TimeScale, *, is_filled: bool = False) -> str:
    parts: list[str] = []
    for step, height in heights:
        y = round(100 - height, 2)
        parts.append(f"{'L' if parts else 'M'}{scale.x(step.begin_us)} {y}H{scale.x(step.end_us)}")
    line = "".join(parts)
    first, last = scale.x(heights[0][0].begin_us), scale.x(heights[-1][0].end_us)
    return f"{line}L{last} 100L{first} 100Z" if is_filled else line


def _sentence(cell: Cell, steps: list[_Step]) -> str:
    """The picture for who does not see it, and what of the time off the cores was the program's own waiting."""
    waiting, wall = median_of(cell, "waiting_time_us") or 0, median_of(cell, "wall_time_us")
    share = percent(min(1.0, waiting / wall)) if wall else NOTHING
    length_us = steps[-1].end_us - steps[0].begin_us
    spent = sum(step.cores * (step.end_us - step.begin_us) for step in steps)
    own = sum(step.own * (step.end_us - step.begin_us) for step in steps) / 1_000_000
    forced = sum(step.forced * (step.end_us - step.begin_us) for step in steps) / 1_000_000
    return (
        f"{duration(length_us)} long, {spent / length_us:.2f} cores busy on average, "
        f"{count(own)} own and {count(forced)} forced switches. The program itself waited {share} of the wall time."
    )
