"""The real PostgreSQL and Redis of a test run, in a temporary folder of its own.

The addresses are chosen here, before Django reads its settings (which is why pyproject.toml names no settings module);
the servers start when the first test wants the database or the fixture `redis_server`. DATABASE_URL and REDIS_URL, when
they are set, are used as they are. Nothing of the installation beside the tests is read or written.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

import django
import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from django.utils import translation
from hypothesis import settings as settings_of_hypothesis
from pytest_django import Settings

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import CgroupError
from tests import extent, jail_guard, own_host
from tests.fuzzing import examples
from web.operations import services

own_host.leave_shared_folders()

# Else each process that the tests start compiles every module of Tally that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings_of_hypothesis.register_profile("tally", examples(100))  # no deadlines: a machine may be slow
settings_of_hypothesis.load_profile("tally")
if settings.configured or "DJANGO_SETTINGS_MODULE" in os.environ:
    pytest.exit("unset DJANGO_SETTINGS_MODULE and --ds: the tests set up Django themselves", returncode=4)

_FOLDER = Path(tempfile.mkdtemp(prefix="tally-test-"))
_FOLDER.chmod(0o755)  # jails' folders must be reachable for everybody
_OWN_POSTGRES = "DATABASE_URL" not in os.environ
_OWN_REDIS = "REDIS_URL" not in os.environ
os.environ["TALLY_VAR_DIR"] = str(_FOLDER)
os.environ["TALLY_WORK_DIR"] = str(_FOLDER / "work")
os.environ["TALLY_STORE_DIR"] = str(_FOLDER / "store")
if _OWN_POSTGRES:
    os.environ["DATABASE_URL"] = services.postgres_url(_FOLDER / "postgres")
if _OWN_REDIS:
    os.environ["REDIS_URL"] = services.redis_url(_FOLDER / "redis")
os.environ["DJANGO_SETTINGS_MODULE"] = "web.settings"
os.environ["TALLY_SELF_TEST"] = "0"  # of workers that tests start; it has tests of its own
(_FOLDER / "work").mkdir()
(_FOLDER / "store").mkdir()
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # slow ones guard no secret here
settings.DATABASE_POOL = 0  # a test's rows are seen by its own connection only
# A test's transaction lasts as long as the test does, whatever that waits for.
settings.DATABASES["default"]["OPTIONS"]["options"] += " -c idle_in_transaction_session_timeout=10min"
django.setup()  # now, since conftests and tests import models at their top

from judge.queue import wakeup  # noqa: E402 - needs Django set up
from tests import database, kept  # noqa: E402
from tests.problems.store.s3 import S3Server  # noqa: E402


class OwnServer:
    """PostgreSQL or Redis of the tests' own, to be stopped, made deaf and started again."""

    def __init__(self, start: Callable[[], services.Service]) -> None:
        self._start = start
        self.service: services.Service | None = None

    def start(self) -> str:
        """Start it and return its URL."""
        self.service = self._start()
        return self.service.url

    def stop(self) -> None:
        """End it, also when it is deaf."""
        if self.service is not None:
            self.service.process.send_signal(signal.SIGCONT)
            self.service.stop()

    def deafen(self) -> None:
        """It still accepts connections but answers nothing."""
        assert self.service is not None
        self.service.process.send_signal(signal.SIGSTOP)


def _start_postgres() -> services.Service:
    database.copy_template(_FOLDER / "postgres")
    return services.start_postgres(_FOLDER / "postgres", durable=False)


# Django's flush takes ten times as long, and a run has hundreds of these tests.
TransactionTestCase._fixture_teardown = database.empty_tables  # type: ignore[attr-defined]
_POSTGRES = OwnServer(_start_postgres)
_LENT = ExitStack()
_REDIS = OwnServer(lambda: services.start_redis(_FOLDER / "redis"))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # pytest's own folder is one for all processes of a user, and whoever starts closes it to everybody else.
    config.option.basetemp = str(_FOLDER / "tmp")
    jail_guard.watch()


def pytest_xdist_setupnodes() -> None:
    """The processes that run the tests choose servers and settings for themselves."""
    own = {"DJANGO_SETTINGS_MODULE": True, "DATABASE_URL": _OWN_POSTGRES, "REDIS_URL": _OWN_REDIS}
    for name in (name for name, is_own in own.items() if is_own):
        del os.environ[name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    jail_guard.mark(items)
    extent.choose(config, items)


@cache
def _lend_compile_results() -> None:
    """For the first test that opens a jail, and all after it."""
    _LENT.enter_context(kept.lent(_FOLDER / "work", kept.RESULTS, kept.HEADERS))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("jail"):
        _lend_compile_results()
    jail_guard.begin(item)
    try:
        return (yield)
    finally:
        jail_guard.end()
        translation.deactivate()  # the language of the last request, which Django's client leaves


def pytest_unconfigure() -> None:
    """Forget the folder and its control groups; the servers in it have been stopped by their fixtures."""
    _LENT.close()
    with suppress(CgroupError):  # where there are none to be had, there are none left
        ControlGroups(_FOLDER / "work").close()
    shutil.rmtree(_FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a running Redis."""
    yield _REDIS.start() if _OWN_REDIS else os.environ["REDIS_URL"]
    _REDIS.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a running PostgreSQL; the tests' own database on it is made by pytest-django."""
    yield _POSTGRES.start() if _OWN_POSTGRES else os.environ["DATABASE_URL"]
    _POSTGRES.stop()


@pytest.fixture
def silent_wakeup(redis_server: str) -> Iterator[None]:
    """No wake-up of another test is left, and none of this one will be."""
    with wakeup._client() as client:
        client.flushall()
        yield
        client.flushall()


@pytest.fixture
def every_send_counts(settings: Settings) -> None:
    """What is sent again at once is taken as new work, as it is later."""
    settings.SENT_AGAIN_S = 0


@pytest.fixture(scope="module")
def s3_server() -> Iterator[S3Server]:
    """A running S3 server."""
    running = S3Server()
    yield running
    running.stop()


@pytest.fixture
def breakable_redis(redis_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnServer]:
    """The running Redis for a test that takes it away; it is back, and empty, after the test."""
    if not _OWN_REDIS:
        pytest.fail("this test stops Redis: unset REDIS_URL so that the tests start one of their own")
    monkeypatch.setattr("judge.queue.wakeup._silent_until", 0.0)  # and what this test silences speaks again after it
    yield _REDIS
    _REDIS.stop()
    _REDIS.start()


@pytest.fixture
def breakable_postgres(postgres_server: str) -> OwnServer:
    """The running PostgreSQL for a test that restarts it."""
    if not _OWN_POSTGRES:
        pytest.fail("this test stops PostgreSQL: unset DATABASE_URL so that the tests start one of their own")
    return _POSTGRES


@pytest.fixture(scope="session")
def django_db_modify_db_settings(postgres_server: str, redis_server: str) -> None:
    """pytest-django's hook before it makes the test database: that is when both servers must be there."""


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """pytest-django's question whether the test database may be there already."""
    return _OWN_POSTGRES


@pytest.fixture(scope="session")
def django_db_modify_db_settings_xdist_suffix() -> None:
    """pytest-django's hook that tells the databases of several processes apart: each has a server of its own."""


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """pytest-django's database; the first run after a change of the migrations keeps it for the next ones."""
    if _OWN_POSTGRES and not database.template().is_dir():
        connections.close_all()
        _POSTGRES.stop()
        database.keep_template(_FOLDER / "postgres")
        _POSTGRES.start()
