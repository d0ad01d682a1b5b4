"""The profile pass: count every system call of one run by name, and calls and bytes per stream.

How it works
    native/meter/meter.bpf.c holds two small programs for the kernel; `Meter.attached` hooks them in, and meanwhile they
    count any number of runs at the same time: `Meter.reading` names one, `Reading.profile` has its counts. A run is
    known by its PID namespace: a jail runs one program at a time, its pid 1 is our init and is left out, and counting
    starts at the first exec, so that what the init does in the child before is not the program's. That is as exact as
    the id of a control group and needs no group on a host without cgroup v2, nor the 8 to 10 ms that moving a process
    into one costs. Which open files are stdin, stdout and stderr is read in the kernel at that first exec.

While it is attached every process on the machine pays for it: that is for the keeper to do (`sandbox.passes.keeper`).
Names come from the kernel headers at build time (native/build/syscalls.txt, lines of "number name").
"""

import errno
import functools
import os
import platform
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sandbox.errors import MeterProblem, MeterStop, MeterUnavailable
from sandbox.meter.libbpf import BpfError, BpfObject
from sandbox.types import STREAMS, Profile, StreamUse

BUILD = Path(__file__).parents[1] / "native" / "build"
KERNEL_TYPES = Path("/sys/kernel/btf/vmlinux")

# Mirrors `struct run` of native/meter/meter.bpf.c, all fields unsigned 64 bits.
CALL_NUMBERS = 512
RUN = struct.Struct(f"={7 + CALL_NUMBERS + 1 + 2 * len(STREAMS)}Q")
PROGRAMS = ("first_exec", "call_returns")  # attached in this order
_RUNS = "runs_map"


def namespace_of(pid: int) -> int:
    """Return the number of a host process's PID namespace. Raises OSError when the process is gone."""
    return Path(f"/proc/{pid}/ns/pid").stat().st_ino


class Reading:
    """The counters of one run, until `close`."""

    def __init__(self, loaded: BpfObject, names: dict[int, str], namespace: int) -> None:
        self._loaded = loaded
        self._names = names
        self._namespace = namespace
        self._missed_before = loaded.missed_visits("call_returns")
        loaded.write(_RUNS, namespace, bytes(RUN.size))

    def profile(self) -> Profile:
        """Return all counts, once all processes have ended. Raises MeterUnavailable when they would not be exact."""
        try:
            values = RUN.unpack(self._loaded.read(_RUNS, self._namespace, RUN.size))
            missed = self._loaded.missed_visits("call_returns") - self._missed_before
        except BpfError as error:
            raise MeterUnavailable(MeterProblem(code=MeterStop.UNREADABLE, words=str(error))) from error
        if not values[0]:
            raise MeterUnavailable(MeterProblem(code=MeterStop.NO_START))
        if missed:
            raise MeterUnavailable(MeterProblem(code=MeterStop.SKIPPED, number=missed))
        calls, streams = values[7 : CALL_NUMBERS + 8], values[CALL_NUMBERS + 8 :]
        names = {**self._names, CALL_NUMBERS: "unknown"}
        pairs = zip(streams[0::2], streams[1::2], strict=True)
        uses = [StreamUse(calls=calls, bytes=size) for calls, size in pairs]
        return Profile(
            syscalls={names.get(number, f"syscall_{number}"): count for number, count in enumerate(calls) if count},
            streams=dict(zip(STREAMS, uses, strict=True)),
        )

    def close(self) -> None:
        """Count this run no more."""
        self._loaded.remove(_RUNS, self._namespace)


class Meter:
    """The loaded meter."""

    def __init__(self, loaded: BpfObject, names: dict[int, str]) -> None:
        self._loaded = loaded
        self._names = names

    @classmethod
    def load(cls) -> "Meter":
        """Load the meter through the kernel's verifier. Raises MeterUnavailable."""
        if platform.machine() not in ("x86_64", "aarch64"):
            raise MeterUnavailable(MeterProblem(code=MeterStop.ARCHITECTURE, words=platform.machine()))
        if os.geteuid() != 0:
            raise MeterUnavailable(MeterProblem(code=MeterStop.NOT_ROOT))
        if not KERNEL_TYPES.exists():
            raise MeterUnavailable(MeterProblem(code=MeterStop.NO_KERNEL_TYPES, words=str(KERNEL_TYPES)))
        parts = (BUILD / "meter.bpf.o", BUILD / "syscalls.txt")
        if not all(part.exists() for part in parts):
            raise MeterUnavailable(MeterProblem(code=MeterStop.NOT_BUILT))
        try:
            lines = [line.split() for line in parts[1].read_text().splitlines()]
            return cls(BpfObject(parts[0]), {int(number): name for number, name in lines})
        except BpfError as error:
            raise _refused(MeterStop.NOT_LOADED, error) from error

    def close(self) -> None:
        """Unload."""
        self._loaded.close()

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Count until the end of the `with`. Raises MeterUnavailable."""
        with ExitStack() as stack:
            try:
                for program in PROGRAMS:
                    stack.callback(self._loaded.attach(program))
            except BpfError as error:
                raise _refused(MeterStop.NOT_ATTACHED, error) from error
            yield

    def reading(self, namespace: int) -> Reading:
        """Have the next program in this namespace counted, while the meter is attached. Raises MeterUnavailable."""
        try:
            return Reading(self._loaded, self._names, namespace)
        except BpfError as error:
            raise _refused(MeterStop.NOT_COUNTING, error) from error


def _refused(code: MeterStop, error: BpfError) -> MeterUnavailable:
    lacks_capabilities = error.errno in (errno.EPERM, errno.EACCES)
    return MeterUnavailable(MeterProblem(code=code, words=str(error), lacks_capabilities=lacks_capabilities))


@functools.cache
def meter_problem() -> MeterProblem | None:
    """Return why this host cannot count system calls by name; None when it can."""
    try:
        meter = Meter.load()
        try:
            with meter.attached():
                return None
        finally:
            meter.close()
    except MeterUnavailable as error:
        return error.problem
