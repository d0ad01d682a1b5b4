"""Cut a profile pass that lasts long, whether it computes or waits: when the keeper says that graded runs of the host
wait for it, or in any case after LONG_PASS_S.
"""

import os
import select
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CgroupError
from sandbox.passes.rules import LONG_PASS_S
from sandbox.passes.turns import Turn
from sandbox.types import Outcome, Profile

_AGAIN_S = 0.02
_CUT_TO_MS = 100


class Cut:
    """Watches one pass. `was_made`: it was stopped."""

    def __init__(self, groups: Sequence[RunGroup], turn: Turn) -> None:
        self.was_made = False
        self._groups = groups
        self._turn = turn
        self._over = -1
        self._error: CgroupError | None = None
        self._thread = threading.Thread(target=self._cut, name="pass-cut", daemon=True)

    def start(self) -> None:
        """Begin to count its time. Raises CgroupError."""
        try:
            self._over = os.eventfd(0, os.EFD_CLOEXEC)
            self._thread.start()
        except (OSError, RuntimeError) as error:
            raise CgroupError(f"a profile pass cannot be watched: {error}") from error

    def close(self) -> None:
        """Stop watching; the thread has ended afterwards. Raises CgroupError when the pass could not be cut."""
        if self._over != -1:
            os.eventfd_write(self._over, 1)
            if self._thread.ident is not None:
                self._thread.join()
            os.close(self._over)
            self._over = -1
        if self._error is not None:
            raise CgroupError(f"a profile pass could not be cut: {self._error}") from self._error

    def _cut(self) -> None:
        poll = select.poll()
        poll.register(self._over, select.POLLIN)
        poll.register(self._turn, select.POLLIN)  # what is said there, the turn reads
        wait_s = LONG_PASS_S
        try:
            while self._over not in dict(poll.poll(wait_s * 1_000)):
                if not self.was_made:
                    poll.unregister(self._turn)
                self.was_made = True
                for group in self._groups:  # in each round again: it may be making processes
                    group.kill()
                wait_s = _AGAIN_S
        except CgroupError as error:
            self._error = error


@contextmanager
def cutting(groups: Sequence[RunGroup], turn: Turn) -> Iterator[Cut]:
    """Kill the programs in these groups when their turn is to end. Raises CgroupError."""
    cut = Cut(groups, turn)
    try:
        cut.start()
        yield cut
    finally:
        cut.close()


def noting_cut(profile: Profile, outcome: Outcome, cut: Cut) -> Profile:
    """Return the profile, noting the time, to a tenth of a second, if the pass was cut. It may have ended by itself at
    that moment.
    """
    if not cut.was_made or outcome.signal != signal.SIGKILL:
        return profile
    wall_ms = round(outcome.usage.wall_time_us / 1_000 / _CUT_TO_MS) * _CUT_TO_MS
    return replace(profile, stopped_after_ms=max(_CUT_TO_MS, wall_ms))
