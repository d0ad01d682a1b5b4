"""Geometry of the pictures as plain values: positions and widths in per cent of the drawing's width.

SVG without a viewBox takes percentages, so that a bar stretches with the page while lines and letters keep their shape.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from judge.models import TestCaseResult
from web.presentation.units import count, duration, limit

# Which segments of a bar stand for which numbers of a run.
DRAWN_AS = {"user_time_us": "user", "system_time_us": "system", "waiting_time_us": "waiting"}
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide
_ROOM_AFTER_LIMIT = 1.25
_ROOM_FOR_WORDS = 16  # per cent between the middles of two labels
_STEPS = (1, 2, 2.5, 5, 10)
TOP_Y, BOTTOM_Y = 16, 90  # pixels, of the columns in web/templates/drawing/histogram.html


@dataclass(frozen=True, kw_only=True, slots=True)
class RunTimes:
    """Where the wall time of one run went, in microseconds."""

    user_us: int
    system_us: int
    waiting_us: int

    @property
    def cpu_us(self) -> int:
        return self.user_us + self.system_us

    @property
    def total_us(self) -> int:
        """The length of the whole bar."""
        return self.cpu_us + self.waiting_us

    def in_words(self, limit_ms: int | None) -> str:
        """Return the parts in words, with the problem's limit, if there is one."""
        words = {
            "user": duration(self.user_us),
            "system": duration(self.system_us),
            "blocked": duration(self.waiting_us),
        }
        if not limit_ms:
            return _("user %(user)s, system %(system)s, blocked %(blocked)s") % words
        words["limit"] = limit(limit_ms)
        return _("user %(user)s, system %(system)s, blocked %(blocked)s, limit %(limit)s") % words

    @classmethod
    def of(cls, result: TestCaseResult) -> "RunTimes":
        return cls(user_us=result.user_time_us, system_us=result.system_time_us, waiting_us=result.waiting_time_us)


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """One stretch of a bar. `kind` is user, system or waiting."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeBar:
    """One run on a scale. `overrun` is the part of its CPU time beyond the limit, None within it."""

    segments: tuple[Segment, ...]
    limit_x: float | None
    overrun: Segment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """A mark on an axis with its words, if there is room for them."""

    x: float
    label: str
    anchor: str = "middle"

    @property
    def middle(self) -> float:
        """The approximate middle of the words."""
        return self.x + {"start": 5, "middle": 0, "end": -5}[self.anchor]


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeScale:
    """A common scale for many bars: 0 to `end_us`."""

    end_us: int
    limit_us: int | None

    def x(self, time_us: float) -> float:
        """Return the position of a time, per cent."""
        return round(100 * min(time_us, self.end_us) / self.end_us, 2)

    @property
    def limit_x(self) -> float | None:
        return None if self.limit_us is None else self.x(self.limit_us)

    @property
    def limit_tick(self) -> Tick | None:
        """The limit with its words, kept inside the drawing."""
        if self.limit_us is None or self.limit_x is None:
            return None
        anchor = "end" if self.limit_x > 85 else "start" if self.limit_x < 15 else "middle"
        return Tick(x=self.limit_x, label=_("limit %(time)s") % {"time": limit(self.limit_us // 1_000)}, anchor=anchor)

    def bar(self, times: RunTimes) -> TimeBar:
        """Return one run drawn on this scale."""
        segments, position = [], 0.0
        for kind, length_us in (("user", times.user_us), ("system", times.system_us), ("waiting", times.waiting_us)):
            if length_us > 0:
                width = min(max(self.x(length_us), _VISIBLE), round(100 - position, 2))
                segments.append(Segment(kind=kind, x=position, width=width))
                position = round(position + width, 2)
        overrun = None
        if self.limit_us is not None and times.cpu_us > self.limit_us:
            start = self.x(self.limit_us)
            overrun = Segment(kind="overrun", x=start, width=max(_VISIBLE, round(self.x(times.cpu_us) - start, 2)))
        return TimeBar(segments=tuple(segments), limit_x=self.limit_x, overrun=overrun)

    def ticks(self) -> list[Tick]:
        """Round times along the axis, without words where those of the limit stand."""
        magnitude = 10.0 ** math.floor(math.log10(max(self.end_us / 5, 1)))
        step = next(magnitude * step for step in _STEPS if magnitude * step >= self.end_us / 5)
        times = [step * i for i in range(int(self.end_us / step) + 1)]
        ticks = [_tick(self.x(time), limit(time / 1_000) if time else "0") for time in times]
        of_limit = self.limit_tick
        if of_limit is None:
            return ticks
        return [replace(t, label="") if abs(t.middle - of_limit.middle) <= _ROOM_FOR_WORDS else t for t in ticks]


def time_scale(runs: Iterable[RunTimes], limit_us: int | None) -> TimeScale:
    """Return the scale on which every run and the limit fit."""
    longest = max((run.total_us for run in runs), default=0)
    with_limit = 0 if limit_us is None else limit_us * _ROOM_AFTER_LIMIT
    return TimeScale(end_us=max(1, math.ceil(max(with_limit, longest * 1.02))), limit_us=limit_us)


@dataclass(frozen=True, kw_only=True, slots=True)
class CountBar:
    """One counted thing as a bar."""

    name: str
    count: int
    width: float


def count_bars(counts: Mapping[str, int]) -> list[CountBar]:
    """Return counts as bars, the largest first and as wide as the drawing."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    largest = max((number for _, number in ordered), default=0)
    return [
        CountBar(name=name, count=number, width=max(_VISIBLE, round(100 * number / largest, 2)) if number else 0)
        for name, number in ordered
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column of a distribution, in per cent. `label` is the number where it begins; an empty one has no title."""

    label: str
    title: str
    number: int
    x: float
    width: float
    height: float
    is_own: bool = False  # the reader's own number is in it
    is_labelled: bool = True  # there is room for its label

    @property
    def y(self) -> float:
        return round(100 - self.height, 2)

    @property
    def number_y(self) -> float:
        """Where the number above the column stands, in pixels of a drawing of BOTTOM_Y."""
        return round(BOTTOM_Y - self.height / 100 * (BOTTOM_Y - TOP_Y) - 3, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class LogScale:
    """A logarithmic scale for counts. 0 is at the left, and drawn as nothing."""

    largest: float

    def x(self, number: float) -> float:
        """Return the position of a count, per cent."""
        return round(100 * math.log10(1 + max(0, number)) / math.log10(1 + max(1, self.largest)), 2)

    def ticks(self) -> list[Tick]:
        """Return powers of ten, every second or third one if they are many."""
        top = int(math.log10(max(1, self.largest)))
        return [_tick(self.x(10**power), count(10**power)) for power in range(0, top + 1, 1 + top // 5)]


def _tick(x: float, label: str) -> Tick:
    return Tick(x=x, label=label, anchor="end" if x > 94 else "start" if x < 4 else "middle")
