"""How many lines a slow program printed is counted, whatever its answer is compared by."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.events import CaseJudged, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

pytestmark = pytest.mark.jail

PROGRAM = b"""
import sys
if input() == "slow":
    print("x\\n" * 2_345, flush=True)
    while True: pass
print(1)
"""


def test_the_lines_of_a_run_that_was_stopped_are_counted(tmp_path: Path) -> None:
    cases = {"secret/1": ("quick\n", "1\n"), "secret/2": ("slow\n", "1\n")}
    package = make_package(tmp_path / "package", cases, limits=replace(LIMITS, time_limit_ms=500))
    job = GradingJob(package=package, language="python", source=PROGRAM, profile=ProfilePolicy.NONE)
    events = grade(job, NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR)
    judged = [event for event in events if isinstance(event, CaseJudged)]
    assert [(case.verdict.value, case.printed_lines) for case in judged] == [("AC", 0), ("TLE", 2_346)]
