"""Which finding is the cause that a class view counts."""

from judge.events import Finding
from judge.explain import main_cause
from judge.verdicts import Verdict


def test_what_is_too_much_in_the_output_is_the_cause_where_time_was_not() -> None:
    left = (Finding(code="leftover-output", text="", evidence={}),)
    assert main_cause(left, Verdict.WA) == "leftover-output"
    assert main_cause(left, Verdict.TLE) == ""
