"""A run's cost to its neighbours beyond its limits: writes to the disk, and kernel memory left behind."""

import secrets
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import ProfilePolicy
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB
from tests.extent import RUNS_ALL
from tests.hostile.corpus.corpus import OF_OUR_CORPUS, Case, case_named
from tests.hostile.grading import Graded, grade_on, job_of, package_of
from tests.hostile.host.costs import Disk, KernelMemory, least_growth, own_disk

pytestmark = [OF_OUR_CORPUS, pytest.mark.timeout(3600)]

_OWN_WRITES_BYTES = MIB  # what a grading makes in any case: folders, the journal
_UNRECLAIMABLE_BYTES = 5 * MIB
_RECLAIMABLE_BYTES = 64 * MIB
_NEGATIVE_NAMES = 50_000  # found_04 asks for more than a hundred thousand
_RUNS = 100
_TESTS = 3
_FOUND = ("found_02_truncate_close.cpp", "found_03_dontcache.cpp", "found_04_negative_names.cpp")
_NAME = b"tally-nothing"  # of the files that found_04 asks for


class Grader:
    """A sandbox with a work folder of its own, that grades without a profile pass."""

    def __init__(self, work_root: Path, packages: Path) -> None:
        self.work_root = work_root
        self._packages = packages
        self._sandbox = NsjailSandbox(work_root)

    def grade(self, case: Case, source: bytes | None = None) -> Graded:
        """Grade a case's program, or another source in its place."""
        folder = self._packages / case.id
        package = package_of(case, folder, "tokens", "hidden")
        job = replace(job_of(case, package), profile=ProfilePolicy.NONE)
        return grade_on(self._sandbox, self.work_root, job if source is None else replace(job, source=source))

    def close(self) -> None:
        """Give back its control groups."""
        ControlGroups(self.work_root).close()


@pytest.fixture
def grader(tmp_path: Path) -> Iterator[Grader]:
    """One whose work folder is on the disk of the tests."""
    work_root = Path("/var/lib/tally") / f"test-costs-{secrets.token_hex(4)}"
    work_root.mkdir(parents=True)
    grader = Grader(work_root, tmp_path)
    yield grader
    grader.close()
    shutil.rmtree(work_root)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk that nobody else writes to."""
    folder = Path("/var/lib/tally") / f"test-disk-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    with own_disk(folder) as disk:
        yield disk
    folder.rmdir()


@pytest.mark.parametrize("name", ["ctl_08_near_output_limit.py", *_FOUND])
@pytest.mark.thorough
def test_a_run_writes_at_most_twice_its_output_to_the_disk(name: str, disk: Disk, tmp_path: Path) -> None:
    case = replace(case_named(name), tests=_TESTS)
    grader = Grader(disk.folder, tmp_path / "packages")
    try:
        grader.grade(case)  # keeps what the compiler makes
        before = disk.written_bytes()
        graded = grader.grade(case)
        written = disk.written_bytes() - before
    finally:
        grader.close()
    assert len(graded.judged) >= 1
    output = sum(judged.stdout_bytes + judged.stderr_bytes for judged in graded.judged)
    assert written <= 2 * output + _OWN_WRITES_BYTES


def test_writes_to_the_disk_are_seen(disk: Disk) -> None:
    before = disk.written_bytes()
    (disk.folder / "file").write_bytes(b"x" * MIB)
    assert MIB <= disk.written_bytes() - before < 2 * MIB


def test_names_that_are_not_there_are_not_remembered_after_the_run(grader: Grader) -> None:
    case = case_named("found_04_negative_names.cpp")
    source = case.source.replace(_NAME, secrets.token_hex(8).encode())  # names that nobody has asked for yet
    assert source != case.source
    before = KernelMemory.now()
    grader.grade(case, source)
    assert least_growth(before, lambda memory: memory.negative_names, _NEGATIVE_NAMES) <= _NEGATIVE_NAMES


@pytest.mark.skipif(not RUNS_ALL, reason="takes minutes; make test-hostile runs it")
@pytest.mark.parametrize("name", _FOUND)
def test_a_hundred_runs_leave_no_memory_of_the_kernel(name: str, grader: Grader) -> None:
    case = case_named(name)
    source = case.source.replace(_NAME, secrets.token_hex(8).encode())
    grader.grade(case)  # what a first run brings stays for the next ones
    before = KernelMemory.now()
    for _ in range(_RUNS):
        grader.grade(case, source)
    grown = (
        least_growth(before, lambda memory: memory.unreclaimable_bytes, _UNRECLAIMABLE_BYTES),
        least_growth(before, lambda memory: memory.reclaimable_bytes, _RECLAIMABLE_BYTES),
    )
    assert grown[0] <= _UNRECLAIMABLE_BYTES, grown
    assert grown[1] <= _RECLAIMABLE_BYTES, grown
