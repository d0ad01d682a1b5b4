"""Decide what a reader may see of a run on a test case, by the rules of submissions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judge.grading.experiment.results import Estimate, Outcome, Results, RunMeasured, summarise
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.sameness import Difference, difference
from problems.models import ProblemVersion
from web import access
from web.access.rounding import EXACT, Rounded, Rounding, Under
from web.presentation.experiments.listing import Reader
from web.presentation.proof.timeline import shown_samples


@dataclass(frozen=True, kw_only=True, slots=True)
class RunVisibility:
    """`is_hidden`: the problem shows nothing of this case. `rounding`: how its numbers are seen."""

    is_hidden: bool = False
    rounding: Rounding = EXACT
    version: ProblemVersion | None = None  # whose case it is

    @property
    def is_rounded(self) -> bool:
        return not self.rounding.is_exact


def run_sights(specs: Sequence[ExperimentSpec], user: Reader) -> list[RunVisibility]:
    """Return what this reader, who may read the runs, sees of the numbers; of a case whose version is gone nothing."""
    keys = {spec.case.version for spec in specs if spec.case}
    versions = ProblemVersion.objects.select_related("problem").in_bulk(keys) if keys else {}
    sights = []
    for case in (spec.case for spec in specs):
        version = versions.get(case.version) if case else None
        if case is None:
            sight = RunVisibility()
        elif version is None:
            sight = RunVisibility(is_hidden=True, rounding=Rounding(is_exact=False))
        else:
            visibility = access.sight_of(user, version.problem)
            if visibility.sees_all or case.is_sample:
                sight = RunVisibility(version=version)
            else:
                rounding = visibility.rounding_of_hidden(version)
                sight = RunVisibility(is_hidden=visibility.is_restricted, rounding=rounding, version=version)
        sights.append(sight)
    return sights


def seen_runs(runs: Sequence[RunMeasured], visibility: RunVisibility) -> list[RunMeasured]:
    """Return the runs as this reader may see them: rounded if exact numbers could reveal a hidden input."""
    if visibility.is_hidden:
        return []
    if not visibility.is_rounded:
        return list(runs)
    rounding = visibility.rounding
    return [
        replace(
            run,
            numbers={name: rounding.named(name, number) for name, number in run.numbers.items()},
            end=run.end and run.end.bounded(frozenset()),
            timeline=tuple(shown_samples(run.timeline, rounding)),
        )
        for run in runs
    ]


def seen_results(spec: ExperimentSpec, runs: Sequence[RunMeasured], visibility: RunVisibility) -> Results:
    """Return the results of these runs; those of rounded numbers are never called exact."""
    results = summarise(spec, runs, ())
    if not visibility.is_rounded:
        return results
    cells = []
    for cell in results.cells:
        estimates = {name: seen_estimate(name, measured, visibility) for name, measured in cell.estimates.items()}
        cells.append(replace(cell, estimates=estimates))
    claims = []  # only submissions run on a case, and they claim nothing; bounds are not tested here
    for tested in results.claims:
        claim, change = tested.claim, tested.difference
        values = [run.numbers[claim.metric] for run in runs if run.variant in (claim.more, claim.less)]
        if has_bound(values):
            claims.append(replace(tested, outcome=Outcome.MISSING, difference=None))
        else:
            claims.append(replace(tested, difference=change and replace(change, is_exact=False)))
    return replace(results, cells=tuple(cells), claims=tuple(claims))


def seen_estimate(name: str, measured: Estimate, visibility: RunVisibility) -> Estimate:
    """Return the estimate: not called exact if its numbers are rounded; a mean of two of them is rounded like them."""
    if not visibility.is_rounded:
        return measured
    median, low, high = (
        visibility.rounding.named(name, number) for number in (measured.median, measured.low, measured.high)
    )
    return replace(measured, median=median, low=low, high=high, is_exact=False)


def seen_difference(
    name: str, values_a: Sequence[int], values_b: Sequence[int], visibility: RunVisibility
) -> Difference:
    """Return the difference of numbers as seen. It is told of rounded ones if it is, whatever they were before.

    The interval then holds what rounding took away too; an `Under` counts as its bound. Rounded ones are neither exact
    nor alike.
    """
    if not visibility.is_rounded:
        return difference(name, values_a, values_b)
    middle = difference(name, [_shown(value) for value in values_a], [_shown(value) for value in values_b])
    least = difference(name, [_least(value) for value in values_a], [_most(value) for value in values_b])
    most = difference(name, [_most(value) for value in values_a], [_least(value) for value in values_b])
    is_told = all(bound.is_told and _has_more(bound) == _has_more(middle) for bound in (middle, least, most))
    return replace(middle, low=least.low, high=most.high, is_told=is_told, is_alike=False, is_exact=False)


def looks_same(values_a: Sequence[int], values_b: Sequence[int], visibility: RunVisibility) -> bool:
    """Return whether all numbers are rounded to the same one."""
    return visibility.is_rounded and len({*values_a, *values_b}) == 1


def _has_more(change: Difference) -> bool:
    return change.ratio is None or change.ratio > 1


def _shown(number: int) -> int:
    return number.bound if isinstance(number, Under) else number


def _least(number: int) -> int:
    return number - number.error if isinstance(number, Rounded) else int(number)


def _most(number: int) -> int:
    return number + number.error if isinstance(number, Rounded) else _shown(number)


def has_bound(values: Sequence[int]) -> bool:
    """Return whether of any of these numbers only a bound is seen."""
    return any(isinstance(value, Under) for value in values)
