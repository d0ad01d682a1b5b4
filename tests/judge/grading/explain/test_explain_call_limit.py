"""What is said of right answers in too many calls."""

from dataclasses import replace

from judge.grading.case_ending import CallExcess, CaseEnding
from judge.grading.events import CaseJudged
from judge.grading.explain import explain, main_cause
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.types import Ending, IoProfile
from tests.judge.grading.explain.test_explain import ENDL, case, facts
from tests.judge.spoken import findings

LIMITS = ProblemLimits(time_limit_ms=1_000, write_calls=100)


def too_many_calls(what: str) -> CaseEnding:
    return CaseEnding(how=Ending.EXITED, exit_code=0, calls=CallExcess(what=what))


def over(too_many: str, **io: int) -> CaseJudged:
    return case(Verdict.SLE, io=replace(IoProfile(), **io), ending=too_many_calls(too_many))


def test_writes_over_the_limit_are_told_with_the_lines_that_flush() -> None:
    writer = facts(case(), over("write", write_calls=5_000, write_bytes=40_000), source=ENDL, limits=LIMITS)
    told = findings(writer)
    finding = told["call-limit"]
    assert "5,000 write calls of 8 bytes on average" in finding.text
    assert "The limit for a test case is 100 calls." in finding.text
    assert (finding.lines, "'\\n'" in finding.advice) == ((5,), True)
    assert main_cause(explain(writer), Verdict.SLE) == "call-limit"
    assert "right, but it made 5,000 write calls of 8 bytes on average, more than are allowed." in told["summary"].text


def test_reads_over_the_limit_name_no_line_that_writes() -> None:
    limits = replace(LIMITS, write_calls=0, read_calls=1_000)
    many = over("read", read_calls=9_000, read_bytes=9_000, write_calls=10_000, write_bytes=10)
    told = findings(facts(many, source=ENDL, limits=limits))
    finding = told["call-limit"]
    assert "9,000 read calls of 1 byte" in finding.text
    assert (finding.lines, "larger pieces" in finding.advice) == ((), True)
    assert "right, but it made 9,000 read calls, more than are allowed." in told["summary"].text


def test_limit_by_the_reference_tells_no_number_of_it() -> None:
    limits = replace(LIMITS, write_calls=0, write_factor=1.5)
    told = findings(facts(over("write", write_calls=9_000, write_bytes=90_000), limits=limits))
    finding = told["call-limit"]
    assert "is 1.5 times the calls of the reference submission." in finding.text


def test_nothing_is_said_within_the_limit() -> None:
    assert "call-limit" not in findings(facts(case(), limits=LIMITS))
