"""Measure the request latencies of E3 with its own client: an experiment discards outputs, so it runs again."""

import statistics
from pathlib import Path

from judge.grading.compiling.compilation import Compiler, Executable, compile_limits, single_file
from judge.grading.experiment.engine import run_limits
from judge.grading.experiment.spec import ExperimentSpec, Variant
from judge.grading.languages import language_by_id
from problems.package import ProblemLimits
from sandbox.types import Command, Ending, Limits, Sandbox
from sandbox.workdir import fresh_folder

LOGGING = "e3-logging"


def latencies_of(spec: ExperimentSpec, sandbox: Sandbox, work_root: Path) -> dict[str, dict[str, float]]:
    """By variant: p50, p99 and max in ms, each the median of the rounds. Raises SandboxError."""
    rounds = [
        {variant.name: _latencies_of_run(variant, spec, sandbox, work_root) for variant in spec.variants}
        for _ in range(spec.rounds)
    ]
    return {
        variant.name: {
            figure: statistics.median(found[variant.name][figure] for found in rounds)
            for figure in rounds[0][variant.name]
        }
        for variant in spec.variants
    }


def _latencies_of_run(variant: Variant, spec: ExperimentSpec, sandbox: Sandbox, work_root: Path) -> dict[str, float]:
    with fresh_folder(work_root, "latencies-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root)
        sources = single_file(language_by_id(variant.language), variant.source.encode())
        compilation = compiler.compile(sources, compile_limits(ProblemLimits()), folder)
        if compilation.executable is None:
            raise SystemExit(f"{variant.name} does not compile: {compilation.words}")
        said = _said(compilation.executable, variant, sandbox, run_limits(spec.settings), folder / "stdout")
    return {figure: float(value) for figure, value in map(str.split, said.splitlines())}


def _said(executable: Executable, variant: Variant, sandbox: Sandbox, limits: Limits, stdout: Path) -> str:
    with sandbox.open_jail(executable.jail(cpu=0, cores=2)) as jail:
        command = Command(argv=(*executable.argv(limits.memory_bytes), *variant.args), stdout=stdout)
        outcome = jail.run(command, executable.within(limits))
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
        raise SystemExit(f"{variant.name} failed: {outcome.detail}")
    return stdout.read_text("utf-8")
