"""A package folder as a value, and everything that can be wrong with one."""

import os
import shutil
from pathlib import Path

import pytest

from problems.format.files import Caps, package_digest
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from tests.problems.conftest import Write
from tests.problems.loaded import errors_of


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
            "problem.yaml": "type: submit-answer\nlimits: {memory: -1}\nvalidator_flags: bogus\n",
            "data/secret/2.in": "1 1\n",
            "data/sample/3.ans": "1\n",
        }
    )
    assert errors_of(folder) == [
        "problem.yaml: type: submit-answer problems cannot be judged: Tally runs programs, and takes no answers "
        "as files",
        "problem.yaml: limits.memory: must be more than 0 and at most 65536, not -1",
        "problem.yaml: validator_flags: unknown flag 'bogus'; the default validator knows case_sensitive, "
        "space_change_sensitive, float_absolute_tolerance, float_relative_tolerance, float_tolerance",
        "data/sample/3.ans: is an answer without input: 3.in is missing",
        "data/secret/2.in: is an input without answer: 2.ans is missing",
    ]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"problem.yaml": None}, "problem.yaml: is missing: it must lie at the top of the package"),
        ({"problem.yaml": "a: [\n"}, "problem.yaml: is not valid YAML"),
        (
            {f"data/{case}/1.{end}": None for case in ("sample", "secret") for end in ("in", "ans")},
            "data/secret: has no test case",
        ),
        ({".timelimit": "soon", "problem.yaml": "name: x"}, ".timelimit: timelimit: must be a number of seconds"),
        (
            {"problem.yaml": "validation: custom"},
            "problem.yaml: validation: is custom, but output_validators/ holds no",
        ),
        ({"data/testdata.yaml": "{"}, "data/testdata.yaml: is not valid YAML"),
    ],
)
def test_single_faults_name_file_and_key(legacy: Write, changes: dict[str, str | bytes | None], error: str) -> None:
    found = errors_of(legacy(changes))
    assert len(found) == 1
    assert found[0].startswith(error)


def test_no_folder_is_an_error(tmp_path: Path) -> None:
    assert errors_of(tmp_path / "nowhere") == ["nowhere: is not a folder"]


# --- names and limits


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
    assert load_package(legacy(everywhere)).is_time_limit_given
    assert load_package(legacy(everywhere)).limits.time_limit_ms == 2_000
    assert load_package(legacy({**everywhere, "problem.yaml": "name: x"})).limits.time_limit_ms == 3_000


def test_domjudge_time_limit_is_used_when_nothing_else_is_given(legacy: Write) -> None:
    package = load_package(legacy({"domjudge-problem.ini": "timelimit='4.5'\n", "problem.yaml": "name: x"}))
    assert package.limits.time_limit_ms == 4_500
    assert package.warnings == ()


def test_missing_time_limit_is_one_second_with_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"problem.yaml": "name: x"}))
    assert (package.limits.time_limit_ms, package.is_time_limit_given) == (1_000, False)
    assert package.warnings == (
        "problem.yaml: limits.time_limit: is not given: 1 s is used until the jury's submissions were timed",
    )


def test_what_problem_yaml_says_of_the_problem_reaches_the_package(new: Write) -> None:
    more = (
        "credits: {authors: [Ada <ada@mail.example>, {name: Bob}]}\nlicense: cc by\nsource: {name: Cup, url: x}\n"
        "languages: [cpp]\nconstants: {n: 5}\n"
    )
    folder = new({})
    path = folder / "problem.yaml"
    path.write_text(path.read_text() + more)
    package = load_package(folder)
    assert (package.credits, package.source) == ("Ada, Bob; license cc by", "Cup")
    assert (package.languages, package.constants) == (("cpp",), {"n": "5", "n.value": "5"})
    assert (package.groups, package.most_passes, package.warnings) == (None, 1, ())


def test_validators_know_the_constants(new: Write) -> None:
    folder = new({"output_validator/check.py": "x", "input_validators/check.py": "x"})
    path = folder / "problem.yaml"
    path.write_text(f"{path.read_text()}constants: {{n: 5}}\n")
    package = load_package(folder)
    assert package.output_validator is not None
    assert [each.constants["n"] for each in (package.output_validator, *package.input_validators)] == ["5", "5"]


def test_attachments_and_included_files_are_found(new: Write) -> None:
    files = {
        "attachments/tool.py": "x",
        "attachments/templates/python3/start.py": "x",
        "include/default/data.txt": "x",
        "include/default/grade.h": "x",
        "include/cpp/grade.h": "y",
        "include/java/Grader.java": "z",
    }
    folder = new(files)
    package = load_package(folder)
    assert [each.name for each in package.attachments] == ["templates/python3/start.py", "tool.py"]
    included = {language: dict(files) for language, files in package.included.items()}
    default = {name: folder / "include/default" / name for name in ("data.txt", "grade.h")}
    assert included == {
        "python": default,
        "cpp": {**default, "grade.h": folder / "include/cpp/grade.h"},
        "rust": default,
    }
    assert package.warnings == ()


def test_folders_that_change_nothing_are_named_where_one_would_expect_otherwise(new: Write) -> None:
    folders = ["answer_validators", "output_visualizer", "static_validator", "input_validator", "generators", "mine"]
    assert load_package(new({f"{folder}/x.py": "x" for folder in folders})).warnings == (
        "answer_validators: is not used: Tally runs no validators of answers, the checker judges each answer instead",
        "input_validator: is no folder of the format and is not used; did you mean input_validators?",
        "output_visualizer: is not used: Tally draws no pictures of outputs",
        "static_validator: is not run: what it would reject in a submission's source is not rejected",
    )


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
    legacy({"attachments/~$task.docx": "x", "data/secret/~$1.in": "x", "~WRL0001.tmp": "x"})
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


@pytest.mark.parametrize("name", ["problem.yml", "Problem.yaml", "problems.yaml"])
def test_a_misspelt_problem_yaml_is_recognised(legacy: Write, name: str) -> None:
    (error,) = errors_of(legacy({"problem.yaml": None, name: "name: x\nlimits: {time_limit: 1}\n"}))
    hint = f"there is {name}: did you mean problem.yaml?"
    assert error == f"problem.yaml: is missing: it must lie at the top of the package; {hint}"
