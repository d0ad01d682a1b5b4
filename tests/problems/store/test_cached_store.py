"""Two machines with a folder each and only a bucket between them."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from problems.format.files import MIB
from problems.package import PackageErrors
from problems.store import cached_store
from problems.store.cached_store import CachedStore, in_use
from problems.store.remote import Remote
from problems.store.storages import FolderStorage
from problems.store.store import PackageMissing, PackageStore, StoreUnavailable
from tests.problems.conftest import Write
from tests.problems.store.machines import GIB, Machine, left, objects
from tests.problems.store.s3 import S3Server
from web.settings.connections import package_storage


def test_package_stored_on_one_machine_is_used_on_another(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    here, there = machine("web"), machine("worker")
    digest = here.add(legacy({"data/secret/ä b #2.in": "1\n", "data/secret/ä b #2.ans": "1\n", ".timelimit": "3\n"}))
    assert list(objects(s3_server, bucket)) == [f"{digest}.zip"]
    assert here.has(digest)
    assert there.has(digest)
    assert not there.is_here(digest)
    package = there.open(digest)
    assert (package.digest, package.short_name) == (digest, here.open(digest).short_name)
    assert package.path.is_relative_to(there.root)
    assert there.file(digest, "data/secret/ä b #2.in").read_text() == "1\n"
    assert left(there) == {digest}


def test_fetched_files_can_be_read_by_everybody_whatever_the_umask(machine: Machine, legacy: Write) -> None:
    digest = machine("web").add(legacy({}))
    before = os.umask(0o077)
    try:
        path = machine("worker").open(digest).path
    finally:
        os.umask(before)
    modes = {found.stat().st_mode & 0o777 for found in [path.parent, path, *path.rglob("*")]}
    assert modes == {0o755, 0o644}


def test_archive_is_the_same_from_whichever_machine(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    here, there = machine("web"), machine("worker")
    digest = here.add(legacy({}))
    first = objects(s3_server, bucket)
    there.open(digest)
    s3_server.client.delete_object(Bucket=bucket, Key=f"tally/{digest}.zip")
    there.send(digest)
    assert objects(s3_server, bucket) == first


def test_package_that_others_could_not_unpack_is_not_sent(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    with pytest.raises(PackageErrors, match="in its name, which is not allowed"):
        machine("web").add(legacy({"data/secret/a:b.in": "1\n", "data/secret/a:b.ans": "1\n"}))
    assert not objects(s3_server, bucket)


def test_unknown_version_is_missing(machine: Machine) -> None:
    for digest in ("0" * 64, "../" * 20, ""):
        assert not machine("worker").has(digest)
        with pytest.raises(PackageMissing):
            machine("worker").open(digest)


def test_many_at_once_fetch_it_once(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = machine("web").add(legacy({"data/secret/big.in": os.urandom(MIB), "data/secret/big.ans": b"1\n"}))
    fetched: list[str] = []
    fetch = Remote.fetch

    def counted(remote: Remote, name: str, *how: Any) -> None:
        fetched.append(name)
        fetch(remote, name, *how)

    monkeypatch.setattr(Remote, "fetch", counted)
    stores = [machine("worker") for _ in range(6)]
    found: list[str] = []
    threads = [threading.Thread(target=lambda one=one: found.append(one.open(digest).digest)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [digest] * 6
    assert fetched == [f"{digest}.zip"]
    assert left(stores[0]) == {digest}


def test_two_copies_at_once_do_no_harm(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = machine("web").add(legacy({}))
    monkeypatch.setattr(cached_store, "_WAIT_S", 0)  # nobody waits for the other one
    both_have_it = threading.Barrier(2, timeout=60)
    unpack = cached_store.unpack  # type: ignore[attr-defined]

    def unpack_together(*given: Any) -> None:
        unpack(*given)
        both_have_it.wait()

    monkeypatch.setattr(cached_store, "unpack", unpack_together)
    found: list[str] = []
    stores = [machine("worker"), machine("worker")]
    threads = [threading.Thread(target=lambda one=one: found.append(one.open(digest).digest)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [digest] * 2
    assert left(stores[0]) == {digest}


def test_version_that_is_removed_while_it_is_taken_is_fetched_again(
    machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    there.open(digest)
    removed: list[str] = []

    def is_here(store: CachedStore, wanted: str) -> bool:
        if not removed:
            removed.append(wanted)
            PackageStore.remove(store, wanted)
            return True  # as it was just before
        return PackageStore.is_here(store, wanted)

    monkeypatch.setattr(CachedStore, "is_here", is_here)
    assert there.open(digest).digest == digest
    assert removed == [digest]


def test_removed_version_leaves_the_storage_too(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    here = machine("web")
    digest = here.add(legacy({}))
    here.remove(digest)
    here.remove(digest)
    assert (left(here), objects(s3_server, bucket)) == (set(), {})


@pytest.mark.thorough
def test_storage_that_is_away_is_our_trouble_and_comes_back(
    machine: Machine, legacy: Write, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("web"), machine("worker")
    first, second = (here.add(legacy({"title": name})) for name in ("a", "b"))
    there.open(first)
    with s3_server.away():
        assert there.open(first).digest == first  # what is here can be used
        with pytest.raises(StoreUnavailable, match="the package storage cannot be used"):
            there.open(second)
        with pytest.raises(StoreUnavailable, match="is asked again in"):  # without the wait for an answer
            there.open(second)
        with pytest.raises(StoreUnavailable):
            here.add(legacy({"title": "c"}))
        assert "See to the storage, or correct TALLY_PACKAGES" in there.why_unfit()
        assert left(there) == {first}
    assert there.why_unfit() == ""
    assert there.open(second).digest == second


def test_bucket_that_is_not_there_makes_a_machine_unfit(
    s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLY_PACKAGES", s3_server.address("nowhere"))
    store = CachedStore(tmp_path, Remote(storages.create_storage(package_storage() or {})), GIB)
    assert "NoSuchBucket" in store.why_unfit()


def test_disk_without_room_says_so(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    monkeypatch.setattr(cached_store, "make_room", lambda _root, needed, *_: needed - 1)
    with pytest.raises(StoreUnavailable, match="MiB are needed"):
        there.open(digest)


def test_folder_that_all_mount_serves_as_a_storage(legacy: Write, tmp_path: Path) -> None:
    behind = tmp_path / "mounted"
    stores = [CachedStore(tmp_path / name, Remote(FolderStorage(location=behind)), GIB) for name in ("web", "worker")]
    assert [store.why_unfit() for store in stores] == ["", ""]
    digest = stores[0].add(legacy({}))
    stores[1].send(stores[1].open(digest).digest)
    assert [path.name for path in behind.iterdir() if path.is_file()] == [f"{digest}.zip"]
    assert not list((behind / "incoming").iterdir())
    stores[0].remove(digest)
    assert not stores[1].has(digest)


def test_folder_that_is_gone_is_in_nobodys_use(tmp_path: Path) -> None:
    with in_use(tmp_path / "nowhere") as is_there:
        assert not is_there
