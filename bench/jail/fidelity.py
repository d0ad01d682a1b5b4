"""Compare the CPU time that a jail reports with that of bare execution, for CPU-bound programs under each condition."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.jail.contest import Pair
from bench.jail.measuring import Series
from bench.jail.statistic import interval, spread


@dataclass(frozen=True, kw_only=True, slots=True)
class Fidelity:
    """One program under one condition. Spread is (p95 - p5) / median."""

    program: str
    condition: str
    bare_ms: float  # median
    jailed_ms: float  # median
    error_pct: float  # of the jailed median against the bare one
    error_low_pct: float  # the range that the samples allow, nine times of ten
    error_high_pct: float
    spread_bare_pct: float
    spread_jailed_pct: float

    @property
    def sure_error_pct(self) -> float:
        """The least that the error can be, whatever its sign, given the noise; 0 when there may be none."""
        low, high = self.error_low_pct, self.error_high_pct
        return 0.0 if low <= 0 <= high else min(abs(low), abs(high))


def fidelity_of(series: Series) -> Fidelity:
    """What the samples of one series say."""
    bare, jailed = [pair.bare for pair in series.pairs], [pair.jailed for pair in series.pairs]
    low, high = interval(series.pairs, error_pct)
    return Fidelity(
        program=series.program,
        condition=series.condition.value,
        bare_ms=statistics.median(bare) / 1_000,
        jailed_ms=statistics.median(jailed) / 1_000,
        error_pct=error_pct(series.pairs),
        error_low_pct=low,
        error_high_pct=high,
        spread_bare_pct=100 * spread(bare),
        spread_jailed_pct=100 * spread(jailed),
    )


def error_pct(pairs: Sequence[Pair]) -> float:
    """How far the jailed median is from the bare one, in per cent."""
    bare = statistics.median(pair.bare for pair in pairs)
    return 100 * (statistics.median(pair.jailed for pair in pairs) / bare - 1)


def spread_ratio(rounds: Sequence[Sequence[Pair]]) -> float:
    """The mean spread of the jailed programs over that of the bare ones; a round has one pair of each series."""
    columns = list(zip(*rounds, strict=True))
    jailed = sum(spread([pair.jailed for pair in column]) for column in columns)
    bare = sum(spread([pair.bare for pair in column]) for column in columns)
    return jailed / bare if bare else 1.0


def table_rows(found: list[Fidelity]) -> list[tuple[str, ...]]:
    """The lines of a table for people, with its heading."""
    heading = ("CPU time of", "while", "bare ms", "jailed ms", "error %", "nine of ten", "spread bare %", "jailed %")
    return [
        heading,
        *(
            (
                each.program,
                each.condition,
                f"{each.bare_ms:.1f}",
                f"{each.jailed_ms:.1f}",
                f"{each.error_pct:+.2f}",
                f"{each.error_low_pct:+.2f} to {each.error_high_pct:+.2f}",
                f"{each.spread_bare_pct:.1f}",
                f"{each.spread_jailed_pct:.1f}",
            )
            for each in found
        ),
    ]
