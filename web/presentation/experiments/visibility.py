"""Decide what a reader may see of a run on a test case, by the rules of submissions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judge.grading.experiment.results import ClaimTested, Estimate, Outcome, Results, RunMeasured
from judge.grading.experiment.spec import CaseRef, ExperimentSpec
from judge.grading.experiment.summary import summarise
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
        """Return whether its numbers are rounded."""
        return not self.rounding.is_exact


def run_sight(spec: ExperimentSpec, user: Reader) -> RunVisibility:
    """Return what this reader, who may read the run, sees of its numbers."""
    return run_sights([spec], user)[0]


def run_sights(specs: Sequence[ExperimentSpec], user: Reader) -> list[RunVisibility]:
    """Return what the reader sees of several runs; each version of a problem is looked up once."""
    keys = {spec.case.version for spec in specs if spec.case}
    versions = ProblemVersion.objects.select_related("problem").in_bulk(keys) if keys else {}
    return [
        _case_sight(spec.case, versions.get(spec.case.version), user) if spec.case else RunVisibility()
        for spec in specs
    ]


def _case_sight(case: CaseRef, version: ProblemVersion | None, user: Reader) -> RunVisibility:
    """Return what this reader sees of the numbers of a test case; of a version that is gone nothing."""
    if version is None:
        return RunVisibility(is_hidden=True, rounding=Rounding(is_exact=False))
    visibility = access.sight_of(user, version.problem)
    if visibility.sees_all or case.is_sample:
        return RunVisibility(version=version)
    return RunVisibility(
        is_hidden=visibility.is_restricted, rounding=visibility.rounding_of_hidden(version), version=version
    )


def seen_runs(runs: Sequence[RunMeasured], visibility: RunVisibility) -> list[RunMeasured]:
    """Return the runs as this reader may see them: rounded if exact numbers could reveal a hidden input."""
    if visibility.is_hidden:
        return []
    return [_rounded(run, visibility.rounding) for run in runs] if visibility.is_rounded else list(runs)


def seen_results(spec: ExperimentSpec, runs: Sequence[RunMeasured], visibility: RunVisibility) -> Results:
    """Return the results of these runs; those of rounded numbers are never called exact."""
    results = summarise(spec, runs, ())
    if not visibility.is_rounded:
        return results
    cells = (
        replace(
            cell,
            estimates={name: seen_estimate(name, measured, visibility) for name, measured in cell.estimates.items()},
        )
        for cell in results.cells
    )
    claims = (_seen_claim(tested, runs, visibility) for tested in results.claims)
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


def _seen_claim(tested: ClaimTested, runs: Sequence[RunMeasured], visibility: RunVisibility) -> ClaimTested:
    """Return the claim as seen. Only submissions run on a case, and they claim nothing; bounds are not tested here."""
    name = tested.claim.metric
    values = [run.numbers[name] for run in runs if run.variant in (tested.claim.more, tested.claim.less)]
    if has_bound(values):
        return replace(tested, outcome=Outcome.MISSING, difference=None)
    change = tested.difference
    return replace(tested, difference=change and replace(change, is_exact=False))


def _rounded(run: RunMeasured, rounding: Rounding) -> RunMeasured:
    return replace(
        run,
        numbers={name: rounding.named(name, number) for name, number in run.numbers.items()},
        end=run.end and run.end.bounded(frozenset()),
        timeline=tuple(shown_samples(run.timeline, rounding)),
    )
