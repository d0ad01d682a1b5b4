"""Look whether a run comes back to the same whole state, from outside of its jail: then it never ends.

How it works: a thread of this process waits until the run has gone on for a while. If its group then has one process
with one thread, the program `native/states` traces that one; native/states/states.c says how, and what ends the search.
It ends the run when it ends. The group is asked again afterwards: another process that is there then could have changed
something.

Cost: none when it is off. The traced run is stopped some 80,000 times a second, so its own times say nothing.
"""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CgroupError, MeterUnavailable
from sandbox.types import MIB, StateRepeated, StateSearch, StatesUnknown

TRACER = Path(__file__).parents[1] / "native" / "build" / "states"
MOST_COMPARED_BYTES = 256 * MIB
TRIES = 2  # native/states/states.c has the same
_MORE_S = 10.0  # to read and compare the memory
_MOST_ANSWER = 200  # characters


class StateWatcher:
    """Looks at one run."""

    def __init__(self, search: StateSearch, group: RunGroup) -> None:
        self._search = search
        self._group = group
        self._is_over = threading.Event()
        self._seen: StateRepeated | StatesUnknown = StatesUnknown.ENDED
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._watch, name="states", daemon=True)

    def start(self) -> None:
        """Begin just before the run. Raises MeterUnavailable."""
        if not TRACER.is_file():
            raise MeterUnavailable("the tracer is not built: run make -C sandbox/native")
        try:
            self._thread.start()
        except RuntimeError as error:
            raise MeterUnavailable(f"a run cannot be traced: {error}") from error

    def finish(self) -> StateRepeated | StatesUnknown:
        """Return what was seen once all processes of the run have ended. Raises MeterUnavailable."""
        self.close()
        if self._error is not None:
            raise MeterUnavailable(f"a run could not be traced: {self._error}") from self._error
        return self._seen

    def close(self) -> None:
        """Let the thread end, which ends with the run."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        try:
            if not self._is_over.wait(self._search.after_ms / 1_000):
                self._seen = self._trace()
                self._group.kill()
        except (OSError, CgroupError, ValueError, IndexError, subprocess.SubprocessError) as error:
            self._error = error

    def _trace(self) -> StateRepeated | StatesUnknown:
        threads = self._group.threads()
        if len(threads) != 1:
            return StatesUnknown.PROCESSES if threads else StatesUnknown.ENDED
        search = self._search
        arguments = [
            *threads,
            self._group.threads_file,
            search.file,
            search.most_ms,
            search.after_ms,
            MOST_COMPARED_BYTES,
        ]
        with search.target.open("wb") as target:
            tracer = subprocess.run(
                [TRACER, *map(str, arguments)],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=target,
                stderr=subprocess.PIPE,
                env={"PATH": os.defpath},
                cwd="/",
                timeout=(TRIES * search.most_ms + search.after_ms) / 1_000 + _MORE_S,
            )
        kind, *words = tracer.stderr[:_MOST_ANSWER].decode().split()
        if kind != "repeated":
            return StatesUnknown(words[0])
        if {*self._group.threads()} - {*threads}:
            return StatesUnknown.PROCESSES
        visits, reads, writes = map(int, words)
        return StateRepeated(visits=visits, reads=reads, writes=writes)


@contextmanager
def watching_states(search: StateSearch | None, group: RunGroup) -> Iterator[StateWatcher | None]:
    """Provide a watcher for one run, ended with the `with`; None for None."""
    if search is None:
        yield None
        return
    watcher = StateWatcher(search, group)
    try:
        yield watcher
    finally:
        watcher.close()
