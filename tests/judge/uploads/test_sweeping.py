"""Packages that are verified again, that nobody decides about, or whose publishing was interrupted."""

import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from judge.models import PackageUpload, Status, WhenClean
from judge.queue import wakeup
from judge.uploads import archives, caps, uploads
from judge.uploads.uploads import UploadRefused
from judge.workers import reaper
from problems import versions
from problems.models import Problem, ProblemVersion
from problems.package import ErrorRecord, PackageError
from problems.store.store import PackageStore
from problems.translation import Sentence
from tests.judge.uploads.sent import lying, received
from tests.waiting import wait_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "store")]
together = pytest.mark.django_db(transaction=True)
UploadMaker = Callable[..., PackageUpload]


@together
def test_verifying_again_queues_it_with_what_is_left_out(verified: UploadMaker) -> None:
    upload = verified(when_clean=WhenClean.ASK)
    uploads.verify_again(upload, ["accepted/a.py"])
    upload.refresh_from_db()
    assert (upload.status, upload.report, upload.excluded) == (Status.QUEUED, None, ["accepted/a.py"])
    assert wakeup.unread_wakeups() == 1
    with pytest.raises(UploadRefused, match="under way"):
        uploads.verify_again(upload)


@together
def test_upload_that_nobody_decides_about_is_swept(verified: UploadMaker, store: PackageStore) -> None:
    fresh = verified({"data/secret/1.ans": "7\n"}, finished_at=timezone.now() - timedelta(days=29))
    old = verified(finished_at=timezone.now() - timedelta(days=31))
    reaper.sweep()
    old.refresh_from_db()
    assert old.discarded_at is not None
    assert {path.name for path in store.root.iterdir()} == {"incoming", fresh.digest}


def test_refused_upload_goes_a_day_after_it_was_refused(verified: UploadMaker) -> None:
    mistakes = (ErrorRecord(file="problem.yaml", key="", why="is missing"),)
    before, after = timezone.now() - timedelta(hours=23), timezone.now() - timedelta(hours=25)
    fresh = verified(digest="", is_clean=False, mistakes=mistakes, finished_at=before)
    old = verified(digest="", is_clean=False, mistakes=mistakes, finished_at=after)
    unclean = verified(is_clean=False, finished_at=after)
    failed = verified(is_clean=None, trouble="our fault", finished_at=after)
    assert caps.goes_at(fresh) == before + timedelta(days=1)
    reaper.sweep()
    assert set(PackageUpload.objects.undecided()) == {fresh, unclean, failed}
    old.refresh_from_db()
    assert (old.discarded_at is not None, old.mistakes) == (True, mistakes)


@pytest.mark.usefixtures("every_send_counts")
def test_refused_uploads_do_not_count_among_the_undecided(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 2)
    for _ in range(3):
        refused = received(author)
        uploads.refuse(refused, refused.name, [PackageError("problem.yaml", "", Sentence("is missing"))])
        refused.save()
    received(author)
    received(author)
    with pytest.raises(UploadRefused, match="2 uploads that are neither published nor discarded"):
        received(author)


def test_bytes_that_no_row_names_are_swept_a_day_later(author: User) -> None:
    kept = received(author).token
    for name in (kept, "orphan", "fresh"):
        (archives.incoming() / name).touch()
        if name != "fresh":
            os.utime(archives.incoming() / name, (time.time() - 90_000,) * 2)
    uploads.sweep()
    assert sorted(lying()) == sorted([kept, "fresh"])


def test_stored_package_that_no_row_names_is_left_to_whose_it_may_be(
    verified: UploadMaker, store: PackageStore
) -> None:
    foreign = verified()
    foreign.delete()
    os.utime(store.root / foreign.digest, (time.time() - 90_000,) * 2)
    uploads.sweep()
    assert store.has(foreign.digest)


@pytest.mark.parametrize(
    ("wish", "audience"), [(WhenClean.PUBLISH, "everybody"), (WhenClean.ASSIGN, "assigned"), (WhenClean.HIDE, "hidden")]
)
def test_publishing_that_was_interrupted_is_carried_out(verified: UploadMaker, wish: WhenClean, audience: str) -> None:
    upload = verified(when_clean=wish)
    waiting = [
        verified(when_clean=wish, is_clean=False),
        verified(when_clean=wish, status=Status.JUDGING, is_clean=None),
        verified(when_clean=WhenClean.ASK),
    ]
    reaper.sweep()
    assert Problem.objects.get().audience == audience
    upload.refresh_from_db()
    assert (upload.published_version, upload.published_by) == (ProblemVersion.objects.get(), upload.owner)
    assert all(PackageUpload.objects.undecided().filter(pk=other.pk).exists() for other in waiting)


def test_publishing_that_is_refused_is_not_tried_again_behind_its_owners_back(verified: UploadMaker) -> None:
    theirs = Problem.objects.create(slug="double", title="Theirs", owner=User.objects.create_user("bob"))
    upload = verified(when_clean=WhenClean.PUBLISH)
    uploads.sweep()
    theirs.delete()
    uploads.sweep()
    upload.refresh_from_db()
    assert (upload.is_decided, upload.when_clean) == (False, WhenClean.ASK)


@together
def test_holding_a_digest_is_exclusive(verified: UploadMaker) -> None:
    digest = verified().digest
    order: list[str] = []

    def second() -> None:
        with transaction.atomic():
            versions.hold(digest)
            order.append("second")
        connection.close()

    with transaction.atomic():
        versions.hold(digest)
        thread = threading.Thread(target=second)
        thread.start()
        wait_for(lambda: order or _somebody_waits_for_us(), "the other one waits for the digest")
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def _somebody_waits_for_us() -> bool:
    """Whether another connection waits for a lock that this one holds."""
    with connection.cursor() as cursor:  # pg_stat_activity stands still for as long as a transaction lasts
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))")
        return cursor.fetchone() is not None
