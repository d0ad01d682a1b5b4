"""The machine idle, with one busy core, and with every core busy: bounded loops are started and ended here."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path

_LONGEST_S = 600  # a loop whose starter was killed ends with it, and in any case after this


class Condition(Enum):
    """The other load of the machine during a measurement."""

    IDLE = "idle"
    ONE_BUSY = "one core busy"  # another one than the program's, where there is one
    ALL_BUSY = "all cores busy"  # the program's too: it gets about half of it

    def cores(self, measured: int) -> list[int]:
        """The cores to keep busy while a program is measured on core `measured`."""
        every = sorted(os.sched_getaffinity(0))
        match self:
            case Condition.IDLE:
                return []
            case Condition.ONE_BUSY:
                return [core for core in every if core != measured][:1] or [measured]
            case Condition.ALL_BUSY:
                return every


@contextmanager
def kept_busy(cores: list[int], programs: Path) -> Iterator[None]:
    """One busy loop on each of these cores until the end of the `with`."""
    with ExitStack() as stack:
        for core in cores:
            loop = subprocess.Popen(
                [programs / "busy", str(core), str(_LONGEST_S)], stdout=subprocess.PIPE, start_new_session=True
            )
            stack.callback(_end, loop)
            if loop.stdout is None or not loop.stdout.readline():
                raise SystemExit(f"core {core} cannot be kept busy")
        yield


def _end(loop: "subprocess.Popen[bytes]") -> None:
    loop.kill()
    loop.wait()
    if loop.stdout is not None:
        loop.stdout.close()
