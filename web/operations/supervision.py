"""Supervise child processes: start them, restart them when they end, stop them in reverse order."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from web.operations.services import Service, ServiceError

CALM_S = 60  # a child that lived this long starts again at once
LONGEST_PAUSE_S = 30.0


@dataclass(kw_only=True, slots=True)
class Child:
    """A supervised process: how to start it, and the pause before the next start."""

    name: str
    start: Callable[[], Service]
    service: Service | None = None
    pause_s: float = 0.0
    changed_at: float = 0.0  # when it last started or ended, on the monotonic clock

    def launch(self) -> None:
        """Start it for the first time. Raises ServiceError."""
        self.service = self.start()
        self.changed_at = time.monotonic()

    def tend(self) -> str:
        """Restart it if it ended, after the due pause; return what happened as a sentence, usually empty."""
        now = time.monotonic()
        if self.service is None:
            if now - self.changed_at < self.pause_s:
                return ""
            try:
                self.launch()
            except ServiceError as error:
                self.pause_s = self._longer_pause()
                self.changed_at = time.monotonic()
                return str(error)
            return f"{self.name} started again"
        if self.service.is_running():
            return ""
        self.pause_s = 0.0 if now - self.changed_at > CALM_S else self._longer_pause()
        ended, self.service, self.changed_at = self.service, None, now
        code = ended.process.returncode
        return f"{self.name} ended (exit code {code}), it starts again in {self.pause_s:g} s; see {ended.log}"

    def stop(self) -> None:
        """Stop it if it runs."""
        if self.service is not None:
            self.service.stop()
            self.service = None

    def _longer_pause(self) -> float:
        return min(LONGEST_PAUSE_S, 2 * self.pause_s + 1)
