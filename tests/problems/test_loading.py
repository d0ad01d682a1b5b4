"""A package folder as a value, and everything that can be wrong with one."""

import os
import shutil
from pathlib import Path

import pytest

from problems.files import Caps
from problems.loading import load_package, package_digest
from problems.package import Package, PackageErrors, PackageProgram

from .conftest import Write


def errors_of(path: Path) -> list[str]:
    with pytest.raises(PackageErrors) as caught:
        load_package(path)
    return [str(error) for error in caught.value.errors]


def names(package: Package) -> list[str]:
    return [case.name for case in package.test_cases]


def test_good_legacy_package_is_read_whole(legacy: Write) -> None:
    package = load_package(legacy({}))
    assert (package.short_name, package.name) == ("aplusb", "A plus B")
    assert package.limits.time_limit_ms == 2_000
    assert [(case.name, case.is_sample) for case in package.test_cases] == [("sample/1", True), ("secret/1", False)]
    assert package.test_cases[1].input.read_bytes() == b"2 3\n"
    assert package.test_cases[1].answer.read_bytes() == b"5\n"
    assert [(statement.language, statement.format) for statement in package.statements] == [("en", "latex")]
    assert (package.output_validator, package.validator_flags) == (None, ())
    assert [(s.name, s.language, s.expected) for s in package.submissions] == [
        ("accepted/add.py", "python", frozenset({"AC"}))
    ]
    assert package.warnings == ()


def test_good_2025_09_package_is_read_whole(new: Write) -> None:
    package = load_package(new({}))
    assert package.name == "A plus B"
    assert [(statement.language, statement.format) for statement in package.statements] == [("en", "markdown")]
    assert package.warnings == ()


def test_all_paths_are_absolute_files(legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = legacy({})
    monkeypatch.chdir(folder.parent)
    package = load_package(Path("aplusb"))
    paths = [case.input for case in package.test_cases] + [submission.path for submission in package.submissions]
    assert all(path.is_absolute() and path.is_file() for path in paths)


def test_test_cases_come_samples_first_then_by_name_at_any_depth(legacy: Write) -> None:
    cases = ["secret/10", "secret/b/1", "secret/a b/x#1", "sample/z", "secret/a/2"]
    files = {f"data/{case}.{end}": "x\n" for case in cases for end in ("in", "ans")}
    assert names(load_package(legacy(files))) == [
        "sample/1",
        "sample/z",
        "secret/1",
        "secret/10",
        "secret/a/2",
        "secret/a b/x#1",
        "secret/b/1",
    ]


def test_generators_and_other_files_between_the_data_are_left_alone(legacy: Write) -> None:
    package = load_package(legacy({"data/secret/gen.py": "x", "data/gen.sh": "x", "data/secret/1.png": "x"}))
    assert names(package) == ["sample/1", "secret/1"]


def test_everything_wrong_is_told_at_once(legacy: Write) -> None:
    folder = legacy(
        {
            "problem.yaml": "type: multi-pass\nlimits: {memory: -1}\nvalidator_flags: bogus\n",
            "data/secret/2.in": "1 1\n",
            "data/sample/3.ans": "1\n",
        }
    )
    assert errors_of(folder) == [
        "problem.yaml: type: multi-pass problems are not supported yet",
        "problem.yaml: limits.memory: must be more than 0 and at most 65536, not -1",
        "data/sample/3.ans: is an answer without input: 3.in is missing",
        "data/secret/2.in: is an input without answer: 2.ans is missing",
        "problem.yaml: validator_flags: unknown flag 'bogus'; the default validator knows case_sensitive, "
        "space_change_sensitive, float_absolute_tolerance, float_relative_tolerance, float_tolerance",
    ]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"problem.yaml": None}, "problem.yaml: is missing: it must lie at the top of the package"),
        ({"problem.yaml": "a: [\n"}, "problem.yaml: is not valid YAML"),
        ({"data/secret/1.in": None, "data/secret/1.ans": None}, "data/secret: has no test case"),
        ({"include/python3/x.py": ""}, "include: is not supported yet"),
        ({"data/secret/1.files/extra.txt": ""}, "data/secret/1.files/extra.txt: input files besides standard input"),
        ({"data/secret/1.args": "x"}, "data/secret/1.args: command-line arguments for the program"),
        ({".timelimit": "soon", "problem.yaml": "name: x"}, ".timelimit: timelimit: must be a number of seconds"),
        (
            {"problem.yaml": "validation: custom"},
            "problem.yaml: validation: is custom, but output_validators/ holds no",
        ),
        ({"data/testdata.yaml": "args: [x]"}, "data/testdata.yaml: args: is not supported yet"),
        ({"data/testdata.yaml": "{"}, "data/testdata.yaml: is not valid YAML"),
    ],
)
def test_single_faults_name_file_and_key(legacy: Write, changes: dict[str, str | bytes | None], error: str) -> None:
    found = errors_of(legacy(changes))
    assert len(found) == 1
    assert found[0].startswith(error)


def test_no_folder_is_an_error(tmp_path: Path) -> None:
    assert errors_of(tmp_path / "nowhere") == ["nowhere: is not a folder"]


# --- names, limits, flags


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"problem.yaml": "name: From YAML\nlimits: {time_limit: 1}"}, "From YAML"),
        ({"problem.yaml": "limits: {time_limit: 1}"}, "A plus B"),
        ({"problem.yaml": "", "problem_statement/problem.en.tex": "x", "domjudge-problem.ini": "name='Ini'"}, "Ini"),
        ({"problem.yaml": "", "problem_statement/problem.en.tex": "x"}, "aplusb"),
    ],
)
def test_name_has_an_order_of_places(legacy: Write, changes: dict[str, str | bytes | None], name: str) -> None:
    assert load_package(legacy(changes)).name == name


def test_time_limit_has_an_order_of_places(legacy: Write) -> None:
    everywhere = {".timelimit": "3\n", "domjudge-problem.ini": "timelimit='4'\n"}
    assert load_package(legacy(everywhere)).limits.time_limit_ms == 2_000
    assert load_package(legacy({**everywhere, "problem.yaml": "name: x"})).limits.time_limit_ms == 3_000


def test_domjudge_time_limit_is_used_when_nothing_else_is_given(legacy: Write) -> None:
    package = load_package(legacy({"domjudge-problem.ini": "timelimit='4.5'\n", "problem.yaml": "name: x"}))
    assert package.limits.time_limit_ms == 4_500
    assert package.warnings == ()


def test_missing_time_limit_is_one_second_with_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"problem.yaml": "name: x"}))
    assert package.limits.time_limit_ms == 1_000
    assert package.warnings == ("problem.yaml: limits.time_limit: is not given: 1 s is used",)


def test_flags_come_from_the_test_groups_in_2025_09(new: Write) -> None:
    group = "output_validator_args: [float_tolerance, 1e-6]\n"
    package = load_package(new({"data/sample/test_group.yaml": group, "data/secret/test_group.yaml": group}))
    assert package.validator_flags == ("float_tolerance", "1e-6")


def test_legacy_flags_are_those_of_problem_yaml_and_then_of_the_group(legacy: Write) -> None:
    package = load_package(
        legacy(
            {
                "problem.yaml": "name: x\nlimits: {time_limit: 1}\nvalidator_flags: case_sensitive\n",
                "data/testdata.yaml": "output_validator_flags: float_tolerance 1e-6\non_reject: break\n",
            }
        )
    )
    assert package.validator_flags == ("case_sensitive", "float_tolerance", "1e-6")


def test_flags_that_differ_between_groups_are_refused(new: Write) -> None:
    found = errors_of(new({"data/secret/1.yaml": "output_validator_args: [case_sensitive]\n"}))
    assert found == [
        "data/secret/1.yaml, none for sample/1: output_validator_args: "
        "differ between test groups, which is not supported yet"
    ]


def test_wrong_flag_of_a_group_is_an_error_in_its_file(new: Write) -> None:
    group = "output_validator_args: [float_tolerance]\n"
    found = errors_of(new({"data/test_group.yaml": group}))
    assert found == [
        "data/test_group.yaml: output_validator_args: float_tolerance needs a number after it, "
        "such as float_tolerance 1e-6"
    ]


def test_unknown_key_of_a_group_is_an_error_in_2025_09_only(new: Write, legacy: Write, tmp_path: Path) -> None:
    assert errors_of(new({"data/secret/test_group.yaml": "bogus: 1"})) == [
        "data/secret/test_group.yaml: bogus: is not a key of this format"
    ]
    shutil.rmtree(tmp_path / "aplusb")
    package = load_package(legacy({"data/secret/testdata.yaml": "bogus: 1"}))
    assert package.warnings == ("data/secret/testdata.yaml: bogus: is not a key of this format",)


# --- checkers

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
    ],
)
def test_legacy_checker_is_found(legacy: Write, files: list[str], path: str, language: str, entry: str) -> None:
    texts = {f"output_validators/{name}": "int main(" if name.endswith("b.cpp") else "x" for name in files}
    folder = legacy({"problem.yaml": CUSTOM, **texts})
    package = load_package(folder)
    assert package.output_validator == PackageProgram(
        path=folder / "output_validators" / path, language=language, entry=entry
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
        (["a.py", "b.py"], "must hold exactly one program in Python or C++ (found: a.py, b.py)"),
        (["README"], "must hold exactly one program in Python or C++ (found: none)"),
        (["v/build", "v/x.cpp"], "is built by a build or run script, which is not supported yet"),
        (["v/x.py", "v/x.cpp"], "must be a program in Python or C++, and in one of them only"),
        (["v/Main.java"], "must be a program in Python or C++, and in one of them only"),
        (["v/x.rs"], "must be a program in Python or C++, and in one of them only"),
        (["v/x.py", "v/y.py"], "has several source files: name the main one __main__.py or main.cpp"),
    ],
)
def test_unfit_checker_is_refused(legacy: Write, files: list[str], why: str) -> None:
    found = errors_of(legacy({"problem.yaml": CUSTOM, **{f"output_validators/{name}": "x" for name in files}}))
    assert len(found) == 1
    assert found[0].endswith(why)


def test_new_checker_with_a_build_script_is_refused(new: Write) -> None:
    assert errors_of(new({"output_validator/build": "x", "output_validator/x.cpp": "x"})) == [
        "output_validator: is built by a build or run script, which is not supported yet"
    ]


def test_checker_that_is_not_used_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"output_validators/check.py": "x"}))
    assert package.output_validator is None
    assert package.warnings == ("output_validators: is not used: problem.yaml does not say validation: custom",)


# --- submissions


def test_folders_of_submissions_say_what_is_expected(legacy: Write) -> None:
    folders = ["wrong_answer", "time_limit_exceeded", "run_time_error", "memory_limit_exceeded", "compile_error"]
    folders += ["output_limit_exceeded", "rejected"]
    package = load_package(legacy({f"submissions/{folder}/x.rs": "x" for folder in folders}))
    expected = {submission.name.split("/")[0]: set(submission.expected) for submission in package.submissions}
    assert expected == {
        "accepted": {"AC"},
        "wrong_answer": {"WA"},
        "time_limit_exceeded": {"TLE"},
        "run_time_error": {"RE", "MLE"},
        "memory_limit_exceeded": {"MLE"},
        "compile_error": {"CE"},
        "output_limit_exceeded": {"OLE"},
        "rejected": {"WA", "TLE", "RE", "MLE", "OLE"},
    }


def test_languages_of_submissions_go_by_extension(legacy: Write) -> None:
    endings = ["py3", "cpp", "cc", "cxx", "c++", "C", "rs", "java", "c"]
    package = load_package(legacy({f"submissions/accepted/x.{ending}": "x" for ending in endings}))
    languages = {submission.name.rsplit(".", 1)[1]: submission.language for submission in package.submissions}
    assert languages == {
        "py": "python",
        "py3": "python",
        **dict.fromkeys(["cpp", "cc", "cxx", "c++", "C"], "cpp"),
        "rs": "rust",
        "java": None,
        "c": None,
    }


def test_submission_folder_with_one_file_is_that_file(legacy: Write) -> None:
    folder = legacy({"submissions/accepted/solo/x.py": "x", "submissions/accepted/README.md": "x"})
    package = load_package(folder)
    assert [(s.name, s.path, s.language) for s in package.submissions][1:] == [
        ("accepted/solo", folder / "submissions/accepted/solo/x.py", "python")
    ]


def test_submission_folder_with_several_files_is_kept_but_not_judged(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/duo/x.py": "x", "submissions/accepted/duo/y.py": "y"}))
    assert [(s.name, s.language) for s in package.submissions][1:] == [("accepted/duo", None)]
    assert package.warnings == ("submissions/accepted/duo: has several files, which cannot be judged yet",)


def test_unknown_submission_folder_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"submissions/slow/x.py": "x"}))
    assert package.submissions[1].expected == {"AC", "WA", "TLE", "RE", "MLE", "OLE", "CE"}
    assert package.warnings == ("submissions/slow: is no known folder: its submissions may get any verdict",)


def test_missing_accepted_submission_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/add.py": None}))
    assert [warning.split(":")[0] for warning in package.warnings] == ["submissions/accepted"]


# --- links, hidden files, digest


def test_links_inside_the_package_are_followed(legacy: Write) -> None:
    folder = legacy({})
    (folder / "data/secret/again.in").symlink_to("1.in")
    (folder / "data/secret/again.ans").symlink_to("1.ans")
    (folder / "data/secret/group").symlink_to("../sample")
    package = load_package(folder)
    assert names(package) == ["sample/1", "secret/1", "secret/again", "secret/group/1"]
    assert not any(case.input.is_symlink() for case in package.test_cases)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("/etc/hostname", "is a link that leads out of the package"),
        ("../../../outside", "is a link that leads out of the package"),
        ("nowhere", "is a link to nothing"),
        ("../..", "is a link to a folder that holds it"),
        ("link", "is a link to nothing"),
    ],
)
def test_other_links_are_refused(legacy: Write, tmp_path: Path, target: str, why: str) -> None:
    (tmp_path / "outside").write_text("x")
    folder = legacy({})
    (folder / "data/secret/link").symlink_to(target)
    assert errors_of(folder) == [f"data/secret/link: {why}"]


def test_pipe_in_the_package_is_refused_and_not_opened(legacy: Write) -> None:
    folder = legacy({})
    os.mkfifo(folder / "data/secret/2.in")
    assert "data/secret/2.in: is neither a file nor a folder" in errors_of(folder)


def test_links_to_folders_cannot_multiply_without_end(legacy: Write) -> None:
    folder = legacy({"data/secret/x0/1.in": "x", "data/secret/x0/1.ans": "x"})
    for step in range(1, 12):
        (folder / f"data/secret/x{step}").mkdir()
        for copy in range(4):
            (folder / f"data/secret/x{step}/{copy}").symlink_to(f"../x{step - 1}")
    with pytest.raises(PackageErrors) as caught:
        load_package(folder, Caps(entries=500))
    assert "the package: has more than 500 files and folders" in [str(error) for error in caught.value.errors]


def test_package_over_a_size_cap_is_refused(legacy: Write) -> None:
    folder = legacy({"data/secret/2.in": b"x" * 5_000, "data/secret/2.ans": ""})
    for caps in (Caps(file_bytes=4_000), Caps(total_bytes=4_000)):
        with pytest.raises(PackageErrors, match="is larger than 0 MiB"):
            load_package(folder, caps)


def test_hidden_files_are_no_part_of_the_package(legacy: Write) -> None:
    folder = legacy({})
    digest = load_package(folder).digest
    legacy({".git/config": "x", "data/secret/._1.in": "x", "__MACOSX/data/x": "x", "data/.DS_Store": "x"})
    assert load_package(folder).digest == digest


def test_digest_is_that_of_names_and_contents(legacy: Write, tmp_path: Path) -> None:
    folder = legacy({})
    package = load_package(folder)
    assert package.digest == package_digest(folder)
    assert len(package.digest) == 64
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    assert package_digest(copy) == package.digest
    (copy / "data/secret/1.ans").write_text("6\n")
    changed = package_digest(copy)
    assert changed != package.digest
    (copy / "data/secret/1.ans").rename(copy / "data/secret/1.txt")
    assert package_digest(copy) not in {changed, package.digest}
