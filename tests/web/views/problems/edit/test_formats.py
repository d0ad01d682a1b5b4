"""What the form keeps of a package that is not as simple as the form: 2025-09, groups, calibrated limits."""

from pathlib import Path

import pytest
import yaml
from django.test import Client

from tests.web.typed_problems import file
from tests.web.views.problems.edit.form import LEGACY, STRICT, Publisher, as_shown, before, change

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]


def test_package_of_2025_09_keeps_its_shape(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(STRICT)
    page = owner.get("/problems/twice/edit/?language=de").content.decode()
    assert "unchanged: word by word, case-sensitive" in page
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
    assert "The test groups or the problem's own checker decide which outputs are right." in shown
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
    assert "or add an accepted submission" in answer.content.decode()


def test_tests_go_to_the_group_that_was_chosen(owner: Client, published: Publisher, tmp_path: Path) -> None:
    groups = {"data/secret/easy/1.in": "1\n", "data/secret/easy/1.ans": "2\n"}
    published({**LEGACY, **groups})
    _, files = change(owner, tmp_path, test_folder="easy", tests=[file("1.in", "9\n"), file("1.ans", "18\n")])
    assert files == before(LEGACY) | {"data/secret/easy/1.in": b"9\n", "data/secret/easy/1.ans": b"18\n"}
