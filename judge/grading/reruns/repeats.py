"""Repeat a judged case near its time limit, to tell how much its CPU time scatters and how sure the verdict is.

How it works: the program is compiled as it was judged and runs a few times within the problem's own limits, on the core
of its slot. Each run is measured like a judged one and nothing is checked: what is asked is only whether it ends within
the limits on time. Submissions that wait go first between two runs. The verdict stays what it is.

In a run of several passes the package's output validator makes the input of the next pass, as in judging. The limits
are for each pass, so the time of such a run is that of its slowest pass.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, RepeatedRuns
from judge.grading.near_limit import clock_us
from judge.grading.reruns.again import PACKAGE_IS_BROKEN, NothingToShow, compiled, of_a_case, run_as_judged, starting
from judge.grading.running.cases import open_bench, open_program
from judge.grading.running.execution import doubt_about_measurement, doubt_about_verdict
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.jail.doubt import repeated
from sandbox.types import Ending, Sandbox

MOST_RUNS, FEWEST_RUNS = 5, 3
_MOST_WALL_US = 20_000_000  # for all of them together, at the speed of the judged run

_NO_START = gettext_noop("The program does not start, so there is nothing to repeat.")


@dataclass(frozen=True, slots=True)
class _Run:
    """Its CPU time, its time on the clock, and how it ended."""

    cpu_us: int
    clock_us: int
    ending: Ending


def number_of_runs(judged_wall_us: int) -> int:
    """Return how often to repeat a case that took this long when it was judged: less often where that is expensive."""
    return max(FEWEST_RUNS, min(MOST_RUNS, _MOST_WALL_US // max(1, judged_wall_us)))


@of_a_case
def repeat_case(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> RepeatedRuns:
    """Run one case a few times more."""
    with compiled(job, sandbox, work_root) as (executable, folder):
        runs = []
        with _open(job, case, executable, sandbox, work_root, folder) as run:
            for number in range(number_of_runs(job.judged_wall_us)):
                if number:
                    job.between()
                with starting(executable, _NO_START):
                    runs.append(run())
    limit_us = job.package.limits.time_limit_ms * 1_000
    in_cpu_time = [run.ending for run in runs if run.cpu_us <= limit_us]
    stopped_by_clock = in_cpu_time.count(Ending.WALL_LIMIT)
    return RepeatedRuns(
        cpu_times_us=tuple(run.cpu_us for run in runs),
        within=len(in_cpu_time) - stopped_by_clock,
        stopped_by_clock=stopped_by_clock,
        clock_times_us=tuple(run.clock_us for run in runs) if job.package.most_passes == 1 else (),
    )


@contextmanager
def _open(
    job: GradingJob, case: TestCase, executable: Executable, sandbox: Sandbox, work_root: Path, folder: Path
) -> Iterator[Callable[[], _Run]]:
    """Provide a function that runs the case once."""

    def once() -> _Run:
        outcome = run_as_judged(job, case, program, sandbox, work_root)
        used = outcome.usage
        return _Run(used.cpu_time_us, clock_us(used.wall_time_us, used.queued_time_us), outcome.ending)

    def in_passes() -> _Run:
        run = repeated(
            partial(bench.runner.run, case), lambda run: doubt_about_measurement(run.outcome, doubt_about_verdict(run))
        )
        if run.verdict is Verdict.JE:
            raise NothingToShow(PACKAGE_IS_BROKEN)
        return _Run(run.slowest_pass_us, 0, run.outcome.ending)

    if job.package.most_passes > 1:
        with open_bench(job, executable, sandbox, work_root, folder) as bench:
            yield in_passes
    else:
        with open_program(job, executable, sandbox, folder) as program:
            yield once
