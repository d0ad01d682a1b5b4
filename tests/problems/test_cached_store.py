"""Two machines with a folder each and only a bucket between them."""

import io
import os
import shutil
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages

from problems import cache, cached_store
from problems.cache import in_use
from problems.cached_store import CachedStore
from problems.files import MIB
from problems.folder_storage import FolderStorage
from problems.loading import package_digest
from problems.package import PackageErrors
from problems.remote import Remote
from problems.store import PackageMissing, PackageStore, StoreUnavailable
from tests.s3 import S3Server
from web.package_storage import package_storage

from .conftest import Write

GIB = 1024 * MIB
LONG_AGO = 1e9


@pytest.fixture
def bucket(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket, which the settings name."""
    name = s3_server.new_bucket()
    monkeypatch.setenv("TALLY_PACKAGES", s3_server.address(name))
    return name


@pytest.fixture
def machine(bucket: str, tmp_path: Path) -> Callable[..., CachedStore]:
    """A function that makes the store of one machine, by its name."""

    def make(name: str, most_bytes: int = GIB) -> CachedStore:
        return CachedStore(tmp_path / name, Remote(storages.create_storage(package_storage() or {})), most_bytes)

    return make


Machine = Callable[..., CachedStore]
Damage = Callable[[Path], object]  # done to a version's folder


def _objects(s3_server: S3Server, bucket: str) -> dict[str, bytes]:
    return {key.removeprefix("tally/"): content for key, content in s3_server.objects(bucket).items()}


def _forget_when(store: CachedStore, digest: str, seconds_ago: float = LONG_AGO) -> None:
    os.utime(store.root / digest, (time.time() - seconds_ago,) * 2)


def _left(store: CachedStore) -> set[str]:
    return {path.name for path in store.root.iterdir() if not path.name.startswith(".fetching-")}


def test_package_stored_on_one_machine_is_used_on_another(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    here, there = machine("web"), machine("worker")
    digest = here.add(legacy({"data/secret/ä b #2.in": "1\n", "data/secret/ä b #2.ans": "1\n", ".timelimit": "3\n"}))
    assert list(_objects(s3_server, bucket)) == [f"{digest}.zip"]
    assert here.has(digest)
    assert there.has(digest)
    assert not there.is_here(digest)
    package = there.open(digest)
    assert (package.digest, package.short_name) == (digest, here.open(digest).short_name)
    assert package.path.is_relative_to(there.root)
    assert there.file(digest, "data/secret/ä b #2.in").read_text() == "1\n"
    assert _left(there) == {digest}


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
    first = _objects(s3_server, bucket)
    there.open(digest)
    s3_server.client.delete_object(Bucket=bucket, Key=f"tally/{digest}.zip")
    there.send(digest)
    assert _objects(s3_server, bucket) == first


def test_package_that_others_could_not_unpack_is_not_sent(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str
) -> None:
    with pytest.raises(PackageErrors, match="in its name, which is not allowed"):
        machine("web").add(legacy({"data/secret/a:b.in": "1\n", "data/secret/a:b.ans": "1\n"}))
    assert not _objects(s3_server, bucket)


def test_unknown_version_is_missing(machine: Machine) -> None:
    for digest in ("0" * 64, "../" * 20, ""):
        assert not machine("worker").has(digest)
        with pytest.raises(PackageMissing):
            machine("worker").open(digest)


def _cut(content: bytes) -> bytes:
    return content[:-100]


def _with_a_file_more(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr(f"{archive.namelist()[0].split('/')[0]}/data/secret/more.in", "1\n")
    return copy.getvalue()


def _with_a_link(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        info = zipfile.ZipInfo(f"{archive.namelist()[0].split('/')[0]}/data/secret/more.in")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "1.in")
    return copy.getvalue()


def _out_of_the_folder(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("../outside", "1\n")
    return copy.getvalue()


@pytest.mark.parametrize("damage", [_cut, _with_a_file_more, _with_a_link, _out_of_the_folder, lambda _: b"no zip"])
def test_damaged_object_is_not_used_and_leaves_nothing(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str, damage: Callable[[bytes], bytes]
) -> None:
    digest = machine("web").add(legacy({}))
    s3_server.put(bucket, f"tally/{digest}.zip", damage(_objects(s3_server, bucket)[f"{digest}.zip"]))
    there = machine("worker")
    with pytest.raises(PackageMissing, match=f"version {digest[:12]} in the package storage is damaged"):
        there.open(digest)
    assert not _left(there)


def test_object_that_is_too_large_is_not_downloaded(
    machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = machine("web").add(legacy({}))
    monkeypatch.setattr(cached_store, "_MOST_ARCHIVE_BYTES", 20)
    with pytest.raises(PackageMissing, match=r"is damaged: it has [0-9]+ bytes"):
        machine("worker").open(digest)


def _empty(name: str) -> Damage:
    return lambda folder: os.truncate(folder / name, 0)


def _remove(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def _write(name: str, text: str) -> Damage:
    return lambda folder: (folder / name).write_text(text)


@pytest.mark.parametrize("is_read_before", [True, False])
@pytest.mark.parametrize(
    "damage",
    [
        _write("data/secret/1.in", "changed\n"),
        _write("problem.yaml", "{"),
        _write("data/secret/another.in", "1\n"),
        _empty("data/secret/1.ans"),
        _empty("problem.yaml"),
        _remove("problem.yaml"),
        _remove("data/secret/1.ans"),
        shutil.rmtree,
    ],
)
def test_copy_that_was_damaged_here_is_fetched_again(
    machine: Machine, legacy: Write, damage: Damage, is_read_before: bool
) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    whole = there.file(digest, "problem.yaml").parent
    if is_read_before:
        there.open(digest)
    damage(whole)
    with there.using(digest) as package:
        assert package.digest == package_digest(package.path) == digest
    assert _left(there) == {digest}


def test_file_that_was_lost_here_is_fetched_again(machine: Machine, legacy: Write) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    there.file(digest, "data/secret/1.in").unlink()
    assert there.file(digest, "data/secret/1.in").read_text() == "2 3\n"
    with pytest.raises(PackageMissing, match="has no file nothing"):
        there.file(digest, "nothing")


def test_damaged_version_is_not_sent(machine: Machine, legacy: Write, s3_server: S3Server, bucket: str) -> None:
    web = machine("web")
    digest = web.add(legacy({}))
    s3_server.client.delete_object(Bucket=bucket, Key=f"tally/{digest}.zip")
    web.file(digest, "problem.yaml").write_text("")
    with pytest.raises(PackageMissing, match="is damaged: it was changed"):
        web.send(digest)
    assert not _objects(s3_server, bucket)


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
    assert _left(stores[0]) == {digest}


def test_two_copies_at_once_do_no_harm(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = machine("web").add(legacy({}))
    monkeypatch.setattr(cached_store, "_WAIT_S", 0)  # nobody waits for the other one
    both_have_it = threading.Barrier(2, timeout=60)
    unpack = CachedStore._unpack

    def unpack_together(*given: Any) -> None:
        unpack(*given)
        both_have_it.wait()

    monkeypatch.setattr(CachedStore, "_unpack", unpack_together)
    found: list[str] = []
    stores = [machine("worker"), machine("worker")]
    threads = [threading.Thread(target=lambda one=one: found.append(one.open(digest).digest)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [digest] * 2
    assert _left(stores[0]) == {digest}


def test_longest_unused_makes_room(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    old, newer, last = (
        web.add(legacy({"data/secret/1.in": os.urandom(MIB // 2), "title": name})) for name in ("a", "b", "c")
    )
    there = machine("worker", most_bytes=int(1.2 * MIB))
    for digest, age_s in ((old, LONG_AGO), (newer, LONG_AGO / 2)):
        there.open(digest)
        _forget_when(there, digest, age_s)
    there.open(last)
    assert _left(there) == {newer, last}
    there.open(old)  # it comes back
    assert _left(there) == {old, last}


def test_version_in_use_is_never_removed(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    used, other = (web.add(legacy({"data/secret/1.in": os.urandom(MIB // 2), "title": name})) for name in ("a", "b"))
    there = machine("worker", most_bytes=1)
    with there.using(used) as package:
        _forget_when(there, used)
        there.open(other)
        assert (package.path / "problem.yaml").is_file()
    _forget_when(there, used)
    _forget_when(there, other)
    there._make_room(0)
    assert not _left(there)


def test_version_that_a_page_just_reads_stays_for_it(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    used, other = (web.add(legacy({"title": name})) for name in ("a", "b"))
    there = machine("worker", most_bytes=1)
    file = there.file(used, "problem.yaml")
    there.open(other)
    assert file.is_file()


def test_full_disk_makes_room_too(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    web = machine("web")
    old, wanted = (web.add(legacy({"title": name})) for name in ("a", "b"))
    there = machine("worker")
    there.open(old)
    _forget_when(there, old)
    monkeypatch.setattr(cache, "LEAST_FREE_BYTES", 1 << 60)  # as if hardly anything were left
    there.open(wanted)
    assert _left(there) == {wanted}


def test_what_the_storage_does_not_have_is_never_removed(machine: Machine, legacy: Write, tmp_path: Path) -> None:
    folder = legacy({})
    digest = PackageStore(tmp_path / "worker").add(folder)  # from the time before there was a storage
    there = machine("worker", most_bytes=1)
    _forget_when(there, digest)
    there._make_room(0)
    assert there.is_here(digest)
    there.send(digest)
    _forget_when(there, digest)
    there._make_room(0)
    assert not there.is_here(digest)
    assert there.open(digest).digest == digest


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
    assert (_left(here), _objects(s3_server, bucket)) == (set(), {})


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
        assert _left(there) == {first}
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
