"""What the samples by line tell of a construct: that it took the time, and not always that it works on much."""

from dataclasses import replace

import pytest

from judge.grading.events import RerunEvidence
from judge.grading.explain import explain
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.languages import PYTHON
from tests.judge.grading.explain.own_time_stories import BACKTRACKS, OWN_TIME, slow, story
from tests.judge.grading.explain.test_counted_work import samples
from tests.judge.spoken import findings

VALUES = Shape(bytes=40_000, lines=1, words=5_000, largest=999_999)
OPEN = "How many there are at that moment is not known"


def sampled(source: str, *shares: tuple[int, int], given: Shape = VALUES) -> Facts:
    """A Python program with samples at these lines."""
    plain = replace(story(source, slow(), given=given), language=PYTHON)
    return replace(plain, reruns={"secret/1": RerunEvidence(line_times=samples(*shares))})


@pytest.mark.parametrize(
    ("head", "given", "is_open"),
    [
        ("for x in values:", VALUES, False),
        ("for _ in range(10**7):", VALUES, True),
        ("for _ in range(n):", VALUES, True),
        ("for _ in range(n):", replace(VALUES, first=(5_000,)), False),
        ("for i in range(len(values)):", VALUES, False),
        ("while True:", VALUES, True),
    ],
)
def test_the_values_are_many_only_where_the_loop_runs_once_for_each(head: str, given: Shape, is_open: bool) -> None:
    source = f"values = list(map(int, input().split()))\n{head}\n    if x in values:\n        n += 1\n"
    said = findings(sampled(source, (3, 950), (2, 20), given=given))["costly-container"]
    assert said.lines == (3,)
    assert (OPEN in said.text) is is_open


@pytest.mark.parametrize(("line", "is_named"), [(2, True), (3, False)])
def test_backtracking_needs_the_samples_at_the_matcher(line: int, is_named: bool) -> None:
    told = replace(
        OWN_TIME["backtracks"],
        source=f"{BACKTRACKS[:-1]}\nfor (int i = 0; i < n; i++) x++; }}".encode(),
        reruns={"secret/1": RerunEvidence(line_times=samples((line, 990)))},
    )
    codes = {finding.code for finding in explain(told)}
    assert ("backtracking" in codes) is is_named
    assert ("algorithm" in codes) is not is_named
