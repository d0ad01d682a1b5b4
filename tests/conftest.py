"""The real PostgreSQL and Redis of a test run, in a temporary folder of its own.

The addresses are chosen here, before Django reads its settings (which is why pyproject.toml names no settings module);
the servers start when the first test wants the database or the fixture `redis_server`. DATABASE_URL and REDIS_URL, when
they are set, are used as they are. Nothing of the installation beside the tests is read or written.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from django.conf import settings

from web import services

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
(_FOLDER / "work").mkdir()
(_FOLDER / "store").mkdir()
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # slow ones guard no secret here
django.setup()  # now, since conftests and tests import models at their top


def pytest_unconfigure() -> None:
    """Forget the folder; the servers in it have been stopped by their fixtures."""
    shutil.rmtree(_FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a running Redis."""
    if not _OWN_REDIS:
        yield os.environ["REDIS_URL"]
        return
    service = services.start_redis(_FOLDER / "redis")
    yield service.url
    service.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a running PostgreSQL; the tests' own database on it is made by pytest-django."""
    if not _OWN_POSTGRES:
        yield os.environ["DATABASE_URL"]
        return
    service = services.start_postgres(_FOLDER / "postgres", durable=False)
    yield service.url
    service.stop()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(postgres_server: str, redis_server: str) -> None:
    """pytest-django's hook before it makes the test database: that is when both servers must be there."""
