"""Settings of test groups and of single test cases, and data/ of a scoring problem as a tree."""

import math
import shutil
from pathlib import Path

import pytest

from problems.loading import load_package
from problems.package import Package, PackageErrors, TestCase
from problems.testgroups import Grading, Points, TestGroup

from .conftest import Files, Write

YAML = (
    "problem_format_version: 2025-09\nname: A plus B\nuuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243\n"
    "limits: {time_limit: 2}\n"
)
SCORING = {"problem.yaml": f"{YAML}type: scoring\n"}
DRAFT = {"problem.yaml": SCORING["problem.yaml"].replace("2025-09", "2023-07-draft")}
LEGACY_YAML = "name: x\nlimits: {time_limit: 1}\n"
LEGACY_SCORING = {"problem.yaml": f"{LEGACY_YAML}type: scoring\n"}


def errors_of(path: Path) -> list[str]:
    with pytest.raises(PackageErrors) as caught:
        load_package(path)
    return [str(error) for error in caught.value.errors]


def case_of(package: Package, name: str) -> TestCase:
    (found,) = [case for case in package.test_cases if case.name == name]
    return found


def cases(*names: str) -> dict[str, str]:
    """Files of these test cases ("secret/a/1")."""
    return {f"data/{name}.{ending}": f"{name}\n" for name in names for ending in ("in", "ans")}


# --- what counts for a test case


def test_nearest_file_gives_the_checkers_arguments(new: Write) -> None:
    files = {
        **cases("secret/2", "secret/a/1", "secret/a/2"),
        "data/secret/test_group.yaml": "output_validator_args: [float_tolerance, 1e-6]\n",
        "data/secret/a/test_group.yaml": "output_validator_args: [case_sensitive]\n",
        "data/secret/a/2.yaml": "output_validator_args: []\n",
    }
    package = load_package(new(files))
    assert {case.name: case.validator_args for case in package.test_cases} == {
        "sample/1": (),
        "secret/1": ("float_tolerance", "1e-6"),
        "secret/2": ("float_tolerance", "1e-6"),
        "secret/a/1": ("case_sensitive",),
        "secret/a/2": (),
    }
    assert package.warnings == ()


def test_legacy_flags_are_those_of_problem_yaml_and_then_of_the_group(legacy: Write) -> None:
    package = load_package(
        legacy(
            {
                "problem.yaml": f"{LEGACY_YAML}validator_flags: case_sensitive\n",
                "data/testdata.yaml": "output_validator_flags: float_tolerance 1e-6\non_reject: break\n",
                "data/secret/testdata.yaml": "output_validator_flags: {name: x, flags: space_change_sensitive}\n",
            }
        )
    )
    assert package.validator_flags == ("case_sensitive",)
    assert case_of(package, "sample/1").validator_args == ("case_sensitive", "float_tolerance", "1e-6")
    assert case_of(package, "secret/1").validator_args == ("case_sensitive", "space_change_sensitive")


def test_all_settings_of_a_single_test_case(new: Write) -> None:
    settings = (
        "args: [--depth, 3, 'a b']\nfull_feedback: true\nhint: think\ndescription: the largest one\n"
        "input_validator_args: [small, '7']\noutput_visualizer_args: [--red]\n"
    )
    case = case_of(load_package(new({"data/secret/1.yaml": settings})), "secret/1")
    assert (case.args, case.input_validator_args) == (("--depth", "3", "a b"), {"": ("small", "7")})
    assert (case.has_full_feedback, case.hint, case.description) == (True, "think", "the largest one")


def test_full_feedback_is_the_rule_for_samples_only(new: Write) -> None:
    package = load_package(new({}))
    assert [case.has_full_feedback for case in package.test_cases] == [True, False]
    package = load_package(new({"data/sample/test_group.yaml": "full_feedback: false\n"}))
    assert [case.has_full_feedback for case in package.test_cases] == [False, False]


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("input_validator_args: {a.py: [x], b: [y, z]}", {"": (), "a.py": ("x",), "b": ("y", "z")}),
        ("input_validator_args: []", {"": ()}),
    ],
)
def test_arguments_of_input_validators(new: Write, text: str, args: dict[str, tuple[str, ...]]) -> None:
    validators = {"input_validators/a.py": "x", "input_validators/b.ctd": "x"}
    package = load_package(new({**validators, "data/secret/test_group.yaml": text}))
    assert case_of(package, "secret/1").input_validator_args == args
    assert package.warnings == ()


@pytest.mark.parametrize(
    ("text", "args"),
    [("nFive=1 x", {"": ("nFive=1", "x")}), ("{name: a, flags: nFive=0}", {"": (), "a": ("nFive=0",)})],
)
def test_legacy_flags_of_input_validators(legacy: Write, text: str, args: dict[str, tuple[str, ...]]) -> None:
    files = {"input_validators/a.py": "x", "data/testdata.yaml": f"input_validator_flags: {text}\n"}
    package = load_package(legacy(files))
    assert case_of(package, "secret/1").input_validator_args == args
    assert package.warnings == ()


def test_arguments_for_a_validator_that_is_not_there_are_a_warning(new: Write) -> None:
    package = load_package(new({"data/secret/test_group.yaml": "input_validator_args: {a.py: [x]}"}))
    assert package.warnings == (
        "data/secret/test_group.yaml: input_validator_args: names 'a.py', which is no program in input_validators/",
    )


def test_constants_are_replaced_in_settings(new: Write) -> None:
    files = {
        "problem.yaml": f"{YAML}constants: {{n: 5}}\n",
        "data/secret/test_group.yaml": 'args: ["{{n}}", "{{m}}"]\n',
    }
    assert case_of(load_package(new(files)), "secret/1").args == ("5", "{{m}}")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("output_validator_args: [float_tolerance]", "output_validator_args: float_tolerance needs a number after it"),
        ("bogus: 1", "bogus: is not a key of this format"),
        ("on_reject: break", "on_reject: is not a key of this format"),
        (
            "output_validator_flags: case_sensitive",
            "output_validator_flags: is called output_validator_args in this format",
        ),
        ("max_score: 5", "max_score: is not used: the problem is pass-fail, not scoring"),
        ('args: ["a\\0b"]', "args: must not hold the character NUL"),
        ("args: {a: b}", "args: must be a list of text"),
        ("{", "is not valid YAML"),
    ],
)
def test_wrong_settings_are_errors_in_their_file(new: Write, text: str, error: str) -> None:
    (found,) = errors_of(new({"data/secret/test_group.yaml": text}))
    assert found.startswith(f"data/secret/test_group.yaml: {error}")


def test_odd_settings_are_warnings_in_a_legacy_package(legacy: Write) -> None:
    package = load_package(legacy({"data/secret/testdata.yaml": "bogus: 1"}))
    assert package.warnings == ("data/secret/testdata.yaml: bogus: is not a key of this format",)


def test_legacy_file_is_not_read_in_2025_09(new: Write) -> None:
    package = load_package(new({"data/secret/testdata.yaml": "output_validator_flags: bogus"}))
    assert package.warnings == ("data/secret/testdata.yaml: is not read: test_group.yaml is what counts here",)


def test_static_validation_is_a_warning(new: Write) -> None:
    files = {**SCORING, "data/secret/test_group.yaml": "static_validation_score: 10\nstatic_validator_args: [x]\n"}
    assert load_package(new(files)).warnings == (
        "data/secret/test_group.yaml: static_validation_score: is not used: Tally runs no static validators, "
        "so nothing gives these points",
    )


# --- points of the format 2025-09


def test_groups_are_a_tree_in_order(new: Write) -> None:
    files = {
        **SCORING,
        **cases("secret/2-large/b/1", "secret/2-large/a", "secret/1-small/1"),
        "data/secret/1.in": None,
        "data/secret/1.ans": None,
        "data/secret/1-small/test_group.yaml": "max_score: 40\nrequire_pass: sample\n",
        "data/secret/2-large/test_group.yaml": (
            "max_score: 60\nscore_aggregation: min\nrequire_pass: [sample, secret/1-small]\n"
        ),
    }
    package = load_package(new(files))
    small = TestGroup(
        name="secret/1-small",
        rule=Points(max_score=40, aggregation="pass-fail", requires=("sample",)),
        parts=("secret/1-small/1",),
    )
    large = TestGroup(
        name="secret/2-large",
        rule=Points(max_score=60, aggregation="min", requires=("sample", "secret/1-small")),
        parts=("secret/2-large/a", "secret/2-large/b/1"),
    )
    sample = TestGroup(name="sample", rule=Points(max_score=0, aggregation="pass-fail"), parts=("sample/1",))
    secret = TestGroup(name="secret", rule=Points(max_score=100), parts=(small, large))
    assert package.groups == TestGroup(name="", rule=Points(max_score=100), parts=(sample, secret))
    assert package.warnings == ()


def test_without_groups_secret_has_the_cases_of_all_its_folders(new: Write) -> None:
    package = load_package(
        new({**SCORING, **cases("secret/a/1"), "data/secret/test_group.yaml": "max_score: unbounded\n"})
    )
    assert package.groups is not None
    assert package.groups.parts[1] == TestGroup(
        name="secret", rule=Points(max_score=None), parts=("secret/1", "secret/a/1")
    )


GROUP = {**cases("secret/a/1"), "data/secret/1.in": None, "data/secret/1.ans": None}


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"data/sample/test_group.yaml": "max_score: 1"}, "data/sample/test_group.yaml: max_score: is not for samples"),
        ({"data/test_group.yaml": "max_score: 1"}, "data/test_group.yaml: max_score: must stand in data/secret"),
        (
            {"data/secret/test_group.yaml": "max_score: -1"},
            "data/secret/test_group.yaml: max_score: must be unbounded or",
        ),
        (
            {"data/secret/test_group.yaml": "score_aggregation: avg"},
            "data/secret/test_group.yaml: score_aggregation: must be one of pass-fail, sum, min, not 'avg'",
        ),
        (
            {
                "data/secret/test_group.yaml": "{score_aggregation: pass-fail, max_score: unbounded}",
                **GROUP,
                "data/secret/a/test_group.yaml": "max_score: 5",
            },
            "data/secret/test_group.yaml: max_score: must be a number where score_aggregation is pass-fail",
        ),
        ({**GROUP, "data/secret/a/test_group.yaml": ""}, "data/secret/a/test_group.yaml: max_score: is missing"),
        (
            {**GROUP, "data/secret/a/test_group.yaml": "score_aggregation: sum"},
            "data/secret/a/test_group.yaml: max_score: must be given, since all of secret gives 100 at most",
        ),
        (
            {**GROUP, "data/secret/a/test_group.yaml": "{max_score: 5, require_pass: secret/b}"},
            "data/secret/a/test_group.yaml: require_pass: 'secret/b' is no earlier group (there are: sample)",
        ),
        (
            {
                **GROUP,
                **cases("secret/b/1"),
                "data/secret/a/test_group.yaml": "{max_score: 5, score_aggregation: sum}",
                "data/secret/b/test_group.yaml": "{max_score: 5, require_pass: secret/a}",
            },
            "data/secret/b/test_group.yaml: require_pass: secret/a must be pass-fail to be passed",
        ),
        (
            {
                **GROUP,
                "data/secret/test_group.yaml": "score_aggregation: pass-fail",
                "data/secret/a/test_group.yaml": "{max_score: 5, score_aggregation: min}",
            },
            "data/secret/a/test_group.yaml: score_aggregation: must be pass-fail, since that of data/secret is",
        ),
        (
            {**GROUP, **cases("secret/1"), "data/secret/a/test_group.yaml": "max_score: 5"},
            "data/secret: has test groups, so secret/1 must lie in one of them",
        ),
        (
            {
                **GROUP,
                **cases("secret/a/b/1"),
                "data/secret/a/test_group.yaml": "max_score: 5",
                "data/secret/a/b/test_group.yaml": "max_score: 5",
            },
            "data/secret/a/b/test_group.yaml: lies too deep",
        ),
        (
            {"data/secret/b/test_group.yaml": "max_score: 5", **GROUP, "data/secret/a/test_group.yaml": "max_score: 5"},
            "data/secret/b/test_group.yaml: is a test group without a test case",
        ),
    ],
)
def test_points_that_the_format_forbids_are_errors(new: Write, files: Files, error: str) -> None:
    (found,) = errors_of(new({**SCORING, **files}))
    assert found.startswith(error)


def test_groups_that_give_more_than_secret_are_a_warning(new: Write) -> None:
    package = load_package(new({**SCORING, **GROUP, "data/secret/a/test_group.yaml": "max_score: 101"}))
    assert package.warnings == (
        "data/secret/test_group.yaml: max_score: is 100, but the groups give up to 101: more than it is a judge error",
    )


# --- legacy grading


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
