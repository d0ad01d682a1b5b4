"""data/ of a legacy scoring problem as a tree, and what makes a package one."""

import math
import shutil
from pathlib import Path

import pytest

from problems.loading.loading import load_package
from problems.testgroups import Grading, Points, TestGroup
from tests.problems.conftest import Write
from tests.problems.loaded import DRAFT, LEGACY_SCORING, LEGACY_YAML, SCORING, cases, errors_of


def test_the_usual_template_of_legacy_packages(legacy: Write) -> None:
    """The four files that nearly all scoring packages have."""
    files = {
        **LEGACY_SCORING,
        **cases("secret/g1/1", "secret/g1/2", "secret/g2/1"),
        "data/secret/1.in": None,
        "data/secret/1.ans": None,
        "data/testdata.yaml": "on_reject: continue\nrange: 0 100\ngrader_flags: ignore_sample\n",
        "data/sample/testdata.yaml": "on_reject: continue\nrange: 0 0\naccept_score: 0\ngrader_flags: first_error\n",
        "data/secret/testdata.yaml": "range: 0 100\ngrader_flags: first_error accept_if_any_accepted\n",
        "data/secret/g1/testdata.yaml": "on_reject: break\naccept_score: 40\nrange: 0 40\ngrader_flags: min\n",
        "data/secret/g2/testdata.yaml": "on_reject: break\naccept_score: 60\nrange: 0 60\ngrader_flags: min\n",
    }
    package = load_package(legacy(files))
    sample = Grading(on_reject="continue", accept_score=0, least=0, most=0, verdict="first_error")
    secret = Grading(on_reject="continue", least=0, most=100, verdict="first_error", accepts_if_any=True)
    assert package.groups == TestGroup(
        name="",
        rule=Grading(on_reject="continue", least=0, most=100, ignores_sample=True),
        parts=(
            TestGroup(name="sample", rule=sample, parts=("sample/1",)),
            TestGroup(
                name="secret",
                rule=secret,
                parts=(
                    TestGroup(
                        name="secret/g1",
                        rule=Grading(accept_score=40, least=0, most=40, score="min"),
                        parts=("secret/g1/1", "secret/g1/2"),
                    ),
                    TestGroup(
                        name="secret/g2",
                        rule=Grading(accept_score=60, least=0, most=60, score="min"),
                        parts=("secret/g2/1",),
                    ),
                ),
            ),
        ),
    )
    assert package.warnings == ()


def test_settings_are_inherited_and_flags_as_a_whole(legacy: Write) -> None:
    files = {
        "problem.yaml": f"{LEGACY_YAML}type: scoring\ngrading: {{accept_score: 7, on_reject: grade}}\n",
        **cases("secret/a/1"),
        "data/testdata.yaml": "grader_flags: ignore_sample max no_errors\nreject_score: -1\n",
        "data/secret/a/testdata.yaml": "grader_flags: always_accept avg\nrange: -inf 5.5\n",
    }
    groups = load_package(legacy(files)).groups
    assert groups is not None
    above = Grading(on_reject="continue", accept_score=7, reject_score=-1, score="max")
    assert groups.parts[1] == TestGroup(
        name="secret",
        rule=above,
        parts=(
            "secret/1",
            TestGroup(
                name="secret/a",
                rule=Grading(
                    on_reject="continue",
                    accept_score=7,
                    reject_score=-1,
                    score="avg",
                    verdict="always_accept",
                    most=5.5,
                ),
                parts=("secret/a/1",),
            ),
        ),
    )


def test_cases_and_folders_stand_in_one_order(legacy: Write) -> None:
    files = {**LEGACY_SCORING, **cases("secret/a/1", "secret/b", "secret/c/1", "secret/0")}
    groups = load_package(legacy(files)).groups
    assert groups is not None
    (_, secret) = groups.parts
    assert isinstance(secret, TestGroup)
    assert [part if isinstance(part, str) else part.name for part in secret.parts] == [
        "secret/0",
        "secret/1",
        "secret/a",
        "secret/b",
        "secret/c",
    ]
    assert secret.rule == Grading(least=-math.inf, most=math.inf)


def test_drafts_have_the_legacy_groups_until_a_test_group_yaml(new: Write, tmp_path: Path) -> None:
    package = load_package(new({**DRAFT, "data/testdata.yaml": "grader_flags: min\n"}))
    assert package.groups is not None
    assert package.groups.rule == Grading(score="min")
    shutil.rmtree(tmp_path / "aplusb")
    package = load_package(new({**DRAFT, "data/secret/test_group.yaml": "max_score: 5\n"}))
    assert package.groups is not None
    assert package.groups.rule == Points(max_score=5)


def test_legacy_package_without_a_type_is_told_by_its_groups(legacy: Write) -> None:
    package = load_package(legacy({"data/secret/testdata.yaml": "range: 0 10\n"}))
    assert package.groups is not None
    assert package.warnings == (
        "problem.yaml: type: is not given: taken as scoring, since data/secret/testdata.yaml says how points are made",
    )
    assert load_package(legacy({"data/secret/testdata.yaml": "on_reject: break\n"})).groups is None


def test_points_in_a_pass_fail_package_are_a_warning(legacy: Write) -> None:
    files = {"problem.yaml": f"{LEGACY_YAML}type: pass-fail\n", "data/secret/testdata.yaml": "range: 0 10\n"}
    package = load_package(legacy(files))
    assert package.groups is None
    assert package.warnings == (
        "data/secret/testdata.yaml: accept_score, reject_score and range: is not used: "
        "the problem is pass-fail, not scoring",
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("grading: custom", "grading: must be default: Tally runs no graders of packages"),
        ("on_reject: stop", "on_reject: must be break or continue, not 'stop'"),
        ("range: 10 0", "range: must be two numbers, the least and the most points, not '10 0'"),
        ("range: 1 2 3", "range: must be two numbers"),
        ("accept_score: much", "accept_score: must be a finite number, not 'much'"),
        ("reject_score: inf", "reject_score: must be a finite number"),
    ],
)
def test_wrong_grading_is_an_error(legacy: Write, text: str, error: str) -> None:
    (found,) = errors_of(legacy({**LEGACY_SCORING, "data/secret/testdata.yaml": text}))
    assert found.startswith(f"data/secret/testdata.yaml: {error}")


def test_flags_without_a_meaning_are_warnings(legacy: Write) -> None:
    files = {**LEGACY_SCORING, "data/secret/testdata.yaml": "grader_flags: ignore_sample median\n"}
    assert load_package(legacy(files)).warnings == (
        "data/secret/testdata.yaml: grader_flags: 'median' is no flag of the default grader: it changes nothing",
        "data/secret/testdata.yaml: grader_flags: ignore_sample means something in data/testdata.yaml only",
    )


def test_checker_gives_points_where_the_format_says_so(legacy: Write, new: Write, tmp_path: Path) -> None:
    checker = {"output_validators/check.py": "x"}
    assert not load_package(
        legacy({**checker, "problem.yaml": f"{LEGACY_YAML}type: scoring\nvalidation: custom\n"})
    ).has_checker_scores
    assert load_package(
        legacy({**checker, "problem.yaml": f"{LEGACY_YAML}validation: custom score\n"})
    ).has_checker_scores
    shutil.rmtree(tmp_path / "aplusb")
    assert not load_package(new(SCORING)).has_checker_scores
    assert load_package(new({**SCORING, "output_validator/check.py": "x"})).has_checker_scores
