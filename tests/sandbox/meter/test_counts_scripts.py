"""Both levels of counting equal strace for scripts drawn by chance: any call on any descriptor, by whoever makes it."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Destination, Outcome, Profile
from sandbox.workdir import fresh_folder
from tests.fuzzing import examples
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.meter.counted import LIMITS, Runner
from tests.sandbox.meter.scripts import SCRIPTS, START, WRITING_SCRIPTS, Script, call
from tests.sandbox.meter.straced import Seen, straced_script
from tests.sandbox.metered import SLOWNESS, compiled

ROOM = replace(LIMITS, output_bytes=64 * MIB, stderr_bytes=64 * MIB, file_bytes=64 * MIB, scratch_bytes=128 * MIB)


def in_books(outcome: Outcome) -> tuple[int, ...]:
    """Read calls and bytes, write calls and bytes."""
    io = outcome.io
    return (io.read_calls, io.read_bytes, io.write_calls, io.write_bytes)


class CaseRunner:
    """One built program, run in a jail and under strace."""

    def __init__(self, sandbox: NsjailSandbox, folder: Path) -> None:
        (folder / "programs").mkdir(mode=0o755)
        self.program = compiled("script.c", folder / "programs")
        self._given = folder / "in"
        self._given.write_bytes(b"".join(b"%d\n" % number for number in range(20_000)))
        self._runner = Runner(sandbox, folder / "programs", self._given, ROOM)
        script = (*START, "execs{", call("getppid"), "}")
        books, expected = self.jailed(script, Destination.FILE)[1], self.straced(script, Destination.FILE).books
        self.exec_reads = (books[0] - expected[0], books[1] - expected[1])

    def jailed(self, script: Script, destination: Destination) -> tuple[Profile, tuple[int, ...], tuple[int, ...]]:
        """The profile, and the books of the graded and of the profiled run."""
        runner = replace(self._runner, destination=destination)
        graded, profiled, profile = runner.both([self.program, "lingers", *script])
        return profile, in_books(graded), in_books(profiled)

    def straced(self, script: Script, destination: Destination) -> Seen:
        """What strace sees."""
        argv = (self.program, "leaves", *script)
        work = Path(tempfile.mkdtemp(dir="/dev/shm"))
        try:
            work.chmod(0o777)
            return straced_script(Command(argv=argv, stdin=self._given, destination=destination), work)
        finally:
            shutil.rmtree(work)


@pytest.fixture(scope="module")
def bench(sandbox: NsjailSandbox) -> Iterator[CaseRunner]:
    with fresh_folder(WORK_ROOT, "scripts-") as folder:
        yield CaseRunner(sandbox, folder)


def check(bench: CaseRunner, script: Script, destination: Destination = Destination.FILE) -> None:
    """Both levels say what strace says."""
    seen = bench.straced(script, destination)
    profile, graded, profiled = bench.jailed(script, destination)
    assert dict(profile.syscalls) == seen.syscalls
    assert {name: (use.calls, use.bytes) for name, use in profile.streams.items()} == seen.streams
    assert graded == profiled
    executed = seen.syscalls["execve"] - 1
    more = [counted - expected for counted, expected in zip(graded, seen.books, strict=True)]
    # the kernel's own reads of a file that is executed
    assert more[1::2] == [executed * bench.exec_reads[1], 0]
    assert 0 <= more[0] - executed * bench.exec_reads[0] <= seen.unsure
    assert 0 <= more[2] <= seen.unsure


@examples(30 // SLOWNESS)
@given(script=SCRIPTS)
def test_a_script_is_counted_as_strace_sees_it(bench: CaseRunner, script: Script) -> None:
    check(bench, script)


@pytest.mark.parametrize("destination", Destination)
def test_what_is_written_is_counted_as_strace_sees_it_whatever_stdout_is(
    destination: Destination, bench: CaseRunner
) -> None:
    @examples(8 // SLOWNESS)
    @given(script=WRITING_SCRIPTS)
    def check_script(script: Script) -> None:
        check(bench, script, destination)

    check_script()
