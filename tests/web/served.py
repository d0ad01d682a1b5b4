"""The site as `manage.py serve` starts it, on a port and with a folder of its own, with the tests' database."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from tests.waiting import wait_for
from web.operations import services


@dataclass(frozen=True, kw_only=True, slots=True)
class Served:
    """A running site. `pid` is the first of its processes."""

    pid: int
    port: int

    def children(self) -> list[int]:
        """Of several processes those that answer."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(child) for child in found if b"spawn_main" in _command_line(child)]


@contextmanager
def served(folder: Path, **variables: str) -> Iterator[Served]:
    """The site with these settings; it answers when this is entered."""
    port = services.free_port()
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    own = {"DATABASE_URL": database.geturl(), "TALLY_VAR_DIR": str(folder / "var"), "TALLY_PORT": str(port)}
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve"]
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env={**os.environ, **own, **variables}, stdout=output, stderr=output)
    try:
        wait_for(lambda: services.answers(f"http://127.0.0.1:{port}"), "the site answers", log=log.read_text)
        yield Served(pid=process.pid, port=port)
    finally:
        process.kill()
        process.wait()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Within it the process does nothing."""
    os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: _is_stopped(pid), "it stands still")
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # uvicorn may have put another one in its place
            os.kill(pid, signal.SIGCONT)


def _is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
