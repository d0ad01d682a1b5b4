"""Uploading a problem package: published whole, or refused with what is wrong and nothing kept."""

import io
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from problems.models import Problem
from sandbox.errors import JailError
from web.accounts import make_instructor

pytestmark = pytest.mark.django_db

FILES = {
    "double/problem.yaml": "name: Twice\nlimits:\n  memory: 64\n",
    "double/problem_statement/problem.en.md": "Read *n*, print 2n. <script>alert(1)</script>",
    "double/data/sample/1.in": "2\n",
    "double/data/sample/1.ans": "4\n",
    "double/data/secret/1.in": "21\n",
    "double/data/secret/1.ans": "42\n",
    "double/submissions/accepted/a.py": "print(2 * int(input()))\n",
}
VALIDATOR = {**FILES, "double/problem.yaml": "name: Twice\nvalidation: custom\n"}


@pytest.fixture
def uploader(client: Client, student: User) -> Client:
    """The student made an instructor, and signed in."""
    make_instructor(student)
    client.force_login(student)
    return client


def upload(client: Client, files: dict[str, str] | bytes, name: str = "double.zip", **fields: str) -> HttpResponse:
    content = files if isinstance(files, bytes) else zipped(files)
    return client.post("/problems/upload/", {"archive": SimpleUploadedFile(name, content), **fields})  # type: ignore[return-value]


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def staged() -> list[Path]:
    """What is left in the staging folder."""
    return list((settings.VAR_DIR / "staging").glob("*"))


def test_good_package_is_published_and_its_page_shown(uploader: Client) -> None:
    answer = upload(uploader, FILES)
    assert (answer.status_code, answer["Location"]) == (302, "/problems/double/")
    page = uploader.get("/problems/double/").content.decode()
    assert "Published with 2 test cases." in page
    assert "<em>n</em>" in page
    assert "alert(1)" not in page
    assert "Twice" in Client().get("/").content.decode()
    assert not staged()


def test_hidden_package_is_for_instructors_only(uploader: Client) -> None:
    upload(uploader, FILES, hidden="on")
    assert uploader.get("/problems/double/").status_code == 200
    assert Client().get("/problems/double/").status_code == 404


def test_htmx_upload_is_led_to_the_page_by_a_header(uploader: Client) -> None:
    archive = SimpleUploadedFile("double.zip", zipped(FILES))
    answer = uploader.post("/problems/upload/", {"archive": archive}, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == "/problems/double/"


def test_second_upload_is_a_new_version(uploader: Client) -> None:
    upload(uploader, FILES)
    upload(uploader, {**FILES, "double/problem.yaml": "name: Twice again\n"})
    problem = Problem.objects.get()
    assert (problem.title, problem.versions.count()) == ("Twice again", 2)


def without(*names: str) -> dict[str, str]:
    return {name: text for name, text in FILES.items() if name not in names}


@pytest.mark.parametrize(
    ("files", "file", "why"),
    [
        (b"not a zip", "double.zip", "zip"),
        (b"", "double.zip", "is empty"),
        (zipped(FILES)[:-40], "double.zip", "zip"),
        (without("double/problem.yaml"), "problem.yaml", "is missing"),
        (without("double/data/secret/1.ans"), "data/secret/1.in", "answer"),
        ({**FILES, "double/problem.yaml": "name: [unclosed"}, "problem.yaml", ""),
        ({**FILES, "../escape": "x"}, "../escape", ""),
        ({name.replace("double/", "upload/"): text for name, text in FILES.items()}, "upload", "address of the site"),
        (
            {**VALIDATOR, "double/output_validators/v.cpp": "int main( {"},
            "v.cpp",
            "does not compile",
        ),
        (
            {**VALIDATOR, "double/output_validators/v.py": "import sys\nsys.exit(43)\n"},
            "v.py",
            "rejects the answer file",
        ),
        (
            {**VALIDATOR, "double/output_validators/v.py": "import sys\nsys.exit(0)\n"},
            "v.py",
            "exited with 0",
        ),
    ],
)
def test_bad_package_is_refused_file_by_file_and_nothing_kept(
    uploader: Client, files: dict[str, str] | bytes, file: str, why: str
) -> None:
    answer = upload(uploader, files)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Nothing was published" in page
    assert any(
        file in mistake.where and why in mistake.sentence
        for mistake in answer.context["errors"]  # type: ignore[attr-defined]
    ), page
    assert not Problem.objects.exists()
    assert not staged()


def test_all_mistakes_are_told_at_once(uploader: Client) -> None:
    answer = upload(uploader, without("double/data/secret/1.ans", "double/data/sample/1.ans"))
    assert "2 things are wrong" in answer.content.decode()


def test_good_validator_is_tried_and_published(uploader: Client) -> None:
    source = "import sys\nsys.exit(42 if sys.stdin.read().split() == open(sys.argv[2]).read().split() else 43)\n"
    answer = upload(uploader, {**VALIDATOR, "double/output_validators/v.py": source})
    assert answer.status_code == 302


@pytest.mark.parametrize("error", [JailError("nsjail does not start"), PermissionError(13, "Permission denied")])
def test_validator_without_a_sandbox_is_refused_with_a_sentence(
    uploader: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def no_sandbox(work_root: Path) -> None:
        raise error

    monkeypatch.setattr("web.admission.NsjailSandbox", no_sandbox)
    answer = upload(uploader, {**VALIDATOR, "double/output_validators/v.py": "import sys\nsys.exit(42)\n"})
    assert answer.status_code == 422
    assert "cannot try the package&#x27;s validator, so nothing was published:" in answer.content.decode()
    assert not Problem.objects.exists()


def test_archive_over_the_cap_is_refused(uploader: Client, settings: Settings) -> None:
    settings.MAX_PACKAGE_BYTES = 1_024
    answer = upload(uploader, b"x" * 2_048)
    assert "The file has 2\N{NO-BREAK SPACE}KiB; at most 1\N{NO-BREAK SPACE}KiB are allowed." in answer.content.decode()


def test_form_without_a_file_says_so(uploader: Client) -> None:
    assert "Choose a zip file." in uploader.post("/problems/upload/", {"hidden": "on"}).content.decode()
    assert "Choose a zip file." in uploader.post("/problems/upload/", {}).content.decode()


def test_problem_of_somebody_else_is_not_replaced(uploader: Client, instructor: User) -> None:
    Problem.objects.create(slug="double", title="Theirs", owner=instructor)
    answer = upload(uploader, FILES)
    assert answer.status_code == 422
    assert Problem.objects.get().title == "Theirs"


def test_students_and_strangers_upload_nothing(client: Client, student: User) -> None:
    assert upload(client, FILES)["Location"] == "/login/?next=/problems/upload/"
    client.force_login(student)
    assert upload(client, FILES).status_code == 403
    assert client.get("/problems/upload/").status_code == 403
    assert "Upload" not in client.get("/").content.decode()
    assert not Problem.objects.exists()
