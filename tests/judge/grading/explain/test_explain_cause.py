"""Which finding is the cause that a class view counts, and what becomes of a rule that fails."""

import logging
from dataclasses import replace

import pytest

from judge.grading import explain as rules
from judge.grading.events import Finding
from judge.grading.explain import explain, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import RUST
from judge.grading.verdicts import Verdict
from tests.judge.grading.explain.test_explain import ENDL, MANY_WRITES, facts


def _found(**shares: int | None) -> list[Finding]:
    """Findings with their share of the time; None: the rule tells none."""
    evidence = {code: {} if share is None else {"weight_percent": share} for code, share in shares.items()}
    return [Finding(code=code.replace("_", "-"), evidence=told) for code, told in evidence.items()]


def test_of_several_causes_the_one_that_took_most_of_the_time_is_the_cause() -> None:
    assert main_cause(_found(taking_turns=13, algorithm=86), Verdict.TLE) == "algorithm"
    assert main_cause(_found(allocation_storm=68, copying=100, algorithm=99), Verdict.TLE) == "copying"


def test_a_cause_that_took_less_than_half_of_the_time_is_one_all_the_same() -> None:
    assert main_cause(_found(summary=None, flush_per_line=24), Verdict.TLE) == "flush-per-line"
    assert main_cause(_found(conversion=0, fresh_memory=17), Verdict.TLE) == "conversion"  # whose share is not known
    assert main_cause(_found(unflushed_question=None), Verdict.TLE) == "unflushed-question"


def test_what_explains_the_verdict_comes_before_what_explains_another_one() -> None:
    found = _found(flush_per_line=60, leftover_output=None)
    assert main_cause(found, Verdict.WA) == "leftover-output"
    assert main_cause(found, Verdict.TLE) == "flush-per-line"
    assert main_cause(_found(algorithm=99, compiler_warning=None), Verdict.TLE) == "compiler-warning"


def test_numbers_without_a_cause_are_none() -> None:
    assert main_cause(_found(summary=None, growth=None, where_it_went=None), Verdict.TLE) == ""


def test_a_rule_that_fails_costs_its_own_finding_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def find(facts: Facts) -> Finding | None:
        raise KeyError(facts.language.id)

    told = facts(MANY_WRITES, language=RUST, source=ENDL)
    before = explain(told)
    first, *others = rules.RULES
    monkeypatch.setattr(rules, "RULES", (first, replace(first, find=find), *others))
    with caplog.at_level(logging.ERROR):
        assert explain(told) == before
    (line,) = caplog.records
    assert line.name == "judge.grading.explain"
    assert line.getMessage() == "rule summary failed on a rust program"
    assert line.exc_info is not None
    assert line.exc_info[0] is KeyError
