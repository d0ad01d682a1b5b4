"""What is wrong with a converted package is told in the names of the files that its setter has."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from problems.editing.draft import Draft
from problems.editing.editable import read_editable
from problems.editing.editing import edited
from problems.format.origins import RECORD, Origins, read_origins, record_of
from problems.loading.lint import lint
from problems.loading.loading import load_package
from problems.package import PackageError, PackageErrors
from tests.problems.convert.conftest import Stage

NAMES = Origins({"data/secret/1.in": "tests/b 2.in", "data/secret/1.ans": "tests/b 2.out", "data/secret/10.in": "c.in"})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("data/secret/1.in: is empty", "tests/b 2.in: is empty"),
        ("data/secret/1.in, data/secret/10.in: hold the same", "tests/b 2.in, c.in: hold the same"),
        ("got WA on secret/1.", "got WA on secret/1 (tests/b 2.in)."),
        ("got WA on secret/10 and more", "got WA on secret/10 (c.in) and more"),
        ("secret/1.interaction and secret/1-x and x/secret/1", "secret/1.interaction and secret/1-x and x/secret/1"),
        ("data/secret/2.in", "data/secret/2.in"),
    ],
)
def test_names_are_those_that_the_files_had(words: str, expected: str) -> None:
    assert NAMES.original(words) == expected


def test_the_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    names = {"data/secret/1.in": "tests/b 2.in", "data/secret/1.ans": "tests/b 2.out"}
    (tmp_path / RECORD).write_text(record_of(names))
    assert read_origins({RECORD: tmp_path / RECORD}).original("data/secret/1.ans") == "tests/b 2.out"
    assert not read_origins({})


@pytest.mark.parametrize("content", ["data/secret/1.in\n", "a\tb\tc\n", "a\t\x1b[2J\n", "\tb\n"])
def test_a_record_that_says_something_else_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / RECORD).write_text(content)
    with pytest.raises(PackageError, match=r"converted\.tsv: line 1: must be a file's name here"):
        read_origins({RECORD: tmp_path / RECORD})


def test_a_zip_of_tests_is_spoken_of_by_its_own_names(stage: Stage) -> None:
    same = {"case9.in": "1 2\n", "case9.out": "3\n", "case10.in": "1 2\n", "case10.out": "3\n"}
    with stage(same) as staged:
        package = load_package(staged.folder)
        (notice,) = [each for each in lint(package) if "same input" in each]
        assert package.original(notice) == "case9.in, case10.in: hold the same input: all but one prove nothing"


def test_what_cannot_be_loaded_is_told_likewise(stage: Stage) -> None:
    with stage({"case9.in": "1 2\n", "case9.out": "3\n"}) as staged:
        (answer,) = staged.folder.glob("data/secret/*.ans")
        answer.unlink()
        with pytest.raises(PackageErrors) as caught:
            load_package(staged.folder)
    assert [error.file for error in caught.value.errors] == ["case9.in"]


def test_files_of_an_archive_inside_and_copies_have_their_names_too(stage: Stage) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.in", "1\r\n")  # DMOJ gives programs plain line ends: a copy is made
        archive.writestr("a.out", "1\n")
    yml = "archive: tests.zip\ntest_cases: [{in: a.in, out: a.out, points: 1}]\n"
    with stage({"init.yml": yml, "tests.zip": inner.getvalue()}) as staged:
        package = load_package(staged.folder)
    (case,) = package.test_cases
    assert package.original(f"data/{case.name}.in") == "tests.zip/a.in"
    assert package.original(case.name) == f"{case.name} (tests.zip/a.in)"


def test_an_edited_package_is_known_by_its_names_here(stage: Stage) -> None:
    with stage({"case9.in": "1 2\n", "case9.out": "3\n"}) as staged:
        now = read_editable(load_package(staged.folder))
        same = Draft(title=now.title("en"), memory_mib=now.memory_mib, time_limit_ms=now.time_limit_ms)
        assert RECORD in edited(now, same)
        assert RECORD not in edited(now, replace(same, title="Sums of two"))
