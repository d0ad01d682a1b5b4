"""A worker and its jails, or a part of them, paused for a while: the pause never counts against the program."""

import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

import pytest

from tests.faults.installation import inside
from tests.faults.installation.installation import ON_ITS_OWN_HOST, Installation, Worker, wait_for
from tests.faults.installation.programs import SLOW_CASES, SLOW_SLUG, hard_to_compile, slow_cpp, write_slow_package
from tests.faults.ledger import Gate, Hop
from tests.faults.trial import Trial
from tests.processes import descendants

pytestmark = pytest.mark.timeout(900)

ONE = {"TALLY_LEASE_S": "30", "TALLY_SWEEP_EVERY_S": "1"}
WITHIN_LEASE_S = 10
_LOOK_EVERY_S = 0.005


def _is_compiling(worker: Worker, _: Trial, __: int) -> bool:
    return bool(worker.below_grader("cc1plus"))


def _is_running(worker: Worker, trial: Trial, number: int) -> bool:
    return bool(worker.below_grader("main")) and len(trial.row(number).results) < SLOW_CASES


def _is_checking(worker: Worker, trial: Trial, number: int) -> bool:
    # at the first case it may be the compile step of the checker
    return bool(worker.below_grader("python3")) and len(trial.row(number).results) > 0


def _is_profiling(worker: Worker, trial: Trial, number: int) -> bool:
    return trial.row(number).is_done and bool(worker.below_grader("main"))  # a rerun, see _pause


STAGES: dict[str, Callable[[Worker, Trial, int], bool]] = {
    "compile": _is_compiling,
    "run": _is_running,
    "check": _is_checking,
    "profile": _is_profiling,
}
BETWEEN = "between"  # two cases, in the middle of writing what the last one came to


def _all(worker: Worker) -> list[int]:
    return [worker.pid, *descendants(worker.pid)]


def _ours(worker: Worker) -> list[int]:
    return [worker.pid, worker.grader()]


def _inits(worker: Worker) -> list[int]:
    return worker.below_grader("tally-init")


def _programs(worker: Worker) -> list[int]:
    return worker.below_grader("main")


PARTS: dict[str, Callable[[Worker], list[int]]] = {
    "the worker alone": _ours,
    "the inits alone": _inits,
    "the program alone": _programs,
}


@contextmanager
def _stopped(worker: Worker, whom: Callable[[Worker], list[int]]) -> Iterator[None]:
    """Stop them, also those that they start meanwhile; afterwards all go on, in one order or the other."""
    stopped: list[int] = []
    while more := [pid for pid in whom(worker) if pid and pid not in stopped]:
        for pid in more:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)
    try:
        assert stopped
        yield
    finally:
        for pid in secrets.choice((stopped, stopped[::-1])):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _publish(house: Installation) -> None:
    if not house.ledger.ask("SELECT 1 FROM problems_problem WHERE slug = %s", SLOW_SLUG):
        house.inside.do(inside.publish, write_slow_package(house.folder))


def _source(stage: str, sleep_s: float) -> bytes:
    return hard_to_compile(secrets.randbelow(10**9)) if stage == "compile" else slow_cpp(sleep_s)


def _pause(
    trial: Trial,
    stage: str,
    pause_s: float,
    whom: Callable[[Worker], list[int]] = _all,
    *,
    sleep_s: float = 0.4,
    verdict: str = "AC",
) -> int:
    """Submit, and stop these of the worker that judges it, at this stage; the submission."""
    house = trial.house
    house.wait_until_ready()
    gated = house.ledger.closed_gate(Hop.THIRD_RESULT) if stage == BETWEEN else nullcontext()
    with gated as gate:
        programs = [("cpp", _source(stage, sleep_s))]
        [number] = trial.submit_each(programs, verdict=verdict, slug=SLOW_SLUG)
        if stage == "profile":
            trial.wait_until_judged([number])
            house.inside.do(inside.count_calls, number)
        worker = _who_is_at(trial, stage, number, gate)
        with _stopped(worker, whom):
            trial.injected += 1
            time.sleep(pause_s if gate is None else pause_s / 2)
            if gate is not None:
                gate.open()
                time.sleep(pause_s / 2)
    return number


def _who_is_at(trial: Trial, stage: str, number: int, gate: Gate | None) -> Worker:
    """The worker that has come to this stage; waits for it."""
    found: list[Worker] = []

    def look() -> bool:
        held = gate.held() if gate else []
        found[:] = [
            worker
            for worker in trial.house.workers
            if (worker.name in held if gate else STAGES[stage](worker, trial, number))
        ]
        return bool(found)

    wait_for(look, f"a worker is at the stage {stage}", look_every_s=_LOOK_EVERY_S)
    return found[0]


IN_SHORT = {("check", 3)}
PAUSES = [
    pytest.param(
        stage, pause_s, id=f"{stage}, {pause_s} s", marks=pytest.mark.quick if (stage, pause_s) in IN_SHORT else ()
    )
    for pause_s in (1, 3, 10, 90)
    for stage in (*STAGES, BETWEEN)
]


@pytest.mark.fault("SIGSTOP of a worker and its jails at a stage")
@pytest.mark.parametrize(("stage", "pause_s"), PAUSES)
@pytest.mark.each
def test_pause_of_everything_changes_no_verdict(trial: Trial, house: Installation, stage: str, pause_s: float) -> None:
    house.hire(1, ONE)
    _publish(house)
    # a pause that is shorter than the limit finds a program that has little of it left
    number = _pause(trial, stage, pause_s, sleep_s=1.8 if pause_s == 1 else 0.4)
    trial.settle()
    if pause_s <= WITHIN_LEASE_S:
        assert (trial.row(number).attempt, trial.row(number).failures) == (1, 0)


@pytest.mark.fault("SIGSTOP of a part of a worker's processes")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("stage", ["run", "profile"])
@pytest.mark.each
def test_pause_of_a_part_changes_no_verdict(trial: Trial, house: Installation, stage: str, part: str) -> None:
    house.hire(1, ONE)
    _publish(house)
    number = _pause(trial, stage, 4, PARTS[part])
    trial.settle()
    assert (trial.row(number).attempt, trial.row(number).failures) == (1, 0)


@pytest.mark.fault("SIGSTOP of an init for longer than its answer may take")
def test_init_that_is_stopped_for_long_costs_one_attempt(trial: Trial, house: Installation) -> None:
    house.hire(1, ONE)
    _publish(house)
    _pause(trial, "run", 60, _inits)
    trial.settle()


@pytest.mark.fault("SIGSTOP of everything while a program runs too long")
def test_pause_makes_no_other_verdict_of_a_program_that_is_too_slow(trial: Trial, house: Installation) -> None:
    house.hire(1, ONE)
    _publish(house)
    _pause(trial, "run", 3, sleep_s=60, verdict="TLE")
    trial.settle()


@pytest.mark.fault("SIGSTOP of a worker and its jails beyond its lease")
@pytest.mark.parametrize("pause_s", [10, 90])
@pytest.mark.parametrize("stage", ["run", "profile", BETWEEN])
@pytest.mark.each
def test_pause_beyond_the_lease_gives_one_verdict(
    trial: Trial, house: Installation, stage: str, pause_s: float
) -> None:
    house.hire(argv=ON_ITS_OWN_HOST)
    _publish(house)
    number = _pause(trial, stage, pause_s)
    trial.settle()
    if stage == "run":  # between two cases its transaction goes on: it was held by PostgreSQL
        assert trial.row(number).attempt == 2
    if stage == "profile":
        wait_for(lambda: _counted(house, number) == [("done", 2)], "the calls are counted by a second attempt")
        assert trial.row(number).attempt == 1


def _counted(house: Installation, number: int) -> list[tuple[str, int]]:
    """The status and the attempt of each rerun that counts calls of this submission."""
    return house.ledger.ask(
        "SELECT request.status, request.attempt FROM judge_caserequest request"
        " JOIN judge_testcaseresult result ON result.id = request.result_id"
        " WHERE request.examination = 'profile' AND result.submission_id = %s",
        number,
    )
