"""The programs of a package that judge outputs and inputs: which files are one, and which are none."""

import os
import shutil
from pathlib import Path

import pytest

from problems.loading.loading import load_package
from problems.package import Package, PackageProgram
from tests.problems.conftest import Write
from tests.problems.loaded import errors_of

ONE_LANGUAGE = "must be in Python, C++ or Rust, in one of them only, or have a script build or run"


CUSTOM = "name: x\nlimits: {time_limit: 1}\nvalidation: custom\nvalidator_flags: any thing\n"


@pytest.mark.parametrize(
    ("files", "path", "language", "entry"),
    [
        (["check.py"], "check.py", "python", "check.py"),
        (["check.cc"], "check.cc", "cpp", "check.cc"),
        (["v/check.cpp", "v/testlib.h"], "v", "cpp", "check.cpp"),
        (["v/check.cpp"], "v/check.cpp", "cpp", "check.cpp"),
        (["v/main.cpp", "v/other.cpp"], "v", "cpp", "main.cpp"),
        (["v/a.cpp", "v/b.cpp"], "v", "cpp", "b.cpp"),
        (["v/__init__.py", "v/__main__.py"], "v", "python", "__main__.py"),
        (["v/check.py", "v/README"], "v", "python", "check.py"),
        (["check.py", "README.md"], "check.py", "python", "check.py"),
        (["check.rs"], "check.rs", "rust", "check.rs"),
        (["v/main.rs", "v/parse.rs"], "v", "rust", "main.rs"),
        (["check.c"], "check.c", "cpp", "check.c"),
        (["v/build", "v/x.cpp"], "v", "script", "run"),
        (["v/run", "v/Main.java"], "v", "script", "run"),
    ],
)
def test_legacy_checker_is_found(legacy: Write, files: list[str], path: str, language: str, entry: str) -> None:
    texts = {f"output_validators/{name}": "int main(" if name.endswith("b.cpp") else "x" for name in files}
    folder = legacy({"problem.yaml": CUSTOM, **texts})
    package = load_package(folder)
    name = f"output_validators/{files[0].split('/')[0]}"
    assert package.output_validator == PackageProgram(
        path=folder / "output_validators" / path, language=language, entry=entry, name=name
    )
    assert package.validator_flags == ("any", "thing")


@pytest.mark.parametrize(
    ("files", "path", "entry"),
    [
        (["check.py"], "output_validator/check.py", "check.py"),
        (["check.cpp", "testlib.h"], "output_validator", "check.cpp"),
        (["v/check.cpp", "v/testlib.h"], "output_validator/v", "check.cpp"),
    ],
)
def test_new_checker_is_found(new: Write, files: list[str], path: str, entry: str) -> None:
    folder = new({f"output_validator/{name}": "x" for name in files})
    checker = load_package(folder).output_validator
    assert checker is not None
    assert (checker.path, checker.entry) == (folder / path, entry)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (["a.py", "b.py"], "must hold exactly one program: Tally runs one checker per problem (found: a.py, b.py)"),
        (["README"], "must hold exactly one program: Tally runs one checker per problem (found: none)"),
        (["v/x.py", "v/x.cpp"], f"{ONE_LANGUAGE} (found: cpp, python)"),
        (["v/Main.java"], f"{ONE_LANGUAGE} (found: Java)"),
        (["check.sh"], f"{ONE_LANGUAGE} (found: Shell)"),
        (["v/x.c", "v/y.c"], f"{ONE_LANGUAGE} (found: C)"),
        (["v/README"], f"{ONE_LANGUAGE} (found: none of them)"),
        (["v/x.py", "v/y.py"], "has several source files: name the main one __main__.py, main.cpp or main.rs"),
    ],
)
def test_unfit_checker_is_refused(legacy: Write, files: list[str], why: str) -> None:
    found = errors_of(legacy({"problem.yaml": CUSTOM, **{f"output_validators/{name}": "x" for name in files}}))
    assert len(found) == 1
    assert found[0].endswith(why)


def test_new_checker_may_be_built_by_a_script(new: Write) -> None:
    folder = new({"output_validator/build": "x", "output_validator/x.c": "x"})
    assert load_package(folder).output_validator == PackageProgram(
        path=folder / "output_validator", language="script", entry="run", name="output_validator"
    )


def test_checker_that_is_not_used_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"output_validators/check.py": "x"}))
    assert package.output_validator is None
    assert package.warnings == ("output_validators: is not used: problem.yaml does not say validation: custom",)


def test_folder_of_the_other_version_is_a_warning(new: Write, legacy: Write, tmp_path: Path) -> None:
    package = load_package(new({"output_validators/check.py": "x"}))
    assert package.output_validator is None
    assert package.warnings == ("output_validators: is not used: in this format the checker lies in output_validator/",)
    shutil.rmtree(tmp_path / "aplusb")
    package = load_package(legacy({"problem.yaml": CUSTOM, "output_validator/check.py": "x"}))
    assert package.output_validator is not None


# --- input validators


def validators_of(package: Package) -> list[tuple[str, str, str]]:
    return [(each.name, each.language, each.entry) for each in package.input_validators]


def test_input_validators_of_every_kind_are_found(new: Write) -> None:
    names = ["a.py", "b.ctd", "c.viva", "d/build", "e/check.cpp", "e/testlib.h", "README.md", "f.rs"]
    package = load_package(new({f"input_validators/{name}": "x" for name in names}))
    assert validators_of(package) == [
        ("input_validators/a.py", "python", "a.py"),
        ("input_validators/b.ctd", "checktestdata", "b.ctd"),
        ("input_validators/c.viva", "viva", "c.viva"),
        ("input_validators/d", "script", "run"),
        ("input_validators/e", "cpp", "check.cpp"),
        ("input_validators/f.rs", "rust", "f.rs"),
    ]
    assert package.warnings == ()


def test_header_beside_the_only_input_validator_belongs_to_it(legacy: Write) -> None:
    folder = legacy({"input_validators/check.cpp": "x", "input_validators/testlib.h": "x"})
    (program,) = load_package(folder).input_validators
    assert (program.path, program.entry) == (folder / "input_validators", "check.cpp")


def test_old_folder_of_input_validators_is_read(legacy: Write) -> None:
    package = load_package(legacy({"input_format_validators/check.py": "x"}))
    assert validators_of(package) == [("input_format_validators/check.py", "python", "check.py")]


def test_input_validator_that_cannot_be_run_is_a_warning(new: Write) -> None:
    package = load_package(new({"input_validators/check.sh": "x"}))
    assert package.input_validators == ()
    assert package.warnings == (
        "input_validators/check.sh: is not run: it must be in Python, C++ or Rust, in one of them only, "
        "or have a script build or run (found: Shell)",
    )


def test_a_program_larger_than_memory_should_hold_is_none(legacy: Write) -> None:
    folder = legacy({"problem.yaml": CUSTOM, "output_validators/v/a.cpp": "x", "output_validators/v/b/c": "x"})
    load_package(folder)
    for name in ("a.cpp", "b/c"):
        os.truncate(folder / "output_validators/v" / name, 33 * 1024 * 1024)
    assert errors_of(folder) == ["output_validators/v: has more than 64 MiB in its files"]


@pytest.mark.parametrize(("count", "length"), [(1_001, 1), (150, 200)])
def test_a_program_of_more_files_than_a_jail_is_told_of_is_none(new: Write, count: int, length: int) -> None:
    names = [f"input_validators/v/{number:0{length}}" for number in range(count)]
    package = load_package(new({"input_validators/v/run": "x", **dict.fromkeys(names, "")}))
    assert package.input_validators == ()
    assert package.warnings == (
        "input_validators/v: is not run: it has more than 1,000 files, or names of more than 24 KiB together",
    )
