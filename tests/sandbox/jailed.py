"""Python programs in a jail."""

import time
from pathlib import Path

from sandbox.jail.jail import OpenJail
from sandbox.types import MIB, Command, Image, JailSpec, Limits, Outcome

PYTHON = ("/usr/bin/python3", "-I", "-c")
TOOLS = JailSpec(image=Image.TOOLS)  # for tests whose programs are a shell and its kin
LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=5_000, memory_bytes=128 * MIB)


def python(jail: OpenJail, code: str, limits: Limits = LIMITS) -> Outcome:
    """A run of a Python program."""
    return jail.run(Command(argv=(*PYTHON, code)), limits)


def output(jail: OpenJail, code: str, folder: Path) -> str:
    """What a Python program writes, to both streams."""
    target = folder / f"out-{time.monotonic_ns()}"
    jail.run(Command(argv=(*PYTHON, code), stdout=target, stderr=target.with_suffix(".err")), LIMITS)
    return target.read_text() + target.with_suffix(".err").read_text()
