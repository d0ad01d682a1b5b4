"""How much a run of the tests takes: a share of the large corpora, or each of them whole with TALLY_TESTS=all.

Single tests that take long have the mark `thorough`, and are left to TALLY_TESTS=all as well.
"""

import os

import pytest

_SAID = os.environ.get("TALLY_TESTS", "")
RUNS_ALL = _SAID == "all"
if _SAID not in ("", "all"):
    pytest.exit(f"TALLY_TESTS is {_SAID!r}: leave it away, or say all", returncode=4)


def leave_out_thorough(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the thorough tests, unless all are to be run."""
    left_out = [] if RUNS_ALL else [item for item in items if item.get_closest_marker("thorough")]
    items[:] = [item for item in items if item not in left_out]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
