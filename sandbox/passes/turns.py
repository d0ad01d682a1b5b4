"""A profile pass's turn in a round: wait for it, be counted, get the counts.

A pass that lasts long, whether it computes or waits, is cut: when the keeper says that graded runs of the host wait for
it, or in any case after LONG_PASS_S.
"""

import json
import os
import select
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CgroupError, MeterProblem, MeterStop, MeterUnavailable, SandboxError
from sandbox.passes.claims import LOCK_FOLDER
from sandbox.passes.keeping import Line, started
from sandbox.passes.rules import LATE_PASS_END_S, LONG_PASS_S
from sandbox.types import Outcome, Profile, StreamUse

PROFILE_WAIT_MS = 240_000  # rounds are led one after the other, and the longest graded run may go first
_ANSWER_S = LATE_PASS_END_S
_AGAIN_S = 0.02
_CUT_TO_MS = 100


class Turn:
    """The turn of one pass: what its jail runs now is counted."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def profile(self) -> Profile | None:
        """Return the counts, once every process of the run has ended; None when the round was over before, as for a
        worker that was stopped. Raises MeterUnavailable.
        """
        self._line.send(b"done")
        answer = b"cut"
        try:
            while answer == b"cut":  # at the last moment
                answer = self._line.receive(_ANSWER_S)
        except TimeoutError:
            return None
        if not answer:
            return None
        columns = json.loads(_told(answer))
        streams = {name: StreamUse(calls=calls, bytes=size) for name, (calls, size) in columns["streams"].items()}
        return Profile(syscalls=columns["syscalls"], streams=streams)

    def fileno(self) -> int:
        """Return what can be read once the run must end: graded runs wait, or the round is over."""
        return self._line.fileno()


@contextmanager
def profile_turn(namespace: int, folder: Path = LOCK_FOLDER, wait_ms: int = PROFILE_WAIT_MS) -> Iterator[Turn]:
    """Wait for a round; the next program that is started in this PID namespace is counted. Graded runs of this host
    stand still meanwhile, so end soon. Raises MeterUnavailable, SandboxError after `wait_ms`.
    """
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        with started(folder, max(0.0, deadline - time.monotonic())) as line:
            line.send(b"pass %d" % namespace)
            try:
                answer = line.receive(deadline - time.monotonic())
            except TimeoutError:
                raise SandboxError("no round of profile passes began in time: graded runs were under way") from None
            if not answer:  # the keeper ended
                continue
            _told(answer)
            yield Turn(line)
            return


def _told(answer: bytes) -> bytes:
    """Return the keeper's message. Raises MeterUnavailable when it is why it cannot count."""
    if answer.startswith(b"no "):
        problem = json.loads(answer[3:])
        raise MeterUnavailable(MeterProblem(**{**problem, "code": MeterStop(problem["code"])}))
    return answer


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
    """Return the profile, noting the time, to a tenth of a second, if the pass was cut."""
    # it may have ended by itself at that moment
    if not cut.was_made or outcome.signal != signal.SIGKILL:
        return profile
    wall_ms = round(outcome.usage.wall_time_us / 1_000 / _CUT_TO_MS) * _CUT_TO_MS
    return replace(profile, stopped_after_ms=max(_CUT_TO_MS, wall_ms))
