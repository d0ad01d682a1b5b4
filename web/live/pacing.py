"""Pace news to many pages: at once to a few, one after the other to many.

Each page that is told asks for its changing part, which costs a web process some milliseconds. Told in the same
moment, a thousand pages would keep everybody else waiting until the last of them has its answer.
"""


class Pace:
    """Moments for news: `burst` of them may coincide, beyond that `per_s` a second. Times are of one clock."""

    def __init__(self, *, per_s: float, burst: int) -> None:
        self._gap_s = 1 / per_s
        self._head_start_s = (burst - 1) / per_s
        self._next = 0.0

    def moment(self, now: float) -> float:
        """Reserve the next free moment, `now` or later."""
        self._next = max(self._next, now - self._head_start_s)
        moment = max(self._next, now)
        self._next += self._gap_s
        return moment
