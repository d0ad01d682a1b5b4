"""A worker: tests its host, then takes work from the queue with one process per core until it is told to stop.

How it works: the main process is Celery's consumer with a thread of maintenance beside it; the pool's processes do the
grading, each in a slot of its own (`judge.slots`). They die with the main process. Told to stop, a worker says so in
its row, and each of its processes takes nothing more after its stretch (`judge.workers.turns`); what is not finished
after settings.STOP_GRACE_S goes back into the queue. Whoever starts a worker starts it again when it ends.

Maintenance has `judge.grading.compiling.precompiled_header` built at the start, in a process of its own; submissions
that come before that is done are compiled without. Every settings.SWEEP_EVERY_S it sweeps the rows, brings forward who
has waited for long, and removes what dead runs left on this host. In each round it sends a heartbeat task to the
worker's own queue, every 10 s at most; the task writes `last_seen_at`, and so does every renewed lease. A worker that
was not seen for DEAF_AFTER_S although Redis and the database answer is deaf (celery #8030, #9054, #10205; here every
second restart of Redis makes one), and a deaf worker cannot be asked to stop: the process ends at once and its
supervisor starts a new one. Every settings.PROBE_EVERY_S a process of its own tries whether the host is still well
(`sandbox.doctor.health`). If not, the row says that it is sick, its processes claim nothing more, and what they hold
goes to other workers at once. A worker whose row says that it has a problem stops in good order, so that the next start
tests the host before it takes work; so does one without a row, after a backup was restored that does not know it. A
round that comes much too late is left out: this process was stopped, as the whole host may have been, and everybody
else has yet to hear and to renew leases too.
"""

import ctypes
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from datetime import timedelta
from functools import partial

from celery import signals
from celery.platforms import SecurityWarning
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, close_old_connections, connection, connections
from django.db.models.functions import Now

from judge import removal
from judge.celery import QUEUE, app
from judge.models import WorkerNode
from judge.queue import capability, fairness, wakeup
from judge.rejudging import rejudging
from judge.workers import naming, reaper, registration
from judge.workers.tasks import own_slot
from sandbox.doctor.health import Probe
from sandbox.errors import SandboxError
from sandbox.jail.leftovers import remove_leftovers

_PR_SET_PDEATHSIG = 1  # prctl(2)
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
                connection.close()  # none is open when the pool forks
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
            except Error as error:
                _logger.warning("the database does not answer: %s", error)
                connection.close_if_unusable_or_obsolete()
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


def run(chosen: str, concurrency: int) -> int:
    """Work until told to stop and return the exit code. Waits while this host or the database is not fit.

    `chosen`: the worker's name; "": the first free one. Raises NameTaken.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until Celery listens
    name = ""
    while not name:
        try:
            name = naming.take_name(chosen)
        except (Error, OSError) as error:
            _logger.error("this worker takes no work: its name cannot be taken: %s", error)
            time.sleep(settings.SWEEP_EVERY_S)
        finally:
            connection.close()
    try:
        # Root is what the jails need, and JSON is the only content that this worker accepts.
        warnings.filterwarnings("ignore", category=SecurityWarning)
        wait_until_fit(name, concurrency)
        maintenance = Maintenance(name)
        signals.setup_logging.connect(lambda **_: None, weak=False)  # so that Celery leaves logging alone
        signals.worker_process_init.connect(lambda **_: _prepare_process(name), weak=False)
        signals.worker_ready.connect(lambda **_: maintenance.start(), weak=False)
        signals.worker_shutting_down.connect(lambda **_: _begin_to_stop(name), weak=False)
        alone = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
        worker = app.Worker(hostname=name, concurrency=concurrency, queues=[QUEUE], pool="prefork", **alone)
        worker.start()
        maintenance.stop()
        return int(worker.exitcode or 0)
    finally:  # once more if Celery was told: what ends it before it listens, it takes for itself and tells nobody
        connection.close()
        _say_so(name)


def wait_until_fit(name: str, concurrency: int) -> None:
    """Test this host until it can judge; meanwhile the worker's row and the log give the reason."""
    while True:
        clean_up()
        try:
            problem = registration.examine_and_register(name, concurrency)
        except Error as error:
            problem = f"the database does not answer: {error}"
        connection.close()
        if not problem:
            return
        _logger.error("this worker takes no work: %s", problem)
        time.sleep(settings.SWEEP_EVERY_S)


def _say_so(name: str) -> None:
    """Record that this worker takes no more work."""
    try:
        registration.stopping(name)
    except Error as error:
        _logger.warning("stopping: the worker's row does not say so: %s", error)
    finally:
        connection.close()


def _begin_to_stop(name: str) -> None:
    """Begin to stop, and hand back what takes too long to finish; called by a signal handler, which must not wait."""

    def hand_back() -> None:
        try:
            rows = reaper.hand_back(name)
            _logger.warning("stopping: %s unfinished rows go back into the queue", rows)
        except Error as error:
            _logger.warning("stopping: the leases of what is unfinished will run out: %s", error)
        finally:
            os._exit(0)

    threading.Thread(target=_say_so, args=(name,), name="stopping").start()
    timer = threading.Timer(settings.STOP_GRACE_S, hand_back)
    timer.daemon = True
    timer.start()


def _prepare_process(name: str) -> None:
    # A process that outlived its main would grade on with nobody to hear of it.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # what `judge.workers.turns.deadline` counts on
    try:  # what a dead process held in the slot that is this one's now
        rows = reaper.take_back_from(f"{name}/{own_slot().number}")
    except Error as error:
        _logger.warning("what the process before this one held waits until its lease runs out: %s", error)
    else:
        if rows:
            _logger.warning("the process before this one ended with %s unfinished rows: they are queued again", rows)
    finally:
        connection.close()
    mine = connections.settings[DEFAULT_DB_ALIAS]  # this process keeps its connection; a dead one is replaced
    mine.update(CONN_MAX_AGE=None, CONN_HEALTH_CHECKS=True)
    mine["OPTIONS"]["application_name"] = f"{name}, slot {own_slot().number}"  # for pg_stat_activity
    signals.task_prerun.connect(lambda **_: close_old_connections(), weak=False)  # those that are of no more use
    clean_up()
    gc.collect()
    gc.freeze()  # what is there by now stays: looking through it takes as long as grading a small program
