"""Redis stopped, emptied, full, silent: the rows hold the work, so only a moment is lost."""

import signal
import time

import pytest
import redis

from judge.celery import QUEUE
from tests.extent import RUNS_ALL
from tests.faults.installation import inside
from tests.faults.installation.installation import Installation, wait_for
from tests.faults.installation.programs import slow_sum
from tests.faults.ledger import Hop
from tests.faults.trial import Trial

pytestmark = pytest.mark.timeout(600)
MANY = 100 if RUNS_ALL else 25


def _queue_up(trial: Trial, house: Installation, count: int) -> None:
    """So many submissions that wait, since the workers are held before the claim."""
    with house.ledger.closed_gate(Hop.CLAIM) as gate:
        trial.submit(count)
        wait_for(gate.held, "a worker comes for the first")


def _restart(house: Installation, *, keeps_data: bool) -> None:
    if keeps_data:
        house.client().save()
    else:
        (house.redis_folder / "dump.rdb").unlink(missing_ok=True)
    house.redis.kill()
    wait_for(house.redis.is_up, "Redis is started again")
    wait_for(lambda: _answers(house), "Redis answers")
    (house.redis_folder / "dump.rdb").unlink(missing_ok=True)


def _answers(house: Installation) -> bool:
    try:
        return bool(house.client().ping())
    except redis.RedisError:
        return False


@pytest.mark.fault("Redis killed and started again with its data, 100 queued")
def test_redis_that_comes_back_with_its_data_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    _queue_up(trial, house, 100)
    _restart(house, keeps_data=True)
    trial.injected += 1
    trial.settle()


@pytest.mark.fault(f"Redis killed and started again empty, {MANY} queued")
@pytest.mark.quick
def test_redis_that_comes_back_empty_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    _queue_up(trial, house, MANY)
    _restart(house, keeps_data=False)
    trial.injected += 1
    trial.settle()


@pytest.mark.fault("FLUSHALL with 50 queued")
def test_flushed_redis_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(2):
        _queue_up(trial, house, 50)
        house.client().flushall()
        trial.injected += 1
    trial.settle()


@pytest.mark.fault("the queue's keys deleted with 50 waiting")
def test_deleted_queue_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    _queue_up(trial, house, 50)
    client = house.client()
    for name in list(client.scan_iter(f"{QUEUE}*")):
        client.delete(name)
    trial.injected += 1
    trial.settle()


@pytest.mark.fault("CLIENT KILL TYPE normal every second for 15 s")
def test_connections_that_break_all_the_time_cost_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(15):
        trial.submit(3)
        house.client().client_kill_filter(_type="normal", skipme=True)
        trial.injected += 1
        time.sleep(1)
    trial.settle()


@pytest.mark.fault("Redis deaf for 30 s")
def test_deaf_redis_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    trial.submit(20)
    house.redis.signal(signal.SIGSTOP)
    trial.injected += 1
    began = time.monotonic()
    trial.submit(5)
    assert time.monotonic() - began < 15, "submitting waits for Redis"
    time.sleep(25)
    house.redis.signal(signal.SIGCONT)
    trial.settle()


@pytest.mark.fault("Redis's memory full (maxmemory 1mb, noeviction)")
def test_redis_without_memory_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    client = house.client()
    client.config_set("maxmemory", "1mb")
    client_before = client.info("memory")["used_memory"]
    assert client_before > 2**19
    try:
        trial.submit(20)
        trial.injected += 1
        time.sleep(5)
        trial.submit(5)
    finally:
        client.config_set("maxmemory", "0")
    trial.settle()


@pytest.mark.fault("Redis cannot write its disk (MISCONF)")
def test_redis_that_refuses_to_write_costs_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    client = house.client()
    client.config_set("dir", "/proc")
    client.config_set("save", "1 1")
    try:
        client.set("changed", 1)
        wait_for(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err", "Redis fails to save")
        trial.submit(20)
        trial.injected += 1
        time.sleep(5)
        trial.submit(5)
    finally:
        client.config_set("save", "")
        client.config_set("dir", str(house.redis_folder))
    trial.settle()


@pytest.mark.fault("the same id delivered 10 times at once")
@pytest.mark.quick
def test_ten_rings_for_one_row_are_one_verdict(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(3):
        with house.ledger.closed_gate(Hop.CLAIM) as gate:
            [number] = trial.submit(source=slow_sum(0.1), language="python")
            assert house.inside.do(inside.notify, number, 10) == 10
            wait_for(gate.held, "a worker comes for it")
        trial.injected += 1
        trial.wait_until_judged()
    trial.settle()
    assert {row.attempt for row in house.ledger.rows(list(trial.taken))} == {1}
