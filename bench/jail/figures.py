"""Turn samples into the figures of the report, each with its spread and its bar."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.jail.contest import Bout, Pair
from bench.jail.fidelity import Fidelity, spread_ratio
from bench.jail.measuring import Samples
from bench.jail.statistic import interval, quantile


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One figure. `value` is None when it could not be measured, `bar` when there is no target.

    `low` and `high` are p5 and p95 of the single measurements. Those of a figure that only all of them together have
    (`cpu_time_error_pct`, `cpu_spread_ratio`) say within what it lies, nine times of ten; where that is partly over
    the bar and partly not, the noise of the machine leaves open whether the bar is met, and `is_met` is None.
    """

    name: str
    meaning: str
    value: float | None
    low: float | None
    high: float | None
    bar: float | None = None
    is_met: bool | None = None


def figures_of(samples: Samples, fidelities: list[Fidelity]) -> list[Figure]:
    """All figures of a report."""
    bound = [pair for series in samples.bound for pair in series.pairs]
    return [
        _over_bare("per_case_over_bare_ms_p50", "one more case of a tiny C++ program", samples.tiny, bar=0.9),
        _over_bare("python_over_bare_ms_p50", "one more case of a Python program", samples.python, bar=1.5),
        _over_bare("oversubscribed_over_bare_ms_p50", "tiny C++, all cores busy", samples.crowded, bar=2.0),
        _median("open_jail_ms_p50", "opening a jail", _ms(samples.open_jail), bar=20.0),
        _median("open_jail_cpu_ms_p50", "CPU time of opening and closing it", _ms(samples.open_jail_cpu)),
        _median("writes_500k_ratio", "CPU time of 500,000 writes", _ratios(samples.writes), bar=1.05),
        _median("profile_writes_500k_ratio", "the same under the meter", _ratios(samples.profiled_writes)),
        _median("meter_attach_ms_p50", "attaching the meter", _ms(samples.attach), bar=100.0),
        _median("meter_detach_ms_p50", "detaching it", _ms(samples.detach), bar=100.0),
        _median("cpu_bound_ratio", "CPU time of programs that only compute", _ratios(bound), bar=1.01),
        _worst_error(fidelities, bar=2.0),
        _spread(samples, bar=1.0),
    ]


def _over_bare(name: str, meaning: str, bouts: list[Bout], bar: float) -> Figure:
    """Median wall time jailed less median wall time bare."""
    value = statistics.median(bout.wall.jailed for bout in bouts) - statistics.median(bout.wall.bare for bout in bouts)
    differences = _ms([bout.wall.difference for bout in bouts])
    return _judged(name, meaning, value / 1_000, (quantile(differences, 0.05), quantile(differences, 0.95)), bar)


def _median(name: str, meaning: str, values: list[float], bar: float | None = None) -> Figure:
    if not values:
        return Figure(name=name, meaning=meaning, value=None, low=None, high=None, bar=bar)
    return _judged(name, meaning, statistics.median(values), (quantile(values, 0.05), quantile(values, 0.95)), bar)


def _worst_error(fidelities: list[Fidelity], bar: float) -> Figure:
    """The largest error of a median, whatever its sign."""
    worst = max(fidelities, key=lambda each: abs(each.error_pct))
    is_surely_over = any(each.sure_error_pct > bar for each in fidelities)
    return Figure(
        name="cpu_time_error_pct",
        meaning=f"largest error of a median: {worst.program}, {worst.condition}",
        value=abs(worst.error_pct),
        low=worst.sure_error_pct,
        high=max(abs(worst.error_low_pct), abs(worst.error_high_pct)),
        bar=bar,
        is_met=_is_met(abs(worst.error_pct), bar, is_surely_over),
    )


def _spread(samples: Samples, bar: float) -> Figure:
    """Two spreads of the same thing differ by chance, half the time upwards."""
    rounds: Sequence[Sequence[Pair]] = list(zip(*(series.pairs for series in samples.bound), strict=True))
    value = spread_ratio(rounds)
    low, high = interval(rounds, spread_ratio)
    return Figure(
        name="cpu_spread_ratio",
        meaning="spread of CPU time, jailed over bare",
        value=value,
        low=low,
        high=high,
        bar=bar,
        is_met=_is_met(value, bar, low > bar),
    )


def _is_met(value: float, bar: float, is_surely_over: bool) -> bool | None:
    if is_surely_over:
        return False
    return True if value <= bar else None


def _judged(name: str, meaning: str, value: float, within: tuple[float, float], bar: float | None) -> Figure:
    low, high = within
    is_met = None if bar is None else value <= bar
    return Figure(name=name, meaning=meaning, value=value, low=low, high=high, bar=bar, is_met=is_met)


def _ms(microseconds: list[float]) -> list[float]:
    return [each / 1_000 for each in microseconds]


def _ratios(pairs: list[Pair]) -> list[float]:
    return [pair.ratio for pair in pairs]


def table_rows(figures: list[Figure]) -> list[tuple[str, ...]]:
    """The lines of a table for people, with its heading."""
    heading = ("figure", "value", "p5 to p95", "bar", "met", "what it is")
    return [heading, *map(_row, figures)]


def _row(figure: Figure) -> tuple[str, ...]:
    if figure.value is None or figure.low is None or figure.high is None:
        return (figure.name, "-", "-", _bar(figure), "not measured", figure.meaning)
    met = "-" if figure.bar is None else {None: "open", True: "yes", False: "NO"}[figure.is_met]
    return (
        figure.name,
        f"{figure.value:.3f}",
        f"{figure.low:.3f} to {figure.high:.3f}",
        _bar(figure),
        met,
        figure.meaning,
    )


def _bar(figure: Figure) -> str:
    return "-" if figure.bar is None else f"{figure.bar:g}"
