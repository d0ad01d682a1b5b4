"""Measure what the sandbox itself costs on this host: a program that does nothing, run bare and jailed alternately.

A worker measures it at its start and keeps it with every result, so that readers of a time know what is not in it.

How the bare run works: native/bare.c is started once and stays; it forks per request, and since it is small and static
its fork costs as little as a fork can. One packet on a socket asks, one answers (bare.c has their layout). The programs
are ours: no limit binds them, and they run as this process's user.
"""

import os
import signal
import socket
import statistics
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import JailError
from sandbox.types import ENVIRONMENT, Command, JailSpec, Limits, Sandbox

BARE = Path(__file__).parents[1] / "native" / "build" / "bare"
_LONGEST_RUN_S = 300.0
_END_S = 5.0
_ANSWER_BYTES = 128


@dataclass(frozen=True, kw_only=True, slots=True)
class BareRun:
    """One run: `wall_time_us` from before the fork to reaping, CPU time from wait4."""

    wall_time_us: int
    user_time_us: int
    system_time_us: int

    @property
    def cpu_time_us(self) -> int:
        """User plus system time in microseconds."""
        return self.user_time_us + self.system_time_us


class BareRunner:
    """Runs one program at a time, as a context manager. Not thread-safe."""

    def __init__(self, cpu: int | None = None) -> None:
        """`cpu` pins the runner and all its programs to a core. Raises JailError when the native part is not built."""
        self._core = "any" if cpu is None else str(cpu)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            # a session of its own, as a jail has: the scheduler groups processes by session
            self._process = subprocess.Popen(
                [str(BARE)], stdin=theirs.fileno(), env=ENVIRONMENT, start_new_session=True
            )
        except OSError as error:
            ours.close()
            raise JailError(f"{BARE.name} cannot be started ({error.strerror}): run make -C sandbox/native") from error
        finally:
            theirs.close()
        self._control = ours
        self._control.settimeout(_LONGEST_RUN_S)

    def __enter__(self) -> "BareRunner":
        return self

    def __exit__(self, *_: object) -> None:
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
            return
        os.killpg(self._process.pid, signal.SIGKILL)  # the program too, which does not end
        with suppress(subprocess.TimeoutExpired):  # it is in a system call that does not end
            self._process.wait(_END_S)

    def run(self, argv: tuple[str, ...], stdin: Path | None = None, stdout: Path | None = None) -> BareRun:
        """Run and measure; unnamed streams are /dev/null. Raises JailError unless the program exits with 0."""
        files = (str(stdin or os.devnull), str(stdout or os.devnull), os.devnull)
        packet = b"".join(os.fsencode(text) + b"\0" for text in (self._core, *files, *argv))
        try:
            self._control.send(packet)
            answer = self._control.recv(_ANSWER_BYTES)
        except OSError as error:
            raise JailError(f"bare execution of {argv[0]} failed: {error}") from error
        if not answer:
            raise JailError(f"bare execution of {argv[0]} failed: no process could be made, or the core is not there")
        status, wall_ns, user_us, system_us = map(int, answer.split())
        if status != 0:
            raise JailError(f"{argv[0]} failed outside the jail: exit code {os.waitstatus_to_exitcode(status)}")
        return BareRun(wall_time_us=wall_ns // 1_000, user_time_us=user_us, system_time_us=system_us)


USUAL_WALL_US = 10_000  # above it something is wrong with the host: it should be a tenth of this
_NOTHING = ("/usr/bin/true",)
_WARM_UP = 3
_LONGEST_S = 2.0  # a slow host measures fewer runs


@dataclass(frozen=True, kw_only=True, slots=True)
class Overhead:
    """Medians over `runs` pairs of runs in one open jail and outside it."""

    wall_us: int  # of one more run, as its caller waits for it, less fork, exec and wait outside
    cpu_us: int  # CPU time that the sandbox reports, less what wait4 reports outside; may be below 0
    empty_cpu_us: int  # CPU time that the sandbox reports of a program that does nothing: starting and ending it
    runs: int

    @property
    def is_usual(self) -> bool:
        """Return whether this is about what a healthy host needs."""
        return self.wall_us <= USUAL_WALL_US


def measure(sandbox: Sandbox, cpu: int | None = None, runs: int = 100) -> Overhead:
    """Measure on core `cpu` (None: any), in half a second or so. Raises SandboxError."""
    walls: list[tuple[int, int]] = []  # (bare, jailed), in microseconds
    cpu_times: list[tuple[int, int]] = []
    command, limits = Command(argv=_NOTHING), Limits()
    with BareRunner(cpu) as bare, sandbox.open_jail(JailSpec(cpu=cpu)) as jail:
        for _ in range(_WARM_UP):
            bare.run(_NOTHING)
            jail.run(command, limits)
        deadline = time.monotonic() + _LONGEST_S
        while not walls or (len(walls) < runs and time.monotonic() < deadline):
            alone = bare.run(_NOTHING)
            began = time.perf_counter_ns()
            usage = jail.run(command, limits).usage
            walls.append((alone.wall_time_us, (time.perf_counter_ns() - began) // 1_000))
            cpu_times.append((alone.cpu_time_us, usage.cpu_time_us))
    return Overhead(
        wall_us=_difference(walls),
        cpu_us=_difference(cpu_times),
        empty_cpu_us=round(statistics.median(jailed for _, jailed in cpu_times)),
        runs=len(walls),
    )


def _difference(pairs: list[tuple[int, int]]) -> int:
    """Return the median of the jailed figures less the median of the bare ones."""
    bare = statistics.median(bare for bare, _ in pairs)
    return round(statistics.median(jailed for _, jailed in pairs) - bare)
