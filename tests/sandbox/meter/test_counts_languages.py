"""Both levels of counting equal strace for C, C++, Rust and Python, however the program ends.

The programs make calls in threads, in children that are waited for and in some that are not, and leave a child behind
that is killed at the end. Strace watches the same work, ended by the program itself.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Ending
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.meter.counted import LIMITS, READS, WRITES, Runner, command_of, family, under_strace
from tests.sandbox.metered import LOCK_CALLS, SLOWNESS

SOURCES = ["work.c", "work.cpp", "work.rs", "work.py"]
ENDINGS = {
    "exit": (LIMITS, Ending.EXITED),
    "spin": (replace(LIMITS, cpu_time_ms=400 * SLOWNESS, overrun_percent=0), Ending.CPU_LIMIT),
    # Less than the time after which a profile pass is cut (sandbox/passes/rules.py).
    "sleep": (replace(LIMITS, wall_time_ms=500), Ending.WALL_LIMIT),
    "hoard": (replace(LIMITS, memory_bytes=48 * MIB), Ending.MEMORY_LIMIT),
}


@pytest.fixture(scope="module")
def shared(sandbox: NsjailSandbox) -> Iterator[Path]:
    """Built programs and what strace said of them, for all tests of this file."""
    with fresh_folder(WORK_ROOT, "shared-") as folder:
        (folder / "in").write_text("".join(f"{number}\n" for number in range(5000)))
        (folder / "programs").mkdir(mode=0o755)
        yield folder


class Expected:
    """What strace counts in one program, asked once."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared
        self._argv: dict[str, list[str]] = {}
        self._calls: dict[str, tuple[dict[str, int], bytes]] = {}

    def argv(self, source: str) -> list[str]:
        """How to run a program."""
        if source not in self._argv:
            self._argv[source] = command_of(source, self._shared / "programs")
        return self._argv[source]

    def of(self, source: str) -> tuple[dict[str, int], bytes]:
        """Its calls by name and its output."""
        if source not in self._calls:
            work = self._shared / source.replace(".", "-")
            work.mkdir()
            self._calls[source] = under_strace([*self.argv(source), "exit", "leaves"], self._shared / "in", work)
        return self._calls[source]


@pytest.fixture(scope="module")
def expected(shared: Path) -> Expected:
    return Expected(shared)


@pytest.fixture
def given(folder: Path, shared: Path) -> Path:
    path = folder / "in"
    path.write_bytes((shared / "in").read_bytes())
    return path


def named(counts: dict[str, int], source: str) -> dict[str, int]:
    """Without what is chance in that language."""
    return {name: count for name, count in counts.items() if not (source.endswith(".py") and name in LOCK_CALLS)}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("source", SOURCES)
def test_both_levels_equal_strace(
    source: str, ending: str, sandbox: NsjailSandbox, shared: Path, expected: Expected, given: Path
) -> None:
    limits, how = ENDINGS[ending]
    runner = Runner(sandbox, shared / "programs", given, limits)
    graded, profiled, profile = runner.both([*expected.argv(source), ending, "lingers"])
    calls, output = expected.of(source)

    assert (graded.ending, profiled.ending) == (how, how)
    assert sorted(runner.output("graded").split()) == sorted(output.split())
    assert named(dict(profile.syscalls), source) == named(calls, source)
    assert graded.io == profiled.io
    assert (graded.io.read_calls, graded.io.write_calls) == (family(calls, READS), family(calls, WRITES))
    streams = profile.streams
    assert sum(stream.calls for stream in streams.values()) == family(calls, READS + WRITES)
    assert sum(stream.bytes for stream in streams.values()) == graded.io.read_bytes + graded.io.write_bytes
    assert (streams["stdout"].bytes, streams["stderr"].bytes) == (graded.stdout_bytes, graded.stderr_bytes)
    assert streams["stdin"].bytes == given.stat().st_size


@pytest.mark.parametrize("source", SOURCES)
def test_a_flood_is_counted_to_its_last_byte(
    source: str, sandbox: NsjailSandbox, shared: Path, expected: Expected, given: Path
) -> None:
    calls, output = expected.of(source)
    limits = replace(LIMITS, output_bytes=len(output) + 2_000)
    runner = Runner(sandbox, shared / "programs", given, limits)
    graded, profiled, profile = runner.both([*expected.argv(source), "flood", "lingers"])

    assert (graded.ending, profiled.ending) == (Ending.OUTPUT_LIMIT, Ending.OUTPUT_LIMIT)
    more = profiled.stdout_bytes - len(output)
    stopped_in_a_call = profile.syscalls["write"] - calls["write"] - more
    assert more > 2_000
    assert stopped_in_a_call in (0, 1)  # the one that went over the largest size of a file
    assert {**named(dict(profile.syscalls), source), "write": 0} == {**named(calls, source), "write": 0}
    assert profile.streams["stdout"].bytes == profiled.stdout_bytes
    for outcome in (graded, profiled):
        written = family(calls, WRITES) + outcome.stdout_bytes - len(output)
        assert outcome.io.write_calls - written in (0, 1)
        assert outcome.io.read_calls == family(calls, READS)
