"""Sample where a run spends its CPU time, from outside of its jail.

How it works: `sandbox.meter.perf` counts the CPU clock of the jail's init and of all that descends from it, so of the
program's every process and thread from its first exec on. A thread of the host empties the rings. A sample of a
compiled program holds its registers and the top of its stack; the call chains are found after the run
(`sandbox.meter.native_frames`). For a sample of a Python program the thread reads the interpreter's frames at once
(`sandbox.meter.python_frames`).

Cost: none when it is off, and none for other programs when it is on. Each sample interrupts the sampled program once.
Where the host's thread shares its core, the program also gets queued time and switches. It can see nothing but that.
"""

import select
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import LimitsError, MeterUnavailable
from sandbox.meter.native_frames import STACK_BYTES, NativeFrames
from sandbox.meter.perf import ClockEvents, Kind, Record
from sandbox.meter.python_frames import PythonFrames
from sandbox.types import CpuSamples, CpuSampling, Frames

_SHORTEST_US, _LONGEST_US = 100, 1_000_000
_MOST_KEPT_BYTES = 192 << 20  # of records of a compiled program, which are kept until its end
_RECORD_BYTES = 400  # what one takes beside its content
_LOOK_S = 0.01  # the smallest ring holds some 60 samples


class CpuSampler:
    """Samples one run. `own`: folders of the program in the jail, and where they are on the host. `cpus`: the only
    processors that it can run on; (): any.
    """

    def __init__(self, sampling: CpuSampling, own: Mapping[str, Path], cpus: tuple[int, ...] = ()) -> None:
        self._sampling = sampling
        self._cpus = cpus
        self._is_live = sampling.frames is Frames.PYTHON
        self._frames: NativeFrames | PythonFrames = PythonFrames() if self._is_live else NativeFrames(own)
        self._records: list[Record] = []
        self._kept_bytes = 0
        self._lost = 0
        self._events: ClockEvents | None = None
        self._is_over = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._empty_again_and_again, name="cpu-samples", daemon=True)

    def start(self, pid: int) -> None:
        """Begin just before the run with what this process will start. Raises MeterUnavailable."""
        stack_bytes = 0 if self._is_live else STACK_BYTES
        self._events = ClockEvents(
            pid, self._sampling.period_us, cpus=self._cpus, stack_bytes=stack_bytes, wakes=self._is_live
        )
        try:
            self._thread.start()
        except RuntimeError as error:
            raise MeterUnavailable(f"CPU time cannot be sampled: {error}") from error

    def finish(self) -> CpuSamples:
        """Return the samples once all processes of the run have ended. Raises MeterUnavailable."""
        self._stop()
        if self._error is not None:
            raise MeterUnavailable(f"CPU time could not be sampled to the end: {self._error}") from self._error
        self._empty()
        self.close()
        self._records.sort(key=lambda record: record.time_ns)
        self._frames.take(self._records)
        return CpuSamples(stacks=self._frames.stacks(), lost=self._lost, period_us=self._sampling.period_us)

    def close(self) -> None:
        """Stop; the thread has ended afterwards."""
        self._stop()
        if self._events is not None:
            self._events.close()
            self._events = None
        if isinstance(self._frames, PythonFrames):
            self._frames.close()

    def _stop(self) -> None:
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _empty_again_and_again(self) -> None:
        assert self._events is not None
        poll = select.poll()
        for descriptor in self._events.descriptors() if self._is_live else ():
            poll.register(descriptor, select.POLLIN)
        try:
            while not self._is_over.is_set():
                if self._is_live:
                    poll.poll(_LOOK_S * 1_000)
                else:
                    self._is_over.wait(_LOOK_S)
                self._empty()
        except Exception as error:  # noqa: BLE001 - whatever it is, samples are missing: `finish` raises it
            self._error = error

    def _empty(self) -> None:
        assert self._events is not None
        records = self._events.drain()
        for record in records:
            if record.kind == Kind.LOST:  # the event's number, and how many
                self._lost += int.from_bytes(record.body[8:16], "little")
        if self._is_live:
            self._frames.take(records)
            return
        for record in records:
            self._kept_bytes += len(record.body) + _RECORD_BYTES
            if self._kept_bytes <= _MOST_KEPT_BYTES:
                self._records.append(record)
            else:  # a program can map files as fast as it likes
                self._lost += record.kind == Kind.SAMPLE


@contextmanager
def cpu_sampling(
    sampling: CpuSampling | None, own: Mapping[str, Path], cpus: tuple[int, ...]
) -> Iterator[CpuSampler | None]:
    """Provide a sampler for one run, ended with the `with`; None for None. Raises LimitsError for an invalid period."""
    if sampling is None:
        yield None
        return
    if type(sampling.period_us) is not int or not _SHORTEST_US <= sampling.period_us <= _LONGEST_US:
        raise LimitsError(f"period_us must be a whole number between {_SHORTEST_US} and {_LONGEST_US:,}")
    sampler = CpuSampler(sampling, own, cpus)
    try:
        yield sampler
    finally:
        sampler.close()
