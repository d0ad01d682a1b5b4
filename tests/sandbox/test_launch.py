"""Starting programs that do not behave as a compiler's output would."""

import subprocess
from pathlib import Path

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, JailSpec, Limits, Mount

LIMITS = Limits(cpu_time_ms=300, wall_time_ms=5_000)
SPIN = '__attribute__((naked, noreturn)) void _start(void) { for (;;) __asm__(""); }'


def build_without_library(source: str, program: Path) -> None:
    options = ["-nostdlib", "-static", "-x", "c", "-", "-o", str(program)]
    subprocess.run(["gcc", *options], input=source.encode(), check=True, timeout=60)
    program.chmod(0o755)


@pytest.mark.thorough
def test_a_program_that_never_makes_a_system_call_hits_its_limit(sandbox: NsjailSandbox, folder: Path) -> None:
    build_without_library(SPIN, folder / "spin")
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder, target="/program"),))) as jail:
        for _ in range(2):
            outcome = jail.run(Command(argv=("/program/spin",)), LIMITS)
            assert (outcome.ending, outcome.io.read_calls) == (Ending.CPU_LIMIT, 0)
            assert outcome.usage.cpu_time_us < 2 * 300_000  # measuring its start is not its time
