"""Turn runs into figures: the cost of a case, the error of the CPU time, the cost of 500,000 writes."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.jail.contest import Pair
from bench.jail.fidelity import error_pct
from bench.jail.statistic import interval, quantile, spread
from bench.peer.measuring import BARE, Samples
from bench.peer.runs import Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A figure, with p5 and p95 of single measurements; for an error, the range of nine in ten."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """One sandbox's figures, over bare execution in the same run."""

    name: str
    tiny_over_bare_ms: Estimate  # wall time of one more case: median less median
    python_over_bare_ms: Estimate
    crowded_over_bare_ms: Estimate  # of the first one, with a busy loop on every core
    opening_ms: Estimate | None  # what it opens for a submission; None: nothing, or a server that is always there
    cpu_time_error_pct: Estimate  # of the reported CPU time of a program that only computes: median to median
    cpu_time_spread_pct: float  # (p95 - p5) / median of what it reports; bare_cpu_time_spread_pct is bare's own
    bare_cpu_time_spread_pct: float
    writes_cpu_ratio: Estimate  # CPU time of 500,000 writes of 7 bytes; the pairs of each round
    writes_wall_ratio: Estimate


def figures_of(samples: Samples) -> list[Figures]:
    """Those of all that were measured, bare execution excepted."""
    return [_figures(name, samples) for name in samples.runs if name != BARE]


def _figures(name: str, samples: Samples) -> Figures:
    runs, bare, openings = samples.runs[name], samples.runs[BARE], samples.openings.get(name)
    bound = _cpu_pairs(bare["bound"], runs["bound"])
    low, high = interval(bound, error_pct)
    return Figures(
        name=name,
        tiny_over_bare_ms=_over_bare(bare["tiny"], runs["tiny"]),
        python_over_bare_ms=_over_bare(bare["python"], runs["python"]),
        crowded_over_bare_ms=_over_bare(samples.crowded[BARE], samples.crowded[name]),
        opening_ms=_median([us / 1_000 for us in openings]) if openings else None,
        cpu_time_error_pct=Estimate(value=error_pct(bound), low=low, high=high),
        cpu_time_spread_pct=100 * spread([pair.jailed for pair in bound]),
        bare_cpu_time_spread_pct=100 * spread([pair.bare for pair in bound]),
        writes_cpu_ratio=_median([pair.ratio for pair in _cpu_pairs(bare["writes"], runs["writes"])]),
        writes_wall_ratio=_median(
            [here.wall_us / there.wall_us for there, here in zip(bare["writes"], runs["writes"], strict=True)]
        ),
    )


def _cpu_pairs(bare: list[Run], runs: list[Run]) -> list[Pair]:
    return [Pair(bare=there.cpu_us, jailed=here.cpu_us) for there, here in zip(bare, runs, strict=True)]


def _over_bare(bare: list[Run], runs: list[Run]) -> Estimate:
    """In milliseconds. The spread is that of the sandbox's runs alone, from bare's median."""
    floor_us = statistics.median(run.wall_us for run in bare)
    return _median([(run.wall_us - floor_us) / 1_000 for run in runs])


def _median(values: Sequence[float]) -> Estimate:
    return Estimate(value=statistics.median(values), low=quantile(values, 0.05), high=quantile(values, 0.95))
