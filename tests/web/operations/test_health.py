"""`/healthz` and `/readyz`: what each says when something is away."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from judge.models import WorkerNode, WorkerRole
from problems.store import stores
from problems.store.remote import Remote
from tests.problems.store.s3 import S3Server
from tests.waiting import PATIENCE_S, wait_for
from web.operations import readiness
from web.operations.readiness import Probe
from web.settings.connections import package_storage

pytestmark = pytest.mark.django_db


class OwnServer(Protocol):
    """The fixture `breakable_redis`."""

    def stop(self) -> None: ...


@pytest.fixture
def worker(db: None, settings: Settings, tmp_path: Path) -> WorkerNode:
    """A worker that is alive, and a package store."""
    settings.STORE_DIR = tmp_path
    now = timezone.now()
    return WorkerNode.objects.create(name="tally@here", started_at=now, last_seen_at=now, languages={"python": "3"})


def test_process_that_answers_is_alive_whatever_else_is_away(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").json() == {"ok": True}


@pytest.mark.usefixtures("worker")
def test_site_with_everything_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    names = ("database", "migrations", "package store", "redis", "worker")
    assert answer.json() == {"status": "ready", "missing": [], "degraded": [], "checks": dict.fromkeys(names, "ok")}
    assert answer.status_code == 200


def test_silent_worker_is_degraded_and_named(client: Client, worker: WorkerNode) -> None:
    WorkerNode.objects.update(last_seen_at=timezone.now() - timedelta(seconds=worker.SILENT_AFTER_S + 1))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["degraded"] == ["worker"]


@pytest.mark.usefixtures("worker")
def test_fleet_that_lacks_a_role_is_degraded_and_says_which(client: Client) -> None:
    WorkerNode.objects.update(role=WorkerRole.GRADE)
    answer = client.get("/readyz").json()
    assert answer["degraded"] == ["worker"]
    assert answer["checks"]["worker"].startswith("No worker counts system calls by name")
    WorkerNode.objects.update(role=WorkerRole.PROFILE)
    assert client.get("/readyz").json()["checks"]["worker"].startswith("No worker takes work")


@pytest.mark.usefixtures("worker")
def test_sick_worker_is_degraded_and_said_without_what_is_wrong(client: Client) -> None:
    WorkerNode.objects.update(problem=f"{WorkerNode.SICK}/var/lib/tally hangs.")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert answer.json()["checks"]["worker"].endswith("The host of one is sick: the page of workers says why.")


@pytest.mark.usefixtures("worker")
def test_redis_away_is_degraded_since_submitting_works(client: Client, breakable_redis: OwnServer) -> None:
    breakable_redis.stop()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["degraded"]) == (200, ["redis"])


@pytest.mark.usefixtures("worker")
def test_migration_that_is_not_applied_is_not_ready(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("judge", "0017_faults_load_machines")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["missing"]) == (503, ["migrations"])
    assert "1 migrations" in answer.json()["checks"]["migrations"]


@pytest.mark.usefixtures("worker")
def test_package_store_that_is_gone_is_not_ready(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.STORE_DIR = tmp_path / "nowhere"
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["missing"]) == (503, ["package store"])


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    """A running S3 server."""
    running = S3Server()
    yield running
    running.stop()


@pytest.fixture
def behind(server: S3Server, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    """A bucket behind the package store, as the settings name it."""
    monkeypatch.setenv("TALLY_PACKAGES", server.address(server.new_bucket()))
    settings.STORAGES = {**settings.STORAGES, "packages": package_storage()}
    monkeypatch.setattr(Probe, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(readiness, "STORAGE_FRESH_S", float("inf"))
    stores._remote.cache_clear()
    found = stores.remote()
    assert found
    yield found
    stores._remote.cache_clear()


@pytest.mark.usefixtures("worker", "behind")
def test_storage_of_packages_that_is_away_is_degraded_since_most_pages_need_none_of_it(
    client: Client, server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "STORAGE_FRESH_S", 0.0)
    assert client.get("/readyz").json()["checks"]["package storage"] == "ok"
    with server.away():
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["degraded"]) == (200, ["package storage"])
        assert "127.0.0.1" not in answer.content.decode()
    assert client.get("/readyz").json()["status"] == "ready"


@pytest.mark.usefixtures("worker")
def test_asking_often_asks_the_storage_seldom_and_one_request_at_a_time(client: Client, behind: Remote) -> None:
    sent: list[str] = []
    behind._storage.connection.meta.client.meta.events.register(  # type: ignore[attr-defined]
        "before-send.s3", lambda request, **_: sent.append(request.url)
    )
    for _ in range(5):
        assert client.get("/readyz").json()["status"] == "ready"
    assert len(sent) == 1


@pytest.mark.usefixtures("worker")
def test_storage_that_hangs_is_not_waited_for(client: Client, behind: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    looks: list[object] = []

    def hang() -> None:
        looks.append(answers.wait(PATIENCE_S))

    monkeypatch.setattr(behind, "_look", hang)
    monkeypatch.setattr(Probe, "PATIENCE_S", 0.1)
    try:
        for _ in range(3):
            assert client.get("/readyz").json()["degraded"] == ["package storage"]
        assert not looks  # the first one has not come to its end, and there is no second one
    finally:
        answers.set()
    wait_for(lambda: client.get("/readyz").json()["status"] == "ready", "the storage answered")
    assert looks == [True]


@pytest.mark.django_db(transaction=True)
def test_database_away_is_not_ready_and_names_no_address(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "HOST", "/nowhere")
    connection.close()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert "database" in answer.json()["missing"]
    assert "nowhere" not in answer.content.decode()
    assert client.get("/healthz").status_code == 200
