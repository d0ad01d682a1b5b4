"""The limits of runs that no verdict hangs on."""

import pytest

from judge.grading.running.execution import patient_limits
from sandbox.types import Limits


@pytest.mark.parametrize(("limit_ms", "cpu_ms"), [(1_000, 10_000), (4_000, 20_000), (15_000, 22_500)])
def test_a_patient_run_has_more_time_than_the_limit_and_a_little_more_on_the_clock(limit_ms: int, cpu_ms: int) -> None:
    limits = Limits(cpu_time_ms=limit_ms, wall_time_ms=3 * limit_ms, overrun_percent=50)
    patient = patient_limits(limits)
    assert patient.cpu_time_ms == cpu_ms
    assert patient.wall_time_ms >= max(limits.wall_time_ms, cpu_ms * 3 // 2)
    assert patient.overrun_percent == 0
    assert patient.memory_bytes == limits.memory_bytes
