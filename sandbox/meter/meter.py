"""The profile pass: count every system call of one run by name, and calls and bytes per stream.

How it works
    native/meter/meter.bpf.c, loaded once per process, holds two small programs for the kernel; `Meter.attached` hooks
    them in for the length of one run, and `Reading.profile` adds up their counters, which are per processor,
    afterwards. The run is known by its PID namespace: a jail runs one program at a time, its pid 1 is our init and is
    left out, and counting starts at the first exec, so that what the init does in the child before is not the
    program's. That is as exact as the id of a control group and needs no group on a host without cgroup v2, nor the 8
    to 10 ms that moving a process into one costs. Which open files are stdin, stdout and stderr is read in the kernel
    at that first exec.

While it is attached every process on the machine pays for it: the caller holds `meterlock.profile_pass_lock`.
Names come from the kernel headers at build time (native/build/syscalls.txt, lines of "number name").
"""

import errno
import functools
import os
import platform
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import MeterUnavailable
from sandbox.meter.libbpf import BpfError, BpfObject, possible_cpus
from sandbox.types import STREAMS, Profile, StreamUse

BUILD = Path(__file__).parents[1] / "native" / "build"
KERNEL_TYPES = Path("/sys/kernel/btf/vmlinux")

# Mirrors `struct run` and `struct counters` of native/meter/meter.bpf.c, all fields unsigned 64 bits.
CALL_NUMBERS = 512
RUN = struct.Struct("=9Q")
COUNTERS = struct.Struct(f"={CALL_NUMBERS + 1 + 2 * len(STREAMS)}Q")
PROGRAMS = ("first_exec", "call_returns")  # attached in this order


@dataclass(frozen=True, slots=True)
class PidNamespace:
    """A PID namespace, identified by its /proc/PID/ns/pid file."""

    device: int  # st_dev
    inode: int  # st_ino

    @classmethod
    def of(cls, pid: int) -> "PidNamespace":
        """Return the namespace of a host process. Raises OSError when the process is gone."""
        found = Path(f"/proc/{pid}/ns/pid").stat()
        return cls(found.st_dev, found.st_ino)

    @property
    def kernel_device(self) -> int:
        """Return the device number in the kernel's encoding: 20 bits of minor number."""
        return os.major(self.device) << 20 | os.minor(self.device)


class Reading:
    """The counters of one attached run."""

    def __init__(self, loaded: BpfObject, names: dict[int, str]) -> None:
        self._loaded = loaded
        self._names = names
        self._missed_before = loaded.missed_visits("call_returns")

    def profile(self) -> Profile:
        """Return all counts so far. Raises MeterUnavailable when the counts would not be exact."""
        try:
            started = RUN.unpack(self._loaded.read("run_map", RUN.size))[2]
            values = self._loaded.read("counters_map", COUNTERS.size * possible_cpus())
            missed = self._loaded.missed_visits("call_returns") - self._missed_before
        except BpfError as error:
            raise MeterUnavailable(f"the meter cannot be read: {error}") from error
        if not started:
            raise MeterUnavailable("the meter saw no program start in the jail")
        if missed:
            raise MeterUnavailable(f"the kernel skipped {missed} system calls")
        totals = [sum(column) for column in zip(*COUNTERS.iter_unpack(values), strict=True)]
        return Profile(
            syscalls=self._by_name(totals[: CALL_NUMBERS + 1]), streams=_by_stream(totals[CALL_NUMBERS + 1 :])
        )

    def _by_name(self, calls: list[int]) -> dict[str, int]:
        names = {**self._names, CALL_NUMBERS: "unknown"}
        return {names.get(number, f"syscall_{number}"): count for number, count in enumerate(calls) if count}


def _by_stream(values: list[int]) -> dict[str, StreamUse]:
    pairs = zip(values[0::2], values[1::2], strict=True)
    return {name: StreamUse(calls=calls, bytes=size) for name, (calls, size) in zip(STREAMS, pairs, strict=True)}


class Meter:
    """The loaded meter. It serves one run at a time."""

    def __init__(self, loaded: BpfObject, names: dict[int, str]) -> None:
        self._loaded = loaded
        self._names = names

    @classmethod
    def load(cls) -> "Meter":
        """Load the meter through the kernel's verifier. Raises MeterUnavailable with one sentence that names the
        remedy.
        """
        if platform.machine() not in ("x86_64", "aarch64"):
            raise MeterUnavailable(
                f"system calls are counted by name on x86-64 and arm64 only, not on {platform.machine()}"
            )
        if os.geteuid() != 0:
            raise MeterUnavailable("counting system calls by name needs root")
        if not KERNEL_TYPES.exists():
            raise MeterUnavailable(f"this kernel does not describe its types ({KERNEL_TYPES}): use one built with BTF")
        parts = (BUILD / "meter.bpf.o", BUILD / "syscalls.txt")
        if not all(part.exists() for part in parts):
            raise MeterUnavailable("the meter is not built: install clang and libbpf-dev, then make -C sandbox/native")
        try:
            return cls(BpfObject(parts[0]), _read_names(parts[1]))
        except BpfError as error:
            raise MeterUnavailable(f"the meter cannot be loaded: {error}{_remedy(error)}") from error

    def close(self) -> None:
        """Unload."""
        self._loaded.close()

    @contextmanager
    def attached(self, namespace: PidNamespace) -> Iterator[Reading]:
        """Count the next program started in this namespace until the end of the `with`; one run per call.

        Read the profile inside or after it, once every process of the run has ended. Raises MeterUnavailable.
        """
        with ExitStack() as stack:
            try:
                self._loaded.write("counters_map", bytes(COUNTERS.size * possible_cpus()))
                self._loaded.write("run_map", RUN.pack(namespace.kernel_device, namespace.inode, *[0] * 7))
                reading = Reading(self._loaded, self._names)
                for program in PROGRAMS:
                    stack.callback(self._loaded.attach(program).close)
            except BpfError as error:
                raise MeterUnavailable(f"the meter cannot be attached: {error}{_remedy(error)}") from error
            yield reading


def _read_names(path: Path) -> dict[int, str]:
    lines = (line.split() for line in path.read_text().splitlines())
    return {int(number): name for number, name in lines}


def _remedy(error: BpfError) -> str:
    if error.errno in (errno.EPERM, errno.EACCES):
        return " (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    return ""


@functools.cache
def _loaded_or_problem() -> "Meter | str":
    try:
        meter = Meter.load()
        with meter.attached(PidNamespace.of(os.getpid())):
            return meter
    except MeterUnavailable as error:
        return str(error)


def this_process_meter() -> Meter:
    """Return the meter, loaded at first use and kept. Raises the same MeterUnavailable at every call."""
    found = _loaded_or_problem()
    if isinstance(found, str):
        raise MeterUnavailable(found)
    return found


def meter_problem() -> str | None:
    """Return why this host cannot count system calls by name, in one sentence with the remedy; None when it can."""
    found = _loaded_or_problem()
    return found if isinstance(found, str) else None
