"""Packages that people send in: taken, published, discarded, swept."""

import io
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from judge import archives, doorbell, records, uploads
from judge.leases import LeaseLost, fenced
from judge.models import PackageUpload, Precedence, Status, WhenClean
from judge.uploads import UploadRefused
from judge.workers import sweeper
from problems import versions
from problems.loading import load_package
from problems.models import Problem, ProblemVersion
from problems.package import PackageErrors
from problems.publishing import describe, keep, publish
from problems.store import PackageStore

from .packed import FILES, packed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_doorbell")]
together = pytest.mark.django_db(transaction=True)

SOLVED = {"ok": True, "submissions": [{"path": "accepted/a.py", "verdict": "AC"}]}
UploadMaker = Callable[..., PackageUpload]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Settings) -> PackageStore:
    """A store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    return PackageStore(settings.STORE_DIR)


@pytest.fixture
def author(db: None) -> User:
    """Somebody who may publish problems."""
    user = User.objects.create_user("author")
    user.user_permissions.add(Permission.objects.get(codename="add_problem"))
    return user


@pytest.fixture
def verified(tmp_path: Path, author: User) -> UploadMaker:
    """A function that makes an upload as a worker leaves it; keyword arguments replace its columns."""

    def make(changes: dict[str, str] | None = None, **columns: object) -> PackageUpload:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}/double"
        for name, text in {**FILES, **(changes or {})}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        package = load_package(folder)
        keep(package)
        given = {"owner": author, "name": "double.zip", "size": 9, "status": Status.DONE, "slug": "double"}
        found = {"digest": package.digest, "columns": describe(package), "report": SOLVED, "is_clean": True}
        return PackageUpload.objects.create(**{**given, **found, **columns})

    return make


def _receive(author: User, content: bytes = b"", **how: object) -> PackageUpload:
    return uploads.receive(io.BytesIO(content or packed()), name="double.zip", owner=author, **how)  # type: ignore[arg-type]


def _lying() -> list[str]:
    return [path.name for path in archives.incoming().iterdir()]


# --- taken


@together
def test_received_archive_is_kept_and_rung_for(author: User) -> None:
    upload = _receive(author, when_clean=WhenClean.HIDE)
    assert (upload.status, upload.size, upload.when_clean) == (Status.QUEUED, len(packed()), "hide")
    assert (archives.incoming() / upload.token).read_bytes() == packed()
    assert (doorbell.ringing(Precedence.INSTRUCTORS), doorbell.ringing()) == (1, 0)


def test_archive_on_the_same_disk_is_linked_not_copied(author: User, tmp_path: Path) -> None:
    path = tmp_path / "sent"
    path.write_bytes(packed())
    with path.open("rb") as file:
        upload = uploads.receive(file, name="double.zip", owner=author)
    assert (archives.incoming() / upload.token).stat().st_ino == path.stat().st_ino


def test_name_of_the_archive_is_never_taken_for_its_place(author: User, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"nobody else's")
    archive = io.BytesIO(packed())
    archive.name = str(secret)
    upload = uploads.receive(archive, name=str(secret), owner=author)
    assert (archives.incoming() / upload.token).read_bytes() == packed()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not a zip", "double.zip: is no zip archive"),
        (packed()[:-40], "double.zip: is cut off"),
        (packed({"../../escape": "x"}, folder="a"), r"a/\.\./\.\./escape"),
    ],
)
def test_broken_archive_is_refused_at_once_and_nothing_kept(author: User, content: bytes, why: str) -> None:
    with pytest.raises(PackageErrors, match=why):
        _receive(author, content)
    assert not _lying()
    assert not PackageUpload.objects.exists()


def test_too_many_at_once_are_refused_and_nothing_kept(author: User, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    first = _receive(author)
    with pytest.raises(UploadRefused, match="1 upload waiting or being verified"):
        _receive(author)
    assert _lying() == [first.token]


def test_undecided_uploads_are_bounded_in_number(
    author: User, verified: UploadMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_UNDECIDED", 2)
    uploads.publish(verified(), author)
    verified(status=Status.DONE, digest="", is_clean=False)  # refused: nothing of it is kept
    verified(owner=User.objects.create_user("another"))
    waiting = verified()
    _receive(author)
    with pytest.raises(UploadRefused, match="2 uploads that are neither published nor discarded"):
        _receive(author)
    assert len(_lying()) == 1
    uploads.discard(waiting)
    _receive(author)


def test_undecided_uploads_are_bounded_in_bytes_unpacked(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed({"data/secret/1.in": "1" * 100_000})
    first = _receive(author, content)
    assert 100_000 < first.kept_bytes < 101_000
    assert first.size < 10_000
    monkeypatch.setattr(uploads, "MOST_UNDECIDED_BYTES", 200_000)
    with pytest.raises(UploadRefused, match="neither published nor discarded and this one hold more"):
        _receive(author, content)
    _receive(author)
    assert len(_lying()) == 2


def test_first_upload_is_never_too_large_for_the_bound_of_all(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_UNDECIDED_BYTES", 1)
    _receive(author)


# --- published


def test_clean_package_becomes_a_problem(verified: UploadMaker, author: User) -> None:
    upload = verified()
    version = uploads.publish(upload, author)
    upload.refresh_from_db()
    assert (version.problem.slug, version.problem.owner, version.title) == ("double", author, "Twice")
    assert (upload.published_version, upload.published_by, upload.is_decided) == (version, author, True)
    assert version.problem.current_version == version


def test_name_can_be_chosen_and_the_problem_hidden(verified: UploadMaker, author: User) -> None:
    version = uploads.publish(verified(), author, slug="other", hidden=True)
    assert (version.problem.slug, version.problem.is_hidden) == ("other", True)


def test_package_with_a_report_that_is_not_clean_needs_a_reason(verified: UploadMaker, author: User) -> None:
    upload = verified(is_clean=False)
    for reason in ("", "  \n"):
        with pytest.raises(UploadRefused, match="give a reason"):
            uploads.publish(upload, author, reason)
    uploads.publish(upload, author, " The slow one is meant to be slow. ")
    upload.refresh_from_db()
    assert upload.reason == "The slow one is meant to be slow."


@pytest.mark.parametrize(
    "columns",
    [
        {"status": Status.QUEUED},
        {"status": Status.JUDGING},
        {"digest": ""},
        {"report": None},
        {"discarded_at": timezone.now()},
        {"published_at": timezone.now()},
    ],
)
def test_what_is_not_verified_or_decided_is_not_published(
    verified: UploadMaker, author: User, columns: dict[str, object]
) -> None:
    with pytest.raises(UploadRefused):
        uploads.publish(verified(**columns), author, "because")
    assert not Problem.objects.exists()


def test_name_of_somebody_elses_problem_is_refused(verified: UploadMaker, author: User) -> None:
    Problem.objects.create(slug="double", title="Theirs", owner=User.objects.create_user("bob"))
    with pytest.raises(UploadRefused, match="double is the name of a problem of somebody else"):
        uploads.publish(verified(), author)


def test_replacing_makes_the_next_version_whatever_the_name(verified: UploadMaker, author: User) -> None:
    first = uploads.publish(verified(), author, slug="own")
    second = uploads.publish(verified({"data/secret/1.ans": "43\n"}, replaces=first.problem), author)
    assert (second.number, second.problem.slug) == (2, "own")


def test_problem_of_somebody_else_is_not_replaced(verified: UploadMaker, author: User) -> None:
    theirs = Problem.objects.create(slug="theirs", title="Theirs", owner=User.objects.create_user("bob"))
    with pytest.raises(UploadRefused, match="is not yours"):
        uploads.publish(verified(replaces=theirs), author)


@together
def test_two_who_publish_at_once_publish_once(verified: UploadMaker, author: User) -> None:
    upload = verified()
    start = threading.Barrier(2)
    refused: list[str] = []

    def run() -> None:
        start.wait()
        try:
            uploads.publish(upload, author)
        except UploadRefused as error:
            refused.append(str(error))
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["This upload is published already."]
    assert ProblemVersion.objects.count() == 1


# --- discarded


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
    upload = _receive(author)
    lease = records.claim(PackageUpload.objects.filter(pk=upload.pk), "node/0")
    assert lease is not None
    uploads.discard(upload)
    with pytest.raises(LeaseLost), fenced(lease):
        pass
    assert not _lying()
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


# --- verified again, swept


@together
def test_verifying_again_queues_it_with_what_is_left_out(verified: UploadMaker) -> None:
    upload = verified(when_clean=WhenClean.ASK)
    uploads.verify_again(upload, ["accepted/a.py"])
    upload.refresh_from_db()
    assert (upload.status, upload.report, upload.excluded) == (Status.QUEUED, None, ["accepted/a.py"])
    assert doorbell.ringing(Precedence.INSTRUCTORS) == 1
    with pytest.raises(UploadRefused, match="under way"):
        uploads.verify_again(upload)


def test_too_many_verified_again_at_once_are_refused(verified: UploadMaker, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    uploads.verify_again(verified())
    waiting = verified()
    with pytest.raises(UploadRefused, match="1 upload waiting or being verified"):
        uploads.verify_again(waiting)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.is_clean) == (Status.DONE, True)


@together
def test_upload_that_nobody_decides_about_is_swept(verified: UploadMaker, store: PackageStore) -> None:
    fresh = verified({"data/secret/1.ans": "7\n"}, finished_at=timezone.now() - timedelta(days=29))
    old = verified(finished_at=timezone.now() - timedelta(days=31))
    sweeper.sweep()
    old.refresh_from_db()
    assert old.discarded_at is not None
    assert {path.name for path in store.root.iterdir()} == {"incoming", fresh.digest}


def test_bytes_that_no_row_names_are_swept_a_day_later(author: User) -> None:
    kept = _receive(author).token
    for name in (kept, "orphan", "fresh"):
        (archives.incoming() / name).touch()
        if name != "fresh":
            os.utime(archives.incoming() / name, (time.time() - 90_000,) * 2)
    uploads.sweep()
    assert sorted(_lying()) == sorted([kept, "fresh"])


def test_stored_package_that_no_row_names_is_left_to_whose_it_may_be(
    verified: UploadMaker, store: PackageStore
) -> None:
    foreign = verified()
    foreign.delete()
    os.utime(store.root / foreign.digest, (time.time() - 90_000,) * 2)
    uploads.sweep()
    assert store.has(foreign.digest)


@pytest.mark.parametrize(("wish", "is_hidden"), [(WhenClean.PUBLISH, False), (WhenClean.HIDE, True)])
def test_publishing_that_was_interrupted_is_carried_out(
    verified: UploadMaker, wish: WhenClean, is_hidden: bool
) -> None:
    upload = verified(when_clean=wish)
    waiting = [
        verified(when_clean=wish, is_clean=False),
        verified(when_clean=wish, status=Status.JUDGING, is_clean=None),
        verified(when_clean=WhenClean.ASK),
    ]
    sweeper.sweep()
    assert Problem.objects.get().is_hidden is is_hidden
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
        time.sleep(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
