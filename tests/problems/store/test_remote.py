"""The storage behind the package store: one client for all threads, and how it is asked whether it is there."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
import pytest
from django.core.files.storage import storages

from problems.store.remote import Remote
from problems.store.storages import FolderStorage
from problems.store.store import StoreUnavailable
from tests.problems.store.s3 import S3Server
from web.settings.connections import package_storage

THREADS = 8


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    """A running S3 server."""
    running = S3Server()
    yield running
    running.stop()


@pytest.fixture
def bucket(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket, which the settings name."""
    name = server.new_bucket()
    monkeypatch.setenv("TALLY_PACKAGES", server.address(name))
    return name


def _remote() -> Remote:
    return Remote(storages.create_storage(package_storage() or {}))


@pytest.mark.usefixtures("bucket")
@pytest.mark.thorough
def test_threads_at_once_share_one_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[boto3.Session] = []
    session = boto3.Session

    def counted(**options: object) -> boto3.Session:
        made.append(session(**options))
        return made[-1]

    monkeypatch.setattr("storages.backends.s3.boto3.Session", counted)
    remote = _remote()
    together = threading.Barrier(THREADS, timeout=60)

    def use(number: int) -> bytes:
        source, copy = tmp_path / f"{number}.zip", tmp_path / f"{number}.copy"
        source.write_bytes(b"%d" % number * 100_000)
        together.wait()
        remote.put(source.name, source)
        assert remote.has(source.name)
        remote.fetch(source.name, copy, 1_000_000)
        return copy.read_bytes()

    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(use, range(THREADS))) == [b"%d" % number * 100_000 for number in range(THREADS)]
    assert len(made) == 1


def test_asking_how_it_is_costs_one_small_request(server: S3Server, bucket: str) -> None:
    for number in range(3):
        server.put(bucket, f"tally/incoming/{number}", b"x")
    remote = _remote()
    sent: list[str] = []
    client = remote._storage.connection.meta.client  # type: ignore[attr-defined]
    client.meta.events.register("before-send.s3", lambda request, **_: sent.append(request.url))
    assert remote.why_unfit() == ""
    assert len(sent) == 1
    assert "max-keys=1&" in f"{sent[0]}&"


@pytest.mark.usefixtures("bucket")
def test_asking_how_it_is_ends_no_rest_unless_it_is_back(server: S3Server) -> None:
    remote = _remote()
    with server.away():
        with pytest.raises(StoreUnavailable, match="cannot be used"):
            remote.has("x")
        assert "See to the storage" in remote.why_unfit()
        with pytest.raises(StoreUnavailable, match="is asked again in"):
            remote.has("x")
    assert remote.why_unfit() == ""
    assert not remote.has("x")


def test_mounted_folder_that_is_none_is_unfit(tmp_path: Path) -> None:
    (tmp_path / "mounted").write_text("")
    assert "Not a directory" in Remote(FolderStorage(location=tmp_path / "mounted")).why_unfit()
    assert Remote(FolderStorage(location=tmp_path / "not yet")).why_unfit() == ""
