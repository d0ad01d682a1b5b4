"""Ending a jail from outside while its program runs."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from tests.hostile.witness import Witness, pid_namespace, processes_in

_LATER_S = 0.5


def kill_nsjail_during(grading: Callable[[], object], witness: Witness) -> None:
    """Kill nsjail by its pid half a second after the program has started; grading must say that we failed."""
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(grading)
        assert witness.running.wait(60)
        time.sleep(_LATER_S)
        host = pid_namespace(os.getpid())
        supervisors = [pid for pid in processes_in(witness.jails) if pid_namespace(pid) == host]
        assert [Path(f"/proc/{pid}/comm").read_text().strip() for pid in supervisors] == ["nsjail"]
        os.kill(supervisors[0], signal.SIGKILL)
        with pytest.raises(SandboxError):
            outcome.result(60)
