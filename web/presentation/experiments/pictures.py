"""Pictures of an experiment as plain values: bars with the interval of their median, and timelines.

Positions are per cents of the drawing's width. `web.presentation.proof.timeline` makes the panels of a timeline.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from judge.grading.experiment.results import Cell
from judge.grading.measures import BY_NAME, Kind, Measure
from web.access.rounding import Rounding
from web.presentation.charts import DRAWN_AS, LogScale, Segment, Tick, TimeScale
from web.presentation.experiments.metrics import median_of, median_words, spread
from web.presentation.proof.timeline import Panel, Row, Step, panels, rows, scales_for, steps_of
from web.presentation.units import NOTHING, count, duration, percent

_LOGARITHMIC = frozenset({Kind.COUNT, Kind.SWITCHES})
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
    """All cells by one number, on one scale."""

    measure: Measure
    bars: tuple[Bar, ...]
    ticks: list[Tick]

    @property
    def is_logarithmic(self) -> bool:
        return self.measure.kind in _LOGARITHMIC


@dataclass(frozen=True, kw_only=True, slots=True)
class _SizeScale:
    """Sizes from 0 to the largest."""

    largest: float

    def x(self, size: float) -> float:
        return round(100 * min(max(0.0, size), self.largest) / self.largest, 2)

    def ticks(self) -> list[Tick]:
        return []


def picture(measure: Measure, cells: Sequence[Cell]) -> Picture | None:
    """Return the cells by one number as a picture; None if no cell has it."""
    largest = 0.0  # how far to the right something of a cell lies
    for cell in cells:
        estimate = cell.estimates.get(measure.name)
        parts = sum(median_of(cell, BY_NAME[part]) or 0 for part in measure.parts)
        largest = max(largest, median_of(cell, measure) or 0, estimate.high if estimate else 0, parts)
    if not largest:
        return None
    scale: TimeScale | LogScale | _SizeScale = _SizeScale(largest=largest * 1.02)
    if measure.kind is Kind.TIME:
        scale = TimeScale(end_us=max(1, round(largest * 1.02)), limit_us=None)
    elif measure.kind in _LOGARITHMIC:
        scale = LogScale(largest=round(largest))
    return Picture(measure=measure, bars=tuple(_bar(cell, measure, scale) for cell in cells), ticks=scale.ticks())


def _bar(cell: Cell, measure: Measure, scale: TimeScale | LogScale | _SizeScale) -> Bar:
    estimate = cell.estimates.get(measure.name)
    whisker = (scale.x(estimate.low), scale.x(estimate.high)) if estimate else None
    if whisker and whisker[1] - whisker[0] < _LEAST_WHISKER:
        whisker = None
    segments, position = [], 0.0
    for part in measure.parts:
        width = min(scale.x(median_of(cell, BY_NAME[part]) or 0), 100 - position)
        if width:
            segments.append(Segment(kind=DRAWN_AS[part], x=round(position, 2), width=round(width, 2)))
        position += width
    if not measure.parts and (width := scale.x(median_of(cell, measure) or 0)):
        segments.append(Segment(kind="plain-bar", x=0.0, width=width))
    return Bar(
        variant=cell.variant,
        destination=cell.destination,
        words=median_words(cell, measure),
        spread=spread(measure, estimate),
        segments=tuple(segments),
        whisker=whisker,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """The timeline of the median run of one cell."""

    variant: str
    destination: str
    panels: tuple[Panel, ...]
    rows: tuple[Row, ...]
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Timelines:
    """Those of all cells that have one, on common scales."""

    rows: tuple[Timeline, ...]
    ticks: list[Tick]


def timelines(cells: Sequence[Cell], rounding: Rounding) -> Timelines | None:
    """Return the timelines of the cells; None if no run was sampled."""
    drawable = [(cell, steps) for cell in cells if (steps := steps_of(cell.timeline))]
    if not drawable:
        return None
    scales = scales_for([step for _, steps in drawable for step in steps])
    drawn = tuple(
        Timeline(
            variant=cell.variant,
            destination=cell.destination,
            panels=panels(steps, scales),
            rows=rows(cell.timeline, rounding),
            sentence=_sentence(cell, steps, rounding),
        )
        for cell, steps in drawable
    )
    return Timelines(rows=drawn, ticks=scales.time.ticks())


def _sentence(cell: Cell, steps: list[Step], rounding: Rounding) -> str:
    """Describe the picture in words, and how much of the time off the cores the program was blocked."""
    waiting, wall = (median_of(cell, BY_NAME[name]) or 0 for name in ("waiting_time_us", "wall_time_us"))
    share = percent(min(1.0, waiting / wall)) if wall else NOTHING
    length_us = steps[-1].end_us - steps[0].begin_us
    cores = sum(step.cores * step.length_us for step in steps) / length_us
    own = sum(step.own * step.length_us for step in steps) / 1_000_000
    forced = sum(step.forced * step.length_us for step in steps) / 1_000_000
    return _(
        "%(time)s long, %(cores)s cores busy on average, %(own)s voluntary and %(forced)s involuntary context "
        "switches. The program was blocked for %(share)s of the wall time."
    ) % {
        "time": duration(rounding.time_us(length_us)),
        "cores": f"{cores:.2f}",
        "own": count(rounding.count(own)),
        "forced": count(rounding.count(forced)),
        "share": share,
    }
