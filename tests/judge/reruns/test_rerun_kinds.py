"""Each kind of rerun has a complete record, and what it names is there."""

import inspect
from dataclasses import fields

import pytest
from django.db import models

from judge.grading.case_ending import CaseEnding
from judge.grading.events import RerunEvidence
from judge.models import CaseRerun, ExplanationLevel, MeasuredCase, TestCaseResult
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from sandbox.types import Ending

pytestmark = pytest.mark.each


@pytest.mark.parametrize("kind", RerunKind)
def test_a_record_names_a_column_and_a_function_that_takes_a_case_by_name(kind: RerunKind) -> None:
    field = TestCaseResult._meta.get_field(kind.record.column)
    assert isinstance(field, models.JSONField)
    longest = CaseRerun._meta.get_field("examination").max_length
    assert longest is not None
    assert len(kind) <= longest
    parameters = list(inspect.signature(RUNNERS[kind], follow_wrapped=False).parameters)
    assert parameters == ["job", "case_name", "sandbox", "work_root"]


def test_words_and_columns_tell_the_kinds_apart() -> None:
    for name in ("column", "runner", "button", "what", "under_way", "already"):
        values = [getattr(kind.record, name) for kind in RerunKind]
        assert all(values), name
        assert len({*values}) == len(values), name


def test_what_rules_speak_of_is_a_field_of_their_evidence() -> None:
    columns = {kind.record.column for kind in RerunKind if kind.record.is_evidence}
    assert columns == {field.name for field in fields(RerunEvidence)}


@pytest.mark.parametrize("kind", RerunKind)
def test_what_is_hidden_of_a_case_is_no_longer_known(kind: RerunKind) -> None:
    segfault = CaseEnding(how=Ending.SIGNALLED, signal="SIGSEGV", line=3)
    case = TestCaseResult(passes=1, ending=segfault)
    for other in RerunKind:
        if other is not RerunKind.CRASH:
            setattr(case, other.record.column, {})
    assert kind.is_known_of(case)
    kind.hide_of(case)
    assert [other for other in RerunKind if not other.is_known_of(case)] == [kind]
    assert isinstance(case, MeasuredCase)


def test_what_needs_no_level_is_measured_and_what_changes_a_source_needs_the_highest() -> None:
    assert {kind for kind in RerunKind if ExplanationLevel.NOTHING.reaches(kind.record.level)} == {
        RerunKind.PROFILE,
        RerunKind.TIMELINE,
        RerunKind.REPEATS,
    }
    assert [kind for kind in RerunKind if not ExplanationLevel.LINE.reaches(kind.record.level)] == [RerunKind.FIX]
