"""Sample where a run spends its CPU time, from outside of its jail.

How it works: `sandbox.meter.perf` counts the CPU clock of the jail's init and of all that descends from it, so of the
program's every process and thread from its first exec on. A process of the host, `sandbox.meter.sampler`, empties the
rings. A sample of a compiled program holds its registers and the top of its stack; the sampler writes it to a file, and
a reader finds the call chains after the run (`sandbox.unwinding`). For a sample of a Python program the sampler reads
the interpreter's frames at once (`sandbox.meter.python_frames`). The process that waits for the run reads nothing of
either: it starts the sampler, and ends it soon after the run.

Cost: none when it is off, and none for other programs when it is on. Each sample interrupts the sampled program once.
Where the sampler shares its core, the program also gets queued time and switches. It can see nothing but that.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import LimitsError, MeterUnavailable
from sandbox.patience import Patience
from sandbox.types import CpuSamples, CpuSampling, Frames

_SHORTEST_US, _LONGEST_US = 100, 1_000_000
_SAMPLER = "sandbox.meter.sampler"
_READY_S = 15.0  # for it to start, on a busy host
_END_S = 10.0  # for what is left in the rings, and for 50,000 chains to be written
_MOST_ANSWER = 4_096  # bytes
_ROOT = Path(__file__).resolve().parents[2]


class CpuSampler:
    """Samples one run. `cpus`: the only processors that it can run on; (): any."""

    def __init__(self, sampling: CpuSampling, cpus: tuple[int, ...] = ()) -> None:
        self._sampling = sampling
        self._cpus = cpus
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, pid: int) -> None:
        """Begin just before the run with what this process will start. Raises MeterUnavailable."""
        self.close()
        sampling = self._sampling
        frames = "python" if sampling.frames is Frames.PYTHON else "native"
        arguments = [str(pid), str(sampling.period_us), frames, sampling.file, json.dumps(self._cpus)]
        try:
            self._control, theirs = socket.socketpair()
            with theirs, sampling.target.open("wb") as target:
                self._process = subprocess.Popen(
                    [sys.executable, "-S", "-P", "-s", "-m", _SAMPLER, *arguments],
                    stdin=theirs.fileno(),
                    stdout=target,
                    stderr=subprocess.DEVNULL,
                    env={"PATH": os.defpath, "PYTHONPATH": str(_ROOT)},
                    cwd="/",
                    start_new_session=True,  # a Ctrl-C on the terminal is for the worker to handle
                )
        except OSError as error:
            raise MeterUnavailable(f"CPU time cannot be sampled: {error}") from error
        problem = self._answer(_READY_S).get("problem")
        if problem is not None:
            raise MeterUnavailable(str(problem))

    def finish(self) -> CpuSamples:
        """Return what became of the samples once all processes of the run have ended. Raises MeterUnavailable."""
        assert self._control is not None
        self._control.shutdown(socket.SHUT_WR)
        lost = self._answer(_END_S).get("lost")
        self.close()
        if type(lost) is not int:
            raise MeterUnavailable("CPU time could not be sampled to the end")
        return CpuSamples(lost=lost, period_us=self._sampling.period_us)

    def close(self) -> None:
        """End the sampler."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answer(self, patience_s: float) -> dict[str, object]:
        """Return the sampler's next line. Raises MeterUnavailable if it does not come in time."""
        assert self._control is not None
        line = b""
        patience = Patience(patience_s)
        while not line.endswith(b"\n") and (slice_s := patience.slice()):
            self._control.settimeout(slice_s)
            try:
                part = self._control.recv(_MOST_ANSWER)
            except TimeoutError:
                continue
            line += part
            if not part or len(line) > _MOST_ANSWER:
                break
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise MeterUnavailable("CPU time could not be sampled: the sampler ended")
        return answer


@contextmanager
def cpu_sampling(sampling: CpuSampling | None, cpus: tuple[int, ...]) -> Iterator[CpuSampler | None]:
    """Provide a sampler for one run, ended with the `with`; None for None. Raises LimitsError for an invalid period."""
    if sampling is None:
        yield None
        return
    if type(sampling.period_us) is not int or not _SHORTEST_US <= sampling.period_us <= _LONGEST_US:
        raise LimitsError(f"period_us must be a whole number between {_SHORTEST_US} and {_LONGEST_US:,}")
    sampler = CpuSampler(sampling, cpus)
    try:
        yield sampler
    finally:
        sampler.close()
