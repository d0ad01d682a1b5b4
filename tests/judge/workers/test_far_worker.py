"""A real worker as on another host: only the database, Redis and a bucket lie between it and the site."""

import io
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from judge.models import PackageUpload, Status, Submission, WhenClean
from judge.submissions import intake
from judge.uploads import archives, uploads
from problems.loading.loading import load_package
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store import stores
from problems.store.publishing import describe, publish
from problems.store.remote import Remote
from problems.store.store import StoreUnavailable
from problems.store.stores import package_store
from tests.judge.packed import packed
from tests.judge.uploads.conftest import SOLVED
from tests.judge.workers.real_workers import Worker, set_up_workers
from tests.problems.store.s3 import S3Server
from web.settings.connections import package_storage

pytestmark = [pytest.mark.jail, pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]
DOUBLE = b"print(2 * int(input()))\n"
SUM = b"print(sum(map(int, input().split())))\n"


@pytest.fixture
def bucket(s3_server: S3Server, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A bucket, which lies behind the site's own folder."""
    name = s3_server.new_bucket()
    monkeypatch.setenv("TALLY_PACKAGES", s3_server.address(name))
    settings.STORE_DIR = tmp_path / "site"
    settings.STORAGES = {**settings.STORAGES, "packages": package_storage()}
    stores._remote.cache_clear()
    yield name
    stores._remote.cache_clear()


@pytest.fixture
def far_store() -> Iterator[Path]:
    """The worker's folder, that jails' users can get to."""
    folder = Path(tempfile.mkdtemp(prefix="tally-far-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def worker(bucket: str, far_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker whose folder is not the site's."""
    set_up_workers(monkeypatch, TALLY_SWEEP_EVERY_S="1", TALLY_STOP_GRACE_S="1", TALLY_STORE_DIR=str(far_store))
    far = Worker(tmp_path / "worker.log", name="tally@far", processes=1)
    far.start()
    yield far
    far.stop()


def _publish(name: str) -> Problem:
    return publish(LIBRARY / name, owner=None).problem


def _judged(worker: Worker, submission: Submission) -> Submission:
    worker.wait_for(Submission.objects.filter(pk=submission.pk, status=Status.DONE).exists, "it is judged")
    submission.refresh_from_db()
    return submission


def test_package_goes_to_a_far_worker_and_its_verdicts_come_back(
    worker: Worker, author: User, s3_server: S3Server, bucket: str, far_store: Path, settings: Settings
) -> None:
    upload = uploads.receive(io.BytesIO(packed()), name="double.zip", owner=author)
    assert list(s3_server.objects(bucket)) == [f"tally/incoming/{upload.token}"]
    assert not list(archives.incoming().iterdir())
    worker.wait_for(PackageUpload.objects.filter(pk=upload.pk, status=Status.DONE).exists, "it is verified")
    upload.refresh_from_db()
    assert (upload.is_clean, upload.trouble, upload.failures) == (True, "", 0)
    assert list(s3_server.objects(bucket)) == [f"tally/{upload.digest}.zip"]
    assert not (settings.STORE_DIR / upload.digest).exists()  # so far only the worker has it

    problem = uploads.publish(upload, author).problem
    cached = _judged(worker, intake.submit(author, problem, "python", DOUBLE))
    assert (cached.verdict, cached.failures) == ("AC", 0)
    assert package_store().open(upload.digest).short_name == "double"

    summed = _publish("sumoftwo")
    assert summed.current_version is not None
    digest = summed.current_version.digest
    assert not (far_store / digest).exists()
    with s3_server.away():
        waits = intake.submit(author, summed, "python", SUM)
        rows = Submission.objects.filter(pk=waits.pk)
        postponed = rows.filter(last_failure__contains="the package storage", status=Status.QUEUED)
        worker.wait_for(postponed.exists, "it is postponed")
        assert _judged(worker, intake.submit(author, problem, "python", DOUBLE)).verdict == "AC"  # which is there
        assert rows.get().failures == 0
    waits = _judged(worker, waits)
    assert (waits.verdict, waits.failures) == ("AC", 0)
    assert (far_store / digest).is_dir()


@pytest.mark.thorough
def test_damaged_object_is_our_failure_and_no_verdict(
    worker: Worker, author: User, s3_server: S3Server, bucket: str
) -> None:
    problem = _publish("sumoftwo")
    ((name, whole),) = s3_server.objects(bucket).items()
    s3_server.put(bucket, name, whole[:-50])
    submission = intake.submit(author, problem, "python", SUM)
    rows = Submission.objects.filter(pk=submission.pk)
    worker.wait_for(rows.filter(failures=1, status=Status.QUEUED).exists, "it goes back into the queue")
    assert "in the package storage is damaged" in rows.get().last_failure
    s3_server.put(bucket, name, whole)
    assert _judged(worker, submission).verdict == "AC"


@pytest.mark.thorough
def test_package_cannot_be_sent_while_the_storage_is_away(author: User, s3_server: S3Server, bucket: str) -> None:
    with s3_server.away(), pytest.raises(uploads.UploadRefused, match=r"does not answer\. Nothing is lost: try again"):
        uploads.receive(io.BytesIO(packed()), name="double.zip", owner=author)
    assert not PackageUpload.objects.exists()
    assert not list(archives.incoming().iterdir())


def test_clean_package_is_published_as_soon_as_the_storage_is_back(
    author: User, s3_server: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = publish(LIBRARY / "sumoftwo", owner=author)
    done = {"status": Status.DONE, "is_clean": True, "report": SOLVED}
    upload = PackageUpload.objects.create(
        owner=author,
        size=1,
        slug="again",
        digest=version.digest,
        columns=describe(load_package(LIBRARY / "sumoftwo")),
        when_clean=WhenClean.PUBLISH,
        **done,
    )

    def away(*_: object) -> bool:
        raise StoreUnavailable("it does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(Remote, "has", away)
        uploads.sweep()
        upload.refresh_from_db()
        assert (upload.is_decided, upload.when_clean, upload.refusal) == (False, WhenClean.PUBLISH, "")
        with pytest.raises(uploads.UploadRefused, match="does not answer"):
            uploads.publish(upload, author)
    uploads.sweep()
    upload.refresh_from_db()
    assert upload.published_version is not None


def test_archive_that_no_row_names_leaves_the_bucket_after_a_day(
    db: None, s3_server: S3Server, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    s3_server.put(bucket, f"tally/incoming/{'a' * 32}", b"forgotten")
    monkeypatch.setattr(archives, "_listed_at", -archives._LIST_EVERY_S)
    uploads.sweep()
    assert len(s3_server.objects(bucket)) == 1
    monkeypatch.setattr(archives, "_FORGOTTEN_S", -60)
    uploads.sweep()
    assert len(s3_server.objects(bucket)) == 1  # the list was looked at just now
    monkeypatch.setattr(archives, "_listed_at", -archives._LIST_EVERY_S)
    uploads.sweep()
    assert not s3_server.objects(bucket)


def test_versions_from_before_there_was_a_storage_are_sent(author: User, s3_server: S3Server, bucket: str) -> None:
    problem = _publish("sumoftwo")
    assert problem.current_version is not None
    key = f"tally/{problem.current_version.digest}.zip"
    s3_server.client.delete_object(Bucket=bucket, Key=key)
    call_command("send_packages")
    assert list(s3_server.objects(bucket)) == [key]
    package_store().remove(problem.current_version.digest)
    with pytest.raises(CommandError, match="1 of them are missing in the storage"):
        call_command("send_packages")
