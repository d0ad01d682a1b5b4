"""Run a judged program on inputs of many sizes, to tell how its time and its calls grow with the size.

How it works: the program is compiled as it was judged and runs within the problem's own limits. Where the package has a
generator (`judge.grading.verification.generated`), it runs on generated inputs of doubling sizes, up to the first that
is refused or that it does not finish; then on sizes between the largest of those. The test case with the largest input
is run as well: a time limit that stops it there must not contradict what the generated inputs tell. Without a
generator, it runs on the problem's own inputs, also on those that it was not judged on, from the smallest on.

A quick run is repeated, and its fastest time counts. Output is not checked, only the ending: a program that fails on an
input is not measured on it. Submissions that wait go first between two runs; after a while no further run is started.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from judge.grading.events import Finding, GradingJob
from judge.grading.explain.evidence.growth import LEAST_TIME_US, Point, SizedRun, are_enough, without_start
from judge.grading.explain.rules.own_time.growing_time import find_in_further_runs
from judge.grading.reruns.again import NothingToShow, compiled, of_a_case, run_as_judged, starting
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.verdicts import Verdict, verdict_of_ending
from judge.grading.verification import generated
from judge.grading.verification.pace import OutOfTime, Pace
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.types import Sandbox

MOST_S = 60.0  # of all runs, the generator's and the validators' too
MOST_OWN = 24  # of the problem's inputs
_MOST_STOPPED = 2  # of them: larger ones are stopped too
MOST_BETWEEN = 12  # sizes between two powers of two
_ROUNDS = 5  # of a quick run at most: of a few milliseconds, noise is a large part
_ENOUGH_US = 200_000  # of wall time, of all rounds together

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
        runs = _Runs(job=job, program=program, sandbox=sandbox, work_root=work_root, pace=Pace(job.between, MOST_S))
        with starting(executable, _NO_START), suppress(OutOfTime):
            runs.make(folder)
    finding = find_in_further_runs(
        runs.sized, runs.largest_bytes, package.limits.time_limit_ms, are_generated=package.growth_generator is not None
    )
    if finding is None:
        _start, points = without_start([Point(size=run.size, amount=run.cpu_time_us) for run in runs.finished])
        raise NothingToShow(NO_LINE if are_enough([point.size for point in points]) else TOO_FEW)
    return finding


@dataclass(kw_only=True, slots=True)
class _Runs:
    """The runs of one program. `made` has those that count: it came to its end, or a time limit stopped it."""

    job: GradingJob
    program: Program
    sandbox: Sandbox
    work_root: Path
    pace: Pace
    sized: list[SizedRun] = field(default_factory=list)
    largest_bytes: int = 0

    @property
    def finished(self) -> list[SizedRun]:
        """The runs that came to their end."""
        return [run for run in self.sized if not run.is_stopped]

    def make(self, folder: Path) -> None:
        """Run the program on generated inputs, else on the problem's own. Raises OutOfTime, PackageError."""
        package = self.job.package
        largest = generated.largest_case(package)
        if package.growth_generator is None:
            self.largest_bytes = largest.input.stat().st_size
            different = {case.digest or case.name: case for case in package.test_cases}
            cases = sorted(different.values(), key=lambda case: case.input.stat().st_size)
            if len(cases) > MOST_OWN:  # evenly chosen
                cases = [cases[round(place * (len(cases) - 1) / (MOST_OWN - 1))] for place in range(MOST_OWN)]
            for case in cases:
                own = self._run(case)
                self.sized += [own] if own is not None else []
                if sum(run.is_stopped for run in self.sized) == _MOST_STOPPED:
                    break
            return
        run = self._run(largest)
        if run is not None and run.is_stopped:  # else its time is known
            self.sized.append(run)
            self.largest_bytes = run.size
        with generated.open_generator(
            package, self.sandbox, self.work_root, folder / "generator", self.job.cpu
        ) as generator:
            self._generated(generator)

    def _generated(self, generator: generated.InputGenerator) -> None:
        """Run on doubling sizes, then between the largest of these, as long as the time is more than noise."""
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
        slow = [step for step, run in doubled.items() if not run.is_stopped and run.cpu_time_us >= least_us]
        between = [step + part for step in slow for part in range(1, generated.OCTAVE)]
        halves_first = sorted(between, key=lambda step: (step % 2, -step))
        for step in halves_first[:MOST_BETWEEN]:
            self._at(generator, step)

    def _at(self, generator: generated.InputGenerator, step: int) -> SizedRun | None:
        """Run on the input of this size; None if there is none, or the program fails on it."""
        self.pace.pause()
        case = generator.make(generated.size_at(step)).case
        run = self._run(case) if case is not None else None
        if run is not None:
            self.sized.append(run)
            self.largest_bytes = max(self.largest_bytes, run.size)
        return run

    def _run(self, case: TestCase) -> SizedRun | None:
        """Return the fastest of some runs, as many as take little time together; None if the program failed."""
        best: SizedRun | None = None
        spent_us = 0
        for _ in range(_ROUNDS):
            self.pace.pause()
            outcome = run_as_judged(self.job, case, self.program, self.sandbox, self.work_root)
            verdict = verdict_of_ending(outcome)
            if verdict not in (None, Verdict.TLE):
                return None
            run = SizedRun(
                size=case.input.stat().st_size,
                cpu_time_us=outcome.usage.cpu_time_us,
                calls=outcome.io.read_calls + outcome.io.write_calls,
                is_stopped=verdict is Verdict.TLE,
            )
            best = run if best is None else min(best, run, key=lambda candidate: candidate.cpu_time_us)
            spent_us += outcome.usage.wall_time_us
            if spent_us > _ENOUGH_US:
                break
        return best
