"""Ending a jail from outside while its program runs."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge.grading.verdicts import Verdict
from sandbox.errors import SandboxError
from tests.hostile.corpus.manifest import FAULT
from tests.hostile.host.witness import Witness, pid_namespace, processes_in


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """What a case's `fault` says: when nsjail is killed, how long its processes may stay, what grading again gives."""

    after_s: float
    within_s: float
    verdict: Verdict

    @staticmethod
    def of(words: str) -> "Fault":
        """The fault of these words, which the manifest's check knows."""
        match = FAULT.fullmatch(words)
        assert match is not None
        return Fault(
            after_s=int(match["after_ms"]) / 1_000, within_s=int(match["within_s"]), verdict=Verdict(match["verdict"])
        )


def kill_nsjail_during(grading: Callable[[], object], witness: Witness, after_s: float) -> None:
    """Kill nsjail by its pid so long after the program has started; grading must say that we failed."""
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(grading)
        assert witness.running.wait(60)
        time.sleep(after_s)
        host = pid_namespace(os.getpid())
        supervisors = [pid for pid in processes_in(witness.jails) if pid_namespace(pid) == host]
        assert [Path(f"/proc/{pid}/comm").read_text().strip() for pid in supervisors] == ["nsjail"]
        os.kill(supervisors[0], signal.SIGKILL)
        with pytest.raises(SandboxError):
            outcome.result(60)
