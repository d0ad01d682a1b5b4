"""Maintenance in a worker's main process: rows, leftovers and the worker itself.

How it works: at its start it has `judge.grading.compiling.precompiled_header` built, in a process of its own;
submissions that come before that is done are compiled without. Every settings.SWEEP_EVERY_S it sweeps the rows, brings
forward who has waited for long, and removes what dead runs left on this host. In each round it sends a heartbeat task
to the worker's own queue, every 10 s at most; the task writes `last_seen_at`, and so does every renewed lease. A worker
that was not seen for DEAF_AFTER_S although Redis and the database answer is deaf (celery #8030, #9054, #10205; here
every second restart of Redis makes one), and a deaf worker cannot be asked to stop: the process ends at once and its
supervisor starts a new one. Every settings.PROBE_EVERY_S a process of its own tries whether the host is still well
(`sandbox.doctor.health`). If not, the row says that it is sick, its processes claim nothing more, and what they hold
goes to other workers at once. A worker whose row says that it has a problem stops in good order, so that the next start
tests the host before it takes work; so does one without a row, after a backup was restored that does not know it. A
round that comes much too late is left out: this process was stopped, as the whole host may have been, and everybody
else has yet to hear and to renew leases too.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from functools import partial

import django.db
from django.conf import settings
from django.db.models.functions import Now

from judge import removal
from judge.models import WorkerNode
from judge.queue import capability, fairness, wakeup
from judge.rejudging import rejudging
from judge.workers import reaper, registration
from sandbox.doctor.health import Probe
from sandbox.errors import SandboxError
from sandbox.jail.leftovers import remove_leftovers

HEARTBEAT_EVERY_S = 10
DEAF_AFTER_S = 45
_HEADERS_S = 300  # building them takes about five
_STOPPED_S = 5  # so late comes no round of a process that runs
EXIT_DEAF = 70  # EX_SOFTWARE of sysexits.h

_logger = logging.getLogger(__name__)


class Maintenance(threading.Thread):
    """Maintains the worker `node` until `stop`."""

    def __init__(self, node: str) -> None:
        super().__init__(name="maintenance", daemon=True)
        self._node = node
        self._stopped = threading.Event()
        self._last_heartbeat = 0.0
        self._probe: Probe | None = None  # from the first round on
        self._hearing_since = time.monotonic()  # Redis and the database answer since then

    def stop(self) -> None:
        """End after the current round."""
        self._stopped.set()

    def run(self) -> None:

        threading.Thread(target=precompile_headers, name="headers", daemon=True).start()
        due = time.monotonic() + settings.SWEEP_EVERY_S
        while not self._stopped.wait(settings.SWEEP_EVERY_S):
            late_s = time.monotonic() - due
            try:
                if late_s > _STOPPED_S:
                    _logger.warning("this worker stood still for %.0f s: it looks around later", late_s)
                    self._hearing_since = time.monotonic()
                else:
                    self._look_around()
            finally:
                django.db.connection.close()  # none is open when the pool forks
            due = time.monotonic() + settings.SWEEP_EVERY_S

    def _look_around(self) -> None:
        for part in (
            clean_up,
            self._send_heartbeat,
            reaper.sweep,
            partial(fairness.bring_forward, self._node),
            rejudging.carry_out_interrupted,
            removal.carry_out_interrupted,
            self._look_at_host,
            self._look_at_worker,
        ):
            try:
                part()
            except django.db.Error as error:
                _logger.warning("the database does not answer: %s", error)
                django.db.connection.close_if_unusable_or_obsolete()
                self._hearing_since = time.monotonic()
            except Exception:  # it must never end the thread, nor keep the other parts from being done
                _logger.exception("a part of the maintenance round failed; the next round comes")

    def _look_at_host(self) -> None:
        if self._probe is None:
            counts = WorkerNode.objects.filter(name=self._node, meter_reason__isnull=True).exists()
            self._probe = Probe(settings.WORK_DIR, every_s=settings.PROBE_EVERY_S, counts=counts)
        why = self._probe.look()
        if why:
            registration.report_problem(self._node, registration.as_sick(why))
            self._stopped.wait(2 * capability.FRESH_S)  # by then each of its processes knows
            rows = reaper.take_away(self._node, why)
            _logger.error("this host is sick, %s unfinished rows go to other workers: %s", rows, why)

    def _look_at_worker(self) -> None:
        own = WorkerNode.objects.filter(name=self._node)
        node, silence = own.first(), own.filter(last_seen_at__lt=Now() - timedelta(seconds=DEAF_AFTER_S))
        if node is None or node.is_unfit:
            why = "the database does not know it" if node is None else node.problem
            _logger.error("this worker stops to test its host: %s", why)
            self._stopped.set()
            os.kill(os.getpid(), signal.SIGTERM)
        elif time.monotonic() - self._hearing_since > DEAF_AFTER_S and silence.exists():
            _logger.critical("this worker heard nothing for %s s although Redis answers: it ends", DEAF_AFTER_S)
            os._exit(EXIT_DEAF)

    def _send_heartbeat(self) -> None:
        now = time.monotonic()
        if now - self._last_heartbeat >= HEARTBEAT_EVERY_S:
            self._last_heartbeat = now
            if not wakeup.send_heartbeat(self._node):
                self._hearing_since = now


def precompile_headers() -> None:
    """Build missing precompiled headers. Without them compilation is slower, which is no reason to stop."""
    command = [sys.executable, "-m", "judge.grading.compiling.precompiled_header", str(settings.WORK_DIR)]
    try:
        subprocess.run(command, cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, timeout=_HEADERS_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        _logger.warning("programs are compiled without a precompiled header: %s", error)


def clean_up() -> None:
    """Remove what dead runs left on this host: processes, control groups, folders."""
    try:
        leftovers = remove_leftovers(settings.WORK_DIR)
    except (SandboxError, OSError) as error:
        _logger.warning("leftovers of dead runs could not be removed: %s", error)
        return
    if leftovers:
        _logger.warning("removed what dead runs left behind: %s", ", ".join(leftovers))
