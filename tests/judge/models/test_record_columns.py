"""JSON columns as their dataclasses: what rows keep, those of older versions included."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import JSONField
from django.db.models.functions import Cast

from judge.grading.events import (
    BufferedRun,
    Finding,
    FindingOfOlderRow,
    LineCost,
    LineCosts,
    LineStack,
    LineTime,
    LineTimes,
    MeasuredRun,
    RepeatedRuns,
)
from judge.grading.verdicts import Verdict
from judge.models import MeasuredCase, Submission, TestCaseResult
from problems.columns import RecordField
from problems.jsonvalues import to_json
from sandbox.types import IoProfile, Profile, StreamUse, Usage

RUN = MeasuredRun(
    verdict=Verdict.TLE,
    usage=Usage(user_time_us=3, system_time_us=4, wall_time_us=9),
    io=IoProfile(write_calls=1_000),
    stdout_bytes=8,
    stderr_bytes=0,
)
# column: what it is, what an older version wrote of it, and what that is now
OLDER: dict[str, tuple[object, object]] = {
    "profile": (
        {"syscalls": {"write": 3}, "streams": {"stdout": {"calls": 3, "bytes": 12}}},
        Profile(syscalls={"write": 3}, streams={"stdout": StreamUse(calls=3, bytes=12)}),
    ),
    "repeats": ({"cpu_times_us": [5, 6], "within": 1}, RepeatedRuns(cpu_times_us=(5, 6), within=1)),
    "growth": ({"code": "growth", "evidence": {"n": 1}}, Finding(code="growth", evidence={"n": 1})),
    "buffered": (
        {
            "plain": {
                **to_json(RUN),
                "weight": 3,
                "usage": {"user_time_us": 3, "system_time_us": 4, "wall_time_us": 9},
            },
            "buffered": to_json(RUN),
            "is_identical": True,
            "is_whole": True,
            "same_bytes": 8,
            "of_another_version": [1],
        },
        BufferedRun(plain=RUN, buffered=RUN, is_identical=True, is_whole=True, same_bytes=8),
    ),
    "line_costs": (
        {"lines": [{"line": 2, "writes": 9, "bytes": 99}], "elsewhere": 0, "sampled_every": 1, "is_whole": True},
        LineCosts(lines=(LineCost(line=2, writes=9, bytes=99),), elsewhere=0, sampled_every=1, is_whole=True),
    ),
    "run_times": ([3, 2], (3, 2)),
}


@pytest.fixture
def result(make_submission: Callable[..., Submission], make_result: Callable[..., TestCaseResult]) -> TestCaseResult:
    """A case of a submission."""
    return make_result(make_submission())


@pytest.mark.django_db
@pytest.mark.parametrize("column", OLDER)
def test_a_row_of_another_version_is_read(column: str, result: TestCaseResult) -> None:
    older, value = OLDER[column]
    TestCaseResult.objects.filter(pk=result.pk).update(**{column: older})
    assert getattr(TestCaseResult.objects.get(), column) == value
    assert TestCaseResult.objects.values_list(column, flat=True).get() == value


@pytest.mark.django_db
def test_findings_of_every_version_are_read_from_one_row(result: TestCaseResult) -> None:
    oldest = {"code": "x", "text": "It waits.", "evidence": {"lines": [4]}}
    older = {**oldest, "evidence": {}, "lines": [4], "advice": "Do not."}
    newest = {"code": "x", "evidence": {"writes": 3}, "lines": [4]}
    Submission.objects.update(explanation=[oldest, older, newest], cause="")
    assert Submission.objects.get().explanation == (
        FindingOfOlderRow(code="x", text="It waits.", evidence={"lines": [4]}),
        FindingOfOlderRow(code="x", text="It waits.", evidence={}, lines=(4,), advice="Do not."),
        Finding(code="x", evidence={"writes": 3}, lines=(4,)),
    )
    assert json_of("explanation", Submission) == [oldest, older, newest]


@pytest.mark.django_db
def test_a_row_keeps_the_json_that_it_had_and_nothing_that_postgresql_refuses(result: TestCaseResult) -> None:
    times = LineTimes(
        lines=(LineTime(line=3, own=7, total=9),),
        stacks=(LineStack(lines=(3, 2), samples=7),),
        samples=9,
        elsewhere=2,
        lost=0,
        cut=0,
        period_us=997,
        cpu_time_us=9_000,
        is_whole=False,
    )
    result.line_times, result.growth = times, Finding(code="growth", evidence={"a\0": ["\ud800"]})
    result.save()
    assert json_of("line_times", TestCaseResult) == {
        "lines": [{"line": 3, "own": 7, "total": 9}],
        "stacks": [{"lines": [3, 2], "samples": 7}],
        "samples": 9,
        "elsewhere": 2,
        "lost": 0,
        "cut": 0,
        "period_us": 997,
        "cpu_time_us": 9_000,
        "is_whole": False,
    }
    kept = json_of("growth", TestCaseResult)
    assert kept == {"code": "growth", "evidence": {"a\\x00": ["\\ud800"]}, "lines": []}


@pytest.mark.django_db
def test_what_cannot_be_read_is_not_there_and_is_logged(
    result: TestCaseResult, caplog: pytest.LogCaptureFixture
) -> None:
    TestCaseResult.objects.update(profile={"calls": {}}, buffered={"plain": 3})
    row = TestCaseResult.objects.get()
    assert (row.profile, row.buffered) == (None, None)
    assert "column profile cannot be read: streams: is missing" in caplog.text


def test_a_new_row_has_the_value_of_its_kind() -> None:
    submission = Submission()
    assert (submission.explanation, submission.groups, submission.stages) == ((), (), {})


def test_migrations_know_the_columns_as_json() -> None:
    columns = [field for field in MeasuredCase._meta.get_fields() if isinstance(field, RecordField)]
    assert len(columns) >= 9
    assert {field.deconstruct()[1] for field in columns} == {"django.db.models.JSONField"}
    assert {type(field.clone()).__name__ for field in columns} == {"JSONField"}


def json_of(column: str, kind: type[Submission | TestCaseResult]) -> Any:
    """Return the JSON of the only row's column."""
    return kind._default_manager.values_list(Cast(column, JSONField()), flat=True).get()
