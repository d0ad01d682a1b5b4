"""The package store."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from problems.loading.loading import load_package
from problems.package import PackageErrors
from problems.store import fsync
from problems.store.store import PackageMissing, PackageStore
from tests.problems.conftest import Write


@pytest.fixture
def store(tmp_path: Path) -> PackageStore:
    return PackageStore(tmp_path / "store")


@pytest.fixture(autouse=True)
def strict_umask() -> Iterator[None]:
    old = os.umask(0o077)
    yield
    os.umask(old)


def test_added_package_opens_as_what_it_was(store: PackageStore, legacy: Write) -> None:
    folder = legacy({})
    digest = store.add(folder)
    package, original = store.open(digest), load_package(folder)
    assert digest == package.digest == original.digest
    assert package.short_name == "aplusb"
    assert package.path == store.root / digest / "aplusb"
    assert [case.input.read_bytes() for case in package.test_cases] == [b"1 2\n", b"2 3\n"]


def test_adding_twice_keeps_the_first_copy(store: PackageStore, legacy: Write) -> None:
    folder = legacy({})
    digest = store.add(folder)
    before = (store.root / digest).stat().st_ino
    assert store.add(folder) == digest
    assert (store.root / digest).stat().st_ino == before
    assert [entry.name for entry in store.root.iterdir()] == [digest]


def test_jails_can_read_the_files_but_nobody_else_gets_to_them(store: PackageStore, legacy: Write) -> None:
    digest = store.add(legacy({"data/secret/deep/er/2.in": "x", "data/secret/deep/er/2.ans": "x"}))
    for parent, folders, files in os.walk(store.root):
        assert {(Path(parent) / name).stat().st_mode & 0o777 for name in folders} <= {0o755}
        assert {(Path(parent) / name).stat().st_mode & 0o777 for name in files} <= {0o644}
    assert (store.root / digest / "aplusb/data/secret/deep/er/2.in").is_file()
    assert store.root.stat().st_mode & 0o777 == 0o700


def test_a_store_of_an_earlier_version_is_closed(store: PackageStore, legacy: Write) -> None:
    store.root.mkdir(mode=0o755, parents=True)
    store.add(legacy({}))
    assert store.root.stat().st_mode & 0o777 == 0o700


def test_links_become_plain_files(store: PackageStore, legacy: Write) -> None:
    folder = legacy({})
    (folder / "data/secret/2.in").symlink_to("1.in")
    (folder / "data/secret/2.ans").symlink_to("../sample/1.ans")
    package = store.open(store.add(folder))
    (folder / "data/secret/1.in").write_text("changed")
    assert package.test_cases[-1].name == "secret/2"
    assert package.test_cases[-1].input.read_bytes() == b"2 3\n"
    assert not (package.path / "data/secret/2.in").is_symlink()


def test_package_with_a_link_that_leads_out_is_not_stored(store: PackageStore, legacy: Write) -> None:
    folder = legacy({})
    (folder / "data/secret/2.in").symlink_to("/etc/hostname")
    with pytest.raises(PackageErrors, match="leads out of the package"):
        store.add(folder)
    assert not store.root.exists()


@pytest.mark.parametrize("digest", ["0" * 64, "", "..", "../store", "A" * 64])
def test_unknown_version_is_missing(store: PackageStore, legacy: Write, digest: str) -> None:
    store.add(legacy({}))
    assert not store.has(digest)
    with pytest.raises(PackageMissing):
        store.open(digest)


def test_version_that_was_changed_on_disk_is_not_opened(store: PackageStore, legacy: Write) -> None:
    digest = store.add(legacy({}))
    answer = store.open(digest).test_cases[0].answer
    answer.write_bytes(b"4\n")
    with pytest.raises(PackageMissing, match=f"version {digest[:12]} in .* is damaged: it was changed"):
        store.open(digest)


@pytest.mark.parametrize(("name", "why"), [("problem.yaml", "problem.yaml: "), ("data/secret/1.ans", "data/secret/1")])
def test_version_that_lost_a_file_is_damaged_and_adding_it_again_mends_it(
    store: PackageStore, legacy: Write, name: str, why: str
) -> None:
    folder = legacy({})
    digest = store.add(folder)
    assert not store.is_damaged(digest)
    store.file(digest, name).unlink()
    assert store.is_damaged(digest)
    with pytest.raises(PackageMissing, match=f"is damaged: {why}"):
        store.open(digest)
    assert store.add(folder) == digest
    assert not store.is_damaged(digest)
    assert store.open(digest).digest == digest
    assert [entry.name for entry in store.root.iterdir()] == [digest]


def test_what_is_as_it_was_stored_is_not_damaged_whatever_it_is(store: PackageStore, legacy: Write) -> None:
    digest = store.add(legacy({"data/secret/2.in": "no answer\n"}))
    assert not store.is_damaged(digest)
    with pytest.raises(PackageErrors, match=r"data/secret/2"):
        store.open(digest)


def test_version_has_its_place_only_once_it_is_on_the_disk(
    store: PackageStore, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, **_: bool) -> None:
        assert (folder / "aplusb/problem.yaml").is_file()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(fsync, "_sync", full)
    with pytest.raises(OSError, match="Input/output error"):
        store.add(legacy({}))
    assert not list(store.root.iterdir())


def test_named_files_and_folders_have_their_new_names(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    fsync.give_name(tmp_path / "folder", tmp_path / "version")
    fsync.give_name(tmp_path / "file", tmp_path / "version/file")
    assert (tmp_path / "version/file").read_text() == "text"
    with pytest.raises(FileNotFoundError):
        fsync.give_name(tmp_path / "folder", tmp_path / "again")


def test_second_open_does_not_read_the_files_again(
    store: PackageStore, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = store.add(legacy({}))
    first = store.open(digest)
    monkeypatch.setattr("problems.store.store.load_package", lambda path: pytest.fail("read again"))
    assert PackageStore(store.root).open(digest) == first


def test_a_run_of_a_case_does_not_have_the_files_read_again(
    store: PackageStore, legacy: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sandbox gives an input a second name for a moment, which changes its time of change of status."""
    digest = store.add(legacy({}))
    package = store.open(digest)
    monkeypatch.setattr("problems.store.store.load_package", lambda path: pytest.fail("read again"))
    case = package.test_cases[0].input
    before = case.stat().st_ctime_ns
    while case.stat().st_ctime_ns == before:
        os.link(case, tmp_path / "stdin")
        (tmp_path / "stdin").unlink()
    assert store.open(digest) is package


def test_two_writers_of_one_version_both_succeed(store: PackageStore, legacy: Write) -> None:
    folder = legacy({f"data/secret/{n}.{end}": str(n) for n in range(50) for end in ("in", "ans")})
    digests: list[str] = []
    start = threading.Barrier(4)

    def add() -> None:
        start.wait()
        digests.append(store.add(folder))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert digests == [load_package(folder).digest] * 4
    assert [entry.name for entry in store.root.iterdir()] == [digests[0]]


def test_failed_copy_leaves_nothing_behind(store: PackageStore, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("problems.store.store.shutil.copyfile", full)
    with pytest.raises(OSError, match="No space left"):
        store.add(legacy({}))
    assert list(store.root.iterdir()) == []
