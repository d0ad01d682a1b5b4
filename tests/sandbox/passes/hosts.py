"""A lock folder of a test's own, other processes that grade or profile there, and its keeper."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.passes.claims import graded_run
from sandbox.passes.keeping import Line
from sandbox.passes.turns import Turn, profile_turn
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[3]
NOBODY = 1  # no process is in a PID namespace of this number
_HOLDER = """
import sys
from pathlib import Path
from sandbox.passes.claims import graded_run
from sandbox.passes.turns import profile_turn
folder = Path(sys.argv[2])
with graded_run(folder) if sys.argv[1] == "graded" else profile_turn(1, folder) as held:
    print("held", flush=True)
    sys.stdin.readline()
    print("void" if (held.is_void if sys.argv[1] == "graded" else held.profile() is None) else "good", flush=True)
"""

Process = subprocess.Popen[str]


@contextmanager
def holder(kind: str, folder: Path) -> Iterator[Process]:
    """Another process in a graded run ("graded") or in a pass ("profile"); see `verdict_of`."""
    command = [sys.executable, "-c", _HOLDER, kind, str(folder)]
    with subprocess.Popen(command, cwd=REPOSITORY, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def stop(process: Process) -> None:
    """Stop it, and wait until it is stopped."""
    process.send_signal(signal.SIGSTOP)
    state = Path(f"/proc/{process.pid}/stat")
    wait_for(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "it is stopped", look_every_s=0.001)


def verdict_of(process: Process) -> str:
    """What a holder, stopped or not, says of its claim or turn at its end: good or void."""
    process.send_signal(signal.SIGCONT)
    said, _ = process.communicate("end\n", timeout=30)
    return said.strip()


def keeper_of(folder: Path) -> int | None:
    """The process that leads the rounds."""
    line = Line.to_keeper(folder)
    if line is None:
        return None
    with line:
        return line.keeper


def kill_keeper(folder: Path) -> None:
    """End it; nothing where there is none."""
    pid = keeper_of(folder)
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: keeper_of(folder) != pid, "the keeper has ended")


class Thread(threading.Thread):
    """Does something beside the test, which fails if that does; `is_through`: it had its turn or claim."""

    def __init__(self, folder: Path, way: Callable[[Path], object] = lambda folder: through_pass(folder)) -> None:
        super().__init__(daemon=True)
        self.is_through = False
        self._folder, self._way = folder, way

    def run(self) -> None:
        self._way(self._folder)
        self.is_through = True

    def __enter__(self) -> "Thread":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join(60)
        assert self.is_through


def through_pass(folder: Path, during: Callable[[Turn], object] = lambda turn: None) -> None:
    """Have a turn."""
    with profile_turn(NOBODY, folder) as turn:
        during(turn)


def through_grading(folder: Path) -> None:
    """Have a claim."""
    with graded_run(folder):
        pass
