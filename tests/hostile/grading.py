"""Grade a case as the worker does and report violated expectations."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from judge.grading.ending_words import brief
from judge.grading.events import CaseJudged, CompileFinished, Event, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import Package, PackageProgram
from sandbox.types import Sandbox
from tests.hostile.corpus.corpus import FOLDER, Case, forbidden_in
from tests.hostile.corpus.stated import CANARY_HERE
from tests.judge.packages import make_package

_LOG_BYTES = 256 * 1024
_CHECKERS = {
    "tokens": (),
    "exact": ("case_sensitive", "space_change_sensitive"),
    "floats": ("float_tolerance", "1e-6"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    """One grading: its events, and how long it took."""

    events: tuple[Event, ...]
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """The verdict of the last event."""
        last = self.events[-1]
        assert isinstance(last, GradingFinished)
        return last.verdict

    @property
    def judged(self) -> list[CaseJudged]:
        """The test cases that were run."""
        return [event for event in self.events if isinstance(event, CaseJudged)]


def package_of(case: Case, folder: Path, checker: str, hidden: str) -> Package:
    """The case's problem: a sample, as many equal hidden tests as it wants, and one more that is never run.

    That one holds `hidden`, which must not appear anywhere; so does one that is run, if the problem states it.
    """
    if case.problem.interactor is not None:
        return _interactive(case, folder, case.problem.interactor, hidden)
    content = case.problem.stdin, case.problem.answer
    cases = {"sample/1": content, **{f"secret/{i}": content for i in range(2, case.tests + 1)}}
    if case.problem.hidden_stdin:
        cases["secret/hidden"] = case.problem.hidden_stdin.replace(CANARY_HERE, hidden), case.problem.answer
    package = make_package(folder, cases, limits=case.problem_limits, flags=_CHECKERS[checker])
    for suffix in (".in", ".ans"):
        path = folder / "data" / "secret" / f"canary{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"1 2\n# {hidden}\n")
    return package


def _interactive(case: Case, folder: Path, interactor: Path, hidden: str) -> Package:
    """The interactive problem. Its inputs are the interactor's alone, so they hold `hidden` too."""
    content = f"{case.problem.secret}\n# {hidden}\n"
    cases = {f"secret/{i}": (content, content) for i in range(1, case.tests + 1)}
    package = make_package(folder, cases, limits=case.problem_limits, is_interactive=True)
    target = folder / "output_validator"
    target.mkdir(exist_ok=True)
    shutil.copyfile(FOLDER / "guess" / "__main__.py", target / "__main__.py")
    shutil.copyfile(interactor, target / "guess_interactor.py")
    program = PackageProgram(path=target, language="python", entry="__main__.py")
    return replace(package, output_validator=program)


def grade_on(sandbox: Sandbox, work_root: Path, job: GradingJob) -> Graded:
    """Grade; the time is from the start of compilation to the verdict: there is no queue. Raises SandboxError."""
    events: list[Event] = []
    start = verdict_at = time.monotonic()
    for event in grade(job, sandbox, work_root):
        events.append(event)
        verdict_at = time.monotonic()
    return Graded(events=tuple(events), seconds=verdict_at - start)


def grade_together(
    sandbox: Sandbox, work_root: Path, job: GradingJob, copies: int, cpus: tuple[int, ...]
) -> list[Graded]:
    """Grade that many copies of a submission at the same time, each on one of these cores; a single one on any."""
    if copies == 1 and len(cpus) > 1:
        return [grade_on(sandbox, work_root, job)]
    with ThreadPoolExecutor(copies) as pool:
        jobs = [replace(job, cpu=cpus[i % len(cpus)]) for i in range(copies)]
        return list(pool.map(lambda each: grade_on(sandbox, work_root, each), jobs))


def job_of(case: Case, package: Package) -> GradingJob:
    """The case as a submission."""
    profile = ProfilePolicy.SLOWEST if case.is_profiled else ProfilePolicy.NONE
    return GradingJob(package=package, language=case.language, source=case.source, profile=profile)


def problems_of(case: Case, graded: Graded) -> list[str]:
    """What is wrong with one grading of a case, one sentence each."""
    found = []
    finished = [event for event in graded.events if isinstance(event, GradingFinished)]
    if len(finished) != 1 or graded.events[-1] is not finished[0]:
        found.append(f"{len(finished)} verdicts")
    if graded.verdict not in case.verdicts:
        found.append(f"verdict {graded.verdict}: {_why(graded)}")
    if graded.seconds * 1_000 > case.deadline_ms:
        found.append(f"the verdict took {graded.seconds:.1f} s, of {case.deadline_ms / 1_000:g} s")
    told = b"\n".join(part for event in graded.events for part in _parts(astuple(event)))
    found += [f"grading tells: {text}" for text in forbidden_in(told, case.forbid)]
    if "log_bounded" in case.invariants and len(told) > _LOG_BYTES:
        found.append(f"grading tells {len(told)} bytes")
    tests = case.tests + bool(case.problem.hidden_stdin)
    if graded.verdict is Verdict.AC and len(graded.judged) != tests:
        found.append(f"only {len(graded.judged)} tests were run")
    return found


def _why(graded: Graded) -> str:
    compiled = graded.events[0]
    message = compiled.words[:200] if isinstance(compiled, CompileFinished) else ""
    return "; ".join(
        [message, *(f"{case.name} {case.verdict} {case.ending and brief(case.ending)}" for case in graded.judged)]
    )


def _parts(value: object) -> list[bytes]:
    """Every piece of text in an event, however deep."""
    if isinstance(value, bytes):
        return [value]
    if isinstance(value, dict):
        return [part for item in value.items() for part in _parts(item)]
    if isinstance(value, tuple | list):
        return [part for item in value for part in _parts(item)]
    return [str(value).encode("utf-8", "surrogateescape")]
