"""Wait for others with a limit that does not count time in which we stood still ourselves.

How it works: who waits does so in slices. A slice counts as long as it was planned, however long it took: a process
that is stopped for a minute together with those that it waits for has lost one slice, and they have theirs when all go
on. By how much longer it took is kept: `gap_us`.
"""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

SLICE_S = 0.1
GAP_US = 250_000  # so late is no matter of a full machine: GAP_US of native/init/watch.c


class Patience:
    """A number of seconds to wait for something. `look` is called before each slice. Not thread-safe."""

    def __init__(
        self, patience_s: float, clock: Callable[[], float] = time.monotonic, look: Callable[[], None] = lambda: None
    ) -> None:
        self.patience_s = patience_s
        self.gap_us = 0  # how long we ourselves stood still, until the last slice began or `back`
        self._left_s = patience_s
        self._clock = clock
        self._look = look
        self._due = clock()

    def renew(self, patience_s: float) -> None:
        """Start a new wait of this length, without an unobserved moment in between."""
        self.patience_s = self._left_s = patience_s

    def slice(self, most_s: float = SLICE_S) -> float:
        """Return how many seconds to wait now, after a look; 0 when no patience is left."""
        self._look()
        self.back()
        planned = max(0.0, min(self._left_s, most_s))
        self._left_s -= planned
        self._due += planned
        return planned

    def back(self) -> None:
        """Record, after a slice, how late we are."""
        now = self._clock()
        late_us = int((now - self._due) * 1_000_000)
        if late_us >= GAP_US:
            self.gap_us += late_us
        self._due = now


def output_of(command: Sequence[str], patience_s: float, *, stdin: bytes = b"", **how: Any) -> bytes:
    """Return the output of one of our own programs, given these bytes; `how` goes to subprocess.Popen.

    Raises OSError, and subprocess.SubprocessError when it fails, or is killed since it does not end.
    """
    patience = Patience(patience_s)
    # Not by a pipe: once `communicate` has timed out, CPython 3.11 gives the rest of the input to nobody.
    with os.fdopen(os.memfd_create("stdin"), "w+b") as stream:
        stream.write(stdin)
        stream.seek(0)
        process = subprocess.Popen(command, stdin=stream, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **how)
    with process:
        try:
            while slice_s := patience.slice():
                try:
                    output: bytes = process.communicate(timeout=slice_s)[0]
                except subprocess.TimeoutExpired:
                    continue
                else:
                    if process.returncode:
                        raise subprocess.CalledProcessError(process.returncode, command, output)
                    return output
        finally:
            process.kill()
    raise subprocess.TimeoutExpired(command, patience_s)
