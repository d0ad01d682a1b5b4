"""Decide whether measured numbers differ: the one rule that pages, claims, proofs and fixes use.

**A count** that the program decides by itself (calls, bytes) has no noise. Of single runs any difference is one. Of
repeated runs it is exact if every run had the same; else it is compared like a time.

**Single runs**, and medians of fewer than LEAST_RUNS runs: a difference below a share of the larger number, or below
an absolute amount, is noise (`NOISE`: of times 25 % and 10 ms). It is a rule of thumb without a confidence;
`bench.same` reports how often single runs of copies of a program differ by more.

**Repeated runs**, at least LEAST_RUNS of each, made in turns, the order turned around in each round: drift of the
machine spreads over both and can only hide a difference. How much `a` has for each of `b`: all the ratios a_i / b_j are
put in order. Their median is the estimate (Hodges and Lehmann's, of a shift of the logarithms), and the interval runs
between two of them, found by the exact distribution of Mann and Whitney's count U: if `a` and `b` are equal, the
interval leaves out 1 in at most MISS of all experiments, whatever the distribution of the noise. Nothing can be told
from fewer than four runs of each (complete separation of 3 and 3 happens by chance in 10 %). Ties only widen it.
They differ if the interval leaves out 1 and the ratio is at least LEAST_RATIO: two copies of one program differ a
little too, by where their pages lie in memory and on disk. They are alike if all of the interval is within that.
Everything else cannot be told. `bench.same` compares copies of thirty programs by this rule.

Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd edition, 4.1 to 4.3; for ties,
G. E. Noether, Elements of Nonparametric Statistics, 1967.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from judge.grading.measures import BY_NAME, Kind

LEAST_RUNS = 4  # of each side, before anything but a count can be told
MISS = 0.03  # how often at most the interval of a ratio misses
CONFIDENCE_PERCENT = round(100 * (1 - MISS))
LEAST_RATIO = 1.03  # of the larger to the smaller, of what is no count


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """Of single runs a difference below this share of the larger number, or below `least`, means nothing."""

    share: float
    least: int


NOISE: Mapping[Kind, Noise] = {  # a kind that is not here is a count
    Kind.TIME: Noise(share=0.25, least=10_000),
    Kind.MEMORY: Noise(share=0.10, least=512 * 1024),
    Kind.SWITCHES: Noise(share=0.20, least=20),
}
_NONE = Noise(share=0.0, least=0)


def is_counted(kind: Kind) -> bool:
    """Return whether a program decides such numbers by itself."""
    return kind not in NOISE


def noise_of(kind: Kind) -> Noise:
    """Return which differences of single runs mean nothing; of a count none."""
    return NOISE.get(kind, _NONE)


def is_same(kind: Kind, a: float, b: float) -> bool:
    """Return whether the numbers of two single runs cannot be told apart."""
    noise = noise_of(kind)
    return a == b or abs(a - b) < max(noise.share * max(a, b), noise.least)


def is_faster(time_us: float, other_us: float) -> bool:
    """Return whether a single run, or the median of a few, took less time than another."""
    return time_us < other_us and not is_same(Kind.TIME, time_us, other_us)


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The ratio of a metric in `a` to that in `b`. `ratio`, `low`, `high`: None where `b` has none of it.

    `is_told`: they differ. `is_alike`: they do not, by LEAST_RATIO. If neither, it cannot be told; so it is of fewer
    than LEAST_RUNS runs, but for counts.
    """

    metric: str
    ratio: float | None
    low: float | None  # of the ratio, missed in at most MISS of all cases; of fewer runs: all that was measured
    high: float | None
    is_told: bool
    is_alike: bool
    is_exact: bool  # counts that did not vary on either side


def difference(metric: str, values_a: Sequence[int], values_b: Sequence[int]) -> Difference:
    """Return how many times as much of the metric `a` has as `b`, of repeated runs; each has at least one value."""
    is_count = is_counted(BY_NAME[metric].kind)
    if is_count and is_constant(values_a) and is_constant(values_b):
        a, b = values_a[0], values_b[0]
        ratio = _finite(_ratio(a, b))
        return Difference(
            metric=metric, ratio=ratio, low=ratio, high=ratio, is_told=a != b, is_alike=a == b, is_exact=True
        )
    ratios = sorted(_ratio(a, b) for a in values_a for b in values_b)
    place = _rank(len(values_a), len(values_b))
    low, high = ratios[place], ratios[-1 - place]
    # Of two in the middle it is their geometric mean, so that a/b is 1 / (b/a).
    below, above = ratios[(len(ratios) - 1) // 2], ratios[len(ratios) // 2]
    middle = above if below == above or math.isinf(above) else math.sqrt(below * above)
    is_far = is_count or not _is_near(middle)
    is_sure = _miss(len(values_a), len(values_b), place) <= MISS
    return Difference(
        metric=metric,
        ratio=_finite(middle),
        low=_finite(low),
        high=_finite(high),
        is_told=is_sure and is_far and not low <= 1 <= high,
        is_alike=is_sure and not is_count and _is_near(low) and _is_near(high),
        is_exact=False,
    )


def is_constant(values: Sequence[int]) -> bool:
    """Return whether several runs had the same."""
    return len(values) > 1 and len(set(values)) == 1


def _ratio(a: int, b: int) -> float:
    if a == b:
        return 1.0  # nothing and nothing are alike
    return a / b if b else math.inf


def _is_near(ratio: float) -> bool:
    return 1 / LEAST_RATIO < ratio < LEAST_RATIO


def _finite(ratio: float) -> float | None:
    return ratio if math.isfinite(ratio) else None


@cache
def _rank(runs_a: int, runs_b: int) -> int:
    """Return how many of the ordered ratios lie outside the interval at either end without missing too often."""
    place = 0
    while place < (runs_a * runs_b - 1) // 2 and _miss(runs_a, runs_b, place + 1) <= MISS:
        place += 1
    return place


@cache
def _miss(runs_a: int, runs_b: int, place: int) -> float:
    """Return how often the interval from the ratio at `place` misses: twice the chance of U <= place."""
    counts = _distribution(runs_a, runs_b)
    return min(1.0, 2 * sum(counts[: place + 1]) / math.comb(runs_a + runs_b, runs_a))


@cache
def _distribution(runs_a: int, runs_b: int) -> tuple[int, ...]:
    """Return how many orders of so many runs have U = 0, 1, 2, ...: the coefficients of the Gaussian binomial."""
    counts = [1] + [0] * (runs_a * runs_b)
    for factor in range(1, runs_a + 1):
        for place in range(len(counts) - 1, runs_b + factor - 1, -1):  # times 1 - q^(runs_b + factor)
            counts[place] -= counts[place - runs_b - factor]
        for place in range(factor, len(counts)):  # divided by 1 - q^factor
            counts[place] += counts[place - factor]
    return tuple(counts)
