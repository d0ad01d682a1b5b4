"""A problem whose package is changed in the form: what was not changed is the same to the byte."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from judge import archives
from judge.models import PackageUpload
from problems import versions
from problems.loading import load_package
from problems.models import Problem
from problems.package import Package
from problems.publishing import publish
from problems.upload import staged_package
from tests.judge.packed import zipped
from tests.web.typed_problems import file
from web.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]
LEGACY = {
    "problem.yaml": "# by hand\nname: Twice\nuuid: abc\nlimits: {memory: 64, code: 7}\nauthor: [Ada, Bob]\n",
    ".timelimit": "2\n",
    "problem_statement/problem.en.md": "Read *n*.\r\n\r\nPrint 2n.",
    "problem_statement/problem.de.tex": "Lies $n$.\n",
    "problem_statement/tree.png": "png",
    "data/sample/1.in": "2\r\n",
    "data/sample/1.ans": "4",
    "data/sample/2.in": "3\n",
    "data/sample/2.ans": "6\n",
    "data/sample/2.desc": "three\n",
    "data/sample/3.in": "\x00",
    "data/sample/3.ans": "0\n",
    "data/secret/01.in": "21\n",
    "data/secret/01.ans": "42\n",
    "data/secret/01.5.in": "1\n",
    "data/secret/01.5.ans": "2\n",
    "data/secret/01.hint": "half of 42\n",
    "data/secret/02.in": "5\n",
    "data/secret/02.ans": "10\n",
    "generators/make.py": "print(1)\n",
    "attachments/notes.txt": "hello\n",
    "input_validators/check.py": "import sys\nsys.exit(42)\n",
    "submissions/accepted/a.py": "print(2 * int(input()))\n",
    "submissions/wrong_answer/b.py": "print(0)\n",
}
STRICT = {
    "problem.yaml": (
        "problem_format_version: 2025-09\nuuid: 0b9c\nname: {en: Twice, de: Doppelt}\ntype: pass-fail\n"
        "credits: {authors: Ada}\nlicense: cc by\n"
    ),
    "statement/problem.en.md": "Read *n*, print 2n.\n",
    "statement/problem.de.md": "Lies *n*.\n",
    "data/secret/test_group.yaml": "output_validator_args: [case_sensitive]\nfull_feedback: true\n",
    "data/secret/1.in": "21\n",
    "data/secret/1.ans": "42\n",
    "submissions/accepted/a.py": "print(2 * int(input()))\n",
}
Publisher = Callable[[Mapping[str, str]], Problem]
Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, settings: Settings) -> None:
    settings.STORE_DIR = tmp_path / "store"


@pytest.fixture
def owner(client: Client, student: User) -> Client:
    """The student made an instructor who is no staff, and signed in."""
    make_instructor(student)
    User.objects.update(is_staff=False)
    client.force_login(student)
    return client


@pytest.fixture
def published(tmp_path: Path, student: User) -> Publisher:
    """A function that publishes these files as the student's problem "twice"."""

    def make(files: Mapping[str, str]) -> Problem:
        root = tmp_path / "twice"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
        return publish(root, owner=student).problem

    return make


def fields(page: str) -> dict[str, Any]:
    """What a browser would send of the page if nothing was changed."""
    found: dict[str, Any] = {}
    form = page.split("data-typed")[1]
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
        is_chosen = not re.search(r'type="(radio|checkbox|file)"', tag) or " checked" in tag
        if name and is_chosen and "csrf" not in name[1]:
            found.setdefault(name[1], []).append(value[1] if value else "")
    for name, text in re.findall(r'<textarea[^>]*?name="([^"]*)".*?>\n(.*?)</textarea>', form, re.DOTALL):
        found.setdefault(name, []).append(text.replace("&amp;", "&").replace("&lt;", "<").replace("\n", "\r\n"))
    for name, options in re.findall(r'<select name="([^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = [chosen[1] if chosen else ""]
    return found


def as_shown(client: Client, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/problems/twice/edit/{query}")
    assert answer.status_code == 200
    return fields(answer.content.decode())


def change(client: Client, tmp_path: Path, query: str = "", **changes: Any) -> tuple[Package, Files]:
    """The package that a worker would load, and its files."""
    answer = client.post(f"/problems/twice/edit/{query}", {**as_shown(client, query), **changes})
    assert answer.status_code == 302, re.findall(
        r'class="errorlist.*?</ul>|role="alert".*?</div>', answer.content.decode(), re.DOTALL
    )
    taken = PackageUpload.objects.latest("pk")
    assert taken.replaces == Problem.objects.get()
    with staged_package(archives.incoming() / taken.token, staging_root=tmp_path, name=taken.name) as staged:
        files = {
            path.relative_to(staged.folder).as_posix(): path.read_bytes()
            for path in staged.folder.rglob("*")
            if path.is_file()
        }
        return load_package(staged.folder), files


def before(files: Mapping[str, str]) -> Files:
    return {name: text.encode() for name, text in files.items()}


def test_form_sent_as_it_was_changes_nothing(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    for query in ("", "?language=de"):
        answer = owner.post(f"/problems/twice/edit/{query}", as_shown(owner, query))
        assert "Nothing was changed." in answer.content.decode()
    assert not PackageUpload.objects.exists()


def test_only_the_statement_changes_if_only_that_was_changed(
    owner: Client, published: Publisher, tmp_path: Path
) -> None:
    published(LEGACY)
    package, files = change(owner, tmp_path, statement="Read *n*.\r\n\r\nPrint it twice.")
    name = "problem_statement/problem.en.md"
    assert files.pop(name) == b"Read *n*.\n\nPrint it twice.\n"
    assert files == {key: value for key, value in before(LEGACY).items() if key != name}
    assert package.name == "Twice"


def test_each_language_has_its_text_and_title(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    shown = as_shown(owner, "?language=de")
    assert (shown["form"], shown["language"], shown["statement"]) == (["latex"], ["de"], ["Lies $n$.\r\n"])
    package, files = change(owner, tmp_path, "?language=de", form="markdown", statement="Lies.", title="Doppelt")
    assert "problem_statement/problem.de.tex" not in files
    assert files["problem_statement/problem.de.md"] == b"Lies.\n"
    assert {each.language: each.title for each in package.statements} == {"en": "Twice", "de": "Doppelt"}


def test_another_language_is_added(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    assert as_shown(owner, "?language=other")["statement"] == [""]
    _, files = change(owner, tmp_path, "?language=other", language="sv", statement="Skriv.")
    assert files.pop("problem_statement/problem.sv.md") == b"Skriv.\n"
    assert files == before(LEGACY)
    answer = owner.post(
        "/problems/twice/edit/?language=other", {**as_shown(owner, "?language=other"), "language": "de"}
    )
    assert "There is a text in this language" in answer.content.decode()


def test_keys_of_problem_yaml_change_one_by_one(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    shown = as_shown(owner)
    assert "author" not in shown  # it is a list
    assert (shown["time_limit"], shown["memory_mib"]) == (["2"], ["64"])
    package, files = change(
        owner, tmp_path, title="Two", memory_mib="", time_limit="0.5", license="cc0", comparison="exact"
    )
    text = files.pop("problem.yaml").decode()
    assert text == (
        "name: Two\nuuid: abc\nlimits:\n  code: 7\nauthor:\n- Ada\n- Bob\n"
        "validator_flags: case_sensitive space_change_sensitive\nlicense: cc0\n"
    )
    assert files.pop(".timelimit") == b"0.5\n"
    assert files == {
        name: value for name, value in before(LEGACY).items() if name not in ("problem.yaml", ".timelimit")
    }
    assert package.limits.time_limit_ms == 500


def test_samples_are_changed_removed_and_added(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    shown = as_shown(owner)
    assert shown["sample_name"] == ["1", "2"]  # the third is no text
    shown = {
        "sample_name": ["1", "", "elsewhere"],
        "sample_input": ["2\r\n", "7", "8"],
        "sample_answer": ["5\r\n", "14", "16"],
    }
    package, files = change(owner, tmp_path, **shown)
    changed = {"data/sample/1.ans": b"5\n"}
    changed |= {"data/sample/4.in": b"7\n", "data/sample/4.ans": b"14\n"}
    changed |= {"data/sample/5.in": b"8\n", "data/sample/5.ans": b"16\n"}
    gone = {"data/sample/2.in", "data/sample/2.ans", "data/sample/2.desc"}
    expected = {name: value for name, value in before(LEGACY).items() if name not in gone}
    names = [case.name for case in package.test_cases if case.is_sample]
    assert names == ["sample/1", "sample/3", "sample/4", "sample/5"]
    assert files == {**expected, **changed}


def test_tests_are_removed_and_added(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "secret/01.5" in page
    archive = zipped({"x/3.in": "3\n", "x/3.out": "6\n"})
    tests = [file("02.in", "6\n"), file("02.ans", "12\n"), file("more.zip", archive)]
    _, files = change(owner, tmp_path, removed_cases=["secret/01", "sample/3"], tests=tests)
    expected = before(LEGACY)
    for name in (
        "data/secret/01.in",
        "data/secret/01.ans",
        "data/secret/01.hint",
        "data/sample/3.in",
        "data/sample/3.ans",
    ):
        del expected[name]
    expected |= {"data/secret/02.in": b"6\n", "data/secret/02.ans": b"12\n"}
    added = {name: files.pop(name) for name in list(files) if name not in expected}
    assert files == expected
    assert sorted(added.values()) == [b"3\n", b"6\n"]


def test_programs_pictures_and_downloads_are_removed_and_added(
    owner: Client, published: Publisher, tmp_path: Path
) -> None:
    published(LEGACY)
    gone = [
        "submissions/wrong_answer/b.py",
        "input_validators/check.py",
        "problem_statement/tree.png",
        "attachments/notes.txt",
    ]
    added: dict[str, Any] = {
        "jury_time_limit_exceeded": [file("slow.cpp")],
        "input_validator": [file("grammar.ctd")],
        "pictures": [file("leaf.png")],
        "attachments": [file("new.txt")],
    }
    _, files = change(owner, tmp_path, removed=gone, **added)
    expected = {name: value for name, value in before(LEGACY).items() if name not in gone}
    new = (
        "submissions/time_limit_exceeded/slow.cpp",
        "input_validators/grammar.ctd",
        "problem_statement/leaf.png",
        "attachments/new.txt",
    )
    assert files == expected | dict.fromkeys(new, b"x")


def test_checker_of_its_own_comes_and_goes(owner: Client, published: Publisher, tmp_path: Path, student: User) -> None:
    published(LEGACY)
    package, files = change(
        owner, tmp_path, comparison="own", checker=[file("check.py", "import sys\n"), file("more.h")]
    )
    assert package.output_validator
    assert files["output_validators/checker/check.py"] == b"import sys\n"
    publish(package_folder(files, tmp_path / "2/twice"), owner=student)
    assert "As now: the checker output_validators/checker" in owner.get("/problems/twice/edit/").content.decode()
    package, files = change(owner, tmp_path, comparison="words")
    assert package.output_validator is None
    assert not any(name.startswith("output_validator") for name in files)
    assert b"validation" not in files["problem.yaml"]


def package_folder(files: Files, root: Path) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_package_of_2025_09_keeps_its_shape(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(STRICT)
    page = owner.get("/problems/twice/edit/?language=de").content.decode()
    assert "As now: word by word: case matters" in page
    assert 'value="Doppelt"' in page
    changes = {"title": "Zweimal", "comparison": "floats", "tolerance": "1e-3", "time_limit": "2"}
    package, files = change(owner, tmp_path, "?language=de", **changes)
    group = yaml.safe_load(files["data/secret/test_group.yaml"])
    assert group == {"output_validator_args": ["float_tolerance", "1e-3"], "full_feedback": True}
    text = files["problem.yaml"].decode()
    assert "name:\n  en: Twice\n  de: Zweimal\n" in text
    assert "limits:\n  time_limit: 2\n" in text
    assert {case.validator_args for case in package.test_cases} == {("float_tolerance", "1e-3")}
    assert files["statement/problem.de.md"] == STRICT["statement/problem.de.md"].encode()


def test_own_checker_of_2025_09_lies_in_its_folder(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(STRICT)
    package, files = change(owner, tmp_path, comparison="own", checker=[file("check.py", "import sys\n")])
    assert package.output_validator
    assert "output_validator/check.py" in files
    assert files["data/secret/test_group.yaml"] == b"full_feedback: true\n"


def test_flags_that_differ_between_groups_stay(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published({**LEGACY, "data/secret/testdata.yaml": "output_validator_flags: case_sensitive\n"})
    shown = owner.get("/problems/twice/edit/").content.decode()
    assert "stands with the groups of tests" in shown
    assert 'value="words"' not in shown
    answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "comparison": "words", "title": "x"})
    assert "Select a valid choice" in answer.content.decode()


def test_calibrated_limit_is_left_empty_and_can_be_again(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published({**LEGACY, "domjudge-problem.ini": "name = x\ntimelimit = 3\n"})
    package, files = change(owner, tmp_path, time_limit="")
    assert not package.is_time_limit_given
    assert files["domjudge-problem.ini"] == b"name = x\n"
    answer = owner.post(
        "/problems/twice/edit/", {**as_shown(owner), "time_limit": "", "removed": ["submissions/accepted/a.py"]}
    )
    assert "or an accepted submission" in answer.content.decode()


def test_tests_go_to_the_group_that_was_chosen(owner: Client, published: Publisher, tmp_path: Path) -> None:
    groups = {"data/secret/easy/1.in": "1\n", "data/secret/easy/1.ans": "2\n"}
    published({**LEGACY, **groups})
    _, files = change(owner, tmp_path, test_folder="easy", tests=[file("1.in", "9\n"), file("1.ans", "18\n")])
    assert files == before(LEGACY) | {"data/secret/easy/1.in": b"9\n", "data/secret/easy/1.ans": b"18\n"}


def test_last_test_cannot_go(owner: Client, published: Publisher) -> None:
    published(STRICT)
    answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "removed_cases": ["secret/1"]})
    assert "Without a test case nothing can be judged" in answer.content.decode()


def test_only_what_the_page_offers_can_be_removed(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    for name in ("problem.yaml", "../../etc/passwd", "generators/make.py"):
        answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "removed": [name]})
        assert "Select a valid choice" in answer.content.decode()
    assert not PackageUpload.objects.exists()


def test_version_that_came_meanwhile_is_not_overwritten(
    owner: Client, published: Publisher, student: User, tmp_path: Path
) -> None:
    published(LEGACY)
    shown = as_shown(owner)
    publish(package_folder(before({**LEGACY, "attachments/more.txt": "x"}), tmp_path / "2/twice"), owner=student)
    answer = owner.post("/problems/twice/edit/", {**shown, "title": "Mine"})
    assert "Version 2 was published meanwhile" in answer.content.decode()
    assert 'value="Mine"' in answer.content.decode()


def test_undecided_upload_is_pointed_at(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    change(owner, tmp_path, title="Two")
    address = reverse("package_upload", args=[PackageUpload.objects.get().pk])
    assert f'href="{address}"' in owner.get("/problems/twice/edit/").content.decode()


def test_rows_for_samples_come_without_scripts(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    answer = owner.post(
        "/problems/twice/edit/",
        {**as_shown(owner), "more": "sample", "title": "Two", "removed": ["attachments/notes.txt"]},
    )
    shown = fields(answer.content.decode())
    assert answer.status_code == 200
    assert shown["sample_name"] == ["1", "2", ""]
    assert shown["title"] == ["Two"]
    assert shown["removed"] == ["attachments/notes.txt"]


def test_problem_yaml_that_could_be_harmed_is_not_edited(owner: Client, published: Publisher) -> None:
    published({**LEGACY, "problem.yaml": "name: A\nname: B\n"})
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "This package is not for the form" in page
    assert 'href="/problems/twice/replace"' in page
    assert 'href="/problems/twice/manage/versions/1/zip"' in page


def test_only_owner_and_staff_edit(client: Client, published: Publisher, other_student: User, instructor: User) -> None:
    published(LEGACY)
    assert client.get("/problems/twice/edit/").status_code == 404
    make_instructor(other_student)
    User.objects.filter(pk=other_student.pk).update(is_staff=False)
    client.force_login(User.objects.get(pk=other_student.pk))
    assert client.get("/problems/twice/edit/").status_code == 404
    assert client.post("/problems/twice/edit/", {}).status_code == 404
    client.force_login(instructor)
    assert client.get("/problems/twice/edit/").status_code == 200
    assert 'href="/problems/twice/edit/"' in client.get("/problems/twice/manage/").content.decode()


def test_time_limit_that_the_format_does_not_take_is_refused(
    owner: Client, published: Publisher, tmp_path: Path
) -> None:
    published(STRICT)
    answer = owner.post("/problems/twice/edit/", {**as_shown(owner), "time_limit": "0.5"})
    assert "In this package a time limit is a multiple of 1 s." in answer.content.decode()
    package, _ = change(owner, tmp_path, time_limit="3")
    assert package.limits.time_limit_ms == 3_000


def test_settings_that_count_instead_are_named(owner: Client, published: Publisher, student: User) -> None:
    versions.choose(published(LEGACY), {"time_limit_ms": 3_500}, student)
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "which count before what the package says: time limit 3.5\N{NO-BREAK SPACE}s" in page
    assert as_shown(owner)["time_limit"] == ["2"]
