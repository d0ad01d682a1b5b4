"""Workers killed, stopped and restarted at each step of a grading: one verdict, without manual help."""

import os
import secrets
import signal
import time
from collections.abc import Callable

import pytest

from tests.faults.installation.installation import ON_ITS_OWN_HOST, Installation, Worker, gone, wait_for
from tests.faults.installation.programs import hard_to_compile, slow_sum
from tests.faults.ledger import Hop
from tests.faults.trial import Trial
from tests.processes import descendants

pytestmark = pytest.mark.timeout(600)
WHOM: dict[str, Callable[[Worker], int]] = {
    "a process of the pool": Worker.grader,
    "the main process": lambda worker: worker.pid,
}
AT_GATES = {
    Hop.CLAIM: "before the claim",
    Hop.COMPILED: "after compiling",
    Hop.THIRD_RESULT: "between cases",
    Hop.VERDICT: "after the last case",
    Hop.COMMIT_OF_VERDICT: "in the commit of the verdict",
}
IN_SHORT = {(Hop.THIRD_RESULT, "a process of the pool"), (Hop.COMMIT_OF_VERDICT, "the main process")}
KILLS = [
    pytest.param(hop, whom, id=f"{whom} {said}", marks=pytest.mark.quick if (hop, whom) in IN_SHORT else ())
    for hop, said in AT_GATES.items()
    for whom in WHOM
]


def _kill(worker: Worker, whom: Callable[[Worker], int]) -> None:
    """Kill it; what it ran must be gone within 10 s."""
    target = whom(worker)
    assert target
    below = [target, *descendants(target)]
    os.kill(target, signal.SIGKILL)
    wait_for(gone(below), f"what {worker.name} ran ends with it", 10)


@pytest.mark.fault("SIGKILL of a worker at a step")
@pytest.mark.parametrize(("hop", "whom"), KILLS)
@pytest.mark.each
def test_worker_killed_at_any_step_costs_nothing(trial: Trial, house: Installation, hop: Hop, whom: str) -> None:
    house.hire()
    with house.ledger.closed_gate(hop) as gate:
        trial.submit(2)
        wait_for(gate.held, f"a worker comes to the step {hop.name}")
        held = gate.held()
        for worker in house.workers:
            if worker.name in held:
                _kill(worker, WHOM[whom])
                trial.injected += 1
    trial.settle()


@pytest.mark.fault("SIGKILL of a worker right after its claim")
@pytest.mark.parametrize("whom", WHOM)
def test_worker_killed_right_after_its_claim_costs_nothing(trial: Trial, house: Installation, whom: str) -> None:
    _kill_at_news(trial, house, "judging", WHOM[whom])


@pytest.mark.fault("SIGKILL of a worker between its verdict and the end of its task")
@pytest.mark.parametrize("whom", WHOM)
def test_worker_killed_right_after_its_verdict_costs_nothing(trial: Trial, house: Installation, whom: str) -> None:
    _kill_at_news(trial, house, "done", WHOM[whom])


def _kill_at_news(trial: Trial, house: Installation, status: str, whom: Callable[[Worker], int]) -> None:
    """Kill whoever wrote this status, as soon as its commit is known."""
    [worker] = house.hire(1)
    for _ in range(3):
        house.calm()
        house.wait_until_ready()
        with house.ledger.news() as news:
            trial.submit()
            for notice in news.notifies(timeout=60):
                if notice.payload.startswith(status):
                    _kill(worker, whom)
                    trial.injected += 1
                    break
        trial.settle()


@pytest.mark.fault("SIGKILL of a worker while the compiler runs")
@pytest.mark.parametrize("whom", WHOM)
def test_worker_killed_while_it_compiles_costs_nothing(trial: Trial, house: Installation, whom: str) -> None:
    house.hire()
    for _ in range(2):
        house.wait_until_ready()
        trial.submit(source=hard_to_compile(secrets.randbelow(10**9)))
        worker = _busy(house, "cc1plus")
        _kill(worker, WHOM[whom])
        trial.injected += 1
        trial.settle()


def _busy(house: Installation, program: str) -> Worker:
    """The worker below which a program of this name runs; waits for it."""
    found: list[Worker] = []

    def look() -> bool:
        found[:] = [worker for worker in house.workers if worker.below_grader(program)]
        return bool(found)

    wait_for(look, f"{program} runs")
    return found[0]


@pytest.mark.fault("SIGKILL of workers at random moments")
def test_workers_killed_at_random_moments_cost_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for turn in range(8):
        house.calm()
        house.wait_until_ready()
        trial.submit_each([("python", slow_sum(0.05))] * 4 + [("cpp", hard_to_compile(secrets.randbelow(10**9)))])
        time.sleep(secrets.randbelow(2_500) / 1_000)
        worker = secrets.choice(house.workers)
        _kill(worker, WHOM["the main process" if turn % 3 == 0 else "a process of the pool"])
        trial.injected += 1
        trial.settle()


@pytest.mark.fault("SIGKILL of nsjail alone")
def test_jail_whose_supervisor_is_killed_leaves_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for _ in range(2):
        house.wait_until_ready()
        [number] = trial.submit(source=slow_sum(0.5), language="python")
        trial.wait_until_begun(number)
        worker = _busy(house, "nsjail")
        supervisor = worker.below_grader("nsjail")[0]
        below = [supervisor, *descendants(supervisor)]
        os.kill(supervisor, signal.SIGKILL)
        trial.injected += 1
        wait_for(gone(below), "what nsjail ran ends with it", 10)
        trial.settle()
        assert trial.row(number).failures == 1


@pytest.mark.fault("SIGSTOP of a worker beyond its lease")
def test_late_result_of_a_stopped_worker_is_refused(trial: Trial, house: Installation) -> None:
    house.hire(argv=ON_ITS_OWN_HOST)
    [number] = trial.submit(source=slow_sum(0.3), language="python")
    trial.wait_until_begun(number)
    worker = _busy(house, "nsjail")
    stopped = [worker.pid, worker.grader()]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    trial.injected += 1
    try:
        trial.wait_until_judged()
        assert trial.row(number).attempt == 2
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    log = worker.log_file
    wait_for(lambda: "the work is dropped" in log.read_text(errors="replace"), "the late result is refused")
    trial.settle()
    assert trial.row(number).attempt == 2


@pytest.mark.fault("SIGSTOP of a worker within its lease")
def test_worker_stopped_for_a_moment_gives_the_right_verdict(trial: Trial, house: Installation) -> None:
    house.hire(1, {"TALLY_LEASE_S": "30", "TALLY_SWEEP_EVERY_S": "1"})
    for _ in range(3):
        [number] = trial.submit(source=slow_sum(0.3), language="python")
        worker = _busy(house, "nsjail")
        stopped = [worker.pid, worker.grader()]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        trial.injected += 1
        time.sleep(8)  # longer than the wall limit of a run
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        trial.wait_until_judged()
        assert trial.row(number).attempt == 1
    trial.settle()


@pytest.mark.fault("rolling restart of the workers")
def test_rolling_restart_of_workers_loses_nothing(trial: Trial, house: Installation) -> None:
    house.hire()
    for worker in list(house.workers):
        trial.submit(12, source=slow_sum(0.1), language="python")
        _busy(house, "nsjail")
        house.stop(worker)
        trial.injected += 1
        house.start(worker)
        house.wait_until_ready()
    trial.settle()
    assert [row for row in house.ledger.rows(list(trial.taken)) if row.failures] == []
