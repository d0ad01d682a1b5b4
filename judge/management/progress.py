"""Show the progress of a long command on stderr, and end it by a signal; stdout is for its result."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from judge.grading.events import CaseJudged
from judge.grading.verification.verified import Step
from judge.grading.words import harmless
from problems.format.files import printable

EVERY_S = 10.0  # between two lines where stderr is no terminal
_WIDTH = 100  # of the line on a terminal, which the next one replaces
_MINUTE_S = 60


class Stopped(KeyboardInterrupt):
    """The user (Ctrl-C) or the system (SIGTERM) ends the command."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGINT, SIGTERM and SIGHUP raise Stopped the first time; a second one ends the process at once."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(number: int, frame: object) -> None:
        for listed in numbers:
            signal.signal(listed, signal.SIG_DFL)
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class ProgressLine:
    """The progress of a verification: on a terminal one changing line, elsewhere a line now and then."""

    def __init__(self, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stderr
        self._clock = clock
        self._begin = self._told_at = clock()
        self._what = ""
        self._cases = 0

    def step(self, step: Step) -> None:
        """Note the next file."""
        self._what = f"{step.phase} {step.done}/{step.total}  {printable(step.name)}"
        self._cases = 0
        self._tell(self._what)

    def case(self, case: CaseJudged) -> None:
        """Note a finished test case of the current submission."""
        self._cases += 1
        self._tell(f"{self._what}: {printable(case.name)}, test case {self._cases:,}")

    def clear(self) -> None:
        """Clear the terminal line for other output."""
        if self._out.isatty():
            self._out.write(f"\r{'':{_WIDTH}}\r")
            self._out.flush()

    def _tell(self, words: str) -> None:
        now = self._clock()
        minutes, seconds = divmod(int(now - self._begin), _MINUTE_S)
        line = harmless(f"{minutes}:{seconds:02} {words}")[:_WIDTH]
        if self._out.isatty():
            self._out.write(f"\r{line:{_WIDTH}}\r")
        elif now - self._told_at >= EVERY_S:
            self._told_at = now
            self._out.write(f"{line}\n")
        self._out.flush()
