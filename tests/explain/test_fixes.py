"""The fixes on programs that suffer from a known cause: nearly all get one, and none changes an output."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.conf import settings

from sandbox.jail.nsjail import NsjailSandbox
from tests.explain.fixing import CHOSEN_TO_FIX, REPORT, SUFFERING, Tried, fix_all, produced_share, write_report
from tests.extent import RUNS_ALL

pytestmark = pytest.mark.timeout(3_600)

_LEAST_SHARE = 0.8


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Tried]:
    """What came of each program."""
    work_root: Path = settings.WORK_DIR
    done = fix_all(NsjailSandbox(work_root), work_root, tmp_path_factory.mktemp("fixable"))
    if RUNS_ALL:
        write_report(done)
    return done


def test_nearly_all_get_a_fix(tried: Sequence[Tried]) -> None:
    assert len(tried) == len(CHOSEN_TO_FIX)
    without = {each.program.file: each.came.problem for each in tried if each.came.result is None}
    assert produced_share(tried) >= _LEAST_SHARE, without


def test_none_changes_an_output(tried: Sequence[Tried]) -> None:
    assert not [each.program.file for each in tried if not each.is_same]


def test_each_fix_that_is_said_to_be_accepted_is_accepted_each_time(tried: Sequence[Tried], tmp_path: Path) -> None:
    failed = [each for each in tried if not each.is_kept]
    if not RUNS_ALL:  # beside the tests of other lanes a run may take twice as long: what fails is tried once more
        work_root: Path = settings.WORK_DIR
        failed = fix_all(NsjailSandbox(work_root), work_root, tmp_path, [each.program for each in failed])
    assert not [(each.program.file, each.sent) for each in failed if not each.is_kept]


def test_there_are_enough_of_them_and_the_report_is_of_these() -> None:
    assert len(SUFFERING) >= 60
    text = REPORT.read_text("utf-8")
    assert not [program.file for program in SUFFERING if f"({program.folder}/{program.file})" not in text]
