"""Tests that somebody sends: single files and zips become pairs whose names sort, or all that is wrong is told."""

from pathlib import Path

import pytest

from problems.convert.native import Content
from problems.editing.testfiles import read_tests
from problems.package import PackageErrors
from tests.judge.packed import zipped


def test_files_and_several_zips_are_taken_together(tmp_path: Path) -> None:
    (tmp_path / "on-disk").write_bytes(zipped({"a/9.in": "nine", "a/9.ans": "9"}))
    sent: list[tuple[str, Content]] = [
        ("1.in", b"one"),
        ("1.out", b"1"),
        ("a.zip", tmp_path / "on-disk"),
        ("b.ZIP", zipped({"10.in": "", "10.a": ""})),
    ]
    tests = read_tests(sent, tmp_path / "scratch")
    assert list(tests) == ["01", "09", "10"]
    assert tests["01"] == (b"one", b"1")
    given, answer = tests["09"]
    assert isinstance(given, Path)
    assert isinstance(answer, Path)
    assert (given.read_text(), answer.read_text()) == ("nine", "9")


def test_test_takes_the_place_of_one_of_its_name(tmp_path: Path) -> None:
    sent = [(f"{name}.{ending}", b"") for name in ("2", "10") for ending in ("in", "ans")]
    assert list(read_tests(sent, tmp_path)) == ["02", "10"]
    assert list(read_tests(sent, tmp_path, there=["2"])) == ["2", "10"]


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    sent = [("1.in", b""), ("2.out", b""), ("3.in", b""), ("3.out", b""), ("3.ans", b"")]
    with pytest.raises(PackageErrors) as wrong:
        read_tests(sent, tmp_path)
    assert {error.file for error in wrong.value.errors} == {"1.in", "2.out", "3.out"}


def test_same_file_in_two_zips_is_refused(tmp_path: Path) -> None:
    archive = zipped({"1.in": "", "1.ans": ""})
    with pytest.raises(PackageErrors, match=r"1\.in: is there twice"):
        read_tests([("a.zip", archive), ("b.zip", archive)], tmp_path)


def test_nothing_sent_is_no_test(tmp_path: Path) -> None:
    assert read_tests([], tmp_path) == {}
