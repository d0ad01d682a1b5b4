"""Packages that uploads released are deleted from the store, even if the storage is away at first."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django import Settings

from judge.grading.verification.verified import ReportRecord
from judge.models import PackageUpload, Status, UnwantedPackage
from judge.uploads import uploads
from problems.loading.loading import load_package
from problems.store import remote, stores
from problems.store.publishing import keep, publish
from problems.store.stores import package_store
from tests.judge.packed import FILES

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("silent_wakeup")]


class Storage:
    """A mounted folder as the storage; while it is away there is something else in its place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def go_away(self) -> None:
        """Until it comes back, every request fails."""
        self.folder.rename(self.folder.with_name("elsewhere"))
        self.folder.write_text("no folder")

    def come_back(self) -> None:
        """With all that it held."""
        self.folder.unlink()
        self.folder.with_name("elsewhere").rename(self.folder)

    def digests(self) -> set[str]:
        """The versions in it."""
        return {path.stem for path in self.folder.glob("*.zip")}


@pytest.fixture
def storage(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """One behind a store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    options = {"location": str(tmp_path / "mounted")}
    settings.STORAGES = {
        **settings.STORAGES,
        "packages": {"BACKEND": "problems.store.storages.FolderStorage", "OPTIONS": options},
    }
    monkeypatch.setattr(remote, "REST_S", 0)
    stores._remote.cache_clear()
    yield Storage(tmp_path / "mounted")
    stores._remote.cache_clear()


@pytest.fixture
def upload(storage: Storage, tmp_path: Path) -> Callable[[], PackageUpload]:
    """A function that makes a verified upload, each of the same package."""
    folder = tmp_path / "double"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    owner = User.objects.create_user("author")

    def make() -> PackageUpload:
        package = load_package(folder)
        keep(package)
        done = {"status": Status.DONE, "report": ReportRecord()}
        return PackageUpload.objects.create(owner=owner, size=9, digest=package.digest, **done)

    return make


Upload = Callable[[], PackageUpload]


def test_package_that_is_discarded_while_the_storage_is_away_goes_when_it_is_back(
    storage: Storage, upload: Upload, caplog: pytest.LogCaptureFixture
) -> None:
    given = upload()
    digest = given.digest
    assert storage.digests() == {digest}
    storage.go_away()
    uploads.discard(given)
    given.refresh_from_db()
    assert (given.is_decided, given.digest, given.is_publishable) == (True, "", False)
    assert f"package {digest[:12]} is removed later" in caplog.text
    uploads.sweep()
    assert UnwantedPackage.objects.get().digest == digest
    storage.come_back()
    assert storage.digests() == {digest}
    uploads.sweep()
    assert storage.digests() == set()
    assert not package_store().is_here(digest)
    assert not UnwantedPackage.objects.exists()


def test_package_that_is_wanted_again_meanwhile_stays(storage: Storage, upload: Upload) -> None:
    given = upload()
    storage.go_away()
    uploads.discard(given)
    storage.come_back()
    again = upload()
    uploads.sweep()
    assert storage.digests() == {again.digest}
    assert not UnwantedPackage.objects.exists()
    publish(package_store().open(again.digest), owner=again.owner, slug="double")
    uploads.discard(again)
    assert storage.digests() == {given.digest}, "a version refers to it"


def test_one_that_was_let_go_of_twice_is_removed_once(storage: Storage, upload: Upload) -> None:
    first, second = upload(), upload()
    storage.go_away()
    with transaction.atomic():
        uploads.discard(first)
        uploads.discard(second)
    assert UnwantedPackage.objects.count() == 2
    storage.come_back()
    uploads.sweep()
    assert (storage.digests(), UnwantedPackage.objects.count()) == (set(), 0)


def test_nothing_is_written_down_where_there_is_no_package(storage: Storage, upload: Upload) -> None:
    upload()
    uploads.forget_package("")
    assert not UnwantedPackage.objects.exists()
