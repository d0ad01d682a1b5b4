"""Lint of package files: every warning names its file, and a sound package gets none."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from problems.format.files import MIB
from problems.loading.lint import lint
from problems.loading.loading import load_package
from problems.package import JurySubmission, Package, Statement
from tests.judge.packages import make_package
from tests.problems.conftest import write_files

SOURCE = Path(__file__)
RIGHT = JurySubmission(path=SOURCE, name="accepted/a.py", language="python", expected=frozenset({"AC"}))
WRONG = JurySubmission(path=SOURCE, name="wrong_answer/b.py", language="python", expected=frozenset({"WA"}))
STATEMENT = Statement(language="en", path=Path("problem.md"), format="markdown")


def sound(folder: Path, cases: dict[str, tuple[str, str]] | None = None, flags: tuple[str, ...] = ()) -> Package:
    package = make_package(folder, cases, flags=flags)
    return replace(package, submissions=(RIGHT, WRONG), statements=(STATEMENT,))


def test_a_sound_package_has_none(tmp_path: Path) -> None:
    assert lint(sound(tmp_path)) == ()


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"submissions": (RIGHT,)}, "submissions: hold none that must fail"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, changes: dict[str, Any], start: str) -> None:
    (warning,) = lint(replace(sound(tmp_path), **changes))
    assert warning.startswith(start)


SCORING = {
    "problem.yaml": "name: x\nlimits: {time_limit: 1}\ntype: scoring\n",
    "data/testdata.yaml": "grader_flags: ignore_sample\nrange: 0 100\n",
    "data/secret/testdata.yaml": "accept_score: 100\ngrader_flags: min\n",
    "data/secret/1.in": "1\n",
    "data/secret/1.ans": "1\n",
    "submissions/accepted/a.py": "print(input())\n",
}


@pytest.mark.parametrize(
    ("files", "is_named"),
    [
        ({}, True),
        ({"submissions/partially_accepted/b.py": "print(1)\n"}, False),
        ({"submissions/wrong_answer/b.py": "print(1)\n"}, False),
        ({"submissions/rejected/b.py": "# @EXPECTED_SCORE@: 30\nprint(1)\n"}, False),
        ({"submissions/b/b.py": "# @EXPECTED_SCORE@: 100\nprint(1)\n"}, True),
    ],
)
def test_one_that_gets_fewer_points_is_one_that_must_fail(
    tmp_path: Path, files: dict[str, str], is_named: bool
) -> None:
    package = load_package(write_files(tmp_path / "sum", {**SCORING, **files}))
    said = [warning for warning in lint(package) if warning.startswith("submissions:")]
    why = "hold none that must fail or get fewer points: nothing proves that the test data finds mistakes"
    assert said == ([f"submissions: {why}"] if is_named else [])


def test_what_was_told_on_reading_is_not_told_again(tmp_path: Path) -> None:
    assert lint(replace(sound(tmp_path), submissions=(WRONG,), statements=())) == ()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("# 합\n".encode("cp949"), "is CP949 text: it is judged as UTF-8, in which it should be saved"),
        ("# 합\n".encode("utf-16"), "is UTF-16 text: it is judged as UTF-8, in which it should be saved"),
        (b"# caf\xe9\n", "is neither UTF-8 nor CP949 text: a contestant could not submit it"),
    ],
)
def test_a_submission_that_is_not_utf8_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "sum.py").write_bytes(content)
    odd = replace(RIGHT, path=tmp_path / "sum.py", name="accepted/sum.py")
    assert lint(replace(sound(tmp_path), submissions=(odd, WRONG))) == (f"submissions/accepted/sum.py: {why}",)
    assert lint(replace(sound(tmp_path), submissions=(replace(odd, language=None), WRONG))) == ()


def test_a_problem_without_sample_is_named(tmp_path: Path) -> None:
    (warning,) = lint(sound(tmp_path, {"secret/1": ("1\n", "1\n")}))
    assert warning.startswith("data/sample: holds no sample")


@pytest.mark.parametrize("content", ["x\n" * 61, "x" * 9_000])
def test_a_sample_longer_than_a_page_is_named(tmp_path: Path, content: str) -> None:
    (warning,) = lint(sound(tmp_path, {"sample/1": ("1\n", content), "secret/1": ("1\n", "1\n")}))
    assert warning.startswith("data/sample/1.ans: is longer than a page")


def test_equal_secret_cases_are_named_once(tmp_path: Path) -> None:
    cases = {"sample/1": ("1\n", "1\n"), **{f"secret/{name}": ("1\n", "1\n") for name in "abc"}}
    (warning,) = lint(sound(tmp_path, cases))
    assert (
        warning
        == "data/secret/a.in, data/secret/b.in, data/secret/c.in: hold the same input: all but one prove nothing"
    )


def test_cases_that_groups_share_are_no_oddity(tmp_path: Path) -> None:
    cases = {"sample/1": ("1\n", "1\n"), "secret/1-small/a": ("1\n", "1\n"), "secret/2-all/a": ("1\n", "1\n")}
    assert lint(sound(tmp_path, cases)) == ()


def test_the_same_input_with_other_arguments_is_another_case(tmp_path: Path) -> None:
    package = sound(tmp_path, {"sample/1": ("1\n", "1\n"), "secret/1": ("1\n", "1\n"), "secret/2": ("1\n", "1\n")})
    first, second, third = package.test_cases
    assert lint(replace(package, test_cases=(first, second, replace(third, args=("-v",))))) == ()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("1", "does not end with a line end"),
        ("1\r\n", "has lines that end in CR LF, as on Windows, and every space counts: an output with plain ones gets"),
    ],
)
def test_line_ends_matter_where_every_space_counts(tmp_path: Path, answer: str, words: str) -> None:
    cases = {"sample/1": ("1\n", "1\n"), "secret/1": ("2\n", "1\n")}
    strict = sound(tmp_path, cases, ("space_change_sensitive",))
    (tmp_path / "data" / "secret" / "1.ans").write_bytes(answer.encode())
    (warning,) = lint(strict)
    assert warning.startswith(f"data/secret/1.ans: {words}")
    assert lint(sound(tmp_path / "lenient", cases)) == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("1 2\n".encode("utf-8-sig"), "begins with a byte order mark (BOM)"),
        ("1 2\n".encode("utf-16"), "is UTF-16 text"),
        (b"\xfe\xff" + "합 1\n".encode("utf-16-be"), "is UTF-16 text"),
        ("1 2\n".encode("utf-16-le"), "is UTF-16 text"),
        ("1 2\r\n".encode("utf-16-be"), "is UTF-16 text"),
        ("합 1\n".encode("utf-32"), "is UTF-32 text"),
        (b"1 2\r\n", "has lines that end in CR LF, as on Windows"),
    ],
)
def test_oddly_written_data_are_named_with_what_to_do(tmp_path: Path, content: bytes, words: str) -> None:
    package = sound(tmp_path)
    for name in ("secret/1.in", "secret/2.ans"):
        (tmp_path / "data" / name).write_bytes(content)
    (warning,) = lint(package)
    assert warning.startswith(f"data/secret/1.in, data/secret/2.ans: {words}")
    assert warning.endswith(("save it as UTF-8 without BOM", "convert it to LF, for example with dos2unix"))


def test_a_line_end_between_two_reads_is_seen(tmp_path: Path) -> None:
    package = sound(tmp_path)
    (tmp_path / "data" / "secret" / "1.in").write_bytes(b"x" * (MIB - 1) + b"\r\n")
    (warning,) = lint(package)
    assert warning.startswith("data/secret/1.in: has lines that end in CR LF")


def test_a_mark_and_line_ends_are_both_named(tmp_path: Path) -> None:
    package = sound(tmp_path)
    (tmp_path / "data" / "secret" / "1.in").write_bytes("1 2\r\n".encode("utf-8-sig"))
    mark, line_ends = lint(package)
    assert mark.startswith("data/secret/1.in: begins with a byte order mark")
    assert line_ends.startswith("data/secret/1.in: has lines that end in CR LF")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1\n",
        "합 1\n".encode(),
        "합 1\n".encode("cp949"),
        b"1\r2\n",
        b"\0\1\0\2",
        b"\xff\xfe\x00\xd8\x01\x00",
        b"\xff\xfe\0\0\0\0\0\0",
        bytes(range(256)),
        b"5\n\0",
    ],
)
def test_plain_and_binary_data_are_no_oddity(tmp_path: Path, content: bytes) -> None:
    package = sound(tmp_path)
    (tmp_path / "data" / "secret" / "1.in").write_bytes(content)
    assert lint(package) == ()


def test_an_output_limit_below_an_answer_is_named(tmp_path: Path) -> None:
    package = sound(tmp_path)
    (warning,) = lint(replace(package, limits=replace(package.limits, output_bytes=2)))
    assert warning.startswith("data/secret/2.ans: is larger than the output limit of 2 bytes")


def test_very_long_names_are_named(tmp_path: Path) -> None:
    (warning,) = lint(sound(tmp_path, {"sample/1": ("1\n", "1\n"), f"secret/{'x' * 90}": ("2\n", "1\n")}))
    assert "has a name of more than 80 characters" in warning


def test_many_names_are_summed_up(tmp_path: Path) -> None:
    cases = {"sample/1": ("1\n", "1\n"), **{f"secret/{number}": ("1\n", "1\n") for number in range(8)}}
    (warning,) = lint(sound(tmp_path, cases))
    assert "data/secret/4.in and 3 more: hold the same input" in warning
