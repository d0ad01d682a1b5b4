"""`python -m web.stack`: start, supervise and stop everything Tally needs on one machine.

How it works: this process starts the embedded PostgreSQL and Redis (unless DATABASE_URL and REDIS_URL name others),
prepares the database, then starts the site (uvicorn) and one worker as children with their logs in var/log. A child
that ends is started again. Ctrl-C and SIGTERM stop all that was started; should this process be killed, the kernel
tells its children to end. One Tally per folder: var/stack.lock is held under flock(2).
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import django
from django.conf import settings
from django.core.management import CommandError, call_command

from problems.store.fsync import try_lock
from web.command_line import ending_of
from web.operations import services
from web.operations.services import Child, Service, ServiceError
from web.server import serving

if TYPE_CHECKING:
    from judge.models import WorkerNode

START_TIMEOUT_S = 60
_TICK_S = 0.2


class StackError(Exception):
    """Why Tally cannot start here, as one sentence with the remedy."""


class _Stopped(Exception):
    """Somebody pressed Ctrl-C or sent SIGTERM."""


def main() -> int:
    """Run Tally until told to stop; return the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")
    signal.signal(signal.SIGINT, _stop)
    signal.signal(signal.SIGTERM, _stop)
    children: list[Child] = []
    try:
        with _only_one(settings.VAR_DIR):
            try:
                _start_all(children)
                while True:
                    for child in children:
                        if news := child.tend():
                            print(f"tally: {news}", flush=True)
                    time.sleep(_TICK_S)
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends within a bounded time whatever is pressed
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                if children:
                    print("tally: stopping", flush=True)
                for child in reversed(children):
                    child.stop()
    except _Stopped:
        pass
    except (StackError, ServiceError, CommandError) as error:
        print(f"tally: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"tally: {error.filename or 'this machine'}: {error.strerror or error}", file=sys.stderr)
        return 1
    except Exception as error:
        ending = ending_of(error)
        if ending is None:
            raise
        code, sentence = ending
        print("\n".join(f"tally: {line}" for line in sentence.splitlines()), file=sys.stderr)
        return code
    return 0


def _start_all(children: list[Child]) -> None:
    def launch(child: Child) -> None:
        children.append(child)
        child.launch()

    _check_port(settings.HOST, settings.PORT)
    folder = settings.VAR_DIR
    if settings.EMBEDDED_POSTGRES:
        launch(Child(name="PostgreSQL", start=lambda: services.start_postgres(folder / "postgres")))
        services.make_database(folder / "postgres", "tally")
    if settings.EMBEDDED_REDIS:
        launch(Child(name="Redis", start=lambda: services.start_redis(folder / "redis")))
    django.setup()
    call_command("prepare")
    newest = _newest_worker()
    before = newest.started_at if newest else None
    worker = [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker"]
    launch(Child(name="web", start=lambda: _start("web", serving.command(), cwd=settings.BASE_DIR)))
    launch(Child(name="worker", start=lambda: _start("worker", worker)))
    _wait_until_healthy(children)
    print(f"\nTally is at http://{settings.HOST}:{settings.PORT}/  (Ctrl-C stops it, logs are in {_log('web').parent})")
    if settings.DEMO_ACCOUNTS:
        call_command("make_demo_accounts")
    sys.stdout.flush()
    _tell_about_worker(before)


def _start(name: str, argv: list[str], cwd: Path | None = None) -> Service:
    return services.start_process(name, argv, _log(name), signal.SIGTERM, cwd=cwd)


def _log(name: str) -> Path:
    folder: Path = settings.VAR_DIR / "log"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # a log names people, sources and hidden tests
    return folder / f"{name}.log"


def _wait_until_healthy(children: list[Child]) -> None:
    host = "127.0.0.1" if settings.HOST in {"0.0.0.0", "::"} else settings.HOST  # noqa: S104
    deadline = time.monotonic() + START_TIMEOUT_S
    while not services.answers(f"http://{host}:{settings.PORT}"):
        for child in children:
            if child.service is not None and not child.service.is_running():
                raise StackError(f"{child.name} ended at once; the end of its log:\n{child.service.log_tail()}")
        if time.monotonic() > deadline:
            raise StackError(f"the site does not answer within {START_TIMEOUT_S} s; see {_log('web')}")
        time.sleep(_TICK_S / 2)


def _newest_worker() -> "WorkerNode | None":
    """Return the worker of this machine's work folder that started last."""
    from judge.models import WorkerNode
    from judge.workers import naming

    settings.WORK_DIR.mkdir(parents=True, exist_ok=True, mode=0o711)
    return WorkerNode.objects.filter(holder=naming.holder()).order_by("started_at").last()


def _tell_about_worker(before: datetime | None) -> None:
    """Wait for the worker's test of this machine, and print the result."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while (node := _newest_worker()) is None or node.started_at == before:
        if time.monotonic() > deadline:
            print(f"tally: the worker does not report, see {_log('worker')}", flush=True)
            return
        time.sleep(_TICK_S / 2)
    print(f"The worker has {', '.join(node.languages.values()) or 'no language'}.")
    for problem in filter(None, (node.problem, node.meter_reason)):
        print(f"tally: {problem}")
    sys.stdout.flush()


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "stack.lock").open("w") as lock:
        if not try_lock(lock.fileno()):
            raise StackError(f"another Tally runs in {folder}: stop it, or set TALLY_VAR_DIR")
        yield


def _check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            why = f"cannot listen on {host}:{port} ({error.strerror})"
            raise StackError(f"{why}: set TALLY_PORT or TALLY_HOST") from error


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _Stopped


if __name__ == "__main__":
    sys.exit(main())
