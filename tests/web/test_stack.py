"""`python -m web.stack`, the whole of Tally on one machine: started, hurt, mended by itself and stopped."""

import fcntl
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from web import services

pytestmark = pytest.mark.timeout(240)
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90
_SUBMIT = """
from django.contrib.auth.models import User
from judge import intake
from problems.models import Problem
source = b"import time; time.sleep(0.3); print(sum(map(int, input().split())))"
user, _ = User.objects.get_or_create(username="somebody")
print(intake.submit(user, Problem.objects.get(slug="sumoftwo"), "python", source).pk)
"""


class Stack:
    """A started stack, with a folder and a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.lines: list[str] = []
        self.environment = {
            **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}},
            "TALLY_VAR_DIR": str(folder / "var"),
            "TALLY_PORT": str(self.port),
            "TALLY_DEMO_ACCOUNTS": "1",
            "TALLY_LEASE_S": "6",
            "TALLY_SWEEP_EVERY_S": "2",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "web.stack"], cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._said.put(line)

    def stop(self) -> int:
        """Stop it as Ctrl-C does; its exit code."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)
        self._listener.join(60)
        return self.process.returncode

    def wait_for_line(self, pattern: str) -> str:
        """The first line from now on that matches."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.lines.append(self._said.get(timeout=PATIENCE_S))
            if re.search(pattern, self.lines[-1]):
                return self.lines[-1]
        raise AssertionError(f"no line matches {pattern}: {self.lines}")

    def submit(self) -> int:
        """Submit a program that takes some seconds; its id."""
        argv = [sys.executable, "manage.py", "shell", "--no-imports", "-c", _SUBMIT]
        said = subprocess.run(argv, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True).stdout
        return int(said)

    def submission(self, submission_id: int) -> tuple[str, str, int]:
        """Status, verdict and number of results now."""
        query = """SELECT status, verdict, (SELECT count(*) FROM judge_testcaseresult r WHERE r.submission_id = s.id)
            FROM judge_submission s WHERE id = %s"""
        with psycopg.connect(services.postgres_url(self.folder / "var" / "postgres")) as connection:
            row = connection.execute(query, [submission_id]).fetchone()
        assert row is not None
        return row[0], row[1], row[2]

    def children(self) -> dict[str, int]:
        """The pids of what it started, by name."""
        found = {}
        for pid in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            argv = Path(f"/proc/{pid}/cmdline").read_bytes()
            name = next((name for name in ("redis", "postgres", "uvicorn", "worker") if name.encode() in argv), "")
            found[name] = int(pid)
        return found


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack that is up, with a worker that takes work."""
    stack = Stack(tmp_path)
    try:
        stack.wait_for_line("The worker has .*Python 3")
        yield stack
    finally:
        stack.stop()


def test_everything_killed_during_a_grading_ends_in_one_verdict(stack: Stack) -> None:
    assert any(f"http://127.0.0.1:{stack.port}/" in line for line in stack.lines)
    assert any("student" in line and "password" in line for line in stack.lines)
    submission = stack.submit()
    _wait_until(lambda: stack.submission(submission)[2] >= 2)
    killed = stack.children()
    assert set(killed) == {"redis", "postgres", "uvicorn", "worker"}
    for pid in killed.values():
        os.kill(pid, signal.SIGKILL)
    for _ in range(4):
        stack.wait_for_line("started again")
    _wait_until(lambda: stack.submission(submission)[0] == "done")
    assert stack.submission(submission) == ("done", "AC", 12)
    after = stack.children()
    assert stack.stop() == 0
    assert not any(map(_is_running, after.values()))


def test_killed_stack_takes_its_children_along(stack: Stack) -> None:
    children = stack.children()
    os.kill(stack.process.pid, signal.SIGKILL)
    _wait_until(lambda: not any(map(_is_running, children.values())))


def test_second_start_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    with (tmp_path / "var" / "stack.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another Tally runs in" in _refusal(tmp_path, _free_port())


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


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not _holds(condition):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except psycopg.OperationalError:  # it was killed and is just coming back
        return False


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
