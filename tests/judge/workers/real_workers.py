"""Real workers for tests: processes under supervision, on the tests' own database and Redis."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection

from judge.models import WorkerNode
from tests.waiting import wait_for
from web.operations import services
from web.operations.services import Child

PATIENCE_S = 60


class Worker:
    """A worker under supervision, as `make run` has it."""

    command: ClassVar[tuple[str, ...]] = (str(settings.BASE_DIR / "manage.py"), "worker")

    def __init__(self, log: Path, name: str = "tally@test", processes: int = 2, **settings_of_its_own: str) -> None:
        self._log = log
        self._name = name
        self._processes = processes
        self._own = [f"{name}={value}" for name, value in settings_of_its_own.items()]
        self._child = Child(name="worker", start=self._start)

    def _start(self) -> services.Service:
        argv = ["env", *self._own, sys.executable, *self.command, "--name", self._name]
        return services.start_process(
            "worker", [*argv, "--concurrency", str(self._processes)], self._log, signal.SIGTERM
        )

    def launch(self) -> None:
        """Start it."""
        self._child.launch()

    def start(self) -> None:
        """Start it and wait until it takes work."""
        self.launch()
        self.wait_for(WorkerNode.objects.alive().filter(name=self._name).exists, "the worker takes work")

    def stop(self) -> None:
        """End it for good."""
        self._child.stop()

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        """Wait, and start the worker again whenever it has ended."""

        def holds() -> bool:
            if condition():
                return True
            self._child.tend()
            return False

        wait_for(holds, what, PATIENCE_S, log=lambda: self.said, look_every_s=0.1)

    @property
    def said(self) -> str:
        """Its log so far."""
        return self._log.read_text(errors="replace")

    @property
    def is_running(self) -> bool:
        """Whether it is there now."""
        return self._child.service is not None and self._child.service.is_running()

    @property
    def pid(self) -> int:
        """The main process."""
        assert self._child.service is not None
        return self._child.service.process.pid


def set_up_workers(monkeypatch: pytest.MonkeyPatch, **settings_of_tally: str) -> None:
    """Workers that are started from now on use the tests' database and these settings."""
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    monkeypatch.setenv("DATABASE_URL", database.geturl())
    for name, value in settings_of_tally.items():
        monkeypatch.setenv(name, value)
