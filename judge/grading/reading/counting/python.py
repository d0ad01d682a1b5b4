"""Read the table that `judge.grading.reruns.count_runner` leaves: pairs of a line and how often it ran, as JSON."""

import json
from collections import Counter

from judge.grading.reading.counting.gcc import Unreadable


def counts_of(table: bytes) -> Counter[int]:
    """Return how often each line ran. Raises Unreadable."""
    try:
        pairs = json.loads(table)
        counts: Counter[int] = Counter()
        for line, count in pairs:
            if type(line) is not int or type(count) is not int or count < 0:
                raise Unreadable
            counts[line] = max(counts[line], count)
    except (ValueError, TypeError, RecursionError) as error:
        raise Unreadable from error
    return counts
