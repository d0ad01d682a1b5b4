"""When a round of profile passes begins and how long it lasts: the keeper's rules, without a clock of their own.

A round holds up all graded runs of the host, and before it the runs under way must end: the drain. Both cost the host
time in proportion to how long they last, whatever the number of passes. So passes wait for each other until there is
one for each core, or until the time that the last round took is a small part of the time since. A drain that does not
end soon, since a long run is under way, is given up, tried again later, and lasts longer each time.

All moments are seconds of one clock.
"""

import math

# While graded runs wait, a pass is cut so long after it began or, if earlier, after the first began to wait.
PASS_S = 0.8
LEAST_PASS_S = 0.2  # of a pass, however long the drain before it was
LONG_PASS_S = 8.0  # then it is cut in any case
END_S = 0.2  # so long after the cut it is over, for a worker that does not answer
LATE_PASS_END_S = 10.0  # and here while no graded run waits
ADMIT_S = 0.01  # from a round's begin further passes may begin in it, while graded runs wait
QUIET_S = 0.02  # no graded run for so long: a round may begin at once
RETRY_QUIET_S = 1.0  # after a graded run came within it
GATHER_S = 0.3  # so long the first pass waits for others on a host that grades
LONGEST_GATHER_S = 10.0
FULL_SHARE = 1 / 4  # of the host's time at most, for rounds with a pass for each core
SPARSE_SHARE = 1 / 20  # for others
FIRST_DRAIN_S = 0.2
LONGEST_DRAIN_S = 0.6  # with LEAST_PASS_S and END_S a second: nobody waits for longer
DRAIN_RESERVE = 1.5  # the next drain may last so many times as long as the last one took
DRAIN_SHARE = 1 / 10  # of drains that are given up
PATIENCE_S = 20.0  # a pass that has waited for so long waits for the longest run too


class Rules:
    """The rules with what they remember of the last rounds. `at_once`: how many passes one round can measure."""

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self._full_at = self._sparse_at = -math.inf
        self._drain_s = FIRST_DRAIN_S

    def due_at(self, waiting: int, oldest: float) -> float:
        """Return when to begin the next drain. `oldest`: since when the first of the waiting passes does."""
        if not waiting:
            return math.inf
        sparse = max(self._sparse_at, oldest + GATHER_S)
        full = max(self._full_at, oldest if waiting >= self.at_once else oldest + LONGEST_GATHER_S)
        return min(full, sparse)

    def drain_s(self, now: float, oldest: float) -> float:
        """Return how long to wait for the graded runs under way."""
        return self._drain_s if now - oldest > PATIENCE_S else min(self._drain_s, LONGEST_DRAIN_S)

    def gave_up(self, now: float, drained_s: float) -> None:
        """Note that graded runs were still under way after such a drain."""
        self._drain_s = max(self._drain_s, 2 * drained_s)
        self._full_at = self._sparse_at = now + drained_s * (1 / DRAIN_SHARE - 1)

    def ended(self, now: float, held_s: float, drained_s: float) -> None:
        """Note the end of a round. `held_s`: how long graded runs were held up by it and its drain; 0: none was.
        `drained_s`: how long the drain took; 0: none was needed.
        """
        if drained_s:  # the next one will take about as long
            self._drain_s = max(FIRST_DRAIN_S, DRAIN_RESERVE * drained_s)
        self._full_at = now + held_s * (1 / FULL_SHARE - 1)
        self._sparse_at = now + held_s * (1 / SPARSE_SHARE - 1)

    def cut_at(self, since: float, waited_since: float) -> float:
        """Return when a pass that began at `since` is cut. `waited_since`: since when graded runs wait; or infinite."""
        return max(min(since, waited_since) + PASS_S, since + LEAST_PASS_S, waited_since)

    def over_at(self, since: float, waited_since: float) -> float:
        """Return when a pass is over that has not ended; the moments as above."""
        return min(self.cut_at(since, waited_since) + END_S, since + LATE_PASS_END_S)

    def admits(self, now: float, began: float, *, is_waited_for: bool) -> bool:
        """Return whether a pass may still begin in the round that began then."""
        return not is_waited_for or now - began < ADMIT_S
