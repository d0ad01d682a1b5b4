"""A proof that a program never ends is the cause, and nothing beside it says how to make the program faster."""

from dataclasses import replace

import pytest

from judge.grading.events import RerunEvidence, StatesSeen
from judge.grading.explain import explain, explain_anew, in_words, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import CPP
from judge.grading.verdicts import Verdict
from sandbox.types import Usage
from tests.judge.grading.explain.test_explain import case, facts

SLOW = case(verdict=Verdict.TLE, usage=Usage(user_time_us=1_500_000, wall_time_us=1_500_000), exit_code=None)


def proved(line: int = 3) -> Facts:
    seen = StatesSeen(line=line, visits=2, reads=0, writes=0)
    return replace(facts(SLOW), reruns={SLOW.name: RerunEvidence(states=seen)})


def test_the_proof_takes_the_place_of_advice_to_make_it_faster() -> None:
    before = facts(SLOW)
    stood = explain(before)
    assert "algorithm" in {finding.code for finding in stood}
    now = explain_anew(stood, before, proved()).findings
    codes = {finding.code for finding in now}
    assert "never-ends" in codes
    assert not codes & {"algorithm", "may-never-end", "where-it-went"}
    assert main_cause(now, Verdict.TLE) == "never-ends"


@pytest.mark.parametrize("line", [0, 3])
def test_the_line_is_named_where_it_is_known(line: int) -> None:
    (finding,) = (finding for finding in explain(proved(line)) if finding.code == "never-ends")
    assert finding.lines == ((line,) if line else ())
    assert ("at two visits to the line below, 2 visits apart" in in_words(finding, CPP).text) == bool(line)
