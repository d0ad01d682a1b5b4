"""The whole story of one submission: compile, run and check every test case, profile the ones that matter, explain.

Which cases run: all samples, then the secret cases in order. A wrong answer or a crash does not stop it, since the
numbers of the other cases are worth having; the second secret case over a time limit does, because each one more would
cost seconds and say the same. What was not run is named in the explanation. A judge error stops it at once.

The verdict is that of the first case in order that is not AC. The profile pass comes after the last case: for the
slowest one and the first one over a time limit, for every one that was run, or for none, as the job asks.
"""

from collections.abc import Iterator
from pathlib import Path

from judge.bench import open_bench
from judge.compilation import Compilation, Compiler, compile_limits, several_files, single_file
from judge.events import (
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
    TestCaseJudged,
    TestCaseProfiled,
)
from judge.explain import Story, explain
from judge.languages import language_by_id
from judge.verdicts import Verdict
from problems.package import PackageError
from sandbox.types import Sandbox
from sandbox.workdir import fresh_folder

_ENOUGH_TIME_LIMITS = 2  # secret cases over a time limit, after which the rest is not run


def grade(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Event]:
    """Grade one submission, event by event; the last one is GradingFinished. Raises SandboxError: ours, try again."""
    told: list[Event] = []
    package_problem = ""
    try:
        for event in _work(job, sandbox, work_root):
            told.append(event)
            yield event
    except PackageError as error:
        package_problem = str(error)
    yield _finish(job, told, package_problem)


def profile_case(job: GradingJob, case_name: str, sandbox: Sandbox, work_root: Path) -> TestCaseProfiled:
    """The profile pass of one case, on its own: compiles again. Raises SandboxError, KeyError for an unknown case."""
    case = {case.name: case for case in job.package.test_cases}[case_name]
    with fresh_folder(work_root, "profile-") as folder:
        compilation = _compile(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
        if compilation.executable is None:
            return TestCaseProfiled(name=case_name, profile=None, problem="the program no longer compiles")
        try:
            with open_bench(job, compilation.executable, sandbox, work_root, folder) as bench:
                return bench.profile(case)
        except PackageError:
            return TestCaseProfiled(name=case_name, profile=None, problem="the problem's package is broken")


def _work(
    job: GradingJob, sandbox: Sandbox, work_root: Path
) -> Iterator[CompileFinished | TestCaseJudged | TestCaseProfiled]:
    cases = job.package.test_cases
    with fresh_folder(work_root, "grade-") as folder:
        compilation = _compile(job, Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu), folder)
        yield CompileFinished(
            ok=compilation.executable is not None,
            message=compilation.message,
            wall_time_us=compilation.wall_time_us,
            toolchain=language_by_id(job.language).toolchain().version,
            cases=len(cases),
        )
        if compilation.executable is None:
            return
        with open_bench(job, compilation.executable, sandbox, work_root, folder) as bench:
            judged: list[TestCaseJudged] = []
            for case in cases:
                judged.append(bench.judge(case))
                yield judged[-1]
                if _is_enough(judged, job):
                    break
            wanted = _names_to_profile(job.profile, judged)
            for case in cases:
                if case.name in wanted:
                    yield bench.profile(case)


def _compile(job: GradingJob, compiler: Compiler, folder: Path) -> Compilation:
    language = language_by_id(job.language)
    sources = several_files(language, dict(job.files)) if job.files else single_file(language, job.source)
    return compiler.compile(sources, compile_limits(job.package.limits), folder)


def _is_enough(judged: list[TestCaseJudged], job: GradingJob) -> bool:
    too_slow = sum(case.verdict is Verdict.TLE for case in judged if not case.is_sample)
    return judged[-1].verdict is Verdict.JE or (too_slow >= _ENOUGH_TIME_LIMITS and not job.runs_all)


def _names_to_profile(policy: ProfilePolicy, judged: list[TestCaseJudged]) -> set[str]:
    if policy is ProfilePolicy.NONE or not judged or any(case.verdict is Verdict.JE for case in judged):
        return set()
    if policy is ProfilePolicy.ALL:
        return {case.name for case in judged}
    slowest = max(judged, key=lambda case: (case.usage.cpu_time_us, case.usage.wall_time_us))
    too_slow = [case.name for case in judged if case.verdict is Verdict.TLE]
    return {slowest.name, *too_slow[:1]}


def _finish(job: GradingJob, told: list[Event], package_problem: str) -> GradingFinished:
    judged = [event for event in told if isinstance(event, TestCaseJudged)]
    is_compiled = any(isinstance(event, CompileFinished) and event.ok for event in told)
    verdict, judge_message = _decide(judged, is_compiled, package_problem)
    story = Story(
        language=language_by_id(job.language),
        source=job.source,
        limits=job.package.limits,
        verdict=verdict,
        cases=tuple(judged),
        profiles={event.name: event.profile for event in told if isinstance(event, TestCaseProfiled) and event.profile},
        total_cases=len(job.package.test_cases),
        is_interactive=job.package.is_interactive,
    )
    return GradingFinished(verdict=verdict, explanation=explain(story), judge_message=judge_message)


def _decide(judged: list[TestCaseJudged], is_compiled: bool, package_problem: str) -> tuple[Verdict, str]:
    if package_problem:
        return Verdict.JE, package_problem
    if not is_compiled:
        return Verdict.CE, ""
    if not judged:
        return Verdict.JE, "the package has no test cases"
    for case in judged:
        if case.verdict is Verdict.JE:
            return Verdict.JE, case.judge_message
    return next((case.verdict for case in judged if case.verdict is not Verdict.AC), Verdict.AC), ""
