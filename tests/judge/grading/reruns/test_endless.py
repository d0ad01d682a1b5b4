"""Programs whose whole state repeats are told to be endless, at a line of the loop; nothing is claimed of others."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import GradingJob, RerunEnded, StatesSeen
from judge.grading.reruns.endless import NOT_REPEATED, OTHERS_TAKE_PART, search_states
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.grading.reruns.endless_programs import ENDLESS, UNKNOWN, Loop
from tests.judge.packages import LIMITS, make_package

pytestmark = pytest.mark.each
Search = Callable[[Loop], RerunEnded[StatesSeen]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    roomy = replace(LIMITS, time_limit_ms=2_000)
    return replace(make_package(tmp_path, {"secret/1": ("3\n", "1\n")}), limits=roomy)


@pytest.fixture
def searched(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Search:
    """A function that looks at the states of a program on the case of the package."""

    def run(loop: Loop) -> RerunEnded[StatesSeen]:
        job = GradingJob(
            package=package, language=loop.language, source=loop.source.encode(), cpu=0, judged_wall_us=400_000
        )
        return search_states(job, "secret/1", sandbox, work_root)

    return run


@pytest.mark.parametrize("name", ENDLESS)
def test_a_program_that_never_ends_is_proved_to_at_a_line_of_its_loop(name: str, searched: Search) -> None:
    loop = ENDLESS[name]
    seen = searched(loop)
    assert seen.result is not None, seen.problem
    # rustc moves instructions about, and leaves some without a line
    assert seen.result.line in loop.lines or (loop.language == "rust" and seen.result.line == 0)
    assert loop.visits in (0, seen.result.visits)


@pytest.mark.parametrize("name", UNKNOWN)
def test_of_what_may_end_nothing_is_claimed(name: str, searched: Search) -> None:
    seen = searched(UNKNOWN[name])
    assert seen.result is None
    assert seen.problem in (NOT_REPEATED, OTHERS_TAKE_PART)
