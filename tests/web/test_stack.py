"""`python -m web.stack`, the whole of Tally on one machine: started, hurt, mended by itself and stopped."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from bench.load.stack import ROOT, Stack, started_stack
from tests.processes import children, is_running
from tests.waiting import wait_for
from web.operations import services

pytestmark = [pytest.mark.jail, pytest.mark.timeout(240)]
_SUBMIT = """
from django.contrib.auth.models import User
from judge.submissions import intake
from problems.models import Problem
source = b"import time; time.sleep(0.3); print(sum(map(int, input().split())))"
user, _ = User.objects.get_or_create(username="somebody")
print(intake.submit(user, Problem.objects.get(slug="sumoftwo"), "python", source).pk)
"""


@pytest.fixture
def stack() -> Iterator[Stack]:
    """A stack that is up, with a worker that takes work."""
    with started_stack(TALLY_LEASE_S="6", TALLY_SWEEP_EVERY_S="2") as started:
        started.wait_for_line("The worker has .*Python 3")
        yield started


@pytest.mark.thorough
def test_everything_killed_during_a_grading_ends_in_one_verdict(stack: Stack) -> None:
    assert f"{stack.url}/" in stack.said()
    assert set(stack.passwords) == {"student", "instructor"}
    submission = _submit(stack)
    wait_for(lambda: _submission(stack, submission)[2] >= 2, "two cases are judged")
    killed = _children(stack)
    assert set(killed) == {"redis", "postgres", "uvicorn", "worker"}
    for pid in killed.values():
        os.kill(pid, signal.SIGKILL)
    for _ in range(4):
        stack.wait_for_line("started again")
    wait_for(lambda: _is_judged(stack, submission), "it is judged in spite of it")
    assert _submission(stack, submission) == ("done", "AC", 12)
    after = _children(stack)
    assert stack.stop(signal.SIGINT) == 0  # as Ctrl-C does
    assert not any(map(is_running, after.values()))


@pytest.mark.thorough
def test_killed_stack_takes_its_children_along(stack: Stack) -> None:
    started = _children(stack)
    os.kill(stack.process.pid, signal.SIGKILL)
    wait_for(lambda: not any(map(is_running, started.values())), "its children end")


def test_second_start_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    with (tmp_path / "var" / "stack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another Tally runs in" in _refusal(tmp_path, services.free_port())


def test_port_in_use_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        sentence = f"cannot listen on 127.0.0.1:{port} (Address already in use): set TALLY_PORT or TALLY_HOST"
        assert _refusal(tmp_path, port) == f"tally: {sentence}\n"


def _refusal(folder: Path, port: int) -> str:
    environment = {**os.environ, "TALLY_VAR_DIR": str(folder / "var"), "TALLY_PORT": str(port)}
    argv = [sys.executable, "-m", "web.stack"]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    return done.stderr


def _submit(stack: Stack) -> int:
    """Submit a program that takes some seconds; its id."""
    argv = [sys.executable, "manage.py", "shell", "--no-imports", "-c", _SUBMIT]
    done = subprocess.run(argv, cwd=ROOT, env=stack.environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


def _submission(stack: Stack, submission: int) -> tuple[str, str, int]:
    """Status, verdict and number of results now."""
    query = """SELECT status, verdict, (SELECT count(*) FROM judge_testcaseresult r WHERE r.submission_id = s.id)
        FROM judge_submission s WHERE id = %s"""
    with psycopg.connect(services.postgres_url(stack.folder / "var" / "postgres")) as connection:
        row = connection.execute(query, [submission]).fetchone()
    assert row is not None
    return row[0], row[1], row[2]


def _is_judged(stack: Stack, submission: int) -> bool:
    try:
        return _submission(stack, submission)[0] == "done"
    except psycopg.OperationalError:  # the database was killed and is just coming back
        return False


def _children(stack: Stack) -> dict[str, int]:
    """The pids of what it started, by name."""
    found = {}
    for pid in children(stack.process.pid):
        argv = Path(f"/proc/{pid}/cmdline").read_bytes()
        name = next((name for name in ("redis", "postgres", "uvicorn", "worker") if name.encode() in argv), "")
        found[name] = pid
    return found
