"""A worker: tests its host, then takes work from the queue with one process per core until it is told to stop.

How it works: the main process is Celery's consumer with the thread of `judge.workers.maintenance` beside it; the pool's
processes do the grading, each in a slot of its own (`judge.slots`). They die with the main process. Told to
stop, a worker says so in its row, and each of its processes takes nothing more after its stretch
(`judge.workers.turns`); what is not finished after settings.STOP_GRACE_S goes back into the queue. Whoever starts a
worker starts it again when it ends.
"""

import ctypes
import gc
import logging
import os
import signal
import sys
import threading
import time
import warnings

from celery import signals
from celery.platforms import SecurityWarning
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, close_old_connections, connection, connections

from judge.celery import QUEUE, app
from judge.workers import naming, reaper, registration
from judge.workers.maintenance import Maintenance, clean_up
from judge.workers.tasks import own_slot

_PR_SET_PDEATHSIG = 1  # prctl(2)
_logger = logging.getLogger(__name__)


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
