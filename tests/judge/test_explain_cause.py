"""Which finding is the cause that a class view counts, and what becomes of a rule that fails."""

import logging

import pytest

from judge.grading import explain as rules
from judge.grading.events import Finding
from judge.grading.explain import Facts, explain, main_cause
from judge.grading.languages import RUST
from judge.grading.verdicts import Verdict
from tests.judge.test_explain import ENDL, MANY_WRITES, facts


def test_what_is_too_much_in_the_output_is_the_cause_where_time_was_not() -> None:
    left = (Finding(code="leftover-output", evidence={}),)
    assert main_cause(left, Verdict.WA) == "leftover-output"
    assert main_cause(left, Verdict.TLE) == ""


def test_a_rule_that_fails_costs_its_own_finding_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def find(facts: Facts) -> Finding | None:
        raise KeyError(facts.language.id)

    told = facts(MANY_WRITES, language=RUST, source=ENDL)
    before = explain(told)
    first, *others = rules.RULES
    monkeypatch.setattr(rules, "RULES", (first, find, *others))
    with caplog.at_level(logging.ERROR):
        assert explain(told) == before
    (line,) = caplog.records
    assert line.name == "judge.grading.explain"
    assert line.getMessage() == f"rule {__name__} failed on a rust program"
    assert line.exc_info is not None
    assert line.exc_info[0] is KeyError
