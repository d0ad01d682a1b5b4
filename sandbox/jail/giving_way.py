"""End a run because somebody else waits: the host calls `Command.gives_way` while it waits for the run."""

import time

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import GaveWay
from sandbox.types import Command

_ASK_EVERY_S = 0.5


class GivingWay:
    """Watches one run, from when it is made."""

    def __init__(self, command: Command, group: RunGroup) -> None:
        self._command = command
        self._group = group
        self._ask_at = time.monotonic() + command.gives_way_after_ms / 1_000
        self._is_ended = False

    def look(self) -> None:
        """Ask if it is time to, and end the run if somebody waits. Raises CgroupError."""
        if self._is_ended:
            self._group.kill()  # again: it may be making processes
        elif self._command.gives_way is not None and time.monotonic() >= self._ask_at:
            self._is_ended = self._command.gives_way()
            self._ask_at = time.monotonic() + _ASK_EVERY_S
            if self._is_ended:
                self._group.kill()

    def check(self) -> None:
        """Raises GaveWay if the run was ended for somebody."""
        if self._is_ended:
            raise GaveWay
