"""The effort of fuzzing tests: brief and deterministic, whole in `make test-all`, or longer and random with TALLY_FUZZ.

`TALLY_FUZZ=50 .venv/bin/pytest tests -k fuzz` tries fifty times as many examples, others in each run.
"""

import os

from hypothesis import HealthCheck, settings

from tests.extent import RUNS_ALL

FACTOR = int(os.environ.get("TALLY_FUZZ", "1"))
_SHARE = 1.0 if RUNS_ALL or FACTOR > 1 else 0.1  # of the examples


def examples(count: int) -> settings:
    """Settings for a test that tries `count` examples in a run of all tests."""
    return settings(
        max_examples=max(1, round(count * FACTOR * _SHARE)),
        derandomize=FACTOR == 1,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    )
