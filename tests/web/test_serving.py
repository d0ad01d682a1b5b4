"""`manage.py serve` as a process of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = [pytest.mark.timeout(180), pytest.mark.usefixtures("postgres_server", "redis_server")]
PATIENCE_S = 90


def _wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _children(pid: int) -> set[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()}


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def site(port: int, tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The site with two processes."""
    own = {"TALLY_PORT": str(port), "TALLY_WEB_PROCESSES": "2"}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, env={**os.environ, **own}, cwd=tmp_path, stdout=log, stderr=log)
    yield process
    process.kill()
    process.wait()


def test_all_its_processes_end_with_the_first_one(site: "subprocess.Popen[bytes]", port: int) -> None:
    _wait_for(lambda: _answers(port), "the site does not answer")
    _wait_for(lambda: len(_children(site.pid)) == 2, "it has not two processes")
    children = _children(site.pid)
    site.send_signal(signal.SIGKILL)
    site.wait()
    _wait_for(
        lambda: not any(Path(f"/proc/{child}").exists() for child in children), "a process outlives the first one"
    )
    assert not _answers(port)
