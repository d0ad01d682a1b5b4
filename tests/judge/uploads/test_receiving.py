"""Packages that people send in: taken and kept, or refused."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from judge.models import PackageUpload, Status, WhenClean
from judge.queue import wakeup
from judge.uploads import archives, caps, uploads
from judge.uploads.uploads import NoRoom
from problems.package import PackageErrors
from tests.judge.packed import packed
from tests.judge.uploads.sent import lying, received

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "store")]
together = pytest.mark.django_db(transaction=True)
UploadMaker = Callable[..., PackageUpload]


@together
def test_received_archive_is_kept_and_rung_for(author: User) -> None:
    upload = received(author, when_clean=WhenClean.HIDE)
    assert (upload.status, upload.size, upload.when_clean) == (Status.QUEUED, len(packed()), "hide")
    assert (archives.incoming() / upload.token).read_bytes() == packed()
    assert wakeup.unread_wakeups() == 1


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
        received(author, content)
    assert not lying()
    assert not PackageUpload.objects.exists()


@pytest.mark.usefixtures("every_send_counts")
def test_undecided_uploads_are_bounded_in_number(
    author: User, verified: UploadMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 2)
    uploads.publish(verified(), author)
    verified(status=Status.DONE, digest="", is_clean=False)  # refused: nothing of it is kept
    verified(owner=User.objects.create_user("another"))
    waiting = verified()
    received(author)
    with pytest.raises(NoRoom, match="2 uploads that are neither published nor discarded"):
        received(author)
    assert len(lying()) == 1
    uploads.discard(waiting)
    received(author)


@pytest.mark.usefixtures("every_send_counts")
def test_undecided_uploads_are_bounded_in_bytes_unpacked(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed({"data/secret/1.in": "1" * 100_000})
    first = received(author, content)
    assert 100_000 < first.kept_bytes < 101_000
    assert first.size < 10_000
    monkeypatch.setattr(caps, "MOST_UNDECIDED_BYTES", 200_000)
    with pytest.raises(NoRoom, match="neither published nor discarded and this one hold more"):
        received(author, content)
    received(author)
    assert len(lying()) == 2


def test_first_upload_is_never_too_large_for_the_bound_of_all(author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED_BYTES", 1)
    assert received(author).kept_bytes > 1
    assert len(lying()) == 1


def test_a_whole_problem_set_is_taken_whatever_is_under_way(author: User) -> None:
    for number in range(caps.MOST_UNDECIDED):
        received(author, packed({"data/secret/1.ans": f"{number}\n"}))
    with pytest.raises(NoRoom, match="40 uploads"):
        received(author)
    assert PackageUpload.objects.exclude(status=Status.DONE).count() == len(lying()) == 40


def test_button_pressed_twice_with_many_packages_takes_each_once(author: User, settings: Settings) -> None:
    settings.SENT_AGAIN_S = 600
    sent = [packed({"data/secret/1.ans": f"{number}\n"}) for number in range(caps.MOST_UNDECIDED)]
    first = [received(author, content).pk for content in sent]
    assert [received(author, content).pk for content in sent] == first
