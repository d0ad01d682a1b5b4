"""Run a judged program on inputs of many sizes, to tell how its time and its calls grow with the size.

How it works: the program is compiled as it was judged and runs within the problem's own limits. Until enough runs ended
to tell the growth, a run may take ten times the CPU time: not always, since a long run has more of the machine's noise
in it than the fastest of some quick ones. Where the package has a generator (`judge.grading.verification.generated`),
it runs on generated inputs of doubling sizes, up to the first that is refused or that it does not finish; then on sizes
between the largest of those that it finished within the limit. The test case with the largest input is run as well: a
time limit that stops it there must not contradict what the generated inputs tell. Without a generator, it runs on the
problem's own inputs, also on those that it was not judged on, from the smallest on.

A quick run is repeated, and its fastest time counts. Output is not checked, only the ending: a program that fails on an
input is not measured on it. Submissions that wait go first between two runs, and in the middle of a long one; after a
while no further run is started.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from judge.grading.events import Finding, GradingJob
from judge.grading.explain.evidence.growth import LEAST_TIME_US, Point, SizedRun, are_enough, without_start
from judge.grading.explain.evidence.shapes import Shapes
from judge.grading.explain.rules.own_time.growing_time import evidence_of, sizes_of
from judge.grading.reruns.again import NothingToShow, compiled, of_a_case, run_as_judged, starting
from judge.grading.reruns.patient import run_patiently
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program, doubt_about_measurement
from judge.grading.verdicts import Verdict, verdict_of_ending
from judge.grading.verification import generated
from judge.grading.verification.pace import OutOfTime, Pace
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import GaveWay
from sandbox.jail.doubt import repeated
from sandbox.types import Outcome, Sandbox

MOST_S = 60.0  # of all runs, the generator's and the validators' too
MOST_OWN = 24  # of the problem's inputs
_MOST_STOPPED = 2  # of them: larger ones are stopped too
MOST_BETWEEN = 12  # sizes between two powers of two
_ROUNDS = 5  # of a quick run at most: of a few milliseconds, noise is a large part
_ENOUGH_US = 500_000  # of wall time, of all rounds together

ONE_RUN_ONLY = gettext_noop("Growth is measured on cases of one run, without an interactor.")
TOO_FEW = gettext_noop(
    "The program was run on inputs of more sizes. Too few of these runs ended and took long enough to be compared, so "
    "nothing is said about how its time grows."
)
NO_LINE = gettext_noop(
    "The program was run on inputs of more sizes. Its times differ too much from any power of the size, so nothing is "
    "said about how its time grows."
)
_NO_START = gettext_noop("The program does not start, so there is nothing to measure.")


@of_a_case
def measure_growth(job: GradingJob, _case: TestCase, sandbox: Sandbox, work_root: Path) -> Finding:
    """Measure the growth of a job's program; the case only keeps it."""
    package = job.package
    if package.is_interactive or package.most_passes > 1:
        raise NothingToShow(ONE_RUN_ONLY)
    with (
        compiled(job, sandbox, work_root) as (executable, folder),
        open_program(job, executable, sandbox, folder) as program,
    ):
        inputs = {case.name: case.input for case in package.test_cases}
        sizes, unit = sizes_of({name: path.stat().st_size for name, path in inputs.items()}, Shapes(inputs))
        pace = Pace(job.between, MOST_S)
        runs = _Runs(job=job, program=program, sandbox=sandbox, work_root=work_root, pace=pace, sizes=sizes, unit=unit)
        with starting(executable, _NO_START), suppress(OutOfTime, GaveWay):
            runs.make(folder)
    evidence = evidence_of(
        runs.sized, max(runs.sizes.values()), package.limits.time_limit_ms, unit=runs.unit, others=runs.others
    )
    if evidence is None:
        raise NothingToShow(NO_LINE if are_enough([point.size for point in runs.points]) else TOO_FEW)
    return Finding(code="growth", evidence={"inputs": "generated" if package.growth_generator else "own", **evidence})


@dataclass(kw_only=True, slots=True)
class _Runs:
    """The runs of one program: those that count, as it came to its end, or a time limit stopped it.

    `sizes`: of the package's own inputs by case, in `unit`. `others`: on another kind of input than those of `sized`.
    """

    job: GradingJob
    program: Program
    sandbox: Sandbox
    work_root: Path
    pace: Pace
    sizes: Mapping[str, int]
    unit: str
    sized: list[SizedRun] = field(default_factory=list)
    others: list[SizedRun] = field(default_factory=list)

    @property
    def points(self) -> tuple[Point, ...]:
        """The runs that came to their end and took long enough to be compared."""
        ended = [Point(size=run.size, amount=run.cpu_time_us) for run in self.sized if not run.is_stopped]
        return without_start(ended)[1]

    def make(self, folder: Path) -> None:
        """Run the program on generated inputs, else on the problem's own. Raises OutOfTime, PackageError."""
        package = self.job.package
        if package.growth_generator is None:
            different = {case.digest or case.name: case for case in package.test_cases}
            cases = sorted(different.values(), key=lambda case: self.sizes[case.name])
            if len(cases) > MOST_OWN:  # evenly chosen
                cases = [cases[round(place * (len(cases) - 1) / (MOST_OWN - 1))] for place in range(MOST_OWN)]
            for case in cases:
                own = self._run(case, self.sizes[case.name])
                self.sized += [own] if own is not None else []
                if sum(run.is_stopped for run in self.sized) == _MOST_STOPPED:
                    break
            return
        largest = max(package.test_cases, key=lambda case: (self.sizes[case.name], not case.is_sample))
        run = self._run(largest, self.sizes[largest.name])
        if run is not None and run.is_stopped:
            self.others.append(run)
        with generated.open_generator(
            package, self.sandbox, self.work_root, folder / "generator", self.job.cpu
        ) as generator:
            self._generated(generator)

    def _generated(self, generator: generated.InputGenerator) -> None:
        """Run on doubling sizes, then between the largest that took more time than noise, and less than the limit."""
        doubled: dict[int, SizedRun] = {}  # by step
        for step in generated.WHOLE_STEPS:
            run = self._at(generator, step)
            if run is not None:
                doubled[step] = run
            elif doubled:  # before, the sizes may be too small for the problem
                break
            if run is not None and run.is_stopped:
                break
        least_us = min((run.cpu_time_us for run in doubled.values()), default=0) + LEAST_TIME_US
        most_us = self.job.package.limits.time_limit_ms * 1_000
        slow = [step for step, run in doubled.items() if least_us <= run.cpu_time_us <= most_us and not run.is_stopped]
        between = [step + part for step in slow for part in range(1, generated.OCTAVE)]
        halves_first = sorted(between, key=lambda step: (step % 2, -step))
        for step in halves_first[:MOST_BETWEEN]:
            self._at(generator, step)

    def _at(self, generator: generated.InputGenerator, step: int) -> SizedRun | None:
        """Run on the input of this size; None if there is none, or the program fails on it."""
        self.pace.pause()
        made = generator.make(generated.size_at(step))
        run = self._run(made.case, made.size) if made.case is not None else None
        self.sized += [run] if run is not None else []
        return run

    def _run(self, case: TestCase, size: int) -> SizedRun | None:
        """Return the fastest of some runs, as many as take little time together; None if the program failed."""
        has_enough = are_enough([point.size for point in self.points])
        best: SizedRun | None = None
        spent_us = 0
        for _ in range(_ROUNDS):
            self.pace.pause()
            outcome = self._outcome(case, is_patient=not has_enough)
            verdict = verdict_of_ending(outcome)
            if verdict not in (None, Verdict.TLE):
                return None
            run = SizedRun(
                size=size,
                cpu_time_us=outcome.usage.cpu_time_us,
                calls=outcome.io.read_calls + outcome.io.write_calls,
                is_stopped=verdict is Verdict.TLE,
            )
            best = run if best is None else min(best, run, key=lambda candidate: candidate.cpu_time_us)
            spent_us += outcome.usage.wall_time_us
            if spent_us > _ENOUGH_US:
                break
        return best

    def _outcome(self, case: TestCase, *, is_patient: bool) -> Outcome:
        if not is_patient:
            return run_as_judged(self.job, case, self.program, self.sandbox, self.work_root)
        return repeated(lambda: run_patiently(self.job, self.program, case).outcome, doubt_about_measurement)
