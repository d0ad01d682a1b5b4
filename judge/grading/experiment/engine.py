"""Run an experiment: compile every variant once, then run all of them under each destination, round after round.

How it works: a jail per variant stays open to the end, all of them pinned to the same cores. The order is turned around
in every other round (A B, B A, A B, ...): a machine that slowly gets faster or slower treats all alike. Outputs are
counted and thrown away. Where the input is a test case they are checked, by the package's checker or interactor, and
the problem's limits hold but for what the spec's settings have other than the usual, and for more time if the spec's
case has it.

The sources are strangers': they are compiled and run in jails only, and what goes wrong in them is a value.
"""

import os
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from judge.grading.case_ending import CaseEnding, end_of
from judge.grading.compiling.compilation import (
    Compilation,
    Compiler,
    Executable,
    compile_limits,
    make_folder,
    single_file,
)
from judge.grading.events import GradingJob
from judge.grading.experiment.results import RunMeasured, VariantFailed
from judge.grading.experiment.spec import ExperimentSpec, RunSettings, Variant
from judge.grading.languages import language_by_id
from judge.grading.measures import Place, measures_at, numbers_of
from judge.grading.running.cases import CaseRunner, open_bench
from judge.grading.running.execution import doubt_about_measurement
from judge.grading.submission.budget import CallBudget
from judge.grading.submission.grading import budget_for, compile_job
from judge.grading.verdicts import Verdict, verdict_of_ending
from problems.package import Package, PackageError, ProblemLimits, TestCase
from problems.translation import Sentence, quoted
from sandbox.errors import CommandError
from sandbox.jail.doubt import repeated
from sandbox.types import MIB, Command, Destination, Ending, Jail, Limits, Outcome, Sandbox, TimelinePoint
from sandbox.workdir import fresh_folder

MOST_SAMPLES = 60  # of one run's timeline; of more, evenly chosen ones are kept
_INPUT = "input"
_MOST_WAITING_MS = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class _Told:
    """What one run came to. `verdict` is None when the output was not checked and nothing else decides it."""

    outcome: Outcome
    verdict: Verdict | None
    end: CaseEnding | None


_Cell = tuple[str, str]  # variant, destination
_Run = Callable[[], _Told]


def run_experiment(
    spec: ExperimentSpec,
    sandbox: Sandbox,
    work_root: Path,
    *,
    cpu: int | None = None,
    package: Package | None = None,
    author: int = 0,
    pause: Callable[[], None] = lambda: None,
) -> Generator[RunMeasured | VariantFailed, None, None]:
    """Run an experiment that was checked, on the core `cpu` (None: the last one) and those after it.

    `package` is that of `spec.case`, `author` the key of the user who runs it. `pause` is called before each
    compilation and each run, for others to go first.
    Close it when its values are no longer wanted: its jails are open until then.
    Raises SandboxError: ours; PackageError: the package has no such case, or its own programs fail.
    """
    with fresh_folder(work_root, "experiment-") as folder, ExitStack() as jails:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=first_core(cpu))
        bench = _Workshop(spec=spec, compiler=compiler, author=author, folder=folder, jails=jails)
        runs: dict[_Cell, _Run] = {}
        for variant in spec.variants:
            pause()
            ready = bench.prepare_checked(variant, package) if spec.case else bench.prepare(variant)
            if isinstance(ready, VariantFailed):
                yield ready
            else:
                runs |= ready
        for number in range(spec.rounds):
            for cell in list(runs) if number % 2 == 0 else reversed(runs):
                pause()
                result = runs[cell]()
                yield RunMeasured(
                    variant=cell[0],
                    destination=cell[1],
                    round=number,
                    ending=result.outcome.ending.value,
                    verdict=result.verdict.value if result.verdict else "",
                    numbers=numbers_of(result.outcome, measures_at(Place.EXPERIMENT)),
                    end=result.end,
                    is_disturbed=result.outcome.watch.is_disturbed,
                    timeline=samples_of(result.outcome.timeline),
                )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Workshop:
    """What getting a variant ready needs. Jails that it opens are closed with `jails`."""

    spec: ExperimentSpec
    compiler: Compiler
    author: int
    folder: Path
    jails: ExitStack

    def prepare(self, variant: Variant) -> dict[_Cell, _Run] | VariantFailed:
        """Prepare the runs of a variant on the spec's own input."""
        language = language_by_id(variant.language)
        sources = single_file(language, variant.source.encode())
        bounds = compile_limits(ProblemLimits())
        compilation = self.compiler.compile(sources, bounds, self._new_folder(), self.author)
        if compilation.executable is None:
            return _failed(variant, compilation)
        executable, settings = compilation.executable, self.spec.settings
        jail_spec = executable.jail(cpu=self.compiler.cpu, cores=settings.cores)
        jail = self.jails.enter_context(self.compiler.sandbox.open_jail(jail_spec))
        limits = run_limits(settings)
        argv = (*executable.argv(limits.memory_bytes), *variant.args)
        stdin = self.folder / _INPUT if self.spec.input else None
        if stdin and not stdin.exists():
            stdin.write_bytes(self.spec.input.encode())
        command = Command(argv=argv, stdin=stdin, sample_ms=settings.sample_ms)
        return {
            (variant.name, name): partial(
                _run, executable, jail, replace(command, destination=Destination(name)), executable.within(limits)
            )
            for name in self.spec.destinations
        }

    def prepare_checked(self, variant: Variant, package: Package | None) -> dict[_Cell, _Run] | VariantFailed:
        """Prepare the runs of a variant on a test case; each destination has its own jail. Raises PackageError."""
        name, cpu_time_ms = (self.spec.case.case, self.spec.case.cpu_time_ms) if self.spec.case else ("", 0)
        case = next((case for case in package.test_cases if case.name == name), None) if package else None
        if package is None or case is None:
            raise PackageError(f"data/{name}.in", "", Sentence("is not there"))
        sandbox, work_root = self.compiler.sandbox, self.compiler.work_root
        executable: Executable | None = None
        runs: dict[_Cell, _Run] = {}
        for destination in self.spec.destinations:
            limited = replace(package, limits=limits_over(package.limits, self.spec.settings, destination))
            job = GradingJob(
                package=limited,
                language=variant.language,
                source=variant.source.encode(),
                author=self.author,
                cpu=self.compiler.cpu,
                cpu_time_ms=cpu_time_ms,
            )
            if executable is None:
                compilation = compile_job(job, self.compiler, self._new_folder())
                if compilation.executable is None:
                    return _failed(variant, compilation)
                executable = compilation.executable
            opened = open_bench(job, executable, sandbox, work_root, self._new_folder())
            budget = budget_for(job, case.name, sandbox, work_root)
            runs[variant.name, destination] = partial(_run_checked, self.jails.enter_context(opened), case, budget)
        return runs

    def _new_folder(self) -> Path:
        return make_folder(self.folder / str(len(list(self.folder.iterdir()))))


def first_core(cpu: int | None) -> int:
    """Return the core that runs are pinned to, or the first of several; runs are always pinned."""
    return max(os.sched_getaffinity(0)) if cpu is None else cpu


def run_limits(settings: RunSettings) -> Limits:
    """Return the limits of one run. As in judging, wall time has a looser limit than CPU time: programs may wait.

    But it is at most _MOST_WAITING_MS longer: students' work goes first only between runs, and a run may sleep all its
    time.
    """
    wall_ms = max(3 * settings.cpu_time_ms, settings.cpu_time_ms + 2_000)
    return Limits(
        cpu_time_ms=settings.cpu_time_ms,
        wall_time_ms=min(wall_ms, settings.cpu_time_ms + _MOST_WAITING_MS),
        memory_bytes=settings.memory_mib * MIB,
        output_bytes=settings.output_mib * MIB,
        stderr_bytes=settings.output_mib * MIB,
        processes=settings.processes,
    )


def limits_over(limits: ProblemLimits, settings: RunSettings, destination: str) -> ProblemLimits:
    """Return a problem's limits, overridden by the settings that differ from their defaults, with that destination."""
    usual = RunSettings()
    chosen = {
        "time_limit_ms": (settings.cpu_time_ms, usual.cpu_time_ms),
        "memory_bytes": (settings.memory_mib * MIB, usual.memory_mib * MIB),
        "output_bytes": (settings.output_mib * MIB, usual.output_mib * MIB),
        "processes": (settings.processes, usual.processes),
        "cores": (settings.cores, usual.cores),
    }
    others: dict[str, Any] = {name: value for name, (value, default) in chosen.items() if value != default}
    return replace(limits, stdout=destination, **others)


def _failed(variant: Variant, compilation: Compilation) -> VariantFailed:
    return VariantFailed(variant=variant.name, message=compilation.message, problem=compilation.problem)


def _run(executable: Executable, jail: Jail, command: Command, limits: Limits) -> _Told:
    try:
        outcome = repeated(partial(jail.run, command, limits), doubt_about_measurement)
    except CommandError as error:
        return _not_loaded(executable, error)
    return _Told(outcome=outcome, verdict=verdict_of_ending(outcome), end=_end(outcome))


def _run_checked(bench: CaseRunner, case: TestCase, budget: CallBudget) -> _Told:
    try:
        run = repeated(partial(bench.runner.run, case), lambda run: doubt_about_measurement(run.outcome, run.doubt))
    except CommandError as error:
        return _not_loaded(bench.executable, error)
    if run.verdict is Verdict.JE:
        raise PackageError(f"data/{case.name}.in", "", quoted(run.message))
    is_over = run.verdict is Verdict.AC and budget.exceeded_by(run.outcome.io)
    end = _end(run.outcome)
    if end is not None and not case.is_sample:
        end = end.bounded(frozenset())
    return _Told(outcome=run.outcome, verdict=Verdict.SLE if is_over else run.verdict, end=end)


def _end(outcome: Outcome) -> CaseEnding | None:
    """Return how a run ended; None of one that ended well."""
    return None if outcome.ending is Ending.EXITED and outcome.exit_code == 0 else end_of(outcome)


def _not_loaded(executable: Executable, error: CommandError) -> _Told:
    """Explain why the kernel will not load what the compiler made. Raises for an interpreter of ours."""
    if not executable.runtime.starts_product:
        raise error
    end = CaseEnding(how=None, refusal=error.reason)
    return _Told(outcome=Outcome(ending=Ending.EXITED), verdict=Verdict.RE, end=end)


def samples_of(points: tuple[TimelinePoint, ...]) -> tuple[TimelinePoint, ...]:
    """Return at most MOST_SAMPLES of the samples, including the first and the last."""
    if len(points) <= MOST_SAMPLES:
        return points
    return tuple(points[place * (len(points) - 1) // (MOST_SAMPLES - 1)] for place in range(MOST_SAMPLES))
