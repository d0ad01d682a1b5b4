"""The tracing preload in a jail: every write is counted, nothing else changes, its table is a stranger's."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.tables import WRITES, writes_to
from sandbox.types import Command, Ending, Image, JailSpec, Limits, Mount, Outcome
from sandbox.unwinding.traces import WriteTrace, read_trace
from sandbox.workdir import fresh_folder
from tests.fuzzing import examples
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.metered import SLOWNESS, compiled

LIMITS = Limits(cpu_time_ms=10_000 * SLOWNESS, wall_time_ms=20_000 * SLOWNESS)
HEADER = "=8s2Q"
STACK = "=5Q2I24Q"
TABLE_BYTES = struct.calcsize(HEADER) + 2_048 * struct.calcsize(STACK)


@dataclass(frozen=True)
class Traced:
    """One run: what the sandbox saw, what it printed, and what the table says."""

    outcome: Outcome
    output: bytes
    trace: WriteTrace | None

    @property
    def writes(self) -> int:
        assert self.trace is not None
        return sum(stack.writes for stack in self.trace.stacks)

    @property
    def bytes(self) -> int:
        assert self.trace is not None
        return sum(stack.bytes for stack in self.trace.stacks)


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    with fresh_folder(WORK_ROOT, "traced-") as folder:
        (folder / "bin").mkdir(mode=0o755)
        compiled("traced.c", folder / "bin")
        yield folder / "bin"


@pytest.fixture
def traced_jail(sandbox: NsjailSandbox, programs: Path) -> Iterator[OpenJail]:
    with sandbox.open_jail(
        JailSpec(mounts=(Mount(source=programs, target="/bin-of-test"),), image=Image.TOOLS)
    ) as opened:
        yield opened


def run(jail: OpenJail, folder: Path, road: str, limits: Limits = LIMITS, *, is_traced: bool = True) -> Traced:
    output, table = folder / f"out-{is_traced}", folder / "table"
    command = Command(
        argv=("/bin-of-test/traced-c", road), stdout=output, trace_writes=is_traced, collect=(writes_to(table),)
    )
    outcome = jail.run(command, limits)
    trace = read_trace(table.read_bytes()) if WRITES in outcome.collected else None
    return Traced(outcome, output.read_bytes(), trace)


@pytest.mark.parametrize("road", ["flushes", "calls", "threads", "forks", "handler"])
def test_every_write_is_counted_and_nothing_changes(road: str, traced_jail: OpenJail, folder: Path) -> None:
    plain = run(traced_jail, folder, road, is_traced=False)
    traced = run(traced_jail, folder, road)
    assert plain.outcome.exit_code == traced.outcome.exit_code == 0
    assert sorted(traced.output.splitlines()) == sorted(plain.output.splitlines())
    assert traced.outcome.io.write_calls == plain.outcome.io.write_calls == traced.writes
    assert traced.outcome.io.write_bytes == plain.outcome.io.write_bytes == traced.bytes


def test_programs_that_are_started_by_it_are_not_traced(traced_jail: OpenJail, folder: Path) -> None:
    traced = run(traced_jail, folder, "executes")
    assert traced.output == b"before\none\ntwo\n"
    assert traced.outcome.exit_code == 0
    assert (traced.writes, traced.outcome.io.write_calls) == (1, 3)


def test_a_branching_recursion_is_a_few_stacks_and_sampled(traced_jail: OpenJail, folder: Path) -> None:
    plain = run(traced_jail, folder, "climbs", is_traced=False)
    traced = run(traced_jail, folder, "climbs")
    assert traced.output == plain.output
    assert traced.trace is not None
    assert traced.outcome.io.write_calls > 100_000
    assert abs(traced.writes - traced.outcome.io.write_calls) <= len(traced.trace.stacks)
    assert len(traced.trace.stacks) < 20
    assert traced.trace.sampled_every > 1


def test_the_table_is_there_after_the_time_limit(traced_jail: OpenJail, folder: Path) -> None:
    limits = Limits(cpu_time_ms=200, wall_time_ms=5_000 * SLOWNESS, output_bytes=1 << 30)
    traced = run(traced_jail, folder, "for_ever", limits)
    assert traced.outcome.ending is Ending.CPU_LIMIT
    assert traced.outcome.io.write_calls - 1 <= traced.writes <= traced.outcome.io.write_calls
    assert traced.writes > 1_000


def test_the_table_is_there_after_too_much_output(traced_jail: OpenJail, folder: Path) -> None:
    traced = run(traced_jail, folder, "for_ever", Limits(output_bytes=50_000))
    assert traced.outcome.ending is Ending.OUTPUT_LIMIT
    assert traced.writes >= 10_000


def test_the_table_is_there_after_a_sudden_death(traced_jail: OpenJail, folder: Path) -> None:
    traced = run(traced_jail, folder, "killed")
    assert (traced.writes, traced.bytes) == (1, 5)


@pytest.mark.parametrize("road", ["overwrites", "replaces"])
def test_what_a_program_makes_of_the_table_is_no_table(road: str, traced_jail: OpenJail, folder: Path) -> None:
    traced = run(traced_jail, folder, road)
    assert traced.output == b"some\n"
    assert traced.trace is None


def table_of(skipped: tuple[int, int], *entries: tuple[int, ...]) -> bytes:
    packed = [struct.pack(STACK, *(entry + (0,) * (31 - len(entry)))) for entry in entries]
    return (struct.pack(HEADER, b"twrites1", *skipped) + b"".join(packed)).ljust(TABLE_BYTES, b"\0")


def test_sampled_writes_stand_for_those_that_were_skipped() -> None:
    content = table_of(
        (800, 8_000), (1, 10, 100, 75, 750, 1, 2, 7, 9), (2, 0, 0, 25, 250, 1, 0), (3, 1, 1, 1, 1, 0, 1, 5)
    )
    trace = read_trace(content)
    assert trace is not None
    assert [(stack.frames, stack.writes, stack.bytes) for stack in trace.stacks] == [
        ((7, 9), 10 + 75 + 600, 100 + 750 + 6_000),
        ((), 25 + 200, 250 + 2_000),
    ]
    assert trace.sampled_every == 9


@given(
    st.binary(max_size=TABLE_BYTES - 1)
    | st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 5, *[st.integers(0, 2**32 - 1)] * 2), max_size=4).map(
        lambda entries: table_of((2**64 - 1, 0), *entries)
    )
    | st.lists(st.tuples(*[st.integers(0, 2**50)] * 5, st.just(1), st.integers(0, 40)), max_size=4).map(
        lambda entries: table_of((5, 5), *entries)
    )
)
@examples(100)
def test_any_bytes_are_a_bounded_table_or_none(content: bytes) -> None:
    trace = read_trace(content)
    for stack in trace.stacks if trace else ():
        assert len(stack.frames) <= 24
        assert 0 <= stack.writes < 2**98
        assert 0 <= stack.bytes < 2**98
