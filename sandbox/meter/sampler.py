"""The sampler: a process of its own that samples one run, since what it reads is the program's (`python -m ...`).

`sandbox.meter.cpu_samples` starts it just before the run and talks to it over its standard input, a socket: the sampler
says that it is ready, or why it cannot sample; when the other side says no more, the run is over, and it answers with
what it lost and ends. Its standard output is the file with the samples (`sandbox.types.CpuSampling`).

It begins with the worker's rights, as the kernel's events and a program's memory need them, and drops those that it
needs no more. It reads only what it has budgets for, has little memory, and is killed soon after the run.
"""

import ctypes
import json
import os
import resource
import select
import socket
import struct
import sys
from contextlib import suppress

from sandbox.errors import MeterUnavailable
from sandbox.meter.perf import ClockEvents
from sandbox.meter.python_frames import PythonFrames
from sandbox.unwinding.records import STACK_BYTES, Kind, Record, answer

MOST_KEPT_BYTES = 192 << 20  # of a compiled program's records
_LOOK_MS = 10  # the smallest ring holds some 60 samples
_MEMORY_BYTES = 768 << 20
_MOST_CHAINS = 50_000  # of a Python program
_DESCRIPTORS = 1_024  # an event per thread of the init and processor; memories of processes
_DAC_OVERRIDE = 1  # the number of the capability to open another user's /proc/PID/mem
_CAPABILITY_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3


class NativeSamples:
    """Keeps the records of a compiled program in a file. `lost`: samples for which there was no room."""

    def __init__(self, target: int) -> None:
        self.lost = 0
        self._target = target
        self._left_bytes = MOST_KEPT_BYTES

    def take(self, records: list[Record]) -> None:
        """Write the records, as long as there is room: a program can map files as fast as it likes."""
        stacks = bytearray()
        for record in records:
            packed = record.packed()
            self._left_bytes -= len(packed)
            if self._left_bytes >= 0:
                stacks += packed
            else:
                self.lost += record.kind == Kind.SAMPLE
        _write(self._target, stacks)

    def finish(self) -> None:
        """All has been written."""


class PythonSamples:
    """Reads the lines of a Python program at once, and writes their chains at the end."""

    def __init__(self, target: int, file: str) -> None:
        self.lost = 0
        self._target = target
        self._frames = PythonFrames(file)

    def take(self, records: list[Record]) -> None:
        """Read where the program is."""
        if len(self._frames.chains) < _MOST_CHAINS:
            self._frames.take(records)
        else:
            self.lost += sum(record.kind == Kind.SAMPLE for record in records)

    def finish(self) -> None:
        """Write the chains."""
        self._frames.close()
        _write(self._target, answer(self._frames.chains).encode())


def main() -> None:
    """Sample until the other side of the socket says no more. Arguments: the process whose children are sampled, the
    period in us, "native" or "python", the file whose frames are named, and the processors as a JSON list.
    """
    pid, period_us, frames, file, cpus = sys.argv[1:]
    control = socket.socket(fileno=0)
    target = sys.stdout.fileno()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_KEPT_BYTES, MOST_KEPT_BYTES))
    with suppress(ValueError):  # the worker's own is lower
        resource.setrlimit(resource.RLIMIT_NOFILE, (_DESCRIPTORS, _DESCRIPTORS))
    is_live = frames == "python"
    samples = PythonSamples(target, file) if is_live else NativeSamples(target)
    try:
        events = ClockEvents(
            int(pid),
            int(period_us),
            cpus=tuple(json.loads(cpus)),
            stack_bytes=0 if is_live else STACK_BYTES,
            wakes=is_live,
        )
    except MeterUnavailable as error:
        control.sendall(json.dumps({"problem": str(error)}).encode() + b"\n")
        return
    _keep_only({_DAC_OVERRIDE} if is_live else set())
    control.sendall(b"{}\n")
    lost = _sample(events, samples, control, is_live=is_live)
    samples.finish()
    control.sendall(json.dumps({"lost": lost + samples.lost}).encode() + b"\n")


def _sample(
    events: ClockEvents, samples: NativeSamples | PythonSamples, control: socket.socket, *, is_live: bool
) -> int:
    """Empty the rings again and again until the run is over; return how many records the kernel lost."""
    lost, is_over = 0, False
    poll = select.poll()
    poll.register(control, select.POLLIN)
    for descriptor in events.descriptors() if is_live else ():
        poll.register(descriptor, select.POLLIN)
    while not is_over:
        # Asked before the rings are emptied for the last time, so that nothing of the run is left in them.
        is_over = any(descriptor == control.fileno() for descriptor, _ in poll.poll(_LOOK_MS))
        records = events.drain()
        # the event's number, and how many
        lost += sum(int.from_bytes(record.body[8:16], "little") for record in records if record.kind == Kind.LOST)
        samples.take(records)
    events.close()
    return lost


def _write(target: int, content: bytes | bytearray) -> None:
    with memoryview(content) as rest:
        done = 0
        while done < len(rest):
            done += os.write(target, rest[done:])


def _keep_only(capabilities: set[int]) -> None:
    """Drop all other capabilities of this process. Source: capget(2)."""
    library = ctypes.CDLL(None, use_errno=True)
    head = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION, 0))
    data = ctypes.create_string_buffer(24)
    if library.capget(head, data) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    effective, permitted, _ = struct.unpack_from("=3I", data)
    mask = sum(1 << number for number in capabilities)
    dropped = ctypes.create_string_buffer(struct.pack("=6I", effective & mask, permitted & mask, 0, 0, 0, 0))
    if library.capset(head, dropped) != 0:
        raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    main()
