"""How much a run of the tests takes: what protects every change, or all of it with TALLY_TESTS=all.

What only TALLY_TESTS=all runs: tests with the mark `thorough`, which take long and whose code quicker tests cover too;
the rest of the large corpora, of which each folder names its share; and the other parameters of a test that has more
than MOST_PARAMETERS, if it opens a jail or a database or has the mark `costly`. The mark `each` keeps them all: what
one parameter finds, its neighbours do not.
"""

import os
from collections import defaultdict
from zlib import crc32

import pytest

MOST_PARAMETERS = 3
_DATABASE = frozenset({"db", "transactional_db"})  # fixtures of pytest-django
_SAID = os.environ.get("TALLY_TESTS", "")
RUNS_ALL = _SAID == "all"
if _SAID not in ("", "all"):
    pytest.exit(f"TALLY_TESTS is {_SAID!r}: leave it away, or say all", returncode=4)


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what only a run of all tests takes, unless this is one."""
    if RUNS_ALL:
        return
    quick = [item for item in items if not item.get_closest_marker("thorough")]
    kept = set(_share_of_parameters(quick))
    left_out = [item for item in items if item not in kept]
    items[:] = [item for item in items if item in kept]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def _share_of_parameters(items: list[pytest.Item]) -> list[pytest.Item]:
    """Keep a few of each test's items, evenly spread. Which, depends on its name: so tests with the same parameters
    cover different ones.
    """
    by_test: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_test[item.nodeid.partition("[")[0]].append(item)
    kept = []
    for name, group in by_test.items():
        if len(group) > MOST_PARAMETERS and _is_costly(group[0]) and not group[0].get_closest_marker("each"):
            first = crc32(name.encode()) % len(group)
            places = {(first + turn * len(group) // MOST_PARAMETERS) % len(group) for turn in range(MOST_PARAMETERS)}
            kept += [group[place] for place in sorted(places)]
        else:
            kept += group
    return kept


def _is_costly(item: pytest.Item) -> bool:
    """Return whether the test opens a jail or a database, or has the mark `costly`."""
    has_mark = any(item.get_closest_marker(name) for name in ("jail", "django_db", "costly"))
    return has_mark or not _DATABASE.isdisjoint(getattr(item, "fixturenames", ()))
