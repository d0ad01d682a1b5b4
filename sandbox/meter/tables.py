"""The tables that a traced run leaves (`Command.trace_writes`, `Command.trace_end`), for `Collect`."""

from pathlib import Path

from sandbox.types import Collect
from sandbox.unwinding.traces import ENDING_BYTES, WRITES_BYTES

WRITES, END = ".tally-writes", ".tally-ending"


def writes_to(target: Path) -> Collect:
    """Return what a command whose writes are traced must collect: the table, as `target` on the host."""
    return Collect(name=WRITES, target=target, max_bytes=WRITES_BYTES)


def end_to(target: Path) -> Collect:
    """Return what a command whose end is traced must collect: the table, as `target` on the host."""
    return Collect(name=END, target=target, max_bytes=ENDING_BYTES)
