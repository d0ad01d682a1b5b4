"""What a reader may see of a run whose input is a test case: the rules of submissions hold (`measures`, `sight`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judge.experiment.results import Difference, Results, RunMeasured
from judge.experiment.spec import CaseRef, ExperimentSpec, spec_from_json
from judge.experiment.summary import summarise
from judge.models import ExperimentRun
from problems.models import Problem, ProblemVersion
from sandbox.types import TimelinePoint
from web.presentation.experiments.listing import Reader
from web.presentation.sight import sight_of
from web.presentation.units import significant

_SAMPLES = "sample/"  # what the names of cases begin with that everybody may see


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSight:
    """`is_hidden`: the problem shows nothing of this case. `is_rounded`: its numbers have three digits."""

    is_hidden: bool = False
    is_rounded: bool = False
    version: ProblemVersion | None = None  # whose case it is


def run_sight(spec: ExperimentSpec, user: Reader) -> RunSight:
    """What this reader, who may read the run, sees of its numbers."""
    return run_sights([spec], user)[0]


def run_sights(specs: Sequence[ExperimentSpec], user: Reader) -> list[RunSight]:
    """The same of several runs: each version of a problem is looked up once."""
    asked = {spec.case.version for spec in specs if spec.case}
    versions = ProblemVersion.objects.select_related("problem").in_bulk(asked) if asked else {}
    return [
        _case_sight(spec.case, versions.get(spec.case.version), user) if spec.case else RunSight() for spec in specs
    ]


def _case_sight(case: CaseRef, version: ProblemVersion | None, user: Reader) -> RunSight:
    """What this reader sees of the numbers of a test case; of a version that is gone nothing."""
    if version is None:
        return RunSight(is_hidden=True, is_rounded=True)
    sight = sight_of(user, version.problem)
    if sight.sees_all or case.case.startswith(_SAMPLES):
        return RunSight(version=version)
    return RunSight(is_hidden=sight.is_restricted, is_rounded=True, version=version)


def seen_runs(runs: Sequence[RunMeasured], sight: RunSight) -> list[RunMeasured]:
    """The runs as this reader may see them: rounded where exact numbers could tell of a hidden input."""
    if sight.is_hidden:
        return []
    return [_rounded(run) for run in runs] if sight.is_rounded else list(runs)


def seen_results(spec: ExperimentSpec, runs: Sequence[RunMeasured], sight: RunSight) -> Results:
    """What these runs come to; of rounded numbers none is called exact."""
    results = summarise(spec, runs, ())
    if not sight.is_rounded:
        return results
    cells = (
        replace(cell, estimates={name: replace(found, is_exact=False) for name, found in cell.estimates.items()})
        for cell in results.cells
    )
    claims = (
        replace(tested, difference=tested.difference and seen_difference(tested.difference, sight))
        for tested in results.claims
    )
    return replace(results, cells=tuple(cells), claims=tuple(claims))


def seen_difference(found: Difference, sight: RunSight) -> Difference:
    """The difference, not called exact where it is one of rounded numbers."""
    return replace(found, is_exact=found.is_exact and not sight.is_rounded)


def _rounded(run: RunMeasured) -> RunMeasured:
    return replace(
        run,
        numbers={name: significant(number) for name, number in run.numbers.items()},
        timeline=tuple(_rounded_sample(sample) for sample in run.timeline),
    )


def _rounded_sample(sample: TimelinePoint) -> TimelinePoint:
    return TimelinePoint(
        at_us=significant(sample.at_us),
        cpu_time_us=significant(sample.cpu_time_us),
        voluntary_switches=significant(sample.voluntary_switches),
        involuntary_switches=significant(sample.involuntary_switches),
    )


def may_see(run: ExperimentRun, user: Reader) -> bool:
    """Whether it is shown to this reader, who may read it: others' runs on a test case tell of a problem, too."""
    case = spec_from_json(run.spec).case
    if case is None or getattr(user, "is_staff", False) or (user.pk is not None and run.user_id == user.pk):
        return True
    version = ProblemVersion.objects.select_related("problem").filter(pk=case.version).first()
    return version is not None and version.problem.is_visible_to(user)


def may_run_again(spec: ExperimentSpec, user: Reader) -> bool:
    """Whether this person may ask for the same once more: on a test case only where its numbers are shown."""
    if spec.case is None:
        return True
    sight = run_sight(spec, user)
    if sight.version is None or sight.is_hidden:
        return False
    return Problem.objects.visible_to(user).filter(pk=sight.version.problem_id).exists()


def may_change(spec: ExperimentSpec) -> bool:
    """Whether anybody may change it and run that: on a test case only submissions are run, as they are."""
    return spec.case is None
