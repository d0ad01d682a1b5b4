"""24 labelled programs, half of which never end, and half of which are slow and look alike: nothing false is said."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.explain import in_words
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.explain.corpus import LABELLED
from tests.explain.grading import Graded, grade_all

NEVER = [program for program in LABELLED if program.never_ends]
SLOW = [program for program in LABELLED if program.never_ends is False]
_MAY_NOT_END = frozenset({"may-never-end", "failed-read"})


pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def graded_loops(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Graded]:
    """What was said of each of the 24, by file."""
    work_root: Path = settings.WORK_DIR
    done = grade_all([*NEVER, *SLOW], NsjailSandbox(work_root), work_root, tmp_path_factory.mktemp("loops"))
    return {graded.program.file: graded for graded in done}


def _advice(graded: Graded) -> str:
    language = LANGUAGES[graded.program.language]
    return " ".join(in_words(finding, language).advice for finding in graded.findings)


def test_twelve_of_each_kind_run_out_of_time(graded_loops: Mapping[str, Graded]) -> None:
    assert len(NEVER) == len(SLOW) == 12
    assert {graded.hidden.verdict for graded in graded_loops.values()} == {Verdict.TLE}


def test_no_program_that_never_ends_is_sent_for_fewer_steps(graded_loops: Mapping[str, Graded]) -> None:
    for program in NEVER:
        graded = graded_loops[program.file]
        assert _MAY_NOT_END & graded.found.keys(), program.file
        assert not graded.false, f"{program.file}: {graded.false}"
        assert not graded.false_lines, f"{program.file}: {graded.false_lines}"
        assert "fewer steps" not in _advice(graded), program.file


def test_no_program_that_is_slow_is_said_never_to_end(graded_loops: Mapping[str, Graded]) -> None:
    for program in SLOW:
        graded = graded_loops[program.file]
        assert not _MAY_NOT_END & graded.found.keys(), program.file
        assert "fewer steps" in _advice(graded), program.file
