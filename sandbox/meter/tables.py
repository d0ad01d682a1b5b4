"""The tables that a traced run leaves, for `Collect`: of its writes (`Command.trace_writes`, read by
`sandbox.unwinding.writes`) and of its end (`Command.trace_end`, read by `sandbox.unwinding.endings`).
"""

from pathlib import Path

from sandbox.types import Collect
from sandbox.unwinding import endings, writes

WRITES, END = ".tally-writes", ".tally-ending"


def writes_to(target: Path) -> Collect:
    """Return what a command whose writes are traced must collect: the table, as `target` on the host."""
    return Collect(name=WRITES, target=target, max_bytes=writes.TABLE_BYTES)


def end_to(target: Path) -> Collect:
    """Return what a command whose end is traced must collect: the table, as `target` on the host."""
    return Collect(name=END, target=target, max_bytes=endings.TABLE_BYTES)
