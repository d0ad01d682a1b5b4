"""Processes stopped for a while from outside, as `docker pause` or a starved machine does."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroupfs import processes
from sandbox.jail.jail import OpenJail
from tests.waiting import wait_for

_LOOK_EVERY_S = 0.002


def running(jail: OpenJail, program: str) -> list[int]:
    """The processes of its run, when one of them executes this program by now."""
    for folder in jail._group._folders["memory"].glob("run-*"):
        with suppress(OSError):  # that run is over
            pids = processes(folder)
            if any(Path(f"/proc/{pid}/comm").read_text().strip() == program for pid in pids):
                return pids
    return []


def stop_for(pids: Sequence[int], pause_s: float) -> None:
    """Stop these processes, all of our own, and let them go on after so many seconds."""
    with suppress(ProcessLookupError):  # it has ended
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
    time.sleep(pause_s)
    for pid in reversed(pids):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def stopped_once(whom: Callable[[], Sequence[int]], pause_s: float) -> Iterator[None]:
    """As soon as there is somebody, stop them, once; what is done within goes on beside that."""

    def stop() -> None:
        found: list[int] = []

        def look() -> bool:
            found[:] = whom()
            return bool(found)

        wait_for(look, "somebody to stop", look_every_s=_LOOK_EVERY_S)
        stop_for(found, pause_s)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        thread.join()
