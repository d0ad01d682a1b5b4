"""The same 24 programs, run again: those whose state repeats are proved never to end, and no slow one is.

The other seven count or add something up in each turn, so that their state does not repeat.
"""

from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.events import GradingJob, StatesSeen
from judge.grading.reruns.endless import search_states
from problems.package import ProblemLimits
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB
from tests.explain.corpus import LABELLED, Program
from tests.explain.problems import package_of

NEVER = [program for program in LABELLED if program.never_ends]
SLOW = [program for program in LABELLED if program.never_ends is False]
REPEATING = {
    "python/reads_after_the_end.py",
    "python/adds_nothing.py",
    "python/search_to_the_middle.py",
    "rust/search_keeps_its_end.rs",
    "rust/unsigned_countdown.rs",
}

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]


def _seen(program: Program, folder: Path) -> tuple[StatesSeen | None, str]:
    limits = ProblemLimits(
        time_limit_ms=program.limit_ms,
        memory_bytes=256 * MIB,
        output_bytes=program.output_mib * MIB,
        cores=program.cores,
    )
    package = package_of(program.problem, program.n, folder / program.file, limits)
    (case,) = (case for case in package.test_cases if not case.is_sample)
    job = GradingJob(package=package, language=program.language, source=program.source, cpu=0)
    ended = search_states(job, case.name, NsjailSandbox(settings.WORK_DIR), settings.WORK_DIR)
    return ended.result, ended.problem


def test_what_repeats_is_proved_never_to_end(tmp_path: Path) -> None:
    seen = {program.file: _seen(program, tmp_path) for program in NEVER if program.file in REPEATING}
    assert seen.keys() == REPEATING
    assert not {file: problem for file, (states, problem) in seen.items() if states is None}


def test_no_slow_program_is_proved_to_be_endless(tmp_path: Path) -> None:
    assert {program.file: _seen(program, tmp_path)[0] for program in SLOW} == {program.file: None for program in SLOW}
