"""problem.yaml as values."""

import pytest

from problems.package import ProblemLimits
from problems.report import Report
from problems.schema import MIB, ProblemYaml, read_domjudge_ini, read_problem_yaml, seconds_to_ms

UUID = "1b6d6f19-105f-4b3b-9c31-e87a7524d243"


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
        limits=ProblemLimits(),
        source="",
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


@pytest.mark.parametrize("kind", ["multi-pass", "submit-answer"])
def test_types_that_cannot_be_judged_yet_are_errors(kind: str) -> None:
    for _, report in (read_new({"type": kind}), read_new({"type": ["pass-fail", kind]})):
        assert errors(report) == [f"problem.yaml: type: {kind} problems are not supported yet"]


@pytest.mark.parametrize("word", ["multi-pass", "score"])
def test_legacy_validators_that_cannot_be_run_yet_are_errors(word: str) -> None:
    assert errors(read({"validation": f"custom {word}"})[1]) == [
        f"problem.yaml: validation: {word} validators are not supported yet"
    ]


def test_scoring_is_judged_as_pass_fail_with_a_warning() -> None:
    _, report = read({"type": "scoring", "grading": {"objective": "max", "show_test_data_groups": True}})
    assert report.errors == []
    assert [warning.split(" is judged")[0] for warning in report.warnings] == ["problem.yaml: type: scoring"]


def test_unknown_version_and_type_are_errors() -> None:
    _, report = read({"problem_format_version": "2031-01", "name": "x", "type": "quiz"})
    assert [error.key for error in report.errors] == ["problem_format_version", "type"]


def test_names_may_be_a_map_by_language() -> None:
    values, report = read_new({"name": {"en": "Hello", "pt-BR": "Olá", "fil": "Kumusta"}})
    assert (values.names, report.errors) == ({"en": "Hello", "pt-BR": "Olá", "fil": "Kumusta"}, [])
    assert [error.key for error in read_new({"name": {"english": "Hello"}})[1].errors] == ["name.english"]


def test_name_is_required_in_2025_09() -> None:
    assert [error.key for error in read_new({"name": None})[1].errors] == ["name"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("NWERC", "NWERC"),
        ({"name": "NWERC", "url": "https://nwerc.example"}, "NWERC"),
        ([{"name": "NWERC"}, "SWERC"], "NWERC, SWERC"),
    ],
)
def test_source_has_several_forms(source: object, text: str) -> None:
    assert read_new({"source": source})[0].source == text


def test_constants_are_refused_because_they_would_not_be_replaced() -> None:
    assert [error.key for error in read_new({"constants": {"n": 5}})[1].errors] == ["constants"]


def test_all_errors_of_a_file_are_collected() -> None:
    _, report = read_new({"name": ["x"], "type": "quiz", "limits": {"memory": -1, "output": "x"}, "bogus": 1})
    assert {error.key for error in report.errors} == {"name", "type", "limits.memory", "limits.output", "bogus"}


@pytest.mark.parametrize(
    ("text", "time_limit_ms"),
    [
        ("2\n", 2_000),
        ("0.5", 500),
        (" 1.25 ", 1_250),
        ("", None),
        ("0", None),
        ("-1", None),
        ("1e3", None),
        ("2s", None),
    ],
)
def test_seconds_in_a_text_file(text: str, time_limit_ms: int | None) -> None:
    assert seconds_to_ms(text) == time_limit_ms


def test_domjudge_ini_is_read_with_and_without_quotes() -> None:
    text = 'short-name = apb\nname=\'It"s\'\ntimelimit="3"\nallow_submit = 1 ; yes\n'
    assert read_domjudge_ini(text) == {"short-name": "apb", "name": 'It"s', "timelimit": "3", "allow_submit": "1"}
