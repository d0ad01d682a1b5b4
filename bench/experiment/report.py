"""Turn an experiment's results into the report for scripts and lines for people."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from judge.grading.experiment.results import Cell, ClaimTested, Estimate, Results
from judge.grading.experiment.spec import ExperimentSpec
from sandbox.types import TimelinePoint


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """An experiment that was run. `latencies`: of E3, by variant, in ms."""

    key: str
    spec: ExperimentSpec
    machine: dict[str, object]
    took_s: int
    results: Results
    latencies: Mapping[str, Mapping[str, float]]


def report_of(measured: Measured) -> dict[str, Any]:
    """The report for scripts: what is claimed and what came out, then every number."""
    results = measured.results
    return {
        "title": measured.spec.title,
        "machine": measured.machine,
        "rounds": measured.spec.rounds,
        "took_s": measured.took_s,
        "claims": [_claim(each) for each in results.claims],
        "cells": [_cell(each) for each in results.cells],
        "failed": [asdict(each) for each in results.failed],
        "latencies_ms": {variant: dict(figures) for variant, figures in measured.latencies.items()},
    }


def _claim(tested: ClaimTested) -> dict[str, Any]:
    found = tested.difference
    return {
        **asdict(tested.claim),
        "outcome": tested.outcome.value,
        "ratio": _rounded(found.ratio) if found else None,
        "low": _rounded(found.low) if found else None,
        "high": _rounded(found.high) if found else None,
        "is_exact": found.is_exact if found else False,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "variant": cell.variant,
        "destination": cell.destination,
        "endings": list(cell.endings),
        "estimates": {metric: _estimate(each) for metric, each in cell.estimates.items()},
        "voluntary_switches_per_s": rate(cell.timeline),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"median": estimate.median, "low": estimate.low, "high": estimate.high, "is_exact": estimate.is_exact}


def rate(timeline: Sequence[TimelinePoint]) -> int | None:
    """Voluntary switches a second, the median over the run's sampled intervals; None of a run that was not sampled."""
    rates = [
        (after.voluntary_switches - before.voluntary_switches) * 1_000_000 / (after.at_us - before.at_us)
        for before, after in pairwise(timeline)
    ]
    return round(statistics.median(rates)) if rates else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def outcome_lines(measured: Measured) -> str:
    """What became of each claim, for people."""
    lines = [f"{measured.key}: {measured.spec.title} ({measured.took_s} s)"]
    lines += [f"  {variant.variant} does not compile: {variant.message}" for variant in measured.results.failed]
    return "\n".join([*lines, *(f"  {_in_words(each)}" for each in measured.results.claims)])


def _in_words(tested: ClaimTested) -> str:
    claim, found = tested.claim, tested.difference
    return f"{tested.outcome.value}: {claim.text} [{claim.metric}: {ratio_in_words(_difference(found))}]"


def _difference(found: Any) -> dict[str, Any]:
    return asdict(found) if found is not None else {"ratio": None, "low": None, "high": None, "is_exact": False}


def ratio_in_words(found: Mapping[str, Any]) -> str:
    """The ratio of a claim's two sides with its interval: "4.71 times (4.50 to 4.90)"."""
    if found["ratio"] is None:
        return "against none"
    ratio = _times(found["ratio"])
    if found["is_exact"]:
        return f"{ratio}, exact"
    bounds = [_times(found[side]) if found[side] is not None else "more" for side in ("low", "high")]
    return f"{ratio} ({bounds[0]} to {bounds[1]})"


def _times(ratio: float) -> str:
    return f"{ratio:,.2f}" if ratio < 100 else f"{ratio:,.0f}"
