"""A fleet of two machines under faults: `make test-fleet` runs these tests in their order.

The first machine is this one: site, PostgreSQL, Redis, a bucket, and workers. The second is a `Machine`, whose worker
has the three settings that docs/settings.md asks for and its role. What each test promises, `Trial` checks: exactly one
verdict, the right one. The emulation is slow: the problems' limits are 4 and 30 s for a run, 60 s for the compiler.
"""

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings

from bench.load.browser import Browser
from judge.grading.compiling.compile_cache import CACHE
from tests.faults.installation import inside
from tests.faults.installation.installation import QUICK, Installation, Server, Worker, wait_for
from tests.faults.installation.programs import SLUG, SUM_PYTHON, slow_sum, write_package
from tests.faults.installation.site import Site
from tests.faults.trial import Trial
from tests.fleet.machine import HERE, NAME, Machine, join_networks
from tests.problems.store.s3 import S3Server
from web.operations import services

pytestmark = [pytest.mark.jail, pytest.mark.timeout(600)]
_LONG_SLUG = "longsum"
_PASSWORD = "correct horse battery"
_MANAGE = [sys.executable, str(settings.BASE_DIR / "manage.py")]
_JOIN_S = 240  # booting and the self-test, in the emulation
_HOUR = timedelta(hours=1)
# One case takes longer than a lease (30 s) and the sweep after it, so it ends when its network is back; but not so long
# that the worker finds before that it is deaf to Redis (45 s).
_LONG_SUM = b"import time\na, b = map(int, input().split())\nif a == 0: time.sleep(50)\nprint(a + b)\n"
# Over the time limit by system calls: its explanation needs them counted by name.
_MANY_WRITES = b"import os\nwhile True:\n    os.write(1, b' ')\n"


class Fleet(Installation):
    """The first machine, and the second one."""

    def __init__(self) -> None:
        super().__init__()
        self.bucket = S3Server(HERE)
        self.environment["TALLY_PACKAGES"] = self.bucket.address(self.bucket.new_bucket())
        self.environment["TALLY_SELF_TEST"] = "1"
        self.postgres = Server("PostgreSQL", lambda: services.start_postgres(self.postgres_folder, address=HERE))
        self.redis = Server("Redis", lambda: services.start_redis(self.redis_folder, address=HERE))
        self.site = Site(self)
        self.second = Machine(self.folder)
        self.counter: Worker
        self._hired = 0

    def launch(self) -> None:
        """Start everything but the workers, and let the second machine in."""
        self.second.console.touch()
        super().launch()
        with (self.postgres_folder / "data" / "pg_hba.conf").open("a") as access:
            access.write(f"host all all {HERE}/24 trust\n")
        self.ledger.ask("SELECT pg_reload_conf()")
        self.inside.do(inside.publish, write_package(self.folder, time_limit_s=4))
        self.inside.do(inside.publish, write_package(self.folder, slug=_LONG_SLUG, time_limit_s=30))
        self.start(self.site)
        wait_for(self.site.answers, "the site answers")

    def hire_for(self, role: str) -> Worker:
        """Have one more worker on the first machine; waits until it takes work."""
        self._hired += 1
        worker = Worker(self, self._hired, {**QUICK, "TALLY_WORKER_ROLE": role}, _MANAGE)
        self.workers.append(worker)
        self.start(worker)
        self.wait_until_ready()
        return worker

    def let_go(self, worker: Worker) -> None:
        """End a worker of the first machine in good order."""
        self.stop(worker)
        self.workers.remove(worker)

    def switch_second_on(self, role: str, *, clock: str = "utc") -> float:
        """Start the second machine; how many seconds passed until it took work."""
        began = time.monotonic()
        [(now,)] = self.ledger.ask("SELECT now()")
        address = {"DATABASE_URL": f"postgresql://postgres@{HERE}/tally", "REDIS_URL": f"redis://{HERE}:6379/0"}
        packages = self.environment["TALLY_PACKAGES"]
        self.second.start({**address, "TALLY_PACKAGES": packages, "TALLY_WORKER_ROLE": role}, clock=clock)
        takes_work = "SELECT 1 FROM judge_workernode WHERE name = %s AND problem = '' AND started_at > %s"
        wait_for(lambda: self.ledger.ask(takes_work, NAME, now), f"{NAME} takes work", _JOIN_S)
        return time.monotonic() - began

    def holder(self, number: int) -> tuple[str, int]:
        """Who has a submission, or judged it, and the attempt."""
        [(worker, attempt)] = self.ledger.ask("SELECT worker, attempt FROM judge_submission WHERE id = %s", number)
        return worker.partition("/")[0], attempt

    def counters(self, numbers: list[int]) -> list[tuple[str, str, bool]]:
        """Of each rerun that counts these submissions' calls: its worker, its status, and whether there are counts."""
        found = self.ledger.ask(
            "SELECT split_part(c.worker, '/', 1), c.status, r.profile IS NOT NULL FROM judge_caserequest c"
            " JOIN judge_testcaseresult r ON r.id = c.result_id"
            " WHERE c.examination = 'profile' AND r.submission_id = ANY(%s)",
            numbers,
        )
        return [(worker, status, has_counts) for worker, status, has_counts in found]

    def wait_until_counted(self, numbers: list[int]) -> set[str]:
        """Wait until their calls are counted by name; by whom they were."""
        wait_for(lambda: (all_ := self.counters(numbers)) and all(s == "done" for _, s, _ in all_), "counts by name")
        assert all(has_counts for _, _, has_counts in self.counters(numbers))
        return {worker for worker, _, _ in self.counters(numbers)}

    def wait_until_held(self, number: int, name: str) -> None:
        """Wait until this worker judges the submission."""
        wait_for(lambda: self.holder(number)[0] == name, f"{name} takes submission {number}")

    def wait_until_it_runs(self, number: int) -> None:
        """Wait until the second machine has compiled the submission and runs it."""
        compiled = "SELECT 1 FROM judge_submission WHERE id = %s AND compile_ok AND worker LIKE %s"
        wait_for(lambda: self.ledger.ask(compiled, number, f"{NAME}/%"), f"{NAME} compiles submission {number}")
        running = "grep -l /[p]rogram/ /proc/[0-9]*/cmdline 2>/dev/null"
        wait_for(lambda: self.second.tell(running), f"{NAME} runs submission {number}", look_every_s=1)

    def close(self) -> None:
        """End it all."""
        with ExitStack() as then:
            then.callback(super().close)
            then.callback(self.bucket.stop)
            then.callback(self._stop_site)
            then.callback(self.second.kill)

    def _stop_site(self) -> None:
        if self.site in self._tended:
            self.stop(self.site)


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    """Both machines: the second one grades, the first one counts calls by name."""
    join_networks()
    fleet = Fleet()
    try:
        fleet.launch()
        fleet.counter = fleet.hire_for("profile")
        took_s = fleet.switch_second_on("grade")
        print(f"\nfleet: {NAME} takes work after {took_s:.0f} s: {fleet.second.tell('uname -sr')}")
        yield fleet
    finally:
        fleet.second.kill()
        shutil.copy(fleet.second.console, settings.BASE_DIR / "var" / "qemu" / "fleet.log")
        fleet.close()


@pytest.fixture
def trial(fleet: Fleet, request: pytest.FixtureRequest) -> Iterator[Trial]:
    """What is submitted in one test; afterwards each has exactly one verdict, the right one."""
    trial = Trial(fault=request.node.name, house=fleet)
    yield trial
    problems = trial.problems()
    assert not problems, "\n".join(problems)
    line = trial.line()
    print(f"\nfleet: {line.submissions} submissions, {line.verdicts} verdicts, {line.lost} lost, {line.double} double")


def test_second_machine_joins_and_roles_are_split(fleet: Fleet, trial: Trial) -> None:
    """Three settings and its role: it fetches packages and grades; the first machine counts calls by name."""
    numbers = _submit_at_the_site(fleet, trial, 3)
    slow = trial.submit(1, source=_MANY_WRITES, language="python", verdict="TLE")
    trial.wait_until_judged()
    assert {fleet.holder(number)[0] for number in numbers + slow} == {NAME}
    assert fleet.wait_until_counted(slow) == {fleet.counter.name}
    [(digest,)] = fleet.ledger.ask("SELECT digest FROM problems_problemversion ORDER BY id DESC OFFSET 1 LIMIT 1")
    assert digest in fleet.second.tell("ls /var/lib/tally/store")
    page = _page_of_workers(fleet)
    assert _role_and_kernel(page, NAME) == ("grades", fleet.second.tell("uname -sr"))
    assert _role_and_kernel(page, fleet.counter.name) == ("counts system calls", f"Linux {os.uname().release}")


def test_cut_network_costs_nothing_and_fences_the_late_writer(fleet: Fleet, trial: Trial) -> None:
    """The first machine takes over; what the second one writes when it is back is void."""
    [number] = trial.submit_each([("python", _LONG_SUM)], slug=_LONG_SLUG)
    fleet.wait_until_it_runs(number)
    before = fleet.second.console.stat().st_size
    fleet.second.pull_cable()
    grader = fleet.hire_for("grade")
    quick = trial.submit(3)
    trial.wait_until_judged(quick)
    fleet.wait_until_held(number, grader.name)
    fleet.second.plug_cable()
    wait_for(lambda: "is no longer attempt 1's" in fleet.second.since(before), "the late writer is fenced")
    trial.wait_until_judged()
    assert {fleet.holder(each)[0] for each in quick} == {grader.name}
    assert fleet.holder(number) == (grader.name, 2)
    fleet.let_go(grader)


def test_clock_that_steps_by_an_hour_costs_nothing(fleet: Fleet, trial: Trial) -> None:
    """While it grades, to both sides; it ends an hour fast."""
    for step in (_HOUR, -2 * _HOUR, 2 * _HOUR):
        numbers = trial.submit(2, source=slow_sum(1), language="python")
        trial.wait_until_begun(numbers[0])
        fleet.second.tell(f"date -s @$(($(date +%s) + {step.total_seconds():.0f})) >/dev/null")
        trial.wait_until_judged()
    assert all(fleet.holder(number) == (NAME, 1) for number in trial.taken)
    assert abs(int(fleet.second.tell("date +%s")) - time.time() - _HOUR.total_seconds()) < _HOUR.total_seconds() / 2


def test_killed_machine_costs_nothing_and_returns_in_another_role(fleet: Fleet, trial: Trial) -> None:
    """It dies while it grades; back with a clock an hour slow, it counts calls for the first machine's grader."""
    numbers = trial.submit(6, source=slow_sum(0.5), language="python")
    trial.wait_until_begun(numbers[0])
    fleet.second.kill()
    grader = fleet.hire_for("grade")
    trial.wait_until_judged()
    assert fleet.holder(numbers[0]) == (grader.name, 2)
    fleet.let_go(fleet.counter)
    slow = trial.submit(2, source=_MANY_WRITES, language="python", verdict="TLE")
    an_hour_ago = datetime.now(UTC) - _HOUR
    took_s = fleet.switch_second_on("profile", clock=f"{an_hour_ago:%Y-%m-%dT%H:%M:%S}")
    print(f"\nfleet: {NAME} is back and takes work after {took_s:.0f} s")
    trial.settle()
    assert fleet.wait_until_counted(slow) == {NAME}
    assert {fleet.holder(number)[0] for number in trial.taken} == {grader.name}
    assert set(fleet.second.tell("ls /var/lib/tally/work/slot-*").split()) <= {"lock", CACHE}, "left over"


def _submit_at_the_site(fleet: Fleet, trial: Trial, count: int) -> list[int]:
    with _signed_in(fleet, "bea") as browser:
        numbers = [browser.submit(SLUG, "python", SUM_PYTHON.decode()) for _ in range(count)]
    trial.promise(numbers)
    return numbers


def _page_of_workers(fleet: Fleet) -> str:
    """Return what the operator reads there."""
    with _signed_in(fleet, "operator") as browser:
        fleet.ledger.ask("UPDATE auth_user SET is_staff = true WHERE username = 'operator'")
        return " ".join(re.sub(r"<[^>]*>", " ", browser.get("/workers/").text).split())


@contextmanager
def _signed_in(fleet: Fleet, name: str) -> Iterator[Browser]:
    fleet.inside.do(inside.make_account, name, _PASSWORD)
    browser = Browser(f"http://127.0.0.1:{fleet.site.port}")
    try:
        browser.sign_in(name, _PASSWORD)
        yield browser
    finally:
        browser.leave()


def _role_and_kernel(page: str, name: str) -> tuple[str, ...]:
    found = re.search(rf"{name} takes work .*? Role (.*?) Processes .*? Kernel (.*?) Speed", page)
    assert found, page
    return found.groups()
