"""Test a worker at its start through the real grading: each limit must hold, each language must work.

How it works: one program, written in every language, does what its input says. In the first language there is, each
limit has a test case of its own; in the others a right answer is all that is asked for. Waiting for the wall time limit
takes the longest and no core, so that case is graded in a thread beside the others. What was unexpected is tried once
more with more time, since a machine that is just starting may be busy, and a slow one needs long to fill the memory;
what fails again keeps the worker from work if it is a limit, and takes away the language if it is a right answer.

`sandbox.doctor.doctor` has tried before whether a jail opens and what else the host must have.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from judge.grading.compile_problem import compile_words
from judge.grading.events import CaseJudged, CompileFinished, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import LANGUAGES
from judge.grading.submission import grading
from judge.grading.verdicts import Verdict
from problems.package import Package, ProblemLimits, TestCase
from problems.translation import gettext_noop
from sandbox.types import MIB, Sandbox
from sandbox.workdir import fresh_folder

_MOST_WORDS = 300  # of a compiler
LIMITS = ProblemLimits(time_limit_ms=300, memory_bytes=64 * MIB, output_bytes=MIB, processes=8)
_MORE_TIME = replace(LIMITS, time_limit_ms=5 * LIMITS.time_limit_ms)  # at the second try
_OVERRUN_PERCENT = 20  # further than a barely late run, which would be run again


@dataclass(frozen=True, kw_only=True, slots=True)
class _Case:
    """A word for the program, what is tested with it, and the verdict that it must get."""

    word: str
    name: str
    expected: Verdict


RIGHT = _Case(word="right", name=gettext_noop("a right answer"), expected=Verdict.AC)
WAIT = _Case(word="wait", name=gettext_noop("wall time"), expected=Verdict.TLE)
_OTHERS = (
    _Case(word="spin", name=gettext_noop("CPU time"), expected=Verdict.TLE),
    _Case(word="grow", name=gettext_noop("memory"), expected=Verdict.MLE),
    _Case(word="shout", name=gettext_noop("output"), expected=Verdict.OLE),
    _Case(word="fork", name=gettext_noop("processes"), expected=Verdict.RE),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """One thing that was tried. `verdict` is what it got; `detail` says more, for staff."""

    name: str
    language: str
    expected: str
    verdict: str
    detail: str
    wall_time_us: int

    @property
    def is_ok(self) -> bool:
        """Return whether the verdict is the one it must get."""
        return self.verdict == self.expected

    def as_json(self) -> dict[str, object]:
        """Return the value for the worker's row."""
        return {**asdict(self), "is_ok": self.is_ok}


def run(languages: Iterable[str], sandbox: Sandbox, work_root: Path, cpu: int | None) -> list[Tried]:
    """Try everything with the languages that are there. Raises SandboxError when no jail could be had."""
    there = [language for language in LANGUAGES if language in set(languages)]
    if not there:
        return []
    with fresh_folder(work_root, "selftest-") as folder, ThreadPoolExecutor(1) as beside:
        tester = _Tester(sandbox=sandbox, work_root=work_root, cpu=cpu, folder=folder)
        waiting = beside.submit(tester.persistently, there[0], (WAIT,))
        trials = tester.persistently(there[0], (RIGHT, *_OTHERS))
        trials += [trial for language in there[1:] for trial in tester.persistently(language, (RIGHT,))]
        return [trials[0], *waiting.result(), *trials[1:]]


def why_unfit(trials: Sequence[Tried]) -> str:
    """Return why this worker can take no work, as a sentence; empty if it can. A failing language is no reason."""
    for trial in trials:
        if not trial.is_ok and trial.name != RIGHT.name:
            got = trial.verdict or "no verdict"
            return (
                f"Self-test: a program over its limit of {trial.name} got {got}, not {trial.expected}. {trial.detail}"
            )
    return ""


def failed_languages(trials: Sequence[Tried]) -> dict[str, str]:
    """Return the languages whose right answer was not accepted, with the reason."""
    return {trial.language: trial.detail for trial in trials if trial.name == RIGHT.name and not trial.is_ok}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tester:
    sandbox: Sandbox
    work_root: Path
    cpu: int | None
    folder: Path  # for inputs and answers

    def persistently(self, language: str, cases: Sequence[_Case]) -> list[Tried]:
        """Try each of the cases; try unexpected ones once more, with more time."""
        trials = self._grade(language, cases, LIMITS)
        wrong = [case for case, trial in zip(cases, trials, strict=True) if not trial.is_ok]
        again = {trial.name: trial for trial in self._grade(language, wrong, _MORE_TIME)} if wrong else {}
        return [again.get(trial.name, trial) for trial in trials]

    def _grade(self, language: str, cases: Sequence[_Case], limits: ProblemLimits) -> list[Tried]:
        events = list(grading.grade(self._job(language, cases, limits), self.sandbox, self.work_root))
        judged = {event.name: event for event in events if isinstance(event, CaseJudged)}
        refusals = [event for event in events if isinstance(event, CompileFinished) and not event.ok]
        why_not: list[str] = [compile_words(event.problem, event.message[:_MOST_WORDS]) for event in refusals]
        why_not += [event.judge_message for event in events if isinstance(event, GradingFinished)]
        return [_tried(language, case, judged.get(_path(case)), why_not[0]) for case in cases]

    def _job(self, language: str, cases: Sequence[_Case], limits: ProblemLimits) -> GradingJob:
        package = Package(
            path=self.folder,
            short_name="selftest",
            name="Self-test",
            digest="",
            limits=limits,
            test_cases=tuple(self._test_case(case) for case in cases),
            statements=(),
            validator_flags=(),
            output_validator=None,
            submissions=(),
        )
        return GradingJob(
            package=package,
            language=language,
            source=LANGUAGES[language].selftest_program.encode(),
            profile=ProfilePolicy.NONE,
            cpu=self.cpu,
            runs_all=True,
            overrun_percent=_OVERRUN_PERCENT,
        )

    def _test_case(self, case: _Case) -> TestCase:
        files = {kind: self.folder / f"{case.word}.{kind}" for kind in ("in", "ans")}
        files["in"].write_text(f"{case.word}\n")
        files["ans"].write_text("right\n")
        return TestCase(name=_path(case), input=files["in"], answer=files["ans"], is_sample=False)


def _path(case: _Case) -> str:
    return f"secret/{case.word}"


def _tried(language: str, case: _Case, judged: CaseJudged | None, why_not: str) -> Tried:
    return Tried(
        name=case.name,
        language=language,
        expected=case.expected.value,
        verdict=judged.verdict.value if judged else "",
        detail=judged.judge_message if judged else why_not,
        wall_time_us=judged.usage.wall_time_us if judged else 0,
    )
