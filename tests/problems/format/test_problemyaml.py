"""problem.yaml as values."""

from dataclasses import replace

import pytest

from problems.diagnostics import Report
from problems.format.files import MIB
from problems.format.problemyaml import ProblemYaml, read_problem_yaml
from problems.package import ProblemLimits, TimeRule

UUID = "1b6d6f19-105f-4b3b-9c31-e87a7524d243"
LEGACY_TIMES = TimeRule(ac_to_time_limit=5, time_limit_to_tle=2)


def read(data: dict[str, object]) -> tuple[ProblemYaml, Report]:
    report = Report()
    return read_problem_yaml(data, report), report


def read_new(data: dict[str, object]) -> tuple[ProblemYaml, Report]:
    return read({"problem_format_version": "2025-09", "name": "x", "uuid": UUID, **data})


def errors(report: Report) -> list[str]:
    return [str(error) for error in report.errors]


def test_empty_legacy_file_has_all_defaults() -> None:
    values, report = read({})
    assert values == ProblemYaml(
        is_legacy=True,
        names={},
        is_custom=False,
        validator_flags=(),
        time_limit_ms=None,
        time_rule=LEGACY_TIMES,
        is_scoring=None,
    )
    assert (report.errors, report.warnings) == ([], [])


def test_defaults_are_those_of_tally() -> None:
    limits = read({})[0].limits
    assert (limits.memory_bytes, limits.output_bytes, limits.code_bytes) == (2048 * MIB, 8 * MIB, 128 * 1024)
    assert (limits.compile_time_ms, limits.compile_memory_bytes) == (10_000, 1024 * MIB)


def test_limits_are_converted_to_bytes_and_milliseconds() -> None:
    given = {
        "time_limit": 1.5,
        "time_resolution": 0.5,
        "memory": 256,
        "output": 64,
        "code": 32,
        "compilation_time": 20,
        "compilation_memory": 512,
        "validation_time": 30,
        "validation_memory": 128,
        "validation_output": 4,
    }
    values, report = read_new({"limits": given})
    assert errors(report) == []
    assert values.time_limit_ms == 1_500
    assert values.limits == ProblemLimits(
        memory_bytes=256 * MIB,
        output_bytes=64 * MIB,
        code_bytes=32 * 1024,
        compile_time_ms=20_000,
        compile_memory_bytes=512 * MIB,
        validation_time_ms=30_000,
        validation_memory_bytes=128 * MIB,
        validation_output_bytes=4 * MIB,
    )


def test_legacy_validation_is_read() -> None:
    values, report = read({"validation": "custom", "validator_flags": "float_tolerance 1e-6"})
    assert errors(report) == []
    assert values.is_custom
    assert values.validator_flags == ("float_tolerance", "1e-6")


def test_unknown_key_is_a_warning_in_legacy_with_a_guess() -> None:
    _, report = read({"validator_flag": "case_sensitive", "limits": {"memroy": 1}})
    assert errors(report) == []
    assert report.warnings == [
        "problem.yaml: limits.memroy: is not a key of this format; did you mean memory?",
        "problem.yaml: validator_flag: is not a key of this format; did you mean validator_flags?",
    ]


def test_unknown_key_is_an_error_in_2025_09() -> None:
    _, report = read_new({"author": "me", "limits": {"memroy": 1}})
    assert errors(report) == [
        "problem.yaml: limits.memroy: is not a key of this format; did you mean memory?",
        "problem.yaml: author: is not a key of this format",
    ]


@pytest.mark.parametrize("key", ["validation", "validator_flags"])
def test_legacy_key_in_2025_09_says_where_it_went(key: str) -> None:
    (error,) = errors(read_new({key: "default"})[1])
    assert error.startswith(f"problem.yaml: {key}: belongs to the legacy format")
    assert "data/secret/test_group.yaml" in error


def test_missing_uuid_is_a_warning_in_2025_09() -> None:
    _, report = read_new({"uuid": None})
    assert errors(report) == []
    assert report.warnings == ["problem.yaml: uuid: is missing: the 2025-09 format asks for one"]


@pytest.mark.parametrize("value", [0, -1, 0.0, float("inf"), float("nan"), "2 s", True, [2], 10**30, 301])
def test_unfit_time_limit_is_an_error_at_its_key(value: object) -> None:
    values, report = read({"limits": {"time_limit": value}})
    assert values.time_limit_ms is None
    assert [(error.file, error.key) for error in report.errors] == [("problem.yaml", "limits.time_limit")]


@pytest.mark.parametrize("value", [0, -1, 1.5, "256", "256 MB", False, 10**20, float("inf")])
def test_unfit_memory_limit_is_an_error_in_2025_09(value: object) -> None:
    values, report = read_new({"limits": {"memory": value}})
    assert values.limits.memory_bytes == ProblemLimits().memory_bytes
    assert [error.key for error in report.errors] == ["limits.memory"]


def test_time_limit_must_be_a_multiple_of_the_resolution() -> None:
    assert read_new({"limits": {"time_limit": 0.3, "time_resolution": 0.1}})[1].errors == []
    _, report = read_new({"limits": {"time_limit": 1.5}})
    assert errors(report) == ["problem.yaml: limits.time_limit: 1.5 s is not a multiple of time_resolution (1 s)"]


def test_answers_instead_of_programs_are_refused() -> None:
    for _, report in (read_new({"type": "submit-answer"}), read_new({"type": ["pass-fail", "submit-answer"]})):
        assert errors(report) == [
            "problem.yaml: type: submit-answer problems cannot be judged: Tally runs programs, and takes no answers "
            "as files"
        ]


@pytest.mark.parametrize(
    ("kinds", "is_scoring", "is_interactive", "passes"),
    [
        (None, False, False, 1),
        ("pass-fail", False, False, 1),
        ("scoring", True, False, 1),
        ("multi-pass", False, False, 2),
        (["interactive", "multi-pass"], False, True, 2),
        (["scoring", "interactive"], True, True, 1),
    ],
)
def test_types_of_2025_09(kinds: object, is_scoring: bool, is_interactive: bool, passes: int) -> None:
    values, report = read_new({"type": kinds})
    assert errors(report) == []
    assert (values.is_scoring, values.is_interactive, values.most_passes) == (is_scoring, is_interactive, passes)


@pytest.mark.parametrize(
    ("data", "is_scoring", "is_interactive", "passes", "gives_scores"),
    [
        ({"type": "pass-fail"}, False, False, 1, False),
        ({"type": "scoring"}, True, False, 1, False),
        ({"grading": {"objective": "max"}}, True, False, 1, False),
        ({"validation": "custom score"}, True, False, 1, True),
        ({"validation": "custom interactive"}, None, True, 1, False),
        ({"validation": "custom multi-pass", "limits": {"validation_passes": 3}}, None, False, 3, False),
        ({"validation": "custom interactive multi-pass score"}, True, True, 2, True),
        ({"type": "pass-fail interactive"}, False, True, 1, False),
    ],
)
def test_types_of_legacy_packages_and_of_domjudges(
    data: dict[str, object], is_scoring: bool | None, is_interactive: bool, passes: int, gives_scores: bool
) -> None:
    values, report = read(data)
    assert (errors(report), report.warnings) == ([], [])
    assert (values.is_scoring, values.is_interactive, values.most_passes) == (is_scoring, is_interactive, passes)
    assert values.has_checker_scores == gives_scores
    assert values.is_custom == (is_interactive or "validation" in data)


def test_passes_without_a_multi_pass_problem_are_a_warning() -> None:
    values, report = read_new({"limits": {"validation_passes": 3}})
    assert values.most_passes == 1
    assert report.warnings == ["problem.yaml: limits.validation_passes: is not used: the problem is not multi-pass"]
    assert [error.key for error in read_new({"limits": {"validation_passes": 1}})[1].errors] == [
        "limits.validation_passes"
    ]


@pytest.mark.parametrize(
    ("limits", "rule"),
    [
        ({}, LEGACY_TIMES),
        ({"time_multiplier": 3}, replace(LEGACY_TIMES, ac_to_time_limit=3)),
        ({"time_safety_margin": 4}, replace(LEGACY_TIMES, time_limit_to_tle=4)),
        ({"time_resolution": 0.5}, replace(LEGACY_TIMES, resolution_ms=500)),
        (
            {"time_multiplier": 4, "time_multipliers": {"ac_to_time_limit": 3}},
            replace(LEGACY_TIMES, ac_to_time_limit=3),
        ),
    ],
)
def test_time_rule_of_a_legacy_package(limits: dict[str, object], rule: TimeRule) -> None:
    values, report = read({"limits": limits})
    assert (values.time_rule, report.errors, report.warnings) == (rule, [], [])


def test_a_mistyped_multiplier_of_the_legacy_format_is_a_warning() -> None:
    values, report = read({"limits": {"time_multipliers": 1}})
    assert (values.time_rule, report.errors) == (LEGACY_TIMES, [])
    assert report.warnings == [
        "problem.yaml: limits.time_multipliers: is not a key of this format; did you mean time_multiplier?"
    ]


@pytest.mark.parametrize("version", ["2025-09", "2023-07-draft"])
def test_where_nothing_is_said_the_time_rule_is_that_of_the_version(version: str) -> None:
    """Source: "Limits" of both texts: 2 and 1.5, where the legacy one has 5 and 2."""
    values, _ = read_new({"problem_format_version": version})
    assert (values.time_rule.ac_to_time_limit, values.time_rule.time_limit_to_tle) == (2, 1.5)


def test_time_rule_of_2025_09() -> None:
    given = {"time_multipliers": {"ac_to_time_limit": 3, "time_limit_to_tle": 1.25}, "time_resolution": 0.1}
    values, report = read_new({"limits": given})
    assert (values.time_rule, report.errors) == (
        TimeRule(ac_to_time_limit=3, time_limit_to_tle=1.25, resolution_ms=100),
        [],
    )
    _, report = read_new({"limits": {"time_multipliers": {"ac_to_time_limit": 0.5}, "time_multiplier": 5}})
    assert [error.key for error in report.errors] == [
        "limits.time_multipliers.ac_to_time_limit",
        "limits.time_multiplier",
    ]


def test_objective_of_fewer_points_is_refused() -> None:
    assert errors(read({"grading": {"objective": "min"}})[1]) == [
        "problem.yaml: grading.objective: must be max: in Tally more points are always better"
    ]


def test_old_grading_of_problem_yaml_is_read() -> None:
    given = {"accept_score": 5, "reject_score": "-1", "range": "0 10", "on_reject": "first_error"}
    values, report = read({"grading": given})
    assert (values.grading.accept_score, values.grading.reject_score, values.grading.range) == (5.0, -1.0, (0.0, 10.0))
    assert (values.grading.on_reject, report.errors, report.warnings) == ("break", [], [])


@pytest.mark.parametrize(
    ("given", "languages"),
    [
        (None, None),
        ("all", None),
        (["all"], None),
        (["python3", "java"], ("python",)),
        ("cpp rust", ("cpp", "rust")),
        (["cpp", "cpp"], ("cpp",)),
    ],
)
def test_languages_are_those_of_tally(given: object, languages: tuple[str, ...] | None) -> None:
    values, report = read_new({"languages": given})
    assert (values.languages, report.errors) == (languages, [])


def test_languages_without_one_of_ours_are_an_error() -> None:
    assert errors(read_new({"languages": ["java", "kotlin"]})[1]) == [
        "problem.yaml: languages: has none that Tally runs (python3, cpp, rust), only java, kotlin"
    ]


def test_what_is_not_enforced_is_a_warning() -> None:
    given = {"embargo_until": "2030-01-01", "allow_file_writing": False, "keywords": ["a"], "version": "1.0"}
    assert read_new(given)[1].warnings == [
        "problem.yaml: embargo_until: is not enforced: hide the problem until then",
        "problem.yaml: allow_file_writing: is not enforced: a program may write files of its own, "
        "which are gone afterwards",
    ]
    assert read_new({"allow_file_writing": True})[1].warnings == []
    _, report = read({"grading": {"objective": "max", "show_test_data_groups": True}})
    assert report.warnings == [
        "problem.yaml: grading.show_test_data_groups: is not used: the problem's settings here say what contestants see"
    ]


def test_unknown_version_and_type_are_errors() -> None:
    _, report = read({"problem_format_version": "2031-01", "name": "x", "type": "quiz"})
    assert [error.key for error in report.errors] == ["problem_format_version", "type"]


def test_names_may_be_a_map_by_language() -> None:
    values, report = read_new({"name": {"en": "Hello", "pt-BR": "Olá", "fil": "Kumusta"}})
    assert (values.names, report.errors) == ({"en": "Hello", "pt-BR": "Olá", "fil": "Kumusta"}, [])
    assert [error.key for error in read_new({"name": {"english": "Hello"}})[1].errors] == ["name.english"]


def test_name_is_required_in_2025_09() -> None:
    assert [error.key for error in read_new({"name": None})[1].errors] == ["name"]


def test_all_errors_of_a_file_are_collected() -> None:
    _, report = read_new({"name": ["x"], "type": "quiz", "limits": {"memory": -1, "output": "x"}, "bogus": 1})
    assert {error.key for error in report.errors} == {"name", "type", "limits.memory", "limits.output", "bogus"}
