"""The table in which a traced run notes its writes (`Command.trace_writes`); `sandbox.unwinding.writes` reads it."""

from pathlib import Path

from sandbox.types import Collect
from sandbox.unwinding.writes import TABLE_BYTES

TABLE = ".tally-writes"


def table_to(target: Path) -> Collect:
    """Return what a traced command must collect: the table, as `target` on the host."""
    return Collect(name=TABLE, target=target, max_bytes=TABLE_BYTES)
