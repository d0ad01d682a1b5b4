"""Run an honest submission on the other core beside a hostile one, which must not harm it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from judge.grading.events import GradingJob
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.hostile.grading import Graded, grade_on

_MORE_PERCENT = 25


class Peer:
    """The honest submission with several equal tests; the least CPU time of them counts, since noise only adds."""

    def __init__(self, sandbox: NsjailSandbox, work_root: Path, job: GradingJob) -> None:
        self._sandbox = sandbox
        self._work_root = work_root
        self._job = replace(job, cpu=1)

    @cached_property
    def _quiet_us(self) -> int:
        return _least_us(self._grade())

    def beside(self, hostile: Callable[[], list[Graded]]) -> tuple[list[Graded], list[str]]:
        """Run both at the same time: the hostile gradings, and what was wrong with the honest one."""
        quiet_us = self._quiet_us
        with ThreadPoolExecutor(1) as pool:
            honest = pool.submit(self._grade)
            gradings = hostile()
            graded = honest.result()
        if graded.verdict is not Verdict.AC:
            return gradings, [f"the honest neighbour got {graded.verdict}"]
        if _least_us(graded) * 100 > quiet_us * (100 + _MORE_PERCENT):
            return gradings, [f"the honest neighbour needed {_least_us(graded)} us, alone {quiet_us} us"]
        return gradings, []

    def _grade(self) -> Graded:
        return grade_on(self._sandbox, self._work_root, self._job)


def _least_us(graded: Graded) -> int:
    return min(case.usage.cpu_time_us for case in graded.judged)
