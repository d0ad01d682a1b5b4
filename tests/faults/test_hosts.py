"""A worker's host in trouble: its clock, its disk, its packages; and programs that print what no text is."""

import re
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.injected.clock import Clock
from tests.faults.injected.disks import small_disk
from tests.faults.installation import inside
from tests.faults.installation.installation import QUICK, Installation, Worker
from tests.faults.installation.programs import NUL_BYTES, NUL_IN_ERROR, SLUG, hard_to_compile, slow_sum, write_package
from tests.faults.trial import Trial

pytestmark = pytest.mark.timeout(600)
_ROOM = 512 << 20
_HOUR_S = 3600


@pytest.mark.fault("clock of the workers an hour off")
@pytest.mark.parametrize("offset_s", [_HOUR_S, -_HOUR_S])
def test_wrong_clock_of_a_worker_costs_nothing(trial: Trial, house: Installation, offset_s: int) -> None:
    clock = Clock(house.folder)
    clock.set(offset_s)
    workers = house.hire(2, {**QUICK, **clock.environment()})
    trial.submit(5)
    numbers = trial.submit(3, source=slow_sum(0.2), language="python")
    trial.injected += 1
    trial.wait_until_begun(numbers[0])
    workers[0].kill_grader()
    trial.settle()
    assert all(abs(_clock_of(worker) - time.time() - offset_s) < _HOUR_S / 2 for worker in workers)


def _clock_of(worker: Worker) -> float:
    """When it wrote the last line of its log, by its own clock (in UTC)."""
    stamps = re.findall(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),", worker.log_file.read_text(errors="replace"), re.M)
    return datetime.fromisoformat(f"{stamps[-1]}+00:00").timestamp()


@pytest.mark.fault("wall clock stepping by an hour while programs run")
def test_stepping_clock_costs_nothing(trial: Trial, house: Installation) -> None:
    clock = Clock(house.folder)
    house.hire(2, {**QUICK, **clock.environment()})
    for offset_s in (_HOUR_S, -_HOUR_S, 0, -_HOUR_S):
        numbers = trial.submit(4, source=slow_sum(0.5), language="python")
        trial.wait_until_begun(numbers[0])
        clock.set(offset_s)
        trial.injected += 1
        trial.wait_until_judged()
    trial.settle()
    assert {row.attempt for row in house.ledger.rows(list(trial.taken))} == {1}


@pytest.mark.fault("disk of the work folder full")
def test_full_work_folder_costs_nothing(trial: Trial, house: Installation) -> None:
    house.dismiss()
    with small_disk(house.work, _ROOM) as disk:
        house.hire()
        numbers = trial.submit(6, source=slow_sum(0.2), language="python")
        trial.submit_each([("cpp", hard_to_compile(time.time_ns()))] * 2)
        trial.wait_until_begun(numbers[0])
        disk.fill()
        trial.injected += 1
        time.sleep(10)
        disk.empty()
        trial.settle()
        house.dismiss()


@pytest.mark.fault("disk of the package store full")
def test_full_store_costs_nothing(trial: Trial, house: Installation, tmp_path: Path) -> None:
    house.dismiss()
    replacement = write_package(tmp_path, extra_cases=5)
    with small_disk(house.store, _ROOM) as disk:
        house.hire()
        disk.fill()
        trial.injected += 1
        before = trial.submit(3)
        with pytest.raises(OSError, match="No space left"):
            house.inside.do(inside.publish, replacement)
        before += trial.submit(3)
        trial.wait_until_judged()
        disk.empty()
        house.inside.do(inside.publish, replacement)
        after = trial.submit(3)
        trial.settle()
        assert {trial.row(number).cases for number in before} == {4}
        assert {trial.row(number).cases for number in after} == {9}
        house.inside.do(inside.publish, house.folder / SLUG)
        house.dismiss()


@pytest.mark.fault("package replaced while it is judged")
def test_replaced_package_judges_what_came_before_as_it_was(trial: Trial, house: Installation, tmp_path: Path) -> None:
    house.hire()
    before = trial.submit(3, source=slow_sum(0.2), language="python")
    trial.wait_until_begun(before[0])
    house.inside.do(inside.publish, write_package(tmp_path, extra_cases=3))
    trial.injected += 1
    after = trial.submit(2)
    trial.settle()
    assert {trial.row(number).cases for number in before} == {4}
    assert {trial.row(number).cases for number in after} == {7}
    house.inside.do(inside.publish, house.folder / SLUG)


@pytest.mark.fault("NUL bytes and invalid UTF-8 in what a program prints")
def test_bytes_that_are_no_text_are_judged(trial: Trial, house: Installation) -> None:
    house.hire()
    trial.submit(2, source=NUL_BYTES, language="python", verdict="WA")
    trial.submit(2, source=NUL_IN_ERROR, verdict="CE")
    trial.injected += 4
    trial.settle()


@pytest.mark.fault("visibility time-out of 5 s under a grading of 20 s")
def test_message_delivered_again_costs_nothing(trial: Trial, house: Installation) -> None:
    script = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'web.settings'; django.setup();"
        " from judge.celery import app; app.conf.broker_transport_options['visibility_timeout'] = 5;"
        " from django.core.management import execute_from_command_line; execute_from_command_line(sys.argv)"
    )
    house.hire(2, {**QUICK, "PYTHONPATH": str(settings.BASE_DIR)}, [sys.executable, "-c", script])
    trial.submit(2, source=slow_sum(1.8), language="python")
    trial.submit(4)
    trial.injected += 1
    trial.settle()
    assert {row.attempt for row in house.ledger.rows(list(trial.taken))} == {1}
