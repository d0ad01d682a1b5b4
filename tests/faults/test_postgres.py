"""PostgreSQL restarted, killed and without disk space during gradings: promises are kept."""

import shutil
import signal
import time

import pytest

from tests.faults.injected.disks import small_disk
from tests.faults.installation.installation import Installation, wait_for
from tests.faults.installation.programs import slow_sum
from tests.faults.trial import Trial

pytestmark = pytest.mark.timeout(600)


@pytest.mark.fault("PostgreSQL restarted in the middle of gradings")
def test_postgres_that_restarts_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(2):
        numbers = trial.submit(6, source=slow_sum(0.2), language="python")
        trial.wait_until_begun(numbers[0])
        house.postgres.signal(signal.SIGINT)  # a fast shutdown
        trial.injected += 1
        trial.settle()


@pytest.mark.fault("PostgreSQL killed in the middle of gradings")
@pytest.mark.quick
def test_killed_postgres_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(2):
        numbers = trial.submit(6, source=slow_sum(0.2), language="python")
        trial.wait_until_begun(numbers[0])
        house.postgres.kill()
        trial.injected += 1
        numbers = trial.submit(2)  # refused or taken, but not both
        trial.settle()


@pytest.mark.fault("PostgreSQL's disk full")
def test_full_disk_of_postgres_loses_nothing_that_was_taken(trial: Trial, house: Installation) -> None:
    house.dismiss()
    house.stop(house.postgres)
    house.ledger.close_connection()
    with small_disk(house.postgres_folder, 64 << 20) as disk:
        house.start(house.postgres)
        house.hire()
        trial.submit(20, source=slow_sum(0.1), language="python")
        disk.fill()
        trial.injected += 1
        deadline = time.monotonic() + 60
        while not trial.refused and time.monotonic() < deadline:
            trial.submit(5, source=slow_sum(0.01) + b"#" * 100_000, language="python")
        assert trial.refused, "PostgreSQL still takes submissions"
        disk.empty()
        trial.settle()
        house.dismiss()
        house.stop(house.postgres)
        house.ledger.close_connection()
    house.start(house.postgres)
    wait_for(lambda: not house.ledger.unfinished(list(trial.taken)), "what was written is still there")
    assert shutil.disk_usage(house.postgres_folder).free > 0
