"""Runs that come back to the same whole state: told of programs that never end, and of no other."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits, Mount, Outcome, StateRepeated, StateSearch, StatesUnknown
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.meter.state_programs import ENDLESS, UNKNOWN

pytestmark = pytest.mark.each

Watch = Callable[..., Outcome]
LIMITS = Limits(cpu_time_ms=40_000, wall_time_ms=60_000, output_bytes=64 << 20, file_bytes=128 << 20)


@pytest.fixture
def watched(sandbox: NsjailSandbox, folder: Path) -> Iterator[Watch]:
    """A function that runs a program and looks at its states."""
    with fresh_folder(WORK_ROOT, "states-") as place:
        place.chmod(0o755)
        source, program = place / "main.cpp", place / "main"

        def run(code: str, given: str = "", most_ms: int = 3_000) -> Outcome:
            source.write_text(code)
            subprocess.run(["g++", "-std=c++20", "-O2", "-pthread", "-o", program, source], check=True)
            (folder / "input").write_text(given)
            search = StateSearch(after_ms=200, most_ms=most_ms, file="/states/main", target=folder / "place")
            command = Command(
                argv=("/states/main",), stdin=folder / "input", stdout=folder / "output", state_search=search
            )
            spec = JailSpec(mounts=(Mount(source=place, target="/states"),), cpu=0)
            with sandbox.open_jail(spec) as jail:
                return jail.run(command, LIMITS)

        yield run


@pytest.mark.parametrize("name", ENDLESS)
def test_a_state_that_repeats_is_told(name: str, watched: Watch) -> None:
    source, visits = ENDLESS[name]
    outcome = watched(source, "x\n")
    assert isinstance(outcome.states, StateRepeated), outcome
    assert outcome.states.visits >= 1
    assert visits in (None, outcome.states.visits)


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_may_end_is_not_told_to_be_endless(name: str, watched: Watch) -> None:
    source, why = UNKNOWN[name]
    outcome = watched(source, "x\n", most_ms=500)
    assert isinstance(outcome.states, StatesUnknown), outcome
    assert why in ("", outcome.states.value)
