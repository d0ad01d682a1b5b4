"""Settings of test groups and of single test cases: what counts for a case."""

import pytest

from problems.loading.loading import load_package
from tests.problems.conftest import Write
from tests.problems.loaded import LEGACY_YAML, NEW_YAML, SCORING, case_of, cases, errors_of


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
    assert not any("full_feedback" in warning for warning in package.warnings)
    package = load_package(new({"data/sample/test_group.yaml": "full_feedback: false\n"}))
    assert [case.has_full_feedback for case in package.test_cases] == [False, False]
    why = "is not used: what people see of samples and secret cases is a setting in Tally"
    assert f"data/sample/test_group.yaml: full_feedback: {why}" in package.warnings


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
        "problem.yaml": f"{NEW_YAML}constants: {{n: 5}}\n",
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
        ('args: ["a\\0b"]', "cannot be read as YAML: it holds the character NUL (line 1)"),
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
