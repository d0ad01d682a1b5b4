"""Run a program for its author: on samples, checked as in grading, or on an input of their own, with nothing to check.

Compiler, jails, checker and passes are those of `judge.grading.submission.grading`. Secret cases are not read: where
the call limits hang on the jury's submission and its calls are not known yet, it runs on the same samples. A scoring
problem's points are left out, since samples decide none.

Of the first case that a signal ends, the line of the source is found at once, as nobody else waits for this.

The author's input is one plain pass: of an interactive problem it is what the other side says, of a multi-pass problem
what one of the passes reads.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from judge.grading.compiling.compilation import Compiler
from judge.grading.compiling.compile_cache import CACHE
from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, GradingJob
from judge.grading.languages import LANGUAGES
from judge.grading.reruns.crash_line import locate_crash
from judge.grading.reruns.reasons import is_locatable, lacks_line
from judge.grading.running.cases import open_bench
from judge.grading.submission import budget
from judge.grading.submission.conclusion import Graded, conclude
from judge.grading.submission.grading import compile_finished, compile_job, names_to_profile, source_of
from judge.grading.verdicts import Verdict
from problems.package import PackageError, TestCase
from sandbox.types import IoProfile, Sandbox
from sandbox.workdir import fresh_folder

OWN_INPUT = "own input"  # the name of its case
_LAST = frozenset({Verdict.TLE, Verdict.JE})  # after a case with one of these no further one is run


def run_on_samples(job: GradingJob, name: str, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
    """Run the sample `name`, or all of them for "" until one is over a time limit; the last event is GradingFinished.

    Raises SandboxError, our own failure: try again.
    """
    samples = tuple(case for case in job.package.test_cases if case.is_sample and name in ("", case.name))
    return _run(replace(job, package=replace(job.package, test_cases=samples)), sandbox, work_root)


def run_on_input(job: GradingJob, content: bytes, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
    """Run the program on an input of its author's; AC says only that it ended well. Raises SandboxError."""
    with fresh_folder(work_root, "input-") as folder:
        file = folder / "input"
        file.write_bytes(content)
        case = TestCase(name=OWN_INPUT, input=file, answer=Path(os.devnull), is_sample=True)
        package = replace(
            job.package,
            test_cases=(case,),
            limits=replace(job.package.limits, write_calls=0, read_calls=0, write_factor=0.0),
            is_interactive=False,
            output_validator=None,
            most_passes=1,
        )
        yield from _run(replace(job, package=package, is_checked=False), sandbox, work_root)


def _run(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
    events: list[Event] = []
    package_problem = ""
    with ExitStack() as opened:
        try:
            for event in _events(job, sandbox, work_root, opened):
                events.append(event)
                yield event
        except PackageError as error:
            package_problem = error.sentence
    pointless = replace(job, package=replace(job.package, groups=None, domjudge_groups=None))
    source = source_of(job, sandbox, work_root)
    if job.wants_tokens:
        source.read()
    yield conclude(Graded(job=pointless, events=events, source=source), package_problem)


def _events(
    job: GradingJob, sandbox: Sandbox, work_root: Path, stack: ExitStack
) -> Iterator[CompileFinished | CaseJudged | CaseProfiled]:
    """Yield all events but the last, of each case of the job's package; the folder and the jails are on the stack."""
    folder = stack.enter_context(fresh_folder(work_root, "custom-"))
    compilation = compile_job(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
    yield compile_finished(job, compilation)
    if compilation.executable is None:
        return
    reference: dict[str, IoProfile] = {}
    if budget.needs_reference(job.package.limits):  # the calls that grading has kept, or measured on these samples
        jury = budget.reference_job(job)
        kept = budget.kept_counts(work_root / CACHE, budget.key_of_reference(jury))
        if kept is None:
            with ExitStack() as jury_stack:
                events = _events(jury, sandbox, work_root, jury_stack)
                kept = budget.counts_of(jury, (event for event in events if isinstance(event, CaseJudged)))
        reference = kept
    bench = stack.enter_context(open_bench(job, compilation.executable, sandbox, work_root, folder))
    judged: list[CaseJudged] = []
    for case in job.package.test_cases:
        result = budget.judged_by(bench.judge(case), budget.budget_of(job.package.limits, reference.get(case.name)))
        is_first_failure = all(case.verdict is Verdict.AC for case in judged)
        ending = result.ending
        if is_first_failure and lacks_line(ending, result.passes) and is_locatable(LANGUAGES.get(job.language)):
            located = locate_crash(job, result.name, sandbox, work_root)
            result = replace(result, ending=ending and replace(ending, line=located.result or 0))
        judged.append(result)
        yield result
        if result.verdict in _LAST:
            break
    names = names_to_profile(Graded(job=job, events=judged, source=source_of(job, sandbox, work_root)))
    for case in job.package.test_cases:
        if case.name in names:
            yield bench.profile(case)
