"""Fit how a program's CPU time grows with the size of its input: a power, with its interval.

How it works: each case that the program finished is a point (size of the input, CPU time without the start). The start
is the shortest time of all. Time is taken for a power of the size, a straight line if both are logarithmic. Its
slope is the median of the slopes between all pairs of points (Theil, Sen), which one odd case does not move. The
interval of at least 95 % is that of Kendall's statistic (Sen, "Estimates of the regression coefficient based on
Kendall's tau", JASA 63, 1968, section 3); with fewer than five points it is all of the slopes. It covers noise. That no
program is a pure power, but also reads its input, misses caches, or has a logarithmic factor, moves the slope by about
a tenth (bench/growth.py measures it): so the interval is `ALLOWANCE` wider on both sides. CPU time is user and system
time together: the kernel counts only their sum exactly, and splits it by samples.

Nothing is fitted to few points, to sizes that span little, or where the interval is wide or many points lie off the
line: of times that jump between two levels most slopes are alike, and many points make the interval narrow. A run that
was stopped is a lower bound: it may be above the line, where the case is harder than the others, but then nothing is
said.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

LEAST_POINTS = 4  # of different sizes
LEAST_SPAN = 3.9  # the largest size over the smallest: two doublings, of sizes that are not exact
WIDEST = 0.6  # of the interval without the allowance, in powers
ALLOWANCE = 0.1  # of a power, on each side of the interval
LEAST_TIME_US = 4_000  # without the start: below it, noise is a large part
_OF_THE_START = 0.25  # likewise, of the start's time
_OF_THE_LARGEST = 1 / 200  # likewise, of the longest time: below it, what a program does once is a large part
_QUANTILE = 1.96  # of the normal distribution, for 95 %
_FEW = 5
_SAME = 1.02  # sizes nearer to each other than this say nothing about growth
_ABOVE = 1.5  # times the line's time, from which on a stopped run contradicts it
_MOST_OFF = 0.25  # of the points, that lie off the line by more than this: then it tells little of a single input


@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """One case: its input's size, and a positive amount: microseconds, or calls."""

    size: int
    amount: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SizedRun:
    """One run: the size of its input, its CPU time in microseconds, its read and write calls together.

    The size is in bytes; where the inputs of a problem are but a line of numbers, it is the largest of these.
    `is_stopped`: a time limit ended it, so that it would have taken longer.
    """

    size: int
    cpu_time_us: int
    calls: int
    is_stopped: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Growth:
    """amount = (size / `middle.size`) ** exponent * `middle.amount`; the exponent lies between `low` and `high`."""

    exponent: float
    low: float
    high: float
    middle: Point
    points: tuple[Point, ...]  # that it was fitted to, by size

    def at(self, size: int) -> float:
        """Return the amount for a size."""
        return float(self.middle.amount * (size / self.middle.size) ** self.exponent)

    def between(self, size: int) -> tuple[float, float]:
        """Return the amounts for a size with the lowest and the highest exponent, the smaller one first."""
        ratio = size / self.middle.size
        low, high = sorted((ratio**self.low, ratio**self.high))
        return self.middle.amount * low, self.middle.amount * high


def without_start(times: Sequence[Point]) -> tuple[float, tuple[Point, ...]]:
    """Return the time of the start, which is the shortest one of all, and the points that are large enough to fit."""
    if not times:
        return 0.0, ()
    smallest = min(point.size for point in times)
    start = min(point.amount for point in times)
    least = max(LEAST_TIME_US, _OF_THE_START * start)
    net = [Point(size=point.size, amount=point.amount - start) for point in times if point.size > smallest]
    least = max(least, 0, *(_OF_THE_LARGEST * point.amount for point in net))
    return start, tuple(point for point in net if point.amount >= least)


def fit(points: Sequence[Point], bounds: Sequence[Point] = ()) -> Growth | None:
    """Return the growth; None if the points do not tell it. `bounds`: points that may be higher than known."""
    measured = sorted((point for point in points if point.size > 0 and point.amount > 0), key=lambda point: point.size)
    if not are_enough([point.size for point in measured]):
        return None
    slopes = sorted(
        math.log(other.amount / first.amount) / math.log(other.size / first.size)
        for first, other in combinations(measured, 2)
        if other.size > _SAME * first.size
    )
    if not slopes:
        return None
    low, high = slopes[0], slopes[-1]
    if len(measured) >= _FEW:  # Sen: the ranks lie by Kendall's standard deviation around the middle
        spread = _QUANTILE * math.sqrt(len(measured) * (len(measured) - 1) * (2 * len(measured) + 5) / 18)
        low = slopes[max(0, math.floor((len(slopes) - spread) / 2) - 1)]
        high = slopes[min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))]
    if high - low > WIDEST:
        return None
    exponent = statistics.median(slopes)
    low, high = low - ALLOWANCE, high + ALLOWANCE
    # The line has as many points above it as below at the median size.
    size = round(statistics.median(point.size for point in measured))
    heights = [math.log(point.amount) - exponent * math.log(point.size / size) for point in measured]
    middle = Point(size=size, amount=math.exp(statistics.median(heights)))
    growth = Growth(exponent=exponent, low=low, high=high, middle=middle, points=tuple(measured))
    off = sum(abs(math.log(point.amount / growth.at(point.size))) > math.log(_ABOVE) for point in measured)
    if off > _MOST_OFF * len(measured):
        return None
    if any(bound.amount > _ABOVE * growth.between(bound.size)[1] for bound in bounds if bound.size > 0):
        return None
    return growth


def are_enough(sizes: Sequence[int]) -> bool:
    """Return whether inputs of these sizes could tell the growth: they are many, and differ much."""
    return len(set(sizes)) >= LEAST_POINTS and max(sizes) >= LEAST_SPAN * min(sizes)
