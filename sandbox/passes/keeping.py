"""Connect to the host's keeper, start it, and end it when it is stopped.

How it works: the keeper listens at a socket in the lock folder. Where nobody listens, who needs it for a profile pass
starts one (`started`): a process of its own session that no worker is the parent of, so that a worker that is stopped
or ends takes no round with it. It holds `tally-meter.keeper`, so that there is one; and it ends when the worker that
started it has ended and nobody is connected.

Who waits for the keeper looks every _LOOK_S whether it is stopped (SIGSTOP), and kills it then: with it go the meter's
attachment and its locks, and whoever was connected hears of that at once. A stopped keeper of another container is
killed by the workers of that container.
"""

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from sandbox.errors import SandboxError

SOCKET = "tally-meter.socket"
MOST_AT_ONCE = 256  # runs that the meter counts at once: MOST_RUNS of native/meter/meter.bpf.c
at_once: int | None = None  # passes in a round, where it is not one for each core: for benchmarks
_LOOK_S = 0.2
_START_S = 30
_MOST_BYTES = 1 << 16
_ROOT = Path(__file__).parents[2]
_lifelines: list[int] = []  # a keeper that this process started reads the other end


class Line:
    """A connection to the keeper."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.keeper: int = struct.unpack("3i", credentials)[0]  # its pid; 0: it is in another PID namespace

    @classmethod
    def to_keeper(cls, folder: Path) -> Self | None:
        """Connect; None if there is no keeper. Raises SandboxError."""
        try:
            connected = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise SandboxError(f"cannot connect to the keeper of profile passes: {error.strerror}") from error
        try:
            connected.connect(f"{folder}/{SOCKET}")
        except OSError:
            connected.close()
            return None
        return cls(connected)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def fileno(self) -> int:
        """Return the socket, for poll(2)."""
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Say something; a keeper that is gone is noticed by `receive`."""
        with suppress(OSError):
            self._socket.send(message)

    def receive(self, patience_s: float) -> bytes:
        """Return the next message; b"" once the keeper has closed the connection. Raises TimeoutError."""
        deadline = time.monotonic() + patience_s
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        while (left_s := deadline - time.monotonic()) > 0:
            if poll.poll(min(left_s, _LOOK_S) * 1_000):
                try:
                    return self._socket.recv(_MOST_BYTES)
                except OSError:
                    return b""
            end_if_stopped(self.keeper)
        raise TimeoutError


def end_if_stopped(pid: int) -> None:
    """Kill a keeper that is stopped; the kernel detaches its meter and frees its locks."""
    if not pid:
        return
    try:
        process = os.pidfd_open(pid)
    except OSError:  # it has ended
        return
    try:
        if is_stopped(pid) and b"sandbox.passes.keeper" in Path(f"/proc/{pid}/cmdline").read_bytes():
            signal.pidfd_send_signal(process, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os.close(process)


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped by a signal or a debugger; False for one that is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def started(folder: Path, patience_s: float) -> Line:
    """Connect to the keeper, starting it if there is none. Raises SandboxError."""
    deadline = time.monotonic() + patience_s
    while True:
        line = Line.to_keeper(folder)
        if line is not None:
            return line
        answer = _start(folder)
        if answer != "ready" and (answer != "busy" or time.monotonic() > deadline):
            raise SandboxError(f"the keeper of profile passes cannot be started: {answer}")


def _start(folder: Path) -> str:
    passes = at_once or len(os.sched_getaffinity(0))
    try:
        end, lifeline = os.pipe()
    except OSError as error:
        return str(error)
    try:
        process = subprocess.run(
            [sys.executable, "-m", "sandbox.passes.keeper", str(folder.resolve()), str(min(passes, MOST_AT_ONCE))],
            cwd=_ROOT,
            env={},
            stdin=end,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_START_S,
            check=False,
        )
        answer = process.stdout.decode(errors="replace").strip().rpartition("\n")[2]
    except (OSError, subprocess.SubprocessError) as error:
        answer = str(error)
    finally:
        os.close(end)
    if answer == "ready":
        _lifelines.append(lifeline)
    else:
        os.close(lifeline)
    return answer
