"""The preload that notes where a signal ends a program: it ends as without, and its table is a stranger's."""

import signal
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.tables import END, end_to
from sandbox.types import MIB, Command, Image, JailSpec, Limits, Mount, Outcome
from sandbox.unwinding.traces import EndingTrace, read_ending
from sandbox.workdir import fresh_folder
from tests.fuzzing import examples
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.metered import SLOWNESS, compiled

LIMITS = Limits(cpu_time_ms=10_000 * SLOWNESS, wall_time_ms=20_000 * SLOWNESS, memory_bytes=64 * MIB)
LAYOUT = "=8s2I64Q"
TABLE_BYTES = struct.calcsize(LAYOUT)


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    with fresh_folder(WORK_ROOT, "ends-") as folder:
        (folder / "bin").mkdir(mode=0o755)
        compiled("ends.c", folder / "bin")
        yield folder / "bin"


@pytest.fixture
def ending_jail(sandbox: NsjailSandbox, programs: Path) -> Iterator[OpenJail]:
    spec = JailSpec(mounts=(Mount(source=programs, target="/bin-of-test"),), image=Image.TOOLS)
    with sandbox.open_jail(spec) as opened:
        yield opened


def run(jail: OpenJail, folder: Path, how: str, *, is_traced: bool = True) -> tuple[Outcome, EndingTrace | None]:
    table = folder / "table"
    table.unlink(missing_ok=True)
    command = Command(argv=("/bin-of-test/ends-c", how), trace_end=is_traced, collect=(end_to(table),))
    outcome = jail.run(command, LIMITS)
    return outcome, read_ending(table.read_bytes()) if END in outcome.collected else None


@pytest.mark.each
@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("null", signal.SIGSEGV),
        ("abort", signal.SIGABRT),
        ("divide", signal.SIGFPE),
        ("trap", signal.SIGILL),
        ("raise", signal.SIGSEGV),
        ("recurse", signal.SIGSEGV),
        ("thread", signal.SIGSEGV),
        ("jump", signal.SIGSEGV),
    ],
)
def test_a_signal_ends_the_program_as_without_and_its_place_is_noted(
    how: str, number: int, ending_jail: OpenJail, folder: Path
) -> None:
    plain, _ = run(ending_jail, folder, how, is_traced=False)
    outcome, trace = run(ending_jail, folder, how)
    assert (outcome.signal, outcome.exit_code, outcome.ending) == (number, None, plain.ending)
    assert plain.signal == number
    assert trace
    assert trace.signal == number
    assert (trace.frames != ()) is (how != "jump")  # of a jump to nowhere nobody knows where it came from


def test_a_stack_that_was_overwritten_leaves_the_place_itself(ending_jail: OpenJail, folder: Path) -> None:
    outcome, trace = run(ending_jail, folder, "overwrite")
    assert trace
    assert trace.signal == outcome.signal == signal.SIGSEGV
    assert trace.frames


@pytest.mark.parametrize(("how", "exit_code"), [("", 0), ("handles", 7)])
def test_a_program_that_no_signal_ends_leaves_no_table(
    how: str, exit_code: int, ending_jail: OpenJail, folder: Path
) -> None:
    outcome, trace = run(ending_jail, folder, how)
    assert (outcome.exit_code, trace) == (exit_code, None)


def test_what_another_program_or_a_child_does_is_not_the_programs_end(ending_jail: OpenJail, folder: Path) -> None:
    assert run(ending_jail, folder, "executes")[1] is None
    outcome, trace = run(ending_jail, folder, "child")
    assert trace is None or trace.signal != outcome.signal


def test_a_forged_table_is_none(ending_jail: OpenJail, folder: Path) -> None:
    outcome, trace = run(ending_jail, folder, "forges")
    assert (outcome.signal, trace) == (signal.SIGKILL, None)


@given(
    st.binary(max_size=TABLE_BYTES + 8)
    | st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 70), st.integers(0, 2**64 - 1)).map(
        lambda values: struct.pack(LAYOUT, b"tending1", values[0], values[1], *[values[2]] * 64)
    )
)
@examples(200)
def test_any_bytes_are_a_bounded_table_or_none(content: bytes) -> None:
    trace = read_ending(content)
    if trace is not None:
        assert len(trace.frames) <= 64
        assert all(frame <= 1 << 40 for frame in trace.frames)
