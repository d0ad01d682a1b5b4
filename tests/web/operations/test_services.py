"""The embedded PostgreSQL and Redis: started, found again with their data, gone with whoever started them."""

import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from tests.processes import is_running
from tests.waiting import wait_for
from web.operations import services

_START_AND_WAIT = """
import sys, time
from pathlib import Path
from web.operations import services
folder = Path(sys.argv[1])
servers = [services.start_postgres(folder / "p", durable=False), services.start_redis(folder / "r")]
print(*(server.process.pid for server in servers), flush=True)
time.sleep(100)
"""


def test_postgres_keeps_its_data_over_a_restart(tmp_path: Path) -> None:
    for expected in (0, 1):
        service = services.start_postgres(tmp_path, durable=False)
        services.make_database(tmp_path, "tally")
        with psycopg.connect(service.url) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (n int)")
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (expected,)
            connection.execute("INSERT INTO kept VALUES (1)")
        service.stop()
        assert not service.is_running()


def test_path_too_long_for_a_socket_gets_a_short_one(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    service = services.start_redis(folder)
    try:
        assert redis.Redis.from_url(service.url).ping()
        assert len(str(services.socket_folder(folder))) < 40
    finally:
        service.stop()
        services.socket_folder(folder).rmdir()


@pytest.mark.thorough
def test_servers_end_with_a_killed_parent_and_start_again(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _START_AND_WAIT, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    again = [services.start_postgres(tmp_path / "p", durable=False), services.start_redis(tmp_path / "r")]
    try:
        wait_for(lambda: not any(map(is_running, pids)), "the servers end")
        with psycopg.connect(services.postgres_url(tmp_path / "p", "postgres")) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert redis.Redis.from_url(again[1].url).ping()
    finally:
        for service in again:
            service.stop()


def test_postgres_starts_although_a_killed_one_has_left_its_locks(tmp_path: Path) -> None:
    """Their number is that of another server of the same user now, as it may be after a power cut."""
    service = services.start_postgres(tmp_path / "postgres")
    locks = [tmp_path / "postgres" / "data" / "postmaster.pid", tmp_path / "postgres" / ".s.PGSQL.5432.lock"]
    left = [lock.read_text() for lock in locks]
    service.stop()
    other = services.start_redis(tmp_path / "redis")
    for lock, text in zip(locks, left, strict=True):
        lock.write_text(text.replace(str(service.process.pid), str(other.process.pid), 1))
        lock.chmod(0o666)
    again = services.start_postgres(tmp_path / "postgres")
    assert again.is_running()
    again.stop()
    other.stop()


def test_second_start_in_a_folder_in_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "STOP_TIMEOUT_S", 0.2)
    service = services.start_redis(tmp_path)
    try:
        with pytest.raises(services.ServiceError, match="already running"):
            services.start_redis(tmp_path)
        assert redis.Redis.from_url(service.url).ping()
    finally:
        service.stop()


def test_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "PG_VERSION").write_text("9\n")
    with pytest.raises(services.ServiceError, match="PostgreSQL ended") as refused:
        services.start_postgres(tmp_path)
    assert "postgresql.conf" in str(refused.value)
