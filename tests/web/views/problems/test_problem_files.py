"""Files of a problem: only what the version lists, only to who may see the problem, and nothing that could run."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from problems.models import Audience, Problem, ProblemVersion
from problems.package import PageFile
from web.identity.accounts import make_instructor

DIGEST = "0" * 64
FILES = {
    "statement/cave.png": ("picture", b"\x89PNG"),
    "statement/plan.SVG": ("picture", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
    "statement/problem.en.pdf": ("pdf", b"%PDF"),
    "attachments/page.html": ("attachment", b"<script>alert(1)</script>"),
    'attachments/na"me \N{SNOWMAN}.txt': ("attachment", b"text"),
    "attachments/설명 파일.txt": ("attachment", b"text"),
    "data/sample/1.in.download": ("sample", b"1 2\n"),
}


@pytest.fixture
def version(problem: Problem, tmp_path: Path, settings: object) -> ProblemVersion:
    """The problem with these files in the store, and a secret one that is not listed."""
    settings.STORE_DIR = tmp_path  # type: ignore[attr-defined]
    for name, content in {**{name: content for name, (_, content) in FILES.items()}, "data/secret/1.in": b"7"}.items():
        path = tmp_path / DIGEST / "sumoftwo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    version = problem.current_version
    assert version is not None
    version.files = {name: PageFile(kind=kind, bytes=len(content)) for name, (kind, content) in FILES.items()}
    version.save()
    return version


def address(name: str, number: int = 1) -> str:
    return f"/problems/sumoftwo/files/{number}/{name}"


def status(client: Client, name: str, number: int = 1) -> int:
    """What the address answers; its body is read to its end."""
    answer = client.get(address(name, number))
    if answer.streaming:
        b"".join(answer)
    return answer.status_code


@pytest.mark.parametrize(
    ("name", "media_type", "disposition"),
    [
        ("statement/cave.png", "image/png", "inline"),
        ("statement/plan.SVG", "image/svg+xml", "inline"),
        ("statement/problem.en.pdf", "application/pdf", 'attachment; filename="problem.en.pdf"'),
        ("attachments/page.html", "application/octet-stream", 'attachment; filename="page.html"'),
        (
            'attachments/na"me \N{SNOWMAN}.txt',
            "application/octet-stream",
            "attachment; filename*=utf-8''na%22me%20%E2%98%83.txt",
        ),
        (
            "attachments/설명 파일.txt",
            "application/octet-stream",
            "attachment; filename*=utf-8''%EC%84%A4%EB%AA%85%20%ED%8C%8C%EC%9D%BC.txt",
        ),
        ("data/sample/1.in.download", "application/octet-stream", 'attachment; filename="1.in"'),
    ],
)
def test_file_is_served_as_what_it_is_and_locked_up(
    client: Client, version: ProblemVersion, name: str, media_type: str, disposition: str
) -> None:
    answer = client.get(address(name))
    assert answer.status_code == 200
    assert b"".join(answer.streaming_content) == FILES[name][1]  # type: ignore[attr-defined]
    assert answer["Content-Type"] == media_type
    assert answer["Content-Disposition"].split(";")[0] == disposition.split(";")[0]
    if "filename" in disposition:
        assert answer["Content-Disposition"] == disposition
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    assert int(answer["Content-Length"]) == len(FILES[name][1])


@pytest.mark.parametrize(
    "name",
    ["data/secret/1.in", "statement/nothing.png", "../../other", "statement/../data/secret/1.in", "statement", "%00"],
)
def test_what_the_version_does_not_list_is_not_there(client: Client, version: ProblemVersion, name: str) -> None:
    assert status(client, name) == 404


def test_other_versions_have_their_own_files(client: Client, version: ProblemVersion) -> None:
    version.pk, version.number, version.files = None, 2, {}
    version._state.adding = True
    version.save()
    assert status(client, "statement/cave.png", number=2) == 404
    assert status(client, "statement/cave.png", number=1) == 200
    assert status(client, "statement/cave.png", number=3) == 404


def test_files_of_a_hidden_problem_are_for_instructors(
    client: Client, version: ProblemVersion, student: User, instructor: User
) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    assert status(client, "statement/cave.png") == 404
    client.force_login(student)
    assert status(client, "statement/cave.png") == 404
    client.force_login(instructor)
    assert status(client, "statement/cave.png") == 200


def test_nothing_is_changed_here(client: Client, version: ProblemVersion) -> None:
    assert client.post(address("statement/cave.png")).status_code == 405
    answer = client.head(address("statement/cave.png"))
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_store_that_lost_a_file_is_our_fault(
    client: Client, version: ProblemVersion, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / DIGEST / "sumoftwo/statement/cave.png").unlink()
    assert status(client, "statement/cave.png") == 503
    assert "has no file statement/cave" in caplog.text


def test_files_of_an_earlier_package_are_for_those_who_manage_the_problem(
    client: Client, version: ProblemVersion, problem: Problem, student: User, other_student: User, instructor: User
) -> None:
    name = "attachments/page.html"
    problem.current_version = ProblemVersion.objects.create(
        **{**_columns(version), "number": 2, "digest": "1" * 64, "files": {}}
    )
    make_instructor(student)
    User.objects.filter(pk=student.pk).update(is_staff=False)
    problem.owner = student
    problem.save()
    assert status(client, name) == 404
    for user, expected in ((other_student, 404), (student, 200), (instructor, 200)):
        client.force_login(user)
        assert status(client, name) == expected, user


def test_a_change_of_settings_leaves_the_links_of_an_open_page_alive(
    client: Client, version: ProblemVersion, problem: Problem
) -> None:
    problem.current_version = ProblemVersion.objects.create(**{**_columns(version), "number": 2, "cores": 2})
    problem.save()
    assert status(client, "attachments/page.html") == 200


def _columns(version: ProblemVersion) -> dict[str, object]:
    return {field.attname: getattr(version, field.attname) for field in version._meta.fields if field.name != "id"}
