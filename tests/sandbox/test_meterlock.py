"""Graded runs share the host's meter lock, a profile pass has it alone, in its turn."""

import fcntl
import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from sandbox.meter.meterlock import PROFILE_NAP_S, graded_run_lock, profile_pass_lock
from tests.waiting import wait_for


def test_graded_runs_share_the_lock(tmp_path: Path) -> None:
    with graded_run_lock(tmp_path, wait_ms=0), graded_run_lock(tmp_path, wait_ms=0):
        pass


def test_a_profile_pass_waits_for_graded_runs_and_the_other_way_round(tmp_path: Path) -> None:
    with graded_run_lock(tmp_path), pytest.raises(SandboxError, match="not free in time"), ExitStack() as stack:
        stack.enter_context(profile_pass_lock(tmp_path, wait_ms=5))
    with profile_pass_lock(tmp_path), pytest.raises(SandboxError, match="not free in time"), ExitStack() as stack:
        stack.enter_context(graded_run_lock(tmp_path, wait_ms=5))
    with profile_pass_lock(tmp_path), pytest.raises(SandboxError, match="not free in time"), ExitStack() as stack:
        stack.enter_context(profile_pass_lock(tmp_path, wait_ms=5))


def test_a_waiting_profile_pass_lets_no_new_graded_run_in(tmp_path: Path) -> None:
    profiled = threading.Event()

    def profile() -> None:
        with profile_pass_lock(tmp_path):
            profiled.set()

    waiter = threading.Thread(target=profile)
    with graded_run_lock(tmp_path):
        waiter.start()
        deadline = time.monotonic() + 10
        refused = False
        while not refused and time.monotonic() < deadline:  # until the waiter stands at the gate
            try:
                with graded_run_lock(tmp_path, wait_ms=0):
                    pass
            except SandboxError:
                refused = True
        assert refused
        assert not profiled.is_set()
    waiter.join(10)
    assert profiled.is_set()


def test_a_folder_that_is_not_there_is_our_error_and_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"folder/tally-meter\.gate"), profile_pass_lock(tmp_path / "missing/folder"):
        pass


def test_the_next_pass_waits_for_the_pause_after_the_last_one_alone(tmp_path: Path) -> None:
    before = time.time()
    with profile_pass_lock(tmp_path):
        pass
    until = (tmp_path / "tally-meter.gate").stat().st_mtime
    assert until >= before + PROFILE_NAP_S
    with profile_pass_lock(tmp_path):
        assert time.time() >= until
    for moment in (0, time.time() + 3_600):  # the clock was set back since: that is no pause either
        os.utime(tmp_path / "tally-meter.gate", (moment, moment))
        with profile_pass_lock(tmp_path, wait_ms=0):  # a long time after it there is none, and nobody to wait for
            pass


def test_a_pass_that_held_somebody_up_is_followed_by_as_long_a_pause(tmp_path: Path) -> None:
    gate = tmp_path / "tally-meter.gate"
    with profile_pass_lock(tmp_path):
        began = time.time()
        waiter = threading.Thread(target=_grade, args=(tmp_path,))
        waiter.start()
        wait_for(lambda: not _is_free(tmp_path / "tally-meter.waiting"), "the graded run stands at the gate")
        time.sleep(2 * PROFILE_NAP_S)
        ended = time.time()
    assert gate.stat().st_mtime - ended >= ended - began
    waiter.join()
    with pytest.raises(SandboxError, match="not free in time"), profile_pass_lock(tmp_path, wait_ms=0):
        pass
    with graded_run_lock(tmp_path, wait_ms=0):  # a graded run needs no patience in it
        pass


def test_a_pass_that_held_nobody_up_is_followed_by_a_moment(tmp_path: Path) -> None:
    with profile_pass_lock(tmp_path):
        time.sleep(4 * PROFILE_NAP_S)
    assert (tmp_path / "tally-meter.gate").stat().st_mtime - time.time() <= PROFILE_NAP_S


def _grade(folder: Path) -> None:
    with graded_run_lock(folder):
        pass


def _is_free(path: Path) -> bool:
    """Whether nobody holds the lock of a file."""
    if not path.exists():
        return True
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
