"""Decide from several runs whether a program is sure to keep a time limit.

`bench`, pages and reruns all ask here, so that a number and what is said of it come from the same runs. The share by
which the slowest run has to stay below the limit is a choice after measured scatter: of the changed programs of
tests/explain/FIXES.md, sent five times after five runs, the slowest one took at most so much more than the slowest of
these (the report has the number).
"""

from collections.abc import Sequence
from enum import Enum

RUNS = 5  # of the case that decides, and of each that comes near the limit
MARGIN = 1.1  # times the slowest run has to be within the limit
FAR = 2  # times below the limit, or above it, one run tells


class Standing(Enum):
    """What several runs of a case say about the time limit."""

    WITHIN = "within"
    NEAR = "near"  # too near to tell
    OVER = "over"


def standing(times_us: Sequence[int], over: int, limit_us: int) -> Standing:
    """Return how runs with these CPU times stand, at least one. `over`: so many of them broke a limit on time."""
    if over == len(times_us):
        return Standing.OVER
    needed = MARGIN if len(times_us) >= RUNS else FAR
    return Standing.NEAR if over or max(times_us) * needed > limit_us else Standing.WITHIN
