"""Graded runs share the host, passes share it too, both never at once; nobody who dies or is stopped keeps it."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from sandbox.passes import claims, keeping
from sandbox.passes.claims import are_all_stopped, graded_run, open_lock, write_flag
from sandbox.passes.rules import LONGEST_DRAIN_S
from sandbox.passes.turns import Turn, profile_turn
from tests.sandbox.passes.hosts import (
    NOBODY,
    Thread,
    holder,
    keeper_of,
    kill_keeper,
    stop,
    through_grading,
    through_pass,
    verdict_of,
)
from tests.waiting import wait_for

TOGETHER = 4


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Path]:
    """A lock folder, whose keeper ends with the test."""
    yield tmp_path
    kill_keeper(tmp_path)


def is_shut(folder: Path) -> bool:
    return (folder / "tally-meter.lock").read_bytes().startswith(b"1")


def test_graded_runs_share_the_host(host: Path) -> None:
    with graded_run(host, wait_ms=0) as one, graded_run(host, wait_ms=0) as other:
        assert not one.is_void
        assert not other.is_void
    assert keeper_of(host) is None  # for them alone nobody leads anything


def test_a_pass_waits_for_graded_runs_and_the_other_way_round(host: Path) -> None:
    with graded_run(host), pytest.raises(SandboxError, match="graded runs were under way"), ExitStack() as stack:
        stack.enter_context(profile_turn(NOBODY, host, wait_ms=500))
    with profile_turn(NOBODY, host), pytest.raises(SandboxError, match="not free in time"), ExitStack() as stack:
        stack.enter_context(graded_run(host, wait_ms=5))


def test_passes_go_together(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "at_once", TOGETHER)
    met = threading.Barrier(TOGETHER)

    def meet(_: Turn) -> None:
        met.wait(30)

    with ExitStack() as stack, graded_run(host):
        for _ in range(TOGETHER):
            stack.enter_context(Thread(host, lambda folder: through_pass(folder, meet)))
    assert not met.broken


def test_graded_runs_that_wait_for_a_round_begin_when_it_ends(host: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(profile_turn(NOBODY, host))
        waiters = [Thread(host, through_grading) for _ in range(3)]
        for waiter in waiters:
            waiter.start()
        time.sleep(0.05)
        assert not any(waiter.is_through for waiter in waiters)
    for waiter in waiters:
        waiter.join(30)
        assert waiter.is_through


def test_a_long_graded_run_lets_others_begin_while_a_pass_waits(host: Path) -> None:
    """A drain that does not end is given up, and tried again."""
    waiting = Thread(host)
    with graded_run(host):
        waiting.start()
        wait_for(lambda: keeper_of(host), "a keeper")
        for _ in range(2):
            wait_for(lambda: is_shut(host), "new graded runs wait", look_every_s=0.002)
            with graded_run(host, wait_ms=int(10_000 * LONGEST_DRAIN_S)) as claim:
                assert not claim.is_void
        assert not waiting.is_through
    waiting.join(30)
    assert waiting.is_through


def test_a_folder_that_is_not_there_is_our_error_and_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"folder/tally-meter\.lock"), graded_run(tmp_path / "missing/folder"):
        pass


def test_a_killed_keeper_ends_the_round_and_the_next_pass_finds_another(host: Path) -> None:
    with profile_turn(NOBODY, host) as turn:
        first = keeper_of(host)
        kill_keeper(host)
        with graded_run(host):
            pass
        assert turn.profile() is None
    with profile_turn(NOBODY, host):
        assert keeper_of(host) not in (None, first)


@pytest.mark.parametrize("waits", [through_grading, through_pass])
def test_a_stopped_keeper_is_ended_by_who_waits_for_it(host: Path, waits: object) -> None:
    with profile_turn(NOBODY, host) as turn:
        pid = keeper_of(host)
        assert pid
        os.kill(pid, signal.SIGSTOP)
        with Thread(host, waits):  # type: ignore[arg-type]
            pass
        assert turn.profile() is None
    assert keeper_of(host) != pid


def test_what_a_dead_keeper_left_in_the_file_stops_nobody(host: Path) -> None:
    with graded_run(host):
        pass
    descriptor = open_lock(host)
    write_flag(descriptor, is_shut=True)
    os.close(descriptor)
    with graded_run(host, wait_ms=1_000):
        assert not is_shut(host)


def test_a_worker_stopped_in_a_graded_run_is_passed_over_and_knows_it(host: Path) -> None:
    with holder("graded", host) as stopped, holder("graded", host) as other:
        stop(stopped)
        stop(other)
        with profile_turn(NOBODY, host):
            pass
        with graded_run(host) as claim:
            assert verdict_of(stopped) == "void"
            assert not claim.is_void
        with profile_turn(NOBODY, host):  # the other one holds a file that is no longer the lock
            pass
        assert verdict_of(other) == "void"


def test_a_worker_that_was_stopped_while_nobody_wanted_a_round_keeps_its_claim(host: Path) -> None:
    with holder("graded", host) as stopped:
        stop(stopped)
        assert verdict_of(stopped) == "good"


def test_one_that_works_is_not_passed_over_beside_one_that_is_stopped(host: Path) -> None:
    with holder("graded", host) as stopped, holder("graded", host) as works:
        stop(stopped)
        with Thread(host) as waiting:
            for _ in range(2):
                wait_for(lambda: is_shut(host), "a drain")
                wait_for(lambda: not is_shut(host), "it is given up")
            assert not waiting.is_through
            assert verdict_of(works) == "good"
        assert verdict_of(stopped) == "void"


def test_nobody_is_passed_over_while_holders_may_be_out_of_sight(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with holder("graded", host) as stopped:
        stop(stopped)
        descriptor = open_lock(host)
        try:
            assert are_all_stopped(descriptor)
            monkeypatch.setattr(claims, "_own_namespace", lambda: 4_026_599_999)  # in another container
            assert not are_all_stopped(descriptor)
        finally:
            os.close(descriptor)


def test_a_worker_stopped_in_a_pass_holds_nobody_up_and_makes_it_again(host: Path) -> None:
    with holder("profile", host) as stopped:
        stop(stopped)
        with graded_run(host):
            pass
        assert verdict_of(stopped) == "void"


def test_a_worker_that_dies_in_a_pass_holds_nobody_up(host: Path) -> None:
    with holder("profile", host) as process:
        process.kill()
        process.wait(30)
        with graded_run(host) as run:
            assert not run.is_void


def test_a_pass_needs_no_other_where_nobody_grades(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "at_once", TOGETHER)
    with profile_turn(NOBODY, host):
        pass
    with Thread(host) as other:
        pass
    assert other.is_through
