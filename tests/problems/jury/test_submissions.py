"""The setter's submissions: their files, languages and folders, tags and submissions.yaml."""

import pytest

from problems.loading.loading import load_package
from problems.package import Expectation, JurySubmission, Package
from tests.problems.conftest import Write
from tests.problems.loaded import errors_of


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
        "rejected": {"WA", "TLE", "RE", "MLE", "OLE", "SLE"},
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


@pytest.mark.parametrize(
    ("files", "language", "main"),
    [
        (["x.py", "y.py"], "python", "x.py"),
        (["a.py", "__main__.py"], "python", "__main__.py"),
        (["a.py", "duo.py"], "python", "duo.py"),
        (["a.cpp", "b.cpp", "b.h"], "cpp", "b.cpp"),
        (["lib.rs", "main.rs"], "rust", "main.rs"),
        (["sub/help.py", "start.py"], "python", "start.py"),
        (["notes.txt", "x.py"], "python", "x.py"),
    ],
)
def test_submission_folder_is_one_program(legacy: Write, files: list[str], language: str, main: str) -> None:
    texts = {name: "int main() {}" if name == "b.cpp" else "x" for name in files}
    folder = legacy({f"submissions/accepted/duo/{name}": text for name, text in texts.items()})
    package = load_package(folder)
    (submission,) = package.submissions[1:]
    root = folder / "submissions/accepted/duo"
    assert (submission.name, submission.language, submission.path) == ("accepted/duo", language, root / main)
    assert dict(submission.files) == {name: root / name for name in files}
    assert package.warnings == ()


def test_submission_in_several_languages_is_not_judged(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/duo/x.py": "x", "submissions/accepted/duo/y.c": "y"}))
    assert [(s.name, s.language) for s in package.submissions][1:] == [("accepted/duo", None)]
    assert package.warnings == ("submissions/accepted/duo: is in several languages: it is not judged",)


def test_python_2_says_so_in_its_first_line(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/old.py": "#!/usr/bin/env python2\nprint 1\n"}))
    assert {s.name: s.language for s in package.submissions} == {"accepted/add.py": "python", "accepted/old.py": None}


def test_unknown_submission_folder_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"submissions/slow/x.py": "x"}))
    assert package.submissions[1].expected == {"AC", "WA", "TLE", "RE", "MLE", "OLE", "SLE", "CE"}
    assert package.warnings == ("submissions/slow: is no known folder: its submissions may get any verdict",)


def test_missing_accepted_submission_is_a_warning(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/add.py": None}))
    assert [warning.split(":")[0] for warning in package.warnings] == ["submissions/accepted"]


# --- DOMjudge's tags


def submission_of(package: Package, name: str) -> JurySubmission:
    (found,) = [each for each in package.submissions if each.name == name]
    return found


@pytest.mark.parametrize(
    ("folder", "tag", "expected"),
    [
        ("mixed", "CORRECT, NO-OUTPUT", {"AC", "WA"}),
        ("rejected", "RUN-ERROR,WRONG-ANSWER", {"RE", "MLE", "WA"}),
        ("accepted", "CORRECT,TIMELIMIT", {"AC"}),
        ("mixed", "COMPILER-ERROR", {"CE"}),
    ],
)
def test_tag_narrows_what_the_folder_says(legacy: Write, folder: str, tag: str, expected: set[str]) -> None:
    package = load_package(legacy({f"submissions/{folder}/x.py": f"# @EXPECTED_RESULTS@: {tag}\n"}))
    assert submission_of(package, f"{folder}/x.py").expected == expected


def test_tag_against_its_folder_does_not_count(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/x.py": "# @EXPECTED_RESULTS@: TIMELIMIT\n"}))
    assert submission_of(package, "accepted/x.py").expected == {"AC"}
    assert package.warnings == (
        "submissions/accepted/x.py: has a tag that asks for TLE, but lies in a folder for something else: "
        "the folder counts",
    )


def test_tag_with_a_score_asks_for_it(legacy: Write) -> None:
    package = load_package(legacy({"submissions/accepted/x.py": "# @EXPECTED_SCORE@: 60\n"}))
    submission = submission_of(package, "accepted/x.py")
    assert submission.expectations == (Expectation(score=(60, 60)),)
    assert submission.expected == {"AC", "WA", "TLE", "RE", "MLE", "OLE", "SLE"}


def test_partly_right_submission_of_a_scoring_problem_gets_fewer_points_than_there_are(legacy: Write) -> None:
    files = {
        "problem.yaml": "name: x\nlimits: {time_limit: 1}\ntype: scoring\n",
        "data/testdata.yaml": "range: 0 100\n",
        "submissions/partially_accepted/x.py": "x",
    }
    submission = submission_of(load_package(legacy(files)), "partially_accepted/x.py")
    assert submission.expected == {"AC"}
    (expectation,) = submission.expectations
    assert expectation.score is not None
    assert expectation.score[0] == 0
    assert 99 < expectation.score[1] < 100


# --- the format 2025-09

RTE = frozenset({"RE", "MLE", "OLE", "SLE"})


@pytest.mark.parametrize(
    ("folder", "expected", "expectation", "bound"),
    [
        ("accepted", {"AC"}, Expectation(permitted=frozenset({"AC"}), time_limit_bound="lower"), "lower"),
        ("rejected", {"WA", "TLE", *RTE}, Expectation(required=frozenset({"WA", "TLE", *RTE})), ""),
        (
            "wrong_answer",
            {"WA"},
            Expectation(permitted=frozenset({"AC", "WA"}), required=frozenset({"WA"}), time_limit_bound="lower"),
            "lower",
        ),
        (
            "time_limit_exceeded",
            {"TLE"},
            Expectation(permitted=frozenset({"AC", "TLE"}), required=frozenset({"TLE"}), time_limit_bound="upper"),
            "upper",
        ),
        (
            "run_time_error",
            RTE,
            Expectation(permitted=frozenset({"AC", *RTE}), required=RTE, time_limit_bound="lower"),
            "lower",
        ),
        (
            "brute_force",
            {"TLE", *RTE},
            Expectation(permitted=frozenset({"AC", "TLE", *RTE}), required=frozenset({"TLE", *RTE})),
            "",
        ),
    ],
)
def test_folders_of_2025_09(new: Write, folder: str, expected: set[str], expectation: Expectation, bound: str) -> None:
    submission = submission_of(load_package(new({f"submissions/{folder}/x.py": "x"})), f"{folder}/x.py")
    assert submission.expected == expected
    assert submission.expectations == (expectation,)
    assert submission.time_limit_bound == bound


def expected_of(new: Write, yaml: str, name: str = "accepted/add.py", **files: str) -> JurySubmission:
    """What submissions.yaml makes of a submission."""
    return submission_of(load_package(new({"submissions/submissions.yaml": yaml, **files})), name)


def test_folder_in_submissions_yaml_takes_the_place_of_the_formats_own(new: Write) -> None:
    slow = {"submissions/time_limit_exceeded/x.py": "x"}
    submission = expected_of(new, "time_limit_exceeded: {permitted: [AC, WA, TLE]}", "time_limit_exceeded/x.py", **slow)
    assert submission.expected == {"WA", "TLE"}
    assert submission.expectations == (
        Expectation(permitted=frozenset({"AC", "WA", "TLE"}), required=frozenset({"TLE"}), time_limit_bound="upper"),
    )


def test_patterns_add_to_each_other(new: Write) -> None:
    yaml = (
        "mixed: {permitted: [AC, WA]}\n"
        "mixed/{a,b}.py: {permitted: [WA], message: 'too large', score: [3, 5]}\n"
        "mixed/c*: {permitted: [AC]}\n"
    )
    submission = expected_of(new, yaml, "mixed/b.py", **{"submissions/mixed/b.py": "x"})
    assert submission.expected == {"WA"}
    assert submission.expectations == (
        Expectation(permitted=frozenset({"AC", "WA"}), time_limit_bound="lower"),
        Expectation(permitted=frozenset({"WA"}), message="too large", score=(3, 5), time_limit_bound="lower"),
    )


def test_parts_of_the_cases_have_expectations_of_their_own(new: Write) -> None:
    yaml = "slow:\n  sample: {permitted: [AC]}\n  secret/*-hard: {permitted: [AC, TLE], required: [TLE]}\n"
    submission = expected_of(new, yaml, "slow/x.py", **{"submissions/slow/x.py": "x"})
    assert submission.expected == {"WA", "TLE", *RTE}
    assert submission.expectations == (
        Expectation(cases="sample", permitted=frozenset({"AC"}), time_limit_bound="lower"),
        Expectation(
            cases="secret/*-hard",
            permitted=frozenset({"AC", "TLE"}),
            required=frozenset({"TLE"}),
            time_limit_bound="upper",
        ),
    )
    assert submission.time_limit_bound == "upper"


@pytest.mark.parametrize(
    ("use", "bound", "permitted"),
    [
        ("false", "", {"AC"}),
        ("true", "lower", {"AC"}),
        ("lower", "lower", {"AC"}),
    ],
)
def test_use_for_the_time_limit_can_be_chosen(new: Write, use: str, bound: str, permitted: set[str]) -> None:
    submission = expected_of(new, f"accepted: {{use_for_time_limit: {use}}}")
    assert submission.time_limit_bound == bound
    assert submission.expectations[0].permitted == permitted


def test_use_as_a_bound_asks_for_what_a_bound_needs(new: Write) -> None:
    files = {"submissions/any/x.py": "x", "submissions/any/y.py": "y"}
    yaml = "any/x.py: {use_for_time_limit: lower}\nany/y.py: {use_for_time_limit: upper}\n"
    package = load_package(new({"submissions/submissions.yaml": yaml, **files}))
    lower, upper = submission_of(package, "any/x.py"), submission_of(package, "any/y.py")
    assert lower.expected == {"AC", "WA", *RTE}
    assert lower.time_limit_bound == "lower"
    assert upper.expectations == (Expectation(required=frozenset({"TLE"}), time_limit_bound="upper"),)


def test_language_and_main_file_can_be_given(new: Write) -> None:
    files = {
        "submissions/submissions.yaml": (
            "any/two: {language: python3, entrypoint: ac.py, authors: Bob, model_solution: true}\n"
            "any/old.py: {language: python2}\nany/bare: {language: cpp}\n"
        ),
        "submissions/any/two/ac.py": "x",
        "submissions/any/two/main.py": "x",
        "submissions/any/two/notes.java": "x",
        "submissions/any/old.py": "x",
        "submissions/any/bare": "x",
    }
    folder = new(files)
    package = load_package(folder)
    two = submission_of(package, "any/two")
    assert (two.language, two.path) == ("python", folder / "submissions/any/two/ac.py")
    assert submission_of(package, "any/old.py").language is None
    assert submission_of(package, "any/bare").language == "cpp"


def test_submissions_yaml_is_read_in_a_legacy_package_too(legacy: Write) -> None:
    files = {"submissions/submissions.yaml": "slow: {required: [TLE]}\n", "submissions/slow/x.py": "x"}
    package = load_package(legacy(files))
    assert submission_of(package, "slow/x.py").time_limit_bound == "upper"
    assert package.warnings == ()


@pytest.mark.parametrize(
    ("yaml", "error"),
    [
        ("accepted: {permitted: [OK]}", "accepted.permitted: 'OK' is none of AC, WA, TLE, RTE"),
        ("accepted: {permited: [AC]}", "accepted.permited: is not a key of this format; did you mean permitted?"),
        ("any: {permitted: [AC], required: [WA]}", "any.required: asks for a verdict that is not permitted"),
        ("accepted/*: {permitted: [WA]}", "accepted/add.py: may get no verdict at all"),
        ("accepted: {score: [5, 3]}", "accepted.score: must be a number, or the least and the most points"),
        ("accepted: {score: much}", "accepted.score: must be a number, or the least and the most points"),
        ("accepted: {use_for_time_limit: maybe}", "accepted.use_for_time_limit: must be true, false, lower or upper"),
        ("accepted: [AC]", "accepted: must hold keys and values, not ['AC']"),
        ("a{1,2,3,4,5,6,7,8,9,0}" * 1 + "{1,2,3,4,5,6,7,8,9,0}" * 3 + ": {}", "means more than 1,000 patterns"),
        (
            "".join(f"'a{n}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}': {{}}\n" for n in range(9)),
            "is one too many: the patterns of the file mean more than 1,000",
        ),
        (
            "accepted:\n"
            + "".join(f"  'secret/{n}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}{{0,1}}': {{}}\n" for n in range(9)),
            "is one too many: the patterns of the file mean more than 1,000",
        ),
        ("[", "is not valid YAML"),
    ],
)
def test_wrong_expectations_are_errors(new: Write, yaml: str, error: str) -> None:
    (found,) = errors_of(new({"submissions/submissions.yaml": yaml}))
    assert found.startswith("submissions/submissions.yaml: ")
    assert error in found


def test_there_are_not_more_submissions_than_can_be_tried(legacy: Write) -> None:
    assert len(load_package(legacy({f"submissions/wrong_answer/{n}.py": "x" for n in range(299)})).submissions) == 300
    (found,) = errors_of(legacy({f"submissions/wrong_answer/{n}.py": "x" for n in range(300)}))
    assert found == "submissions: holds 301 submissions: 300 are tried at most"
