"""A worker: tests its host, then takes work from the queue with one process per core, until it is told to stop.

How it works: the main process is Celery's consumer with the thread of `judge.caretaker` beside it; the pool's processes
do the grading, each in a slot of its own (`judge.slots`). They die with the main process. Whoever starts a worker
starts it again when it ends.
"""

import ctypes
import logging
import os
import signal
import sys
import time
import warnings
from typing import Any

from celery import signals
from celery.platforms import SecurityWarning
from django.conf import settings
from django.db import Error, connection

from judge import nodes
from judge.caretaker import Caretaker, clean_up
from judge.celery import QUEUE, app
from judge.tasks import own_slot

_PR_SET_PDEATHSIG = 1  # prctl(2)
_logger = logging.getLogger(__name__)


def default_concurrency() -> int:
    """One process per core, and one core left for everything else."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


def run(name: str, concurrency: int) -> int:
    """Work until told to stop and return the exit code. Waits as long as this host or the database is not fit."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # Root is what the jails need, and JSON is the only content that this worker accepts.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    wait_until_fit(name)
    caretaker = Caretaker(name)
    signals.setup_logging.connect(_keep_logging, weak=False)
    signals.worker_process_init.connect(_prepare_process, weak=False)
    signals.worker_ready.connect(lambda **_: caretaker.start(), weak=False)
    worker = app.Worker(
        hostname=name,
        concurrency=concurrency,
        queues=[QUEUE],
        pool="prefork",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    caretaker.stop()
    return int(worker.exitcode or 0)


def wait_until_fit(name: str) -> None:
    """Test this host until it can judge; meanwhile the worker's row and the log say why it does not."""
    while True:
        clean_up()
        try:
            problem = nodes.examine_and_register(name)
        except Error as error:
            problem = f"the database does not answer: {error}"
        connection.close()
        if not problem:
            return
        _logger.error("this worker takes no work: %s", problem)
        time.sleep(settings.SWEEP_EVERY_S)


def _keep_logging(**_: Any) -> None:
    """Celery leaves logging alone when somebody listens to its signal."""


def _prepare_process(**_: Any) -> None:
    # A process that outlived its main would grade on with nobody to hear of it.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    own_slot()
    clean_up()
