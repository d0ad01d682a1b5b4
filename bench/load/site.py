"""A Tally of its own under load: real PostgreSQL and Redis, the site and a worker, each started on demand.

How it works: everything lies in one folder below /var/tmp, removed at the end. PostgreSQL waits for the disk as in
earnest. The site's processes are started with the same arguments as by `make run`, several instances on ports of their
own. Our programs find the servers and the folders by their environment, set on their command line: this process itself
never sets up Django.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGTERM
from typing import Any

import psycopg
import redis

from bench.load.stack import ROOT, own_folder
from web.operations import services
from web.operations.services import Service
from web.server import serving

PROBLEM = "sumoftwo"
_PATIENCE_S = 90


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """A signed-in user: the cookies' values, and one of their submissions."""

    session: str
    token: str
    submission: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """The running servers, and how to start the others.

    `root`: the checkout of Tally whose programs run; `settings`: environment variables that they get in addition.
    """

    root: Path
    folder: Path
    postgres: Service
    redis: Service
    settings: Mapping[str, str] = field(default_factory=dict)

    def python(self, *arguments: str) -> list[str]:
        """The command for one of our programs with this site's environment."""
        return self._here(sys.executable, *arguments)

    def _here(self, *command: str) -> list[str]:
        environment = {
            "DJANGO_SETTINGS_MODULE": "web.settings",
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "TALLY_SENT_AGAIN_S": "0",  # people send the same program often
            **{f"TALLY_{name.upper()}_DIR": str(self.folder / name) for name in ("var", "work", "store")},
            **self.settings,
        }
        return ["env", *(f"{name}={value}" for name, value in environment.items()), *command]

    def run(self, *arguments: str) -> str:
        """Run one of our programs to its end; what it said. Raises SystemExit."""
        return self.tell("", *arguments)

    def tell(self, said: str, *arguments: str) -> str:
        """The same for one that reads this."""
        argv = self.python(*arguments)
        done = subprocess.run(argv, cwd=self.root, input=said, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-2_000:]}")
        return done.stdout

    def populate(self, *, people: int, submissions: int) -> list[Person]:
        """Fill the database, and sign people in."""
        said = self.run("-m", "bench.load.population", str(people), str(submissions))
        return [Person(**each) for each in json.loads(said)]

    @contextmanager
    def web(
        self, *, processes: int = 1, instances: int = 1, application: str = "web.asgi:application"
    ) -> Iterator[list[Service]]:
        """The site on so many ports with so many processes each, until the end of the `with`; they all answer."""
        with ExitStack() as stack:
            started = [self._instance(number, processes, application) for number in range(instances)]
            for instance in started:
                stack.callback(instance.stop)
            for instance in started:
                _wait_until_answering(instance, processes)
            yield started

    def _instance(self, number: int, processes: int, application: str) -> Service:
        port = services.free_port()
        counts, log = self.folder / f"counts-{number}", self.folder / f"web-{number}.log"
        command = serving.command_for(
            host="127.0.0.1", port=port, processes=processes, counts=counts, application=application
        )
        service = services.start_process(f"web {number}", self._here(*command), log, SIGTERM, cwd=self.root)
        service.url = f"http://127.0.0.1:{port}"
        return service

    @contextmanager
    def worker(self) -> Iterator[Service]:
        """A worker that takes work, until the end of the `with`."""
        argv = self.python("manage.py", "worker", "--name", "worker@load")
        before = self.value("SELECT count(*) FROM judge_workernode WHERE last_seen_at IS NOT NULL")
        service = services.start_process("worker", argv, self.folder / "worker.log", SIGTERM, cwd=self.root)
        try:
            ready = "SELECT count(*) FROM judge_workernode WHERE last_seen_at IS NOT NULL AND problem = ''"
            wait_for(lambda: self.value(ready) > before, service)
            yield service
        finally:
            service.stop()
            self.execute("DELETE FROM judge_workernode")

    def execute(self, query: str, *values: object) -> None:
        """One statement, committed."""
        with psycopg.connect(self.postgres.url) as connection:
            connection.execute(query.encode(), values)

    def value(self, query: str, *values: object) -> Any:
        """The one value that a query gives."""
        with psycopg.connect(self.postgres.url) as connection:
            row = connection.execute(query.encode(), values).fetchone()
        assert row is not None
        return row[0]

    def forget_queue(self) -> None:
        """End all that waits, as if it had been judged."""
        self.execute(
            "UPDATE judge_submission SET status = 'done', verdict = 'AC', lease_until = NULL, finished_at = now()"
            " WHERE status <> 'done'"
        )
        with redis.Redis.from_url(self.redis.url) as client:
            for key in client.scan_iter("grading*"):
                client.delete(key)


@contextmanager
def open_site(root: Path = ROOT, **settings: str) -> Iterator[Site]:
    """PostgreSQL with the schema and the problem library, and Redis, until the end of the `with`."""
    with ExitStack() as stack:
        folder = stack.enter_context(own_folder("tally-load-"))
        postgres = services.start_postgres(folder / "postgres")
        stack.callback(postgres.stop)
        broker = services.start_redis(folder / "redis")
        stack.callback(broker.stop)
        services.make_database(folder / "postgres", "tally")
        site = Site(root=root, folder=folder, postgres=postgres, redis=broker, settings=settings)
        site.run("manage.py", "prepare")
        yield site


def wait_for(holds: Any, *needed: Service, patience_s: float = _PATIENCE_S, look_every_s: float = 0.1) -> None:
    """Wait until it holds, as long as the services that are needed run. Raises SystemExit."""
    deadline = time.monotonic() + patience_s
    while not holds():
        for service in needed:
            if not service.is_running():
                raise SystemExit(f"{service.name} ended:\n{service.log_tail()}")
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {patience_s} s in vain{''.join(f' for {each.name}' for each in needed)}")
        time.sleep(look_every_s)


def urls_of(instances: Sequence[Service]) -> list[str]:
    """The addresses of the instances."""
    return [each.url for each in instances]


def _wait_until_answering(instance: Service, processes: int) -> None:
    wait_for(lambda: services.answers(instance.url), instance)
    for _ in range(20 * processes):  # each new connection may go to another process: all import what they need
        services.answers(instance.url)
