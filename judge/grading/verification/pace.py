"""Limit the time of a verification, and let other work go first between any two of its programs."""

import time
from collections.abc import Callable

from problems.translation import Sentence, SentenceError

MOST_S = 2 * 60 * 60
_MINUTE_S = 60


class OutOfTime(SentenceError):
    """The time is over; `why` says so as half a sentence."""


class Pace:
    """The clock of one verification. It pauses while others go first."""

    def __init__(self, between: Callable[[], None] = lambda: None, most_s: float = MOST_S) -> None:
        self._between = between
        self._most_s = most_s
        self._end = time.monotonic() + most_s

    def pause(self) -> None:
        """Call between any two programs. Raises OutOfTime."""
        begin = time.monotonic()
        self._between()
        end = time.monotonic()
        self._end += end - begin
        if end > self._end:
            minutes = f"{self._most_s / _MINUTE_S:,.0f}"
            raise OutOfTime(Sentence("it had gone on for %(minutes)s minutes", minutes=minutes))
