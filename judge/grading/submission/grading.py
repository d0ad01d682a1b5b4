"""Grade one submission: compile, run and check every test case, profile the important ones, explain.

Which cases run is told by `judge.grading.scoring.case_order`, the verdict and the points by
`judge.grading.submission.conclusion`.
A judge error stops it at once. A profile pass comes after the last case, of the cases that the job's `ProfilePolicy`
names: none of them while a student waits, since a rerun after the verdict counts what the explanation needs.
"""

import shutil
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from judge.grading.bounded import SourceOnce, reader_in
from judge.grading.compiling.compilation import (
    Compilation,
    Compiler,
    compile_limits,
    several_files,
    single_file,
    with_included,
)
from judge.grading.compiling.compile_cache import CACHE
from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, GradingJob, ProfilePolicy
from judge.grading.languages import file_name, language_by_id
from judge.grading.running.cases import open_bench
from judge.grading.running.execution import EarlyRoom
from judge.grading.scoring.case_order import names_in_turn
from judge.grading.stages import Stage
from judge.grading.submission import budget
from judge.grading.submission.conclusion import Graded, conclude, names_to_count
from judge.grading.verdicts import Verdict
from problems.format.constants import replaced
from problems.package import PackageError, SubmittedFile
from problems.translation import gettext_noop
from sandbox.types import IoProfile, Sandbox
from sandbox.workdir import fresh_folder


def grade(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Generator[Event, None, None]:
    """Grade one submission, event by event; the last is GradingFinished. Raises SandboxError, our own failure: try
    again.

    What passes between two events, until the next one is asked for, is the caller's to name on the job's stopwatch.
    While the program is compiled, its jail is opened and its source is read. The jails are closed after the last event.
    """
    events: list[Event] = []
    package_problem = ""
    with ThreadPoolExecutor(1, "jails") as beside, ExitStack() as opened:
        early = EarlyRoom(job, sandbox, beside)
        opened.callback(early.close)
        source = source_of(job, sandbox, work_root)
        if job.wants_tokens:
            source.begin(beside)
        try:
            for event in _work(job, sandbox, work_root, opened, early):
                events.append(event)
                yield event
        except PackageError as error:
            package_problem = error.sentence
        yield conclude(Graded(job=job, events=events, source=source), package_problem)


def source_of(job: GradingJob, sandbox: Sandbox, work_root: Path) -> SourceOnce:
    """Return the job's source, to be read by whoever needs it."""
    return SourceOnce(reader_in(sandbox, work_root), job.source, language_by_id(job.language))


def profile_case(job: GradingJob, case_name: str, sandbox: Sandbox, work_root: Path) -> CaseProfiled:
    """Run the profile pass of one case alone, compiling again. Raises SandboxError, KeyError for an unknown case."""
    case = {case.name: case for case in job.package.test_cases}[case_name]
    with fresh_folder(work_root, "profile-") as folder:
        compilation = compile_job(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
        if compilation.executable is None:
            problem = gettext_noop("it could not be compiled again just now: ask for it again in a moment")
            return CaseProfiled(name=case_name, result=None, problem=problem)
        try:
            with open_bench(job, compilation.executable, sandbox, work_root, folder) as bench:
                return bench.profile(case)
        except PackageError:
            return CaseProfiled(name=case_name, result=None, problem=gettext_noop("the problem's package is broken"))


def keep_output(job: GradingJob, case_name: str, target: Path, sandbox: Sandbox, work_root: Path) -> bool:
    """Run one case again, store its output in `target`, and return whether it was accepted. Raises SandboxError."""
    case = {case.name: case for case in job.package.test_cases}[case_name]
    with fresh_folder(work_root, "output-") as folder:
        compilation = compile_job(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
        if compilation.executable is None:
            return False
        with open_bench(job, compilation.executable, sandbox, work_root, folder) as bench:
            run = bench.undisturbed_run(case)
            if run.verdict is not Verdict.AC or run.stdout is None:
                return False
            shutil.copyfile(run.stdout, target)
            return True


def _work(
    job: GradingJob, sandbox: Sandbox, work_root: Path, stack: ExitStack, early: EarlyRoom | None = None
) -> Iterator[CompileFinished | CaseJudged | CaseProfiled]:
    """Yield all events but the last; the folder and the jails are on the stack. `early`: the program's jail, if it is
    being opened.
    """
    cases = {case.name: case for case in job.package.test_cases}
    folder = stack.enter_context(fresh_folder(work_root, "grade-"))
    compilation = compile_job(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
    yield compile_finished(job, compilation)
    if compilation.executable is None:
        return
    reference = _reference_counts(job, sandbox, work_root)
    bench = stack.enter_context(open_bench(job, compilation.executable, sandbox, work_root, folder, early))
    judged: dict[str, CaseJudged] = {}
    for name in names_in_turn(job.package, judged, runs_all=job.runs_all):
        limit = budget.budget_of(job.package.limits, reference.get(name))
        judged[name] = budget.judged_by(bench.judge(cases[name]), limit)
        yield judged[name]
        if judged[name].verdict is Verdict.JE:
            break
    names = names_to_profile(Graded(job=job, events=list(judged.values()), source=source_of(job, sandbox, work_root)))
    for name in judged:
        if name in names:
            yield bench.profile(cases[name])


def _reference_counts(job: GradingJob, sandbox: Sandbox, work_root: Path) -> dict[str, IoProfile]:
    """Return the jury submission's calls on each case, cached or measured; none if the budget does not hang on them.
    Raises PackageError.
    """
    if not budget.needs_reference(job.package.limits):
        return {}
    reference = budget.reference_job(job)
    cache, key = work_root / CACHE, budget.key_of_reference(reference)
    counts = budget.kept_counts(cache, key)
    if counts is None:
        with ExitStack() as stack:
            events = _work(reference, sandbox, work_root, stack)
            counts = budget.counts_of(reference, (event for event in events if isinstance(event, CaseJudged)))
        with fresh_folder(work_root, "reference-") as folder:
            budget.keep_counts(cache, key, counts, folder)
    return counts


def budget_for(job: GradingJob, case_name: str, sandbox: Sandbox, work_root: Path) -> budget.CallBudget:
    """Return the call limit of the job on a case. Raises PackageError, SandboxError."""
    reference = _reference_counts(job, sandbox, work_root)
    return budget.budget_of(job.package.limits, reference.get(case_name))


def compile_job(
    job: GradingJob,
    compiler: Compiler,
    folder: Path,
    *,
    with_lines: bool = False,
    keeps_calls: bool = False,
    with_counts: bool = False,
) -> Compilation:
    """Return the job's program, compiled in the empty `folder` or from the cache. Raises SandboxError.

    `with_lines`: with the information which line of the source each instruction comes from; `keeps_calls`: as in
    `Language.with_lines`; `with_counts`: so that it counts how often each line runs.
    """
    language = language_by_id(job.language)
    if with_counts:
        language = language.with_counts()
    if with_lines:
        language = language.with_lines(keeps_calls=keeps_calls)
    expected = job.package.submitted.get(job.language, SubmittedFile())
    name = file_name(language, job.file_name, expected)
    sources = several_files(language, dict(job.files)) if job.files else single_file(language, job.source, name)
    files, constants = job.package.included.get(job.language, ()), job.package.constants
    included = {name: replaced(path.read_bytes(), constants) for name, path in files}
    limits = compile_limits(job.package.limits)
    with job.stopwatch.timed(Stage.COMPILE):
        whole = with_included(sources, included, expected)
        return compiler.compile(whole, limits, folder, job.author)


def compile_finished(job: GradingJob, compilation: Compilation) -> CompileFinished:
    """Return the event about a compilation of the job's program."""
    return CompileFinished(
        ok=compilation.executable is not None,
        message=compilation.message,
        problem=compilation.problem,
        wall_time_us=compilation.wall_time_us,
        toolchain=language_by_id(job.language).toolchain().version,
        cases=len(job.package.test_cases),
    )


def names_to_profile(graded: Graded) -> set[str]:
    """Return the names of the cases that get a profile pass now."""
    judged = graded.judged
    if not judged or any(case.verdict is Verdict.JE for case in judged):
        return set()
    match graded.job.profile:
        case ProfilePolicy.NONE | ProfilePolicy.LATER:
            return set()
        case ProfilePolicy.ALL:
            return {case.name for case in judged}
        case ProfilePolicy.NEEDED:
            return set(names_to_count(graded))
    slowest = max(judged, key=lambda case: (case.usage.cpu_time_us, case.usage.wall_time_us))
    too_slow = [case.name for case in judged if case.verdict is Verdict.TLE]
    return {slowest.name, *too_slow[:1]}
