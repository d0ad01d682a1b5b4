"""A whole Tally of the tests' own: PostgreSQL on disk, Redis, workers and, if wanted, the site, as real processes.

How it works: each is a `web.operations.services.Child`, as `make run` has it, and a thread tends them all, so that
whatever ends is started again without a hand. The tests look at the rows through a `Ledger`; what is submitted goes
through the site or through `Inside`. Everything lies in one folder below /var/tmp and is gone afterwards.
"""

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import redis
from django.conf import settings

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import CgroupError
from tests import kept, waiting
from tests.faults.installation import inside
from tests.faults.installation.inside import Inside
from tests.faults.installation.programs import write_package
from tests.faults.ledger import Ledger
from tests.processes import children, descendants, has_open, is_running, name_of
from web.operations import services
from web.operations.services import Child, Service

PATIENCE_S = 180
_TEND_EVERY_S = 0.1
# With a meter lock of its own, as on another machine: on one, a stopped worker's lock holds up the others' profiles.
ON_ITS_OWN_HOST = [
    *("unshare", "--mount", "sh", "-c", 'mkdir -p /run/tally && mount -t tmpfs none /run/tally && exec "$@"', "sh"),
    *(sys.executable, str(settings.BASE_DIR / "manage.py")),
]
QUICK = {"TALLY_LEASE_S": "6", "TALLY_SWEEP_EVERY_S": "1", "TALLY_STOP_GRACE_S": "3"}


def wait_for(
    condition: Callable[[], object], what: str, patience_s: float = PATIENCE_S, look_every_s: float = 0.05
) -> None:
    """Look until it holds, with the patience that a fault needs."""
    waiting.wait_for(condition, what, patience_s, look_every_s=look_every_s)


class Server:
    """A supervised child of an installation."""

    def __init__(self, name: str, start: Callable[[], Service]) -> None:
        self.child = Child(name=name, start=start)

    @property
    def pid(self) -> int:
        """Its main process; waits until there is one."""
        wait_for(self.is_up, f"{self.child.name} starts")
        service = self.child.service
        assert service is not None
        return service.process.pid

    def is_up(self) -> bool:
        """Whether its main process is there."""
        service = self.child.service
        return service is not None and service.is_running()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its main process."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it and all that it started at once, as a power cut does."""
        for pid in [self.pid, *descendants(self.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def log(self) -> str:
        """The end of what it said."""
        service = self.child.service
        return service.log_tail() if service else "(it does not run)"


class Worker(Server):
    """One with one process for grading, so that it is known who grades."""

    def __init__(self, house: "Installation", number: int, environment: Mapping[str, str], argv: list[str]) -> None:
        self.name = f"tally@{number}"
        own = {**house.environment, **environment, "PGAPPNAME": self.name}
        command = ["env", "-u", "PYTHONUNBUFFERED", *(f"{key}={value}" for key, value in own.items())]
        command += [*argv, "worker", "--name", self.name, "--concurrency", "1"]
        log = house.folder / f"worker-{number}.log"
        super().__init__(self.name, lambda: services.start_process("worker", command, log, signal.SIGTERM))
        self.log_file = log

    def grader(self) -> int:
        """Its process that grades; 0 when there is none now."""
        service = self.child.service
        if service is None:
            return 0
        return next((pid for pid in children(service.process.pid) if has_open(pid, "/lock")), 0)

    def kill_grader(self) -> None:
        """End the process that grades, if there is one now."""
        grader = self.grader()
        if grader:
            with suppress(ProcessLookupError):
                os.kill(grader, signal.SIGKILL)

    def below_grader(self, name: str) -> list[int]:
        """The processes of this name below the one that grades."""
        return [pid for pid in descendants(self.grader()) if name_of(pid) == name] if self.grader() else []


class Installation:
    """PostgreSQL, Redis, workers; `launch` starts them, `close` ends and removes everything."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tally-faults-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.work, self.store = self.folder / "work", self.folder / "store"
        for folder in (self.work, self.store):
            folder.mkdir()
            folder.chmod(0o755)
        self.postgres_folder, self.redis_folder = self.folder / "postgres", self.folder / "redis"
        self.environment = {
            "DATABASE_URL": services.postgres_url(self.postgres_folder),
            "REDIS_URL": services.redis_url(self.redis_folder),
            "TALLY_VAR_DIR": str(self.folder),
            "TALLY_WORK_DIR": str(self.work),
            "TALLY_STORE_DIR": str(self.store),
            "TALLY_MAX_IN_FLIGHT_PER_USER": "100000",
            "TALLY_SENT_AGAIN_S": "0",  # the same program many times
            "TALLY_PORT": str(services.free_port()),
        }
        self.postgres = Server("PostgreSQL", lambda: services.start_postgres(self.postgres_folder))
        self.redis = Server("Redis", lambda: services.start_redis(self.redis_folder))
        self.ledger = Ledger(self.environment["DATABASE_URL"])
        self.workers: list[Worker] = []
        self._inside: Inside | None = None
        self._kind: tuple[int, dict[str, str], list[str]] | None = None
        self._tended: list[Server] = []
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._kept = ExitStack()
        self._thread = threading.Thread(target=self._tend, name="supervisor", daemon=True)

    def launch(self) -> None:
        """Start the servers and publish the problem."""
        self._thread.start()
        self._kept.enter_context(kept.lent(self.work, kept.RESULTS, kept.HEADERS))
        for server in (self.postgres, self.redis):
            self.start(server)
        services.make_database(self.postgres_folder, "tally")
        self._inside = Inside(self.environment)
        self.inside.do(inside.prepare, write_package(self.folder))
        self.ledger.set_up()

    @property
    def inside(self) -> Inside:
        """The process that submits."""
        assert self._inside is not None
        return self._inside

    def start(self, server: Server) -> None:
        """Have a server run, and started again whenever it ends; waits until it runs."""
        with self._lock:
            server.child.pause_s = server.child.changed_at = 0.0
            if server not in self._tended:
                if not server.is_up():
                    server.child.service = None
                self._tended.append(server)
        wait_for(server.is_up, f"{server.child.name} starts")

    def stop(self, server: Server) -> None:
        """End a server in good order, and leave it so."""
        with self._lock:
            self._tended.remove(server)
            server.child.stop()

    def leave_alone(self, *servers: Server) -> None:
        """Do not start these again, for now: `start` does."""
        with self._lock:
            self._tended = [server for server in self._tended if server not in servers]

    def hire(
        self, count: int = 2, environment: Mapping[str, str] = QUICK, argv: list[str] | None = None
    ) -> list[Worker]:
        """Have so many workers of this kind: those there are, or others; waits until they take work."""
        command = argv or [sys.executable, str(settings.BASE_DIR / "manage.py")]
        kind = (count, dict(environment), command)
        if self._kind == kind and all(worker in self._tended for worker in self.workers):
            self.wait_until_ready()
            return self.workers
        self.dismiss()
        self._kind = kind
        self.workers = [Worker(self, number, environment, command) for number in range(1, count + 1)]
        for worker in self.workers:
            self.start(worker)
        self.wait_until_ready()
        return self.workers

    def wait_until_ready(self) -> None:
        """Wait until every worker says that it takes work and has its process."""
        for worker in self.workers:
            try:
                wait_for(partial(self._is_ready, worker), f"{worker.name} takes work")
            except AssertionError as error:
                raise AssertionError(f"{error}; its log ends:\n{worker.log()}") from None

    def _is_ready(self, worker: Worker) -> bool:
        says = "SELECT 1 FROM judge_workernode WHERE name = %s AND problem = ''"
        return bool(worker.grader() and self.ledger.ask(says, worker.name))

    def dismiss(self) -> None:
        """End the workers in good order."""
        for worker in self.workers:
            if worker in self._tended:
                self.stop(worker)
        self.workers, self._kind = [], None

    def calm(self) -> None:
        """Have the next end of any server count as its first."""
        with self._lock:
            for server in self._tended:
                server.child.pause_s = 0.0

    def client(self) -> redis.Redis:
        """A client of Redis."""
        return redis.Redis.from_url(self.environment["REDIS_URL"], socket_timeout=5)

    def close(self) -> None:
        """End everything and remove the folder, whatever state it is in."""
        with ExitStack() as then:
            then.callback(shutil.rmtree, self.folder, ignore_errors=True)
            then.callback(self._forget_groups)
            then.enter_context(self._kept)
            for server in (self.postgres, self.redis, *self.workers):
                then.callback(_end, server)
            then.callback(self.ledger.close_connection)
            if self._inside is not None:
                then.callback(self._inside.close)
            self._closed.set()
            self._thread.join()

    def _forget_groups(self) -> None:
        with suppress(CgroupError):
            ControlGroups(self.work).close()

    def _tend(self) -> None:
        while not self._closed.wait(_TEND_EVERY_S):
            for server in list(self._tended):
                with self._lock:
                    if server in self._tended:
                        server.child.tend()


def _end(server: Server) -> None:
    """End it for good, also when it is stopped."""
    if server.is_up():
        server.signal(signal.SIGCONT)
    server.child.stop()


def gone(pids: list[int]) -> Callable[[], bool]:
    """Whether all these processes have ended."""
    return lambda: not any(map(is_running, pids))
