"""A profile pass's turn in a round: wait for it, be counted, get the counts."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import MeterProblem, MeterStop, MeterUnavailable, SandboxError
from sandbox.passes.claims import LOCK_FOLDER
from sandbox.passes.keeping import Line, started
from sandbox.passes.rules import LATE_PASS_END_S
from sandbox.types import Profile, StreamUse

PROFILE_WAIT_MS = 240_000  # rounds are led one after the other, and the longest graded run may go first
_ANSWER_S = LATE_PASS_END_S


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
    """Wait for a round; the next program that is started in this PID namespace is counted.

    Graded runs of this host stand still meanwhile, so end soon: see `sandbox.passes.rules`. Raises MeterUnavailable,
    SandboxError after `wait_ms`.
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
