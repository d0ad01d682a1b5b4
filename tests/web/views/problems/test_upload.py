"""Sending a problem package in: taken at once, or refused with what is wrong with the archive and nothing kept."""

import re
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
from judge.uploads import archives, caps, uploads
from problems.models import Problem
from problems.store.store import StoreUnavailable
from tests.judge.packed import packed
from tests.web.dense import dense
from web.identity.accounts import make_instructor

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


def send(client: Client, address: str = "/problems/archive/upload/", **files: bytes) -> HttpResponse:
    """The answer to a request with several archives of these names."""
    archives = [SimpleUploadedFile(f"{name}.zip", content) for name, content in files.items()]
    return client.post(address, {"archive": archives, "when_clean": "hide"})  # type: ignore[return-value]


def numbered(number: int) -> bytes:
    """A package unlike the others."""
    return packed({"data/secret/1.ans": f"{number}\n"})


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
    page = dense(answer.content.decode())
    assert answer.status_code == 422
    assert "Not uploaded: double.zip has 1 mistake<" in page
    assert f"<code>{file}</code>" in page
    assert why in page
    assert not PackageUpload.objects.exists()
    assert not kept()


def test_a_button_pressed_twice_makes_one_upload(uploader: Client) -> None:
    places = {upload(uploader)["Location"] for _ in range(2)}
    assert places == {f"/uploads/{PackageUpload.objects.get().pk}/"}
    assert "You sent the same a few seconds ago." in uploader.get(places.pop()).content.decode()
    assert len(kept()) == 1


def test_archive_over_the_cap_is_refused(uploader: Client, settings: Settings) -> None:
    settings.MAX_PACKAGE_BYTES = 1_024
    answer = upload(uploader, b"x" * 2_048)
    assert (
        "double.zip has 2\N{NO-BREAK SPACE}KiB; at most 1\N{NO-BREAK SPACE}KiB are allowed." in answer.content.decode()
    )


def test_form_without_a_file_says_so(uploader: Client) -> None:
    assert "Choose a zip file." in uploader.post("/problems/archive/upload/", {"when_clean": "ask"}).content.decode()
    assert "Choose a zip file." in uploader.post("/problems/archive/upload/", {}).content.decode()


def test_several_archives_of_one_form_become_one_upload_each(uploader: Client) -> None:
    answer = send(uploader, one=numbered(1), two=numbered(2), three=numbered(3))
    assert answer["Location"] == "/problems/mine/"
    assert list(PackageUpload.objects.order_by("pk").values_list("name", "status", "when_clean")) == [
        (f"{name}.zip", Status.QUEUED, "hide") for name in ("one", "two", "three")
    ]
    assert len(kept()) == 3
    page = uploader.get("/problems/mine/").content.decode()
    assert "3 packages were taken." in page
    assert all(f"{name}.zip" in page for name in ("one", "two", "three"))


def test_refused_archives_are_named_while_the_others_are_taken(uploader: Client) -> None:
    answer = send(uploader, good=numbered(1), cut=numbered(2)[:-40], text=b"text", right=numbered(3))
    page = dense(answer.content.decode())
    assert answer.status_code == 422
    assert list(PackageUpload.objects.order_by("pk").values_list("name", flat=True)) == ["good.zip", "right.zip"]
    assert "2 packages were taken." in page
    assert re.findall(r"Not uploaded: (\S+) has 1 mistake<", page) == ["cut.zip", "text.zip"]
    assert len(kept()) == 2


@pytest.mark.parametrize("limit", ["MOST_UNDECIDED", "MOST_UNDECIDED_BYTES"])
def test_one_sentence_says_how_many_packages_fitted(
    uploader: Client, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(caps, limit, 2 if limit == "MOST_UNDECIDED" else 1)
    upload(uploader)
    answer = send(uploader, one=numbered(1), two=numbered(2), three=numbered(3))
    fitted = int(limit == "MOST_UNDECIDED")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.count(f"{fitted} of the 3 packages fitted: one person may have") == 1
    assert page.count("again: two.zip, three.zip." if fitted else "again: one.zip, two.zip, three.zip.") == 1
    assert "as many as are kept" not in page
    assert PackageUpload.objects.count() == len(kept()) == 1 + fitted


def test_a_button_pressed_twice_takes_each_of_several_packages_once(uploader: Client) -> None:
    for _ in range(2):
        assert send(uploader, one=numbered(1), two=numbered(2))["Location"] == "/problems/mine/"
    assert PackageUpload.objects.count() == len(kept()) == 2
    assert "You sent the same a few seconds ago. Each package was taken once." in (
        uploader.get("/problems/mine/").content.decode()
    )


def test_store_that_is_away_takes_none_of_several(uploader: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_archive: object, _token: str) -> int:
        raise StoreUnavailable("the bucket does not answer")

    monkeypatch.setattr(archives, "keep", away)
    page = send(uploader, one=numbered(1), two=numbered(2)).content.decode()
    assert page.count("The place where packages are kept does not answer.") == 1
    assert not PackageUpload.objects.exists()


def test_a_problem_is_replaced_by_a_single_package(uploader: Client, student: User, problem: Problem) -> None:
    Problem.objects.update(owner=student)
    address = f"/problems/{problem.slug}/replace"
    assert " multiple" in uploader.get("/problems/archive/upload/").content.decode()
    assert " multiple" not in uploader.get(address).content.decode()
    answer = send(uploader, address, one=numbered(1), two=numbered(2))
    assert "Choose a single zip file" in answer.content.decode()
    assert not PackageUpload.objects.exists()


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
