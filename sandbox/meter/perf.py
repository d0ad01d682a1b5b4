"""Sample the CPU time of a process and all that descends from it, with perf_event_open(2) through ctypes.

How it works: for each thread of a process and each processor an event counts the software CPU clock
(PERF_COUNT_SW_CPU_CLOCK, which needs no hardware counter), and is inherited by its children: a ring buffer can be had
for an inherited event only per processor. Those of one processor share a ring. The events begin with the first exec
(enable_on_exec), so the process itself, the init of a jail, has no samples. Each period of CPU time leaves one record
in the ring buffer of the processor that it was used on. The rings also tell of each exec, fork and mapped file, by
which addresses can be understood. Nobody but these processes pays anything.

The layout of attributes, ring and records is that of <linux/perf_event.h>; only what is asked for here is read.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import platform
import resource
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.errors import MeterUnavailable
from sandbox.unwinding.records import REGISTERS, Kind, Record

_LEAST_RING_BYTES = 512 * 1024  # with its first page just what kernel.perf_event_mlock_kb allows by default
_MOST_RING_BYTES = 4 << 20  # some 480 samples with their stacks: a reader that a loaded host delays loses none
_ALL_RINGS_BYTES = 17 << 20  # of one run, with their first pages: on many processors its rings are smaller
_ONLINE = Path("/sys/devices/system/cpu/online")
_PAGE = 4_096
_CALL = {"x86_64": 298}  # number of perf_event_open; the registers too are those of this machine
_SET_OUTPUT = 0x2405  # PERF_EVENT_IOC_SET_OUTPUT
_CLOSE_ON_EXEC = 8  # PERF_FLAG_FD_CLOEXEC

_ATTRIBUTES = struct.Struct("=2I5Q2I3QQIiQIHH")  # perf_event_attr, version 5
_SOFTWARE, _CPU_CLOCK = 1, 0
_TID, _TIME, _REGS_USER, _STACK_USER = 1 << 1, 1 << 2, 1 << 12, 1 << 13
_DISABLED, _INHERIT, _COMM, _ENABLE_ON_EXEC, _TASK = 1 << 0, 1 << 1, 1 << 9, 1 << 12, 1 << 13
_MMAP, _SAMPLE_ID_ALL, _MMAP2, _COMM_EXEC, _USE_CLOCKID = 1 << 8, 1 << 18, 1 << 23, 1 << 24, 1 << 25
_CLOCK_MONOTONIC = 1
_HEAD, _TAIL, _DATA_OFFSET = 1024, 1032, 1040  # in the first page of a ring
_HEADER = struct.Struct("=IHH")
_REMEDY = "grant CAP_PERFMON and set kernel.perf_event_paranoid to 2 or less (sandbox/privileges.md)"
_KINDS = frozenset(Kind)
_MEMORY_REMEDY = "raise kernel.perf_event_mlock_kb, or the limit on locked memory"


class ClockEvents:
    """The events of one process with their rings, until `close`."""

    def __init__(
        self, pid: int, period_us: int, *, cpus: tuple[int, ...] = (), stack_bytes: int = 0, wakes: bool = False
    ) -> None:
        """Sample each `period_us` of CPU time, on these processors or, without any, on all. Raises MeterUnavailable.

        `stack_bytes`: so much of the stack, from its top, is copied with each sample, and the registers; 0: neither.
        `wakes`: each sample makes the descriptors readable at once.
        """
        self._rings: list[_Ring] = []
        try:
            attributes = _attributes(period_us, stack_bytes, wakes=wakes)
            threads = [int(path.name) for path in Path(f"/proc/{pid}/task").iterdir()]
            chosen = cpus
            if not cpus:  # those that are switched on; the kernel writes them as "0-3,5"
                parts = (part.partition("-") for part in _ONLINE.read_text().strip().split(","))
                chosen = tuple(cpu for low, _, high in parts for cpu in range(int(low), int(high or low) + 1))
            ring_bytes = wished_bytes(len(chosen)) if stack_bytes else _LEAST_RING_BYTES
            for cpu in chosen:
                with suppress(_CpuGone):
                    self._rings.append(_Ring(_opened(attributes, threads, cpu), ring_bytes))
        except OSError as error:
            self.close()
            remedy = _REMEDY if error.errno in (errno.EPERM, errno.EACCES) else _MEMORY_REMEDY
            raise MeterUnavailable(f"CPU time cannot be sampled: {error.strerror} ({remedy})") from error

    def descriptors(self) -> list[int]:
        """Return what can be polled for new samples."""
        return [ring.descriptors[0] for ring in self._rings]

    def drain(self) -> list[Record]:
        """Return the records since the last time, in the order of their time."""
        records = [record for ring in self._rings for record in ring.drain()]
        records.sort(key=lambda record: record.time_ns)
        return records

    def close(self) -> None:
        """Close the events; children that inherited them are sampled no more."""
        for ring in self._rings:
            ring.close()
        self._rings.clear()


class _CpuGone(Exception):
    """The processor was taken away just now: nothing runs on it."""


class _Ring:
    """The ring buffer of the events of one processor: the kernel writes at the head, we read from the tail."""

    def __init__(self, descriptors: list[int], wished_bytes: int) -> None:
        """Make it as large as is wished, or half and half again, as far as the host lets memory be locked."""
        self.descriptors = descriptors
        try:
            self._bytes = wished_bytes
            while self._bytes > _LEAST_RING_BYTES:
                with suppress(OSError):
                    self._memory = mmap.mmap(descriptors[0], _PAGE + self._bytes)
                    break
                self._bytes //= 2
            else:
                self._memory = mmap.mmap(descriptors[0], _PAGE + self._bytes)
            for other in descriptors[1:]:
                fcntl.ioctl(other, _SET_OUTPUT, descriptors[0])
        except OSError:
            self._close_events()
            raise
        # whole words: a copy byte by byte could be seen half
        self._head = ctypes.c_uint64.from_buffer(self._memory, _HEAD)
        self._tail = ctypes.c_uint64.from_buffer(self._memory, _TAIL)
        self._begin = ctypes.c_uint64.from_buffer(self._memory, _DATA_OFFSET).value or _PAGE

    def drain(self) -> Iterator[Record]:
        head, tail = self._head.value, self._tail.value
        begin, first, last = self._begin, tail % self._bytes, head % self._bytes
        if head == tail:
            content = b""
        elif first < last:
            content = self._memory[begin + first : begin + last]
        else:
            content = self._memory[begin + first : begin + self._bytes] + self._memory[begin : begin + last]
        self._tail.value = head
        at = 0
        while at + _HEADER.size <= len(content):
            kind, flags, size = _HEADER.unpack_from(content, at)
            if size < _HEADER.size:
                return
            body = content[at + _HEADER.size : at + size]
            at += size
            if kind == Kind.SAMPLE:  # pid, tid, time, ...
                yield Record(kind, flags, struct.unpack_from("=Q", body, 8)[0], body)
            elif kind in _KINDS:
                yield Record(kind, flags, struct.unpack_from("=Q", body, len(body) - 8)[0], body[:-16])

    def close(self) -> None:
        del self._head, self._tail  # they hold the mapping
        self._memory.close()
        self._close_events()

    def _close_events(self) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)


def wished_bytes(rings: int) -> int:
    """Return the size of each of so many rings, a power of two, as the kernel demands.

    Larger ones than the least fit into this process's own limit on locked memory, as workers share what the kernel
    allows beside it.
    """
    own, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    allowed = _ALL_RINGS_BYTES if own == resource.RLIM_INFINITY else min(_ALL_RINGS_BYTES, own)
    wished = _MOST_RING_BYTES
    while wished > _LEAST_RING_BYTES and (_PAGE + wished) * rings > allowed:
        wished //= 2
    return wished


def _attributes(period_us: int, stack_bytes: int, *, wakes: bool) -> bytes:
    sample = _TID | _TIME | (_REGS_USER | _STACK_USER if stack_bytes else 0)
    flags = _DISABLED | _INHERIT | _ENABLE_ON_EXEC | _COMM | _COMM_EXEC | _TASK | _MMAP | _MMAP2
    flags |= _SAMPLE_ID_ALL | _USE_CLOCKID
    registers = sum(1 << number for number in REGISTERS) if stack_bytes else 0
    return _ATTRIBUTES.pack(
        _SOFTWARE,
        _ATTRIBUTES.size,
        _CPU_CLOCK,
        period_us * 1_000,
        sample,
        0,
        flags,
        1 if wakes else 0,
        *(0, 0, 0, 0),  # breakpoints, two more of the configuration, branches
        registers,
        stack_bytes,
        _CLOCK_MONOTONIC,
        *(0, 0, 0, 0),  # registers at the interrupt, auxiliary area, depth of chains
    )


def _opened(attributes: bytes, threads: list[int], cpu: int) -> list[int]:
    """Return an event of each thread on this processor. Raises OSError, _CpuGone."""
    number = _CALL.get(platform.machine())
    if number is None:
        raise OSError(0, f"not made for {platform.machine()}")
    library = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    descriptors: list[int] = []
    for thread in threads:
        longs = [ctypes.c_long(value) for value in (number, ctypes.addressof(buffer), thread, cpu, -1, _CLOSE_ON_EXEC)]
        descriptor = int(library.syscall(*longs))
        if descriptor < 0:
            error = ctypes.get_errno()
            for opened in descriptors:
                os.close(opened)
            raise _CpuGone if error == errno.ENODEV else OSError(error, os.strerror(error))
        descriptors.append(descriptor)
    return descriptors


def sampling_problem() -> str | None:
    """Return why this host cannot sample CPU time, in one sentence with the remedy; None when it can."""
    try:
        ClockEvents(os.getpid(), 1_000).close()
    except MeterUnavailable as error:
        return str(error)
    return None
