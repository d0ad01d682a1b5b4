"""A mounted folder behind the package store: without its mount it is refused by name, never taken for an empty one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from judge.models import UnwantedPackage
from judge.uploads import uploads
from problems.models import ProblemVersion
from problems.store import remote, stores
from problems.store.publishing import publish
from problems.store.storages import MARKER
from problems.store.store import PackageMissing, PackageStore, StoreUnavailable
from problems.store.stores import package_store
from tests.problems.conftest import Write
from web.server.middleware import Outages
from web.settings.connections import package_storage

LOST = "is not mounted, or was never set up"
ZEROS = "0" * 64


class Mount:
    """The folder, and a mount that may be gone: then the empty folder below it is in its place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._aside = folder.with_name("aside")

    def go(self) -> None:
        self.folder.rename(self._aside)
        self.folder.mkdir()

    def come_back(self) -> None:
        self.folder.rmdir()
        self._aside.rename(self.folder)


@pytest.fixture
def mount(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mount]:
    """A folder that the settings name, not set up yet, behind a store of the test's own."""
    folder = tmp_path / "mounted"
    folder.mkdir()
    monkeypatch.setenv("TALLY_PACKAGES", str(folder))
    monkeypatch.setattr(remote, "REST_S", 0)
    settings.STORE_DIR = tmp_path / "store"
    settings.STORAGES = {**settings.STORAGES, "packages": package_storage()}
    stores._remote.cache_clear()
    yield Mount(folder)
    stores._remote.cache_clear()


def _set_up(*, is_new: bool) -> None:
    behind = stores.remote()
    assert behind is not None
    behind.set_up(is_new=is_new)


def _forget_copy(digest: str) -> None:
    """As on a machine that never had the version."""
    PackageStore(package_store().root).remove(digest)


OPERATIONS: dict[str, Callable[[str, Path], object]] = {
    "has": lambda digest, _: package_store().has(digest),
    "fetch": lambda digest, _: package_store().open(digest),
    "file": lambda digest, _: package_store().file(digest, "problem.yaml"),
    "send": lambda digest, path: package_store().add(path),
    "remove": lambda digest, _: package_store().remove(digest),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.each
def test_nothing_is_done_without_the_mount_and_nothing_is_lost(mount: Mount, legacy: Write, operation: str) -> None:
    _set_up(is_new=True)
    path = legacy({})
    digest = package_store().add(path)
    mount.go()
    _forget_copy(digest)
    with pytest.raises(StoreUnavailable, match=LOST):
        OPERATIONS[operation](digest, path)
    assert LOST in package_store().why_unfit()
    assert not list(mount.folder.iterdir()), "nothing was written below the mount"
    mount.come_back()
    assert package_store().why_unfit() == ""
    assert package_store().open(digest).digest == digest
    with pytest.raises(PackageMissing):
        package_store().open(ZEROS)


def test_mount_that_goes_in_the_middle_makes_the_answer_void(
    mount: Mount, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set_up(is_new=True)
    digest = package_store().add(legacy({}))
    checks = iter([True, False])
    monkeypatch.setattr(Path, "exists", lambda path: next(checks) if path.name == MARKER else Path.is_file(path))
    mount.go()
    behind = stores.remote()
    assert behind is not None
    with pytest.raises(StoreUnavailable, match=LOST):
        behind.has(f"{digest}.zip")


@pytest.mark.django_db(transaction=True)
def test_package_that_was_released_is_removed_once_the_mount_is_back(mount: Mount, legacy: Write) -> None:
    _set_up(is_new=True)
    digest = package_store().add(legacy({}))
    mount.go()
    uploads.forget_package(digest)
    uploads.sweep_packages()
    assert UnwantedPackage.objects.count() == 1, "it looked as if that was done"
    mount.come_back()
    uploads.sweep_packages()
    assert not UnwantedPackage.objects.exists()
    assert not package_store().has(digest)


def test_page_that_needs_a_package_is_unavailable(mount: Mount) -> None:
    request = RequestFactory().get("/problems/double/")
    request.resolver_match = None
    with pytest.raises(StoreUnavailable) as unmounted:
        package_store().file(ZEROS, "problem.yaml")
    answer = Outages(lambda _: HttpResponse()).process_exception(request, unmounted.value)
    assert answer is not None
    assert answer.status_code == 503


@pytest.mark.django_db
def test_first_start_sets_the_folder_up_and_a_later_one_does_not(mount: Mount, legacy: Write) -> None:
    _set_up(is_new=not ProblemVersion.objects.exists())
    version = publish(legacy({}), owner=None)
    mount.go()
    _set_up(is_new=not ProblemVersion.objects.exists())
    assert LOST in package_store().why_unfit(), "an empty folder is not the storage of a site that has packages"
    call_command("send_packages")
    assert (mount.folder / f"{version.digest}.zip").is_file(), "but somebody may say that it is to become that"


@pytest.mark.django_db
def test_folder_of_an_earlier_tally_is_set_up_by_its_versions(mount: Mount, legacy: Write) -> None:
    _set_up(is_new=True)
    publish(legacy({}), owner=None)
    (mount.folder / MARKER).unlink()
    with pytest.raises(StoreUnavailable, match=LOST):
        package_store().has(ZEROS)
    _set_up(is_new=not ProblemVersion.objects.exists())
    assert package_store().why_unfit() == ""


@pytest.mark.django_db
def test_packages_are_not_sent_to_a_folder_that_cannot_be_written(mount: Mount) -> None:
    mount.folder.rmdir()
    mount.folder.write_text("")
    with pytest.raises((StoreUnavailable, CommandError)):
        call_command("send_packages")
