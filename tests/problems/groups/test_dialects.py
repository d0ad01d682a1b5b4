"""Legacy scoring packages in two dialects: which one a package is in, and by what that is told."""

from pathlib import Path

import pytest

from problems.groups.points import dialect_of, rules_of, scoring_columns
from problems.loading.loading import load_package
from problems.package import Package
from problems.testgroups import DOMJUDGE, KATTIS
from tests.problems.conftest import Write
from tests.problems.loaded import LEGACY_SCORING, cases

TWO_GROUPS = {
    **LEGACY_SCORING,
    **cases("secret/a/1", "secret/a/2", "secret/b/1", "secret/b/2"),
    "data/secret/1.in": None,
    "data/secret/1.ans": None,
    "data/testdata.yaml": "on_reject: continue\ngrader_flags: sum\n",
    "data/secret/testdata.yaml": "on_reject: continue\n",
    "data/secret/a/testdata.yaml": "accept_score: 20\n",
    "data/secret/b/testdata.yaml": "accept_score: 40\n",
}
PROGRAM = "print(sum(map(int, input().split())))\n"


def package_of(legacy: Write, **more: str | None) -> Package:
    """Two groups of two cases each; `more` by path, with "__" for a slash."""
    return load_package(legacy({**TWO_GROUPS, **{name.replace("__", "/"): text for name, text in more.items()}}))


def told(package: Package) -> tuple[str, str]:
    assert package.dialect is not None
    assert package.dialect.is_certain
    assert not any("accept_score" in warning for warning in package.warnings)
    return package.dialect.name, package.dialect.why


def test_without_evidence_the_formats_text_holds_and_the_setter_is_asked(legacy: Write) -> None:
    package = package_of(legacy)
    assert package.dialect is not None
    assert (package.dialect.name, package.dialect.is_certain) == (KATTIS, False)
    (warning,) = [each for each in package.warnings if each.startswith("data: accept_score: ")]
    assert "a right program would have 121 points or 60" in warning
    assert "choose in the problem's settings" in warning
    assert scoring_columns(package)["max_score"] == 121


def test_the_points_expected_of_an_accepted_submission_decide(legacy: Write) -> None:
    """Before a range that would tell otherwise."""
    files = {"submissions/accepted/a.py": f"# @EXPECTED_SCORE@: 60\n{PROGRAM}", "data/testdata.yaml": "range: 0 121\n"}
    package = load_package(legacy({**TWO_GROUPS, **files}))
    assert told(package) == (DOMJUDGE, "submissions/accepted/a.py is to get 60 points")
    assert scoring_columns(package)["max_score"] == 60
    kattis = load_package(legacy({**TWO_GROUPS, "submissions/accepted/a.py": f"# @EXPECTED_SCORE@: 121\n{PROGRAM}"}))
    assert told(kattis)[0] == KATTIS


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ({"data/secret/b/testdata.yaml": "accept_score: 40\nrange: 0 40\n"}, DOMJUDGE),
        ({"data/secret/b/testdata.yaml": "accept_score: 40\nrange: 0 80\n"}, KATTIS),
        ({"data/secret/testdata.yaml": "range: 0 60\n"}, DOMJUDGE),
        ({"data/secret/testdata.yaml": "range: 0 120\n"}, KATTIS),
        ({"data/testdata.yaml": "range: 100 200\n"}, KATTIS),
    ],
)
def test_a_range_that_only_one_dialect_fits_decides(legacy: Write, ranges: dict[str, str], expected: str) -> None:
    name, why = told(load_package(legacy({**TWO_GROUPS, **ranges})))
    assert name == expected
    assert why.startswith(f"the range of {next(iter(ranges)).removesuffix('/testdata.yaml')} is ")


@pytest.mark.parametrize(
    ("files", "expected", "mark"),
    [
        ({"domjudge-problem.ini": "timelimit = 1\n"}, DOMJUDGE, "domjudge-problem.ini"),
        (
            {"submissions/wrong_answer/b.py": "# @EXPECTED_SCORE@: 20\nprint(7)\n"},
            DOMJUDGE,
            "tags @EXPECTED_SCORE@",
        ),
        (
            {"data/testdata.yaml": "grader_flags: first_error sum\n"},
            KATTIS,
            "the grader flag first_error in data/testdata.yaml",
        ),
        ({"submissions/partially_accepted/b.py": "print(7)\n"}, KATTIS, "submissions/partially_accepted"),
    ],
)
def test_what_only_one_dialect_has_decides(legacy: Write, files: dict[str, str], expected: str, mark: str) -> None:
    assert told(load_package(legacy({**TWO_GROUPS, **files}))) == (expected, f"the package has {mark}")


def test_marks_of_both_decide_nothing(legacy: Write) -> None:
    package = package_of(
        legacy, **{"domjudge-problem.ini": "name = x\n", "data/testdata.yaml": "grader_flags: worst_error\n"}
    )
    assert package.dialect is not None
    assert not package.dialect.is_certain


def test_where_domjudge_would_give_nothing_it_is_kattis(legacy: Write) -> None:
    """DOMjudge inherits no accept_score."""
    files = {"data/secret/testdata.yaml": "accept_score: 5\n", "data/secret/a/testdata.yaml": None}
    name, why = told(load_package(legacy({**TWO_GROUPS, **files})))
    assert (name, why) == (KATTIS, "data/secret/a has no accept_score of its own, and DOMjudge inherits none")


def test_the_usual_template_is_the_same_in_both(legacy: Write) -> None:
    """So nobody is asked, and nothing can be chosen."""
    files = {
        "data/testdata.yaml": "on_reject: continue\ngrader_flags: ignore_sample\n",
        "data/secret/testdata.yaml": "grader_flags: sum\n",
        "data/secret/a/testdata.yaml": "accept_score: 20\ngrader_flags: min\n",
        "data/secret/b/testdata.yaml": "accept_score: 40\ngrader_flags: min\n",
    }
    package = load_package(legacy({**TWO_GROUPS, **files}))
    assert (package.dialect, package.domjudge_groups, dialect_of(package)) == (None, None, "")
    assert scoring_columns(package)["max_score"] == 60


def test_a_checker_of_domjudge_needs_not_say_that_it_gives_points(legacy: Write) -> None:
    """The shape of an optimisation problem: no accept_score, one group with a range."""
    files = {
        "problem.yaml": f"{LEGACY_SCORING['problem.yaml']}validation: custom\n",
        "output_validators/check.py": "import sys\nsys.exit(42)\n",
        "data/secret/a/testdata.yaml": "range: 0 100\n",
        "data/secret/b/testdata.yaml": None,
        "data/secret/b/1.in": None,
        "data/secret/b/1.ans": None,
        "data/secret/b/2.in": None,
        "data/secret/b/2.ans": None,
        "submissions/wrong_answer/b.py": "# @EXPECTED_SCORE@: 20\nprint(7)\n",
    }
    package = load_package(legacy({**TWO_GROUPS, **files}))
    assert told(package)[0] == DOMJUDGE
    rules = rules_of(package)
    assert rules is not None
    assert rules.has_checker_scores


def test_2025_09_has_no_dialects() -> None:
    package = load_package(Path(__file__).resolve().parents[3] / "problems" / "library" / "beststretch")
    assert (package.dialect, package.limits.score_dialect) == (None, "")
