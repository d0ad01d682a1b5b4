"""Packages that nobody wants: what is removed with them, and what stays."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from judge.models import PackageUpload, Status
from judge.queue.leases import LeaseLost, fenced
from judge.submissions import records
from judge.uploads import uploads
from judge.uploads.uploads import UploadRefused
from problems.loading.loading import load_package
from problems.models import ProblemVersion
from problems.package import PackageErrors
from problems.store.publishing import publish
from problems.store.store import PackageStore
from tests.judge.uploads.conftest import SOLVED
from tests.judge.uploads.sent import lying, received

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "store")]
together = pytest.mark.django_db(transaction=True)
UploadMaker = Callable[..., PackageUpload]


@together
def test_discarded_package_leaves_the_store(verified: UploadMaker, store: PackageStore) -> None:
    upload = verified()
    digest = upload.digest
    uploads.discard(upload)
    upload.refresh_from_db()
    assert not store.has(digest)
    assert (upload.is_decided, upload.digest, upload.report) == (True, "", SOLVED)
    assert not list(store.root.iterdir())


@together
def test_package_stays_when_discarding_it_is_not_committed(verified: UploadMaker, store: PackageStore) -> None:
    upload = verified()
    with transaction.atomic():
        uploads.discard(upload)
        transaction.set_rollback(True)
    upload.refresh_from_db()
    assert upload.discarded_at is None
    assert store.has(upload.digest)


@together
def test_package_that_is_wanted_again_at_the_commit_stays(verified: UploadMaker, store: PackageStore) -> None:
    upload = verified()
    with transaction.atomic():
        uploads.discard(upload)
        other = verified()
    assert store.has(other.digest)


@together
def test_package_that_others_refer_to_stays(verified: UploadMaker, author: User, store: PackageStore) -> None:
    one, other, third = verified(), verified(), verified()
    assert one.digest == other.digest
    uploads.discard(one)
    assert store.has(other.digest)
    uploads.publish(other, author)
    uploads.discard(third)
    assert store.has(other.digest)


def test_published_upload_is_not_discarded(verified: UploadMaker, author: User, store: PackageStore) -> None:
    upload = verified()
    uploads.publish(upload, author)
    with pytest.raises(UploadRefused, match="is published"):
        uploads.discard(upload)
    assert store.has(upload.digest)


def test_discarding_takes_the_work_from_its_worker(author: User) -> None:
    upload = received(author)
    lease = records.claim(PackageUpload.objects.filter(pk=upload.pk), "node/0")
    assert lease is not None
    uploads.discard(upload)
    with pytest.raises(LeaseLost), fenced(lease):
        pass
    assert not lying()
    upload.refresh_from_db()
    assert upload.status == Status.DONE


@together
@pytest.mark.parametrize("_round", range(3))
def test_package_published_while_it_is_discarded_elsewhere_is_kept(
    verified: UploadMaker, author: User, store: PackageStore, _round: int
) -> None:
    upload = verified()
    package = load_package(next((store.root / upload.digest).iterdir()))

    def publish_it() -> None:
        with suppress(OSError, PackageErrors):  # its files had gone with the upload: then nothing is published
            publish(package, owner=author, slug="double")

    threads = [
        threading.Thread(target=_then_close, args=(do,)) for do in (partial(uploads.discard, upload), publish_it)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(store.has(version.digest) for version in ProblemVersion.objects.all())
    assert store.has(upload.digest) == ProblemVersion.objects.exists()


def _then_close(do: Callable[[], object]) -> None:
    try:
        do()
    finally:
        connection.close()
