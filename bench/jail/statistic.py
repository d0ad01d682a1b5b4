"""Medians, spreads, and confidence of figures with few samples."""

import random
import statistics
from collections.abc import Callable, Sequence
from typing import TypeVar

_RESAMPLES = 400
_ItemT = TypeVar("_ItemT")


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which this share of them lies, between neighbours by proportion."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def spread(values: Sequence[float]) -> float:
    """(p95 - p5) / median."""
    return (quantile(values, 0.95) - quantile(values, 0.05)) / statistics.median(values)


def interval(items: Sequence[_ItemT], figure: Callable[[Sequence[_ItemT]], float]) -> tuple[float, float]:
    """The range in which the figure lies nine times of ten when the same items are drawn anew (bootstrap)."""
    draw = random.Random(1)  # noqa: S311 - the same samples give the same report
    found = [figure(draw.choices(items, k=len(items))) for _ in range(_RESAMPLES)]
    return quantile(found, 0.05), quantile(found, 0.95)
