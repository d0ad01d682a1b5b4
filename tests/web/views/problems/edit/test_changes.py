"""A problem whose package is changed in the form: what was not changed is the same to the byte."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.models import PackageUpload
from problems.store.publishing import publish
from tests.judge.packed import zipped
from tests.web.typed_problems import file
from tests.web.views.problems.edit.form import LEGACY, Publisher, as_shown, before, change, package_folder

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]


def test_form_sent_as_it_was_changes_nothing(owner: Client, published: Publisher) -> None:
    published(LEGACY)
    for query in ("", "?language=de"):
        answer = owner.post(f"/problems/twice/edit/{query}", as_shown(owner, query))
        assert "No changes to save." in answer.content.decode()
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
    assert "A statement in this language exists" in answer.content.decode()
    typed = {**as_shown(owner, "?language=other"), "language": "de", "more": "samples"}
    with_rows = owner.post("/problems/twice/edit/?language=other", typed)
    assert with_rows.context["language"] == ""  # the page still says that another language is being added


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
    assert "unchanged: the checker output_validators/checker" in owner.get("/problems/twice/edit/").content.decode()
    package, files = change(owner, tmp_path, comparison="words")
    assert package.output_validator is None
    assert not any(name.startswith("output_validator") for name in files)
    assert b"validation" not in files["problem.yaml"]
