"""Many submissions and several simultaneous faults: none is lost, none is decided twice."""

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial

import pytest

from tests.faults.installation import inside
from tests.faults.installation.inside import Inside
from tests.faults.installation.installation import Installation, Server, wait_for
from tests.faults.installation.programs import slow_sum
from tests.faults.installation.site import Site, Student
from tests.faults.trial import Trial

pytestmark = pytest.mark.timeout(1500)
_SOAK_S = 120
_PAUSE_S = 6  # between two faults of the soak


@pytest.mark.fault("power cycle with 20 in flight")
def test_power_cycle_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    numbers = trial.submit(20, source=slow_sum(0.05), language="python")
    trial.wait_until_begun(numbers[0])
    everything: list[Server] = [house.postgres, house.redis, *house.workers]
    house.leave_alone(*everything)
    for server in everything:
        server.kill()
    trial.injected += 1
    house.ledger.close_connection()
    while everything:
        house.start(everything.pop(secrets.randbelow(len(everything))))
    trial.settle()


@pytest.mark.fault("two sweepers at once")
def test_sweepers_at_once_take_each_row_back_once(trial: Trial, house: Installation) -> None:
    """What workers left that died an hour ago is taken back by whoever sees it first."""
    house.hire()
    house.dismiss()
    numbers = trial.submit(40)
    house.ledger.ask(
        "UPDATE judge_submission SET status = 'judging', attempt = 1, worker = 'tally@dead/0',"
        " lease_until = now() - interval '1 hour' WHERE id = ANY(%s)",
        numbers,
    )
    second = Inside(house.environment)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda process: process.do(inside.sweep), [house.inside, second]))
    second.close()
    trial.injected += 1
    house.hire()
    trial.settle()
    assert {(row.failures, row.attempt) for row in house.ledger.rows(numbers)} == {(1, 2)}


@pytest.mark.fault("one worker gone for good, then the other")
def test_each_worker_sweeps_for_the_other(trial: Trial, house: Installation) -> None:
    house.hire()
    for worker in list(house.workers):
        trial.submit(4, source=slow_sum(0.3), language="python")
        wait_for(partial(worker.below_grader, "nsjail"), "the worker has work")
        house.leave_alone(worker)
        worker.kill()
        trial.injected += 1
        trial.settle()
        house.start(worker)
        house.wait_until_ready()


@pytest.mark.fault("one user's 300 submissions at once, 10 of others after them")
def test_flood_of_one_user_does_not_hold_back_the_others(trial: Trial, house: Installation) -> None:
    house.hire()
    flood = trial.submit(300, user="flood")
    trial.injected += 1
    others = [number for name in range(10) for number in trial.submit(1, user=f"other{name}")]
    before = trial.done(flood)
    trial.wait_until_judged(others)
    assert trial.done(flood) - before < 100, "the others waited for the flood"
    trial.settle()


@pytest.mark.fault("the site restarted and killed while people submit")
def test_site_that_restarts_keeps_what_it_took(trial: Trial, house: Installation) -> None:
    house.hire()
    site = Site(house)
    house.start(site)
    try:
        wait_for(site.answers, "the site answers")
        ended = threading.Event()

        def submit(student: Student) -> list[int]:
            taken = []
            while not ended.is_set():
                number = student.submit("python", b"print(sum(map(int, input().split())))\n")
                taken += [] if number is None else [number]
                time.sleep(0.1)
            return taken

        with closing(Student(house, f"student{time.time_ns()}")) as student, ThreadPoolExecutor(1) as pool:
            submitting = pool.submit(submit, student)
            for end in (site.child.stop, site.kill, site.child.stop):
                time.sleep(3)
                house.calm()
                end()
                trial.injected += 1
                wait_for(site.answers, "the site answers again")
            ended.set()
            trial.promise(submitting.result(60))
        assert student.refusals, "nobody noticed"
        trial.settle()
    finally:
        house.stop(site)


@pytest.mark.fault("soak: random faults while submissions come in")
def test_soak(trial: Trial, house: Installation) -> None:
    workers = house.hire()
    faults: list[Callable[[], object]] = [
        lambda: secrets.choice(workers).kill(),
        lambda: secrets.choice(workers).kill_grader(),
        house.redis.kill,
        lambda: house.client().flushall(),
        house.postgres.kill,
    ]
    end = time.monotonic() + _SOAK_S
    while time.monotonic() < end:
        house.calm()
        trial.submit(8, user=f"user{secrets.randbelow(5)}")
        trial.submit(2, source=slow_sum(0.2), language="python")
        secrets.choice(faults)()
        trial.injected += 1
        time.sleep(_PAUSE_S)
    trial.settle()


@pytest.mark.fault("2,000 queued: both workers killed twice, Redis flushed once")
def test_two_thousand_submissions_get_two_thousand_verdicts(trial: Trial, house: Installation) -> None:
    """With the default lease and sweeper. Recovered: what was being judged has its verdict, and others go on."""
    workers = house.hire(2, {})
    for user in range(20):
        trial.submit(100, user=f"user{user}")
    numbers = list(trial.taken)
    assert len(numbers) == 2_000

    def kill_all() -> None:
        for worker in workers:
            worker.kill()

    for share, fault in ((0.2, kill_all), (0.4, lambda: house.client().flushall()), (0.6, kill_all)):
        wait_for(partial(_is_judged, trial, numbers, share), f"{share:.0%} are judged", 600)
        in_flight = [row.id for row in house.ledger.rows(numbers) if row.status == "judging"]
        fault()
        trial.injected += 1
        _wait_until_it_goes_on(trial, numbers, in_flight)
    trial.settle(within_s=900, is_measured=False)


def _is_judged(trial: Trial, numbers: list[int], share: float) -> bool:
    return trial.done(numbers) >= share * len(numbers)


def _wait_until_it_goes_on(trial: Trial, numbers: list[int], in_flight: list[int]) -> None:
    over, before = time.monotonic(), trial.done(numbers)
    trial.wait_until_judged(in_flight)
    wait_for(lambda: trial.done(numbers) >= before + len(in_flight) + 10, "others are judged")
    trial.recover_s = max(trial.recover_s, time.monotonic() - over)
