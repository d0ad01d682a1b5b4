"""The table of what a run yields: each number has a place to come from, a column and words, and whoever lists numbers
reads them from it."""

from dataclasses import fields

import pytest
from django.db import models

from judge.grading import words
from judge.grading.events import CaseJudged
from judge.grading.experiment.spec import COUNTS, METRICS
from judge.grading.measures import (
    BY_NAME,
    MEASURES,
    STORED,
    Kind,
    Limit,
    Measure,
    Part,
    Place,
    measures_at,
    numbers_of,
)
from judge.grading.verdicts import Verdict
from judge.management.report import _COLUMNS as TERMINAL_COLUMNS, _case_as_json, _case_row
from judge.models import TestCaseResult
from judge.models.judged import MeasuredCase
from judge.models.rejudges import RejudgedCase
from sandbox.types import Ending, IoProfile, Outcome, Usage

EVERY = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
COUNTED = [*fields(Usage), *fields(IoProfile)]
NUMBERS = {field.name: 3 + place for place, field in enumerate(COUNTED)}
RUN = CaseJudged(
    name="secret/1",
    is_sample=False,
    verdict=Verdict.AC,
    usage=Usage(**{field.name: NUMBERS[field.name] for field in fields(Usage)}),
    io=IoProfile(**{field.name: NUMBERS[field.name] for field in fields(IoProfile)}),
    exit_code=0,
    signal=None,
    stdout_bytes=1,
    stderr_bytes=2,
)


def test_names_and_labels_are_unique() -> None:
    assert len(BY_NAME) == len({measure.label for measure in MEASURES}) == len(MEASURES)


def test_every_number_that_the_sandbox_counts_is_in_the_table() -> None:
    assert {field.name for field in COUNTED} <= set(BY_NAME)


@EVERY
def test_measure_explains_itself_and_is_shown_somewhere(measure: Measure) -> None:
    assert measure.label == measure.label.strip() != ""
    assert measure.explanation.endswith(".")
    assert measure.explanation != measure.label
    assert measure.places
    assert bool(measure.heading) is (Place.TERMINAL in measure.places)
    for name in (*measure.parts, *filter(None, [measure.share_of]), *(measure.mean_of or ())):
        assert name in BY_NAME


@EVERY
def test_unit_in_the_name_is_that_of_the_kind(measure: Measure) -> None:
    assert measure.name.endswith("_us") is (measure.kind is Kind.TIME)
    assert measure.name.endswith("_bytes") is (measure.kind in (Kind.MEMORY, Kind.BYTES))


@EVERY
def test_measure_has_a_column_where_it_is_stored(measure: Measure) -> None:
    for model in (TestCaseResult, RejudgedCase):
        columns = {field.name: field for field in model._meta.get_fields()}
        assert (measure.name in columns) is measure.is_stored
        assert not measure.is_stored or isinstance(columns[measure.name], models.PositiveBigIntegerField)


def test_every_column_of_a_number_is_in_the_table() -> None:
    columns = [field for field in MeasuredCase._meta.get_fields() if isinstance(field, models.PositiveBigIntegerField)]
    assert {column.name for column in columns} == {measure.name for measure in STORED}


@EVERY
def test_row_and_run_tell_the_same_number(measure: Measure) -> None:
    if measure.mean_of is None:
        row = TestCaseResult(**numbers_of(RUN, STORED))
        assert getattr(row, measure.name) == numbers_of(RUN, [measure])[measure.name]


def test_numbers_are_taken_from_their_part() -> None:
    outcome = numbers_of(RUN, STORED)
    assert outcome == {**NUMBERS, "stdout_bytes": 1, "stderr_bytes": 2}
    assert all(isinstance(number, int) for number in outcome.values())


@pytest.mark.parametrize("place", Place)
def test_each_place_shows_what_names_it_once(place: Place) -> None:
    shown = measures_at(place)
    assert len(shown) == len(set(shown))
    assert set(shown) == {measure for measure in MEASURES if place in measure.places}


def test_limits_are_those_of_what_a_problem_limits() -> None:
    limited = {measure.limit: measure.name for measure in MEASURES if measure.limit}
    assert limited == {
        Limit.TIME: "cpu_time_us",
        Limit.MEMORY: "peak_memory_bytes",
        Limit.WRITE_CALLS: "write_calls",
        Limit.READ_CALLS: "read_calls",
    }


def test_what_scripts_read_has_the_order_that_was_promised() -> None:
    """New numbers come after these; the files and the terminal never change the order of the others."""
    assert METRICS[:13] == (
        *("cpu_time_us", "user_time_us", "system_time_us", "wall_time_us", "waiting_time_us", "peak_memory_bytes"),
        *("write_calls", "write_bytes", "read_calls", "read_bytes", "voluntary_switches", "involuntary_switches"),
        "minor_faults",
    )
    assert {"write_calls", "write_bytes", "read_calls", "read_bytes"} <= COUNTS
    assert TERMINAL_COLUMNS[:9] == (
        *("test case", "verdict", "CPU", "user", "system", "wall", "memory", "reads", "writes"),
    )
    assert [each.name for each in measures_at(Place.CLI_JSON) if each.part is Part.USAGE][:7] == [
        *("user_time_us", "system_time_us", "cpu_time_us", "wall_time_us", "peak_memory_bytes"),
        *("voluntary_switches", "involuntary_switches"),
    ]


def test_experiment_can_read_its_numbers_off_an_outcome() -> None:
    outcome = Outcome(ending=Ending.EXITED, usage=RUN.usage, io=RUN.io)
    assert tuple(numbers_of(outcome, measures_at(Place.EXPERIMENT))) == METRICS


def test_the_command_line_has_what_names_it() -> None:
    case = _case_as_json(RUN, None)
    flat = {**case, **case["io"]}
    for measure in measures_at(Place.CLI_JSON):
        assert flat[measure.name] == numbers_of(RUN, [measure])[measure.name]
        assert (measure.name in case["io"]) is (measure.part is Part.IO)
    cells = dict(zip(TERMINAL_COLUMNS, _case_row(RUN), strict=True))
    for measure in measures_at(Place.TERMINAL):
        assert cells[measure.heading] == words.of_kind(measure.kind, numbers_of(RUN, [measure])[measure.name])
