"""A spec goes through JSON unchanged; what is wrong with one is told by key, all of it at once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from judge.grading.experiment.checks import INPUT_BYTES, MOST_RUNS, MOST_VARIANTS, SOURCE_BYTES, check, problems_of
from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import (
    METRICS,
    CaseRef,
    Claim,
    ExperimentSpec,
    PublishedRow,
    RunSettings,
    SpecError,
    Variant,
    spec_from_json,
)
from problems.jsonvalues import JsonError, from_json, to_json
from sandbox.types import TimelinePoint
from tests.judge.grading.experiment.specs import GATHERED, claiming, make_spec, variant

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_NUMBER = st.integers(-(2**53), 2**53)
_VARIANT = st.builds(
    Variant,
    name=_TEXT,
    language=_TEXT,
    source=_TEXT,
    args=st.lists(_TEXT, max_size=3).map(tuple),
    note=_TEXT,
    submission=st.none() | _NUMBER,
)
_CLAIM = st.builds(
    Claim,
    **dict.fromkeys(("text", "metric", "more", "less", "destination", "less_destination", "published"), _TEXT),
)
_SPEC = st.builds(
    ExperimentSpec,
    title=_TEXT,
    question=_TEXT,
    variants=st.lists(_VARIANT, max_size=3).map(tuple),
    destinations=st.lists(_TEXT, max_size=3).map(tuple),
    input=_TEXT,
    case=st.none() | st.builds(CaseRef, version=_NUMBER, case=_TEXT),
    rounds=_NUMBER,
    settings=st.builds(RunSettings, **dict.fromkeys(("cpu_time_ms", "memory_mib", "cores", "sample_ms"), _NUMBER)),
    mechanism=_TEXT,
    claims=st.lists(_CLAIM, max_size=2).map(tuple),
    published=st.lists(
        st.builds(PublishedRow, variant=_TEXT, figures=st.dictionaries(_TEXT, _TEXT, max_size=3)), max_size=2
    ).map(tuple),
    published_source=_TEXT,
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def _problems(spec: ExperimentSpec) -> Mapping[str, str]:
    with pytest.raises(SpecError) as caught:
        check(spec)
    return caught.value.problems


@given(_SPEC)
def test_spec_goes_through_json_unchanged(spec: ExperimentSpec) -> None:
    assert spec_from_json(json.loads(json.dumps(to_json(spec)))) == spec


@given(_SPEC)
def test_check_ends_whatever_the_spec_says(spec: ExperimentSpec) -> None:
    try:
        check(spec)
    except SpecError as error:
        assert error.problems  # noqa: PT017 - either is right


@given(_JSON)
def test_what_is_no_spec_is_refused(value: Any) -> None:
    with pytest.raises(SpecError) as caught:
        spec_from_json(value)
    assert caught.value.problems
    assert "\0" not in str(caught.value)


@given(st.dictionaries(st.sampled_from(sorted(ExperimentSpec.__dataclass_fields__)), _JSON))
def test_right_keys_with_anything_in_them_are_a_spec_or_refused(changes: dict[str, Any]) -> None:
    try:
        spec = spec_from_json(to_json(make_spec()) | changes)
    except SpecError as error:
        assert error.problems  # noqa: PT017 - either is right
        return
    assert b"\\u0000" not in json.dumps(to_json(spec), ensure_ascii=False).replace("\\\\", "").encode()


def test_all_problems_are_told_by_key() -> None:
    value = to_json(make_spec())
    value["variants"][0]["source"] = 7
    value["variants"][1]["colour"] = "red"
    value["settings"]["cores"] = True
    value["surprise"] = 1
    del value["question"]
    with pytest.raises(SpecError) as caught:
        spec_from_json(value)
    assert caught.value.problems == {
        "surprise": "is not known here",
        "question": "is missing",
        "variants.0.source": "must be a text",
        "variants.1.colour": "is not known here",
        "settings.cores": "must be a whole number",
    }


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_database_takes_is_refused(text: str) -> None:
    value = to_json(make_spec())
    value["variants"][0]["source"] = text
    with pytest.raises(SpecError) as caught:
        spec_from_json(value)
    assert list(caught.value.problems) == ["variants.0.source"]


def test_measured_run_goes_through_json_unchanged() -> None:
    sample = TimelinePoint(at_us=1, cpu_time_us=2, voluntary_switches=3, involuntary_switches=4)
    run = RunMeasured(
        variant="endl",
        destination="pipe",
        round=1,
        ending="exited",
        verdict="",
        numbers=dict.fromkeys(METRICS, 1),
        timeline=(sample, sample),
    )
    assert from_json(RunMeasured, json.loads(json.dumps(to_json(run)))) == run
    with pytest.raises(JsonError):
        from_json(RunMeasured, to_json(run) | {"round": "first"})


def test_small_experiment_may_be_run() -> None:
    spec = claiming(make_spec(destinations=("file", "pipe", "terminal")), "write_calls", "endl", "newline")
    assert problems_of(spec) == {}


_BASE = make_spec()
_MANY = tuple(variant(str(number), GATHERED) for number in range(MOST_VARIANTS + 1))
_HEAVY = RunSettings(cpu_time_ms=10_000)


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        (replace(_BASE, title=" "), ["title"]),
        (replace(_BASE, mechanism="x" * 4_001), ["mechanism"]),
        (replace(_BASE, variants=()), ["variants"]),
        (replace(_BASE, variants=_MANY), ["variants"]),
        (make_spec(variant("a", GATHERED), variant("a", GATHERED)), ["variants.1.name"]),
        (make_spec(variant("a\nb", GATHERED)), ["variants.0.name"]),
        (make_spec(variant("a", GATHERED, "cobol")), ["variants.0.language"]),
        (make_spec(variant("a", " \n")), ["variants.0.source"]),
        (make_spec(variant("a", "x" * (SOURCE_BYTES + 1))), ["variants.0.source"]),
        (make_spec(variant("a", GATHERED, args=("x",) * 21)), ["variants.0.args"]),
        (make_spec(variant("a", GATHERED, args=("x" * 1_001,))), ["variants.0.args.0"]),
        (replace(_BASE, destinations=()), ["destinations"]),
        (replace(_BASE, destinations=("file", "printer", "file")), ["destinations.1", "destinations.2"]),
        (replace(_BASE, input="x" * (INPUT_BYTES + 1)), ["input"]),
        (replace(_BASE, input="1", case=CaseRef(version=1, case="secret/1")), ["input"]),
        (make_spec(variant("a", GATHERED, args=("x",)), case=CaseRef(version=1, case="secret/1")), ["variants"]),
        (replace(_BASE, rounds=0), ["rounds"]),
        (replace(_BASE, rounds=51), ["rounds"]),
        (replace(_BASE, variants=_MANY[:8], rounds=50, destinations=("file", "pipe")), ["rounds"]),
        (replace(_BASE, rounds=31, settings=_HEAVY), ["rounds"]),
        (replace(_BASE, settings=RunSettings(cpu_time_ms=10_001)), ["settings.cpu_time_ms"]),
        (replace(_BASE, settings=RunSettings(cores=17, processes=0)), ["settings.processes", "settings.cores"]),
        (replace(_BASE, settings=RunSettings(memory_mib=4_096, output_mib=0)), ["settings.memory_mib"]),
        (replace(_BASE, settings=RunSettings(sample_ms=1)), ["settings.sample_ms"]),
        (claiming(_BASE, "speed", "endl", "newline"), ["claims.0.metric"]),
        (claiming(_BASE, "write_calls", "endl", "printf"), ["claims.0.less"]),
        (claiming(_BASE, "write_calls", "endl", "newline", destination="pipe"), ["claims.0.destination"]),
        (claiming(_BASE, "write_calls", "endl", "endl"), ["claims.0"]),
        (replace(_BASE, published=(PublishedRow(variant="printf", figures={}),)), ["published.0.variant"]),
    ],
)
def test_what_may_not_be_run_is_told_by_key(spec: ExperimentSpec, keys: list[str]) -> None:
    problems = _problems(spec)
    assert list(problems)[: len(keys)] == keys


def test_total_of_runs_is_bounded() -> None:
    problem = _problems(replace(_BASE, variants=_MANY[:8], rounds=50, destinations=("file", "pipe")))["rounds"]
    assert problem == f"make 800 runs in all; at most {MOST_RUNS} are allowed"


def test_fewer_runs_are_allowed_where_each_keeps_a_timeline() -> None:
    spec = replace(_BASE, rounds=50, settings=RunSettings(cpu_time_ms=1_000, sample_ms=20))
    check(spec)
    problem = _problems(replace(spec, destinations=("file", "pipe")))["rounds"]
    assert problem == "make 200 runs in all; at most 100 are allowed where each is looked at while it goes on"
    check(replace(spec, destinations=("file", "pipe"), settings=RunSettings(cpu_time_ms=1_000)))


def test_one_variant_may_be_compared_with_itself_under_two_destinations() -> None:
    spec = make_spec(destinations=("file", "terminal"))
    claims = claiming(spec, "write_calls", "newline", "newline", destination="terminal", less_destination="file")
    assert problems_of(claims) == {}
