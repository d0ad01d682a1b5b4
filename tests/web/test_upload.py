"""Sending a problem package in: taken at once, or refused with what is wrong with the archive and nothing kept."""

import time
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from judge.models import PackageUpload, Status
from judge.uploads import archives, uploads
from problems.models import Problem
from tests.judge.packed import packed
from web.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]


@pytest.fixture
def uploader(client: Client, student: User) -> Client:
    """The student made an instructor, and signed in."""
    make_instructor(student)
    client.force_login(student)
    return client


def upload(
    client: Client, content: bytes | None = None, address: str = "/problems/archive/upload/", **fields: str
) -> HttpResponse:
    archive = SimpleUploadedFile("double.zip", packed() if content is None else content)
    return client.post(address, {"archive": archive, **fields})  # type: ignore[return-value]


def test_helper_packs_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    before = packed()
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    assert packed() == before


def kept() -> list[Path]:
    return list(archives.incoming().iterdir())


def test_package_is_taken_and_its_page_shown(uploader: Client) -> None:
    answer = upload(uploader)
    taken = PackageUpload.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/uploads/{taken.pk}/")
    assert (taken.name, taken.status, taken.when_clean) == ("double.zip", Status.QUEUED, "ask")
    assert [path.read_bytes() for path in kept()] == [packed()]
    page = uploader.get(answer["Location"]).content.decode()
    assert "No worker is running; the package is kept" in page
    assert not Problem.objects.exists()


def test_htmx_upload_is_led_to_the_page_by_a_header(uploader: Client) -> None:
    archive = SimpleUploadedFile("double.zip", packed())
    answer = uploader.post("/problems/archive/upload/", {"archive": archive}, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == f"/uploads/{PackageUpload.objects.get().pk}/"


def test_what_follows_a_clean_report_can_be_chosen(uploader: Client) -> None:
    upload(uploader, when_clean="hide")
    assert PackageUpload.objects.get().when_clean == "hide"


def test_large_archive_keeps_its_place_on_the_disk(
    uploader: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = archives.incoming()
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    sent: list[TemporaryUploadedFile] = []
    take = uploads.receive

    def note(archive: object, **how: object) -> PackageUpload:
        sent.append(archive.name)  # type: ignore[attr-defined]
        inode = Path(sent[0]).stat().st_ino  # type: ignore[arg-type]
        taken = take(archive, **how)  # type: ignore[arg-type]
        assert (archives.incoming() / taken.token).stat().st_ino == inode
        return taken

    monkeypatch.setattr(uploads, "receive", note)
    assert upload(uploader).status_code == 302
    assert len(sent) == 1
    assert [path.read_bytes() for path in kept()] == [packed()]


@pytest.mark.parametrize(
    ("content", "file", "why"),
    [
        (b"not a zip", "double.zip", "is no zip archive"),
        (b"", "double.zip", "is empty"),
        (packed()[:-40], "double.zip", "is cut off"),
        (packed({"../../escape": "x"}, folder="a"), "a/../../escape", ""),
    ],
)
def test_broken_archive_is_refused_at_once_and_nothing_kept(
    uploader: Client, content: bytes, file: str, why: str
) -> None:
    answer = upload(uploader, content)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Not uploaded: the archive has 1 mistake<" in page
    assert f"<code>{file}</code>" in page
    assert why in page
    assert not PackageUpload.objects.exists()
    assert not kept()


def test_a_button_pressed_twice_makes_one_upload(uploader: Client) -> None:
    places = {upload(uploader)["Location"] for _ in range(2)}
    assert places == {f"/uploads/{PackageUpload.objects.get().pk}/"}
    assert "You sent the same a few seconds ago." in uploader.get(places.pop()).content.decode()
    assert len(kept()) == 1


@pytest.mark.usefixtures("every_send_counts")
def test_too_many_at_once_are_refused_with_a_sentence(uploader: Client, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    upload(uploader)
    assert "as many as one person may have at once" in upload(uploader).content.decode()
    assert len(kept()) == 1


def test_archive_over_the_cap_is_refused(uploader: Client, settings: Settings) -> None:
    settings.MAX_PACKAGE_BYTES = 1_024
    answer = upload(uploader, b"x" * 2_048)
    assert "The file has 2\N{NO-BREAK SPACE}KiB; at most 1\N{NO-BREAK SPACE}KiB are allowed." in answer.content.decode()


def test_form_without_a_file_says_so(uploader: Client) -> None:
    assert "Choose a zip file." in uploader.post("/problems/archive/upload/", {"when_clean": "ask"}).content.decode()
    assert "Choose a zip file." in uploader.post("/problems/archive/upload/", {}).content.decode()


def test_package_sent_for_a_problem_replaces_it(uploader: Client, student: User, problem: Problem) -> None:
    Problem.objects.update(owner=student)
    assert problem.title in uploader.get("/problems/sumoftwo/replace").content.decode()
    assert upload(uploader, address="/problems/sumoftwo/replace").status_code == 302
    assert PackageUpload.objects.get().replaces == problem


def test_problem_of_somebody_else_takes_no_package(client: Client, student: User, problem: Problem) -> None:
    make_instructor(student)
    User.objects.update(is_staff=False)
    client.force_login(student)
    assert upload(client, address="/problems/sumoftwo/replace").status_code == 404
    assert not PackageUpload.objects.exists()


def test_students_and_strangers_upload_nothing(client: Client, student: User) -> None:
    assert upload(client)["Location"] == "/login/?next=/problems/archive/upload/"
    client.force_login(student)
    assert upload(client).status_code == 403
    assert client.get("/problems/archive/upload/").status_code == 403
    assert client.get("/problems/mine/").status_code == 403
    page = client.get("/problems/").content.decode()
    assert "Upload" not in page
    assert "My problems" not in page
    assert not PackageUpload.objects.exists()


def test_the_folder_of_files_that_come_in_is_for_nobody_else() -> None:
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o077 == 0
