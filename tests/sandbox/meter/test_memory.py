"""The peak memory shown is what the program touched: within 2 % and 1 MiB, whatever kind of memory it was."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jailed import TOOLS
from tests.sandbox.meter.counted import ENVIRONMENT, command_of

SIZES = (8, 64, 200)
LIMITS = Limits(
    cpu_time_ms=10_000,
    wall_time_ms=30_000,
    memory_bytes=400 * MIB,
    output_bytes=80 * MIB,
    scratch_bytes=256 * MIB,
    file_bytes=256 * MIB,
)
IN_C = (
    *("heap", "stack", "anonymous", "shared", "threads", "child", "copied", "unmapped", "again"),
    *("children", "orphan", "discarded", "executes", "shm_mapped"),
    *("memfd", "memfd_mapped", "scratch", "scratch_mapped", "scratch_removed", "output", "child_output"),
)
CASES = [("touches.c", kind) for kind in IN_C] + [
    (source, kind)
    for source in ("touches.cpp", "touches.rs", "touches.py")
    for kind in ("heap", "threads", "child", "memfd")
]
# The group's account, which counts here, leaves out the pages of libraries and gets 1.5 MiB back for them; in C++ they
# are 3 MiB, in Python 5. See endings.py. Four children alive at once have stacks, page tables and copied pages of their
# own, a fifth of a MiB each, which the group pays for.
MORE_BYTES = {
    ("touches.c", "children"): MIB,
    ("touches.cpp", "child"): MIB,
    ("touches.py", "child"): 2 * MIB,
    ("touches.py", "memfd"): 2 * MIB,
}

# Where the kernel gives out huge pages, one may be resident for the part that was touched.
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
WITHIN_PERCENT = 2
HUGE_BYTES = 2 * MIB if HUGE_PAGES.exists() and "[always]" in HUGE_PAGES.read_text() else 0

Measure = Callable[[str, str, int], int]


@pytest.fixture(scope="module")
def peak_of(sandbox: NsjailSandbox) -> Iterator[Measure]:
    """Peak memory in bytes of a program that touches so many MiB of one kind."""
    with fresh_folder(WORK_ROOT, "shared-") as folder:
        programs = folder / "programs"
        programs.mkdir(mode=0o755)
        commands: dict[str, list[str]] = {}
        shown = Mount(source=programs, target=str(programs), is_live=True)
        with sandbox.open_jail(JailSpec(mounts=(shown,))) as jail:

            def measure(source: str, kind: str, size: int) -> int:
                if source not in commands:
                    commands[source] = command_of(source, programs)
                argv = (*commands[source], kind, str(size))
                outcome = jail.run(Command(argv=argv, environment=ENVIRONMENT), LIMITS)
                assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
                return outcome.usage.peak_memory_bytes

            yield measure


@pytest.mark.parametrize(("source", "kind"), CASES)
def test_the_peak_is_what_was_touched(source: str, kind: str, peak_of: Measure) -> None:
    program_itself = peak_of(source, "nothing", 0)
    for size in SIZES:
        touched = program_itself + size * MIB
        error = peak_of(source, kind, size) - touched
        allowed = touched * WITHIN_PERCENT // 100 + MIB + MORE_BYTES.get((source, kind), 0) + HUGE_BYTES
        assert abs(error) <= allowed, f"{size} MiB: {error:+}"


def test_memory_that_was_only_reserved_is_not_touched(peak_of: Measure) -> None:
    assert peak_of("touches.c", "reserved", 200) - peak_of("touches.c", "nothing", 0) < MIB


def test_input_that_a_run_was_the_first_to_read_is_not_its_memory(sandbox: NsjailSandbox, folder: Path) -> None:
    for argv in (("/bin/cat",), ("/bin/sh", "-c", "/bin/cat; exit 0")):
        given = folder / "given"
        given.write_bytes(bytes(64 * MIB))
        _forget_cached(given)
        with sandbox.open_jail(TOOLS) as jail:
            outcome = jail.run(Command(argv=argv, stdin=given), LIMITS)
        assert outcome.stdout_bytes == 64 * MIB
        assert outcome.usage.peak_memory_bytes < 6 * MIB


def test_an_output_that_is_a_hole_hides_no_memory(sandbox: NsjailSandbox) -> None:
    code = "import os\nif not os.fork(): touched = b'x' * (60 << 20); os._exit(0)\nos.wait(); os.truncate({}, 40 << 20)"
    with sandbox.open_jail(JailSpec()) as jail:
        for stream in (1, 2):
            command = Command(argv=("/usr/bin/python3", "-I", "-c", code.format(stream)))
            outcome = jail.run(command, replace(LIMITS, stderr_bytes=80 * MIB))
            assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
            assert outcome.stdout_bytes + outcome.stderr_bytes == 40 * MIB
            assert outcome.usage.peak_memory_bytes > 60 * MIB


def _forget_cached(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
