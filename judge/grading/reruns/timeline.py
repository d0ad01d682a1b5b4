"""Timeline: rerun a case as it was judged while sampling CPU time and both kinds of switches.

How it works: `sandbox.meter.timeline` looks at the run at an interval that is chosen by what the run took when it was
judged, so that a short and a long run come to about as many points. Limits, cores and destination are those of the
judged run; in a conversation the interactor takes part. Nothing is checked: the verdict stays what it is.
"""

import os
from dataclasses import replace
from pathlib import Path

from judge.grading.events import GradingJob, TimelineRun
from judge.grading.reruns.again import NothingToShow, compiled, of_a_case, run_as_judged, starting
from judge.grading.running.cases import open_program
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.types import Ending, Sandbox

_LOOKS = 100  # at a run that takes as long as the judged one
_SHORTEST_MS, _LONGEST_MS = 2, 1_000  # between two looks: each takes the host about 0.1 ms
_LEAST_POINTS = 7  # with the start and the end

SEVERAL_PASSES = gettext_noop("A case of several passes has no timeline: each pass is a run of its own.")
_NO_START = gettext_noop("The program does not start, so there is nothing to watch.")
_TOO_SHORT = gettext_noop(
    "The run was over before it could be looked at often enough for a picture: there is no timeline."
)


def interval_ms(judged_wall_us: int) -> int:
    """Return the sampling interval for a run that took this long before."""
    return min(max(judged_wall_us // 1_000 // _LOOKS, _SHORTEST_MS), _LONGEST_MS)


@of_a_case
def record_timeline(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> TimelineRun:
    """Rerun one case and sample it."""
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with (
        compiled(job, sandbox, work_root) as (executable, folder),
        open_program(job, executable, sandbox, folder) as program,
        starting(executable, _NO_START),
    ):
        sampled = replace(program, sample_ms=interval_ms(job.judged_wall_us))
        outcome = run_as_judged(job, case, sampled, sandbox, work_root)
    if len(outcome.timeline) < _LEAST_POINTS:
        raise NothingToShow(_TOO_SHORT)
    return TimelineRun(
        points=outcome.timeline,
        usage=outcome.usage,
        cores=min(job.package.limits.cores, len(os.sched_getaffinity(0))),
        is_whole=outcome.ending is Ending.EXITED,
    )
