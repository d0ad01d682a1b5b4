"""A problem as values becomes a package that the loader reads back the same."""

from pathlib import Path

import pytest

from problems.convert.native import NativeCase, NativeProblem, NativeStatement, seconds_of, write_native
from problems.format.files import MIB
from problems.loading.loading import load_package
from problems.package import PackageError

CASES = (
    NativeCase(name="1", input="1 2\n", answer="3\n", is_sample=True),
    NativeCase(name="1", input=b"2 3\n", answer=b"5\n", description="two small ones"),
)


def test_small_problem_is_read_back(tmp_path: Path) -> None:
    write_native(NativeProblem(title="A: plus #1", cases=CASES), tmp_path / "sums")
    package = load_package(tmp_path / "sums")
    assert package.name == "A: plus #1"
    assert package.short_name == "sums"
    assert [case.name for case in package.test_cases] == ["sample/1", "secret/1"]
    assert package.output_validator is None
    assert any("limits.time_limit: is not given" in warning for warning in package.warnings)


def test_all_that_a_problem_may_have_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 100)
    problem = NativeProblem(
        title="Äpfel",
        cases=(*CASES, NativeCase(name="2-large/1", input=tmp_path / "big", answer="7\n")),
        statements=(
            NativeStatement(source="Add.\n", format="markdown"),
            NativeStatement(source="Addiere.\n", format="latex", language="de"),
        ),
        pictures={"tree.png": b"png"},
        time_limit_ms=1_500,
        memory_bytes=100 * MIB + 1,
        output_bytes=4 * MIB,
        code_bytes=10 * 1024,
        checker={"check/check.py": "import sys\nsys.exit(42)\n"},
        submissions={"accepted/add.py": "print(5)\n", "wrong_answer/no.cpp": "int main() {}\n"},
        attachments={"notes.txt": "hello\n"},
        source="a course",
    )
    write_native(problem, tmp_path / "p")
    package = load_package(tmp_path / "p")
    assert [statement.language for statement in package.statements] == ["en", "de"]
    assert package.limits.time_limit_ms == 1_500
    assert package.limits.memory_bytes == 101 * MIB
    assert package.limits.output_bytes == 4 * MIB
    assert package.limits.code_bytes == 10 * 1024
    assert package.output_validator is not None
    assert package.output_validator.language == "python"
    assert [case.name for case in package.test_cases] == ["sample/1", "secret/1", "secret/2-large/1"]
    assert package.test_cases[2].input.read_bytes() == b"x" * 100
    assert [submission.name for submission in package.submissions] == ["accepted/add.py", "wrong_answer/no.cpp"]
    assert package.source == "a course"
    assert (tmp_path / "p/attachments/notes.txt").read_text() == "hello\n"
    assert (tmp_path / "p/problem_statement/tree.png").read_bytes() == b"png"


def test_files_are_shared_and_not_copied(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"1 2\n")
    problem = NativeProblem(title="x", cases=(NativeCase(name="1", input=tmp_path / "big", answer="3"),))
    write_native(problem, tmp_path / "shared")
    assert (tmp_path / "shared/data/secret/1.in").samefile(tmp_path / "big")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "", "/etc/x", "a//x", "a\0b"])
def test_name_that_leads_out_of_its_place_is_refused(tmp_path: Path, name: str) -> None:
    problem = NativeProblem(title="x", cases=(), attachments={name: "x"})
    with pytest.raises(PackageError, match="is no name"):
        write_native(problem, tmp_path / "package")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["package", "problem.yaml"]


def test_name_of_a_file_that_is_a_folder_too_is_refused(tmp_path: Path) -> None:
    problem = NativeProblem(title="x", cases=(), attachments={"a": "x", "a/b": "y"})
    with pytest.raises(PackageError, match="attachments/a/b: would be a file and a folder"):
        write_native(problem, tmp_path / "package")


@pytest.mark.parametrize(("ms", "text"), [(2_000, "2"), (500, "0.5"), (1, "0.001"), (10_000, "10"), (1_250, "1.25")])
def test_time_limit_is_written_in_seconds(ms: int, text: str) -> None:
    assert seconds_of(ms) == text
