"""The whole of Tally as `make run` starts it, with its own folder and port: for benchmarks and tests.

How it works: `python -m web.stack` is a child that ends with this process. Everything of it lies in one folder below
/var/tmp, removed at the end. What it says goes into a log there: where the site is, the demo accounts, the worker.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import CgroupError
from web.operations import services

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120
_STOP_S = 60
_NOT_OURS = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")


class StackFailed(Exception):
    """Tally did not print what it should; the message has its output."""


class Stack:
    """A running Tally. `environment`: with it, manage.py works on this Tally."""

    def __init__(self, folder: Path, settings: dict[str, str]) -> None:
        port = services.free_port()
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        own = {f"TALLY_{name.upper()}_DIR": str(folder / name) for name in ("var", "work", "store")}
        own |= {"TALLY_HOST": "127.0.0.1", "TALLY_PORT": str(port), "TALLY_DEMO_ACCOUNTS": "1"}
        kept = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        self.environment = {**kept, **own, **settings}
        command = ["env", *(f"--unset={name}" for name in _NOT_OURS)]
        command += [f"{name}={value}" for name, value in {**own, **settings}.items()]
        command += [sys.executable, "-m", "web.stack"]
        self._log = folder / "log"
        self._heard = 0  # how far `wait_for_line` has come
        self._service = services.start_process("Tally", command, self._log, signal.SIGTERM, cwd=ROOT)

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The one that started everything else."""
        return self._service.process

    def said(self) -> str:
        """All that it has said until now."""
        return self._log.read_text()

    @property
    def passwords(self) -> dict[str, str]:
        """Those of the demo accounts, by name."""
        return dict(re.findall(r"name (\S+)\s+password (\S+)", self.said()))

    def wait_for_line(self, pattern: str) -> str:
        """The next line that it says and that matches. Raises StackFailed."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            ended = not self._service.is_running()
            for line in re.finditer(r".*\n", self.said()[self._heard :]):
                if re.search(pattern, line[0]):
                    self._heard += line.end()
                    return line[0]
            if ended or time.monotonic() > deadline:
                raise StackFailed(f"Tally did not say {pattern!r}:\n{self.said()}")
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it in good order; its exit code."""
        if self._service.is_running():
            self.process.send_signal(number)
        return self.process.wait(_STOP_S)


@contextmanager
def started_stack(**settings: str) -> Iterator[Stack]:
    """A Tally whose site answers and whose demo accounts are there, until the end of the `with`. Raises StackFailed."""
    with own_folder("tally-stack-") as folder:
        stack = Stack(folder, settings)
        try:
            stack.wait_for_line(r"name instructor +password")
            yield stack
        finally:
            stack.stop()


@contextmanager
def own_folder(prefix: str) -> Iterator[Path]:
    """A folder with `var`, `work` and `store` for a Tally; gone afterwards, with the control groups of its runs."""
    with ExitStack() as then:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/var/tmp"))
        then.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)  # jails' folders must be reachable for everybody
        for name in ("var", "work", "store"):
            (folder / name).mkdir()
        then.callback(_forget_groups, folder / "work")
        yield folder


def _forget_groups(work_root: Path) -> None:
    with suppress(CgroupError):  # where there are none to be had, there are none left
        ControlGroups(work_root).close()
