"""PostgreSQL's host vanishes without a word, or PostgreSQL hangs: everybody notices in time, nobody waits for ever."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from django.conf import settings

from bench.load.browser import Answer
from tests.faults.injected.network import FAR, NEAR, Network, network
from tests.faults.installation import inside
from tests.faults.installation.installation import QUICK, Installation, Server, wait_for
from tests.faults.installation.programs import SUM_CPP, slow_sum
from tests.faults.installation.site import Site, Student
from tests.faults.trial import Trial
from tests.processes import descendants
from web.operations import services
from web.server.db_pool import ANSWER_S, GONE_S, WAIT_S

pytestmark = pytest.mark.timeout(600)
_AT_ONCE = 12  # more requests than a web process works on at a time
# Of a request that comes in the worst moment: it waits for an answer, then for another connection, on a busy machine.
_NOTICED_S = max(ANSWER_S, GONE_S) + WAIT_S
_UNAVAILABLE = "Temporarily unavailable"
_ADDRESS = f"postgresql://postgres@{FAR}:5432/tally"


@contextmanager
def _database_far_away(house: Installation, net: Network) -> Iterator[dict[str, str]]:
    """Have PostgreSQL run on the network's far host; provides what clients on the near one need to reach it."""
    ours = house.postgres
    start = partial(services.start_postgres, house.postgres_folder, address=FAR)
    _replace_postgres(house, Server("PostgreSQL", lambda: net.far.do(start)))
    rules = house.postgres_folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"{before}\nhost all all {NEAR}/32 trust\n")
    house.start(house.postgres)
    try:
        yield {"DATABASE_URL": _ADDRESS}
    finally:
        house.dismiss()
        rules.write_text(before)
        _replace_postgres(house, ours)
        house.start(ours)


def _replace_postgres(house: Installation, by: Server) -> None:
    house.dismiss()
    house.ledger.close_connection()
    house.inside.do(inside.hang_up)
    house.stop(house.postgres)
    house.postgres = by


@contextmanager
def _running(house: Installation, site: Site, answers: Callable[[], bool]) -> Iterator[None]:
    """Have the site run until the end of the `with`."""
    house.start(site)
    try:
        wait_for(answers, "the site answers")
        yield
    finally:
        house.stop(site)


def _ask(port: str, paths: list[str], patience_s: float) -> list[Answer]:
    """Open these pages all at once, each on a connection of its own; a page that takes longer fails."""

    def get(path: str) -> Answer:
        with closing(HTTPConnection(f"127.0.0.1:{port}", timeout=patience_s)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return Answer(status=response.status, text=response.read().decode(), location="")

    with ThreadPoolExecutor(len(paths)) as threads:  # threads of the one that calls this: in its network
        return list(threads.map(get, paths))


def _look_at_outage(ask: Callable[[list[str], float], list[Answer]]) -> None:
    """Pages are the plain page of a 503, first in time and then at once; supervisors learn what is missing."""
    began = time.monotonic()
    first = ask(["/problems/"] * _AT_ONCE, _NOTICED_S)
    noticed_s = time.monotonic() - began
    print(f"{_AT_ONCE} pages were answered 503 within {noticed_s:.1f} s")
    assert {answer.status for answer in first} == {503}
    assert all(_UNAVAILABLE in answer.text for answer in first)
    later = ask(["/", "/problems/", "/submissions/", "/login/"] * 25, noticed_s + WAIT_S)
    assert {(answer.status, _UNAVAILABLE in answer.text) for answer in later} == {(503, True)}
    for _ in range(3):
        [ready, metrics, health] = ask(["/readyz", "/metrics", "/healthz"], _NOTICED_S)
        assert (ready.status, "database" in ready.text, health.status) == (503, True, 200)
        assert "tally_database_up 0.0" in metrics.text


def _threads(site: Site) -> int:
    return int(re.findall(r"^Threads:\s+(\d+)", Path(f"/proc/{site.pid}/status").read_text(), re.M)[0])


@pytest.mark.fault("PostgreSQL's host vanishes without a word")
def test_database_host_that_vanishes_costs_nothing(trial: Trial, house: Installation) -> None:
    with network() as net, _database_far_away(house, net) as far:
        workers = house.hire(
            2, {**QUICK, **far}, [*net.near.inside, sys.executable, str(settings.BASE_DIR / "manage.py")]
        )
        site = Site(house, far, net.near.inside)
        with _running(house, site, lambda: net.near.do(site.answers)):
            for _ in range(2):
                student = net.near.do(partial(Student, house, f"far{time.time_ns()}"))
                numbers = [net.near.do(partial(student.submit, "python", slow_sum(0.2))) for _ in range(4)]
                trial.promise([number for number in numbers if number])
                assert numbers[0] is not None, student.refusals
                trial.wait_until_begun(numbers[0])
                said = [worker.log_file.stat().st_size for worker in workers]
                net.cut()
                trial.injected += 1
                late = net.near.do(partial(_look_at_outage_with, student, site))
                trial.promise([number for number in late if number])
                for worker, size in zip(workers, said, strict=True):
                    wait_for(partial(_complains, worker.log_file, size), f"{worker.name} notices", _NOTICED_S)
                net.mend()
                wait_for(lambda: net.near.do(partial(_is_up, site)), "pages are back")
                student.close()
                trial.settle()


def _look_at_outage_with(student: Student, site: Site) -> list[int | None]:
    """What `_look_at_outage` says, while somebody submits; the number that was promised to them, if any."""
    with ThreadPoolExecutor(1) as threads:
        late = threads.submit(student.submit, "cpp", SUM_CPP)
        _look_at_outage(partial(_ask, site.port))
        return [late.result()]


def _complains(log: Path, after: int) -> bool:
    """Whether a worker said that the database fails."""
    return bool(re.search(rb"database does not answer|was not renewed|timed? ?out", log.read_bytes()[after:], re.I))


def _is_up(site: Site) -> bool:
    with suppress(OSError, HTTPException):
        return {each.status for each in _ask(site.port, ["/problems/", "/readyz"], _NOTICED_S)} == {200}
    return False


@pytest.mark.fault("PostgreSQL hangs")
def test_hung_database_holds_nobody_for_ever(trial: Trial, house: Installation) -> None:
    house.hire()
    site = Site(house)
    with _running(house, site, site.answers):
        for _ in range(2):
            student = Student(house, f"near{time.time_ns()}")
            number = student.submit("python", slow_sum(0.2))
            assert number, student.refusals
            trial.promise([number])
            trial.wait_until_begun(number)
            _look_at_outage_and_threads(trial, house, site)
            wait_for(lambda: _is_up(site), "pages are back")
            student.close()
            trial.settle()


def _look_at_outage_and_threads(trial: Trial, house: Installation, site: Site) -> None:
    house.postgres.signal(signal.SIGSTOP)  # first, so that it starts no process that goes on
    stopped = [house.postgres.pid, *descendants(house.postgres.pid)]
    try:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        trial.injected += 1
        _look_at_outage(partial(_ask, site.port))
        before = _threads(site)
        for _ in range(5):
            _ask(site.port, ["/readyz", "/metrics"] * 3, _NOTICED_S)
        # The watch's own comes and goes. A request's ends soon after its answer; one that waits, after ANSWER_S.
        wait_for(lambda: _threads(site) <= before + 1, "no thread waits for the database", ANSWER_S / 2)
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
