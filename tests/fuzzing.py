"""The effort of fuzzing tests: brief and deterministic, or longer and random with TALLY_FUZZ.

`TALLY_FUZZ=50 .venv/bin/pytest tests -k fuzz` tries fifty times as many examples, others in each run.
"""

import os

from hypothesis import HealthCheck, settings

FACTOR = int(os.environ.get("TALLY_FUZZ", "1"))


def examples(count: int) -> settings:
    """Settings for a test that tries `count` examples by default."""
    return settings(
        max_examples=count * FACTOR,
        derandomize=FACTOR == 1,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
    )
