"""Run programs of this folder as the comparison page does: variants in turns in the jail, on one test case."""

from collections.abc import Sequence
from pathlib import Path

from bench.timed.programs import CASE, WORK_ROOT
from judge.grading.experiment.engine import first_core, run_experiment
from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS, CaseRef, ExperimentSpec, Variant
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox

CPU = first_core(None)
Numbers = dict[str, list[int]]  # by measure, run by run


def run_in_turns(
    path: Path, names: Sequence[str], rounds: int, package: Package, work_root: Path = WORK_ROOT
) -> dict[str, Numbers]:
    """Return the numbers of as many copies of one program, by their names. Raises SystemExit if it does not compile."""
    variants = tuple(Variant(name=name, language=path.parent.name, source=path.read_text("utf-8")) for name in names)
    spec = ExperimentSpec(
        title=path.stem, question="Copies.", variants=variants, case=CaseRef(version=0, case=CASE), rounds=rounds
    )
    told = list(run_experiment(spec, NsjailSandbox(work_root), work_root, cpu=CPU, package=package))
    runs = [run for run in told if isinstance(run, RunMeasured)]
    if len(runs) != spec.total_runs:
        raise SystemExit(f"{path}: did not compile")
    return {
        name: {each: [run.numbers[each] for run in runs if run.variant == name] for each in METRICS} for name in names
    }
