"""Draw how a program's time grows with the input's size: both axes logarithmic, one dot a test case, the fitted line.

Positions are per cent of the drawing, from the left and from the top, so that it has the page's width.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from web.access.rounding import Rounding, Under
from web.presentation.charts import Tick
from web.presentation.units import data_size, duration, limit

_ROOM = 1.4  # times the smallest and the largest number, at each end of an axis
_MOST_TICKS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A logarithmic axis between two positive numbers."""

    least: float
    most: float

    def part(self, number: float) -> float:
        """Return the position of a number: 0 at the start, 100 at the end."""
        return round(100 * math.log(number / self.least) / math.log(self.most / self.least), 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowthPlot:
    """The drawing. `description` tells all of it in words; `limit_y` is None where the limit is off the drawing."""

    dots: tuple[tuple[float, float], ...]
    line: tuple[float, float, float, float]  # x1, y1, x2, y2
    limit_y: float | None
    limit_words: str
    sizes: tuple[Tick, ...]
    times: tuple[Tick, ...]  # `x` from the top
    numbers: tuple[tuple[str, str], ...]  # size and time of each dot
    description: str


def growth_plot(evidence: Mapping[str, Any], rounding: Rounding) -> GrowthPlot | None:
    """Return the picture of a finding `growth` as this reader may see it; None if too little is left to draw."""
    rounded = [(rounding.count(size), rounding.time_us(time)) for size, time in evidence["points"]]
    dots = [(size, time) for size, time in rounded if not isinstance(size, Under) and not isinstance(time, Under)]
    if len(dots) < 2:
        return None
    limit_us = evidence["time_limit_ms"] * 1_000
    first, last = dots[0][0], max(dots[-1][0], rounding.count(evidence.get("largest_bytes", 0)))
    # The power, and a size with its time on the line; of rounded dots the middle one, and the power as it is told.
    power, middle = evidence["power_percent"] / 100, evidence["line"]
    if not rounding.is_exact:
        power, middle = round(power, 1), dots[len(dots) // 2]
    line = [(size, middle[1] * (size / middle[0]) ** power) for size in (first, last)]
    heights = [time for _size, time in (*dots, *line)]
    across = Axis(least=first / _ROOM, most=last * _ROOM)
    up = Axis(least=min(heights) / _ROOM, most=max(*heights, limit_us) * _ROOM)
    (x1, y1), (x2, y2) = ((across.part(size), 100 - up.part(time)) for size, time in line)
    numbers = tuple((str(data_size(size)), duration(time)) for size, time in dots)
    pairs = ", ".join(_("%(size)s: %(time)s") % {"size": size, "time": time} for size, time in numbers)
    description = _("CPU time without the start by input size, both on logarithmic axes: %(pairs)s.")
    return GrowthPlot(
        dots=tuple((across.part(size), round(100 - up.part(time), 2)) for size, time in dots),
        line=(x1, round(y1, 2), x2, round(y2, 2)),
        limit_y=round(100 - up.part(limit_us), 2),
        limit_words=_("limit %(time)s") % {"time": limit(evidence["time_limit_ms"])},
        sizes=tuple(Tick(x=across.part(size), label=str(data_size(size))) for size in _steps(across, 2)),
        times=tuple(Tick(x=round(100 - up.part(time), 2), label=limit(time / 1_000)) for time in _steps(up, 10)),
        numbers=numbers,
        description=description % {"pairs": pairs},
    )


def _steps(axis: Axis, base: int) -> list[int]:
    """Return powers of the base on the axis, so few that their words have room."""
    powers = range(math.ceil(math.log(axis.least, base)), math.floor(math.log(axis.most, base)) + 1)
    every = max(1, math.ceil(len(powers) / _MOST_TICKS))
    return [base**power for power in powers[::every] if power >= 0]
