"""Is A faster than B? yes, no, or it cannot be told, with the ratio, its interval and what would help."""

import pytest

from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from web.access.rounding import Rounding
from web.presentation.experiments.interleaved import Answer, answers
from web.presentation.experiments.visibility import RunVisibility, seen_runs

MS = 1_000
EXACT = RunVisibility()
HIDDEN = RunVisibility(rounding=Rounding(is_exact=False))
SLOW = [470, 471, 472, 473, 474, 475, 476, 477, 478, 479]
QUICK = [100, 101, 102, 103, 104, 100, 101, 102, 103, 104]
NEARLY = [102, 101, 100, 101, 103, 104, 102, 101, 100, 103]
SPREAD = [60, 140, 80, 120, 100, 90, 110, 70, 130, 100]


def _runs(
    cpu_ms: list[int], wall_ms: list[int] | None = None, *, ending: str = "exited", verdict: str = "AC"
) -> list[RunMeasured]:
    return [
        RunMeasured(
            variant="a",
            destination="file",
            round=number,
            ending=ending,
            verdict=verdict,
            numbers=dict.fromkeys(METRICS, 0) | {"cpu_time_us": cpu * MS, "wall_time_us": wall * MS},
        )
        for number, (cpu, wall) in enumerate(zip(cpu_ms, wall_ms or cpu_ms, strict=True))
    ]


def _answer(first: list[RunMeasured], other: list[RunMeasured], visibility: RunVisibility = EXACT) -> Answer:
    (found,) = answers("AB", [seen_runs(first, visibility), seen_runs(other, visibility)], visibility)
    return found


def test_a_faster_one_is_told_with_the_ratio_its_interval_and_the_runs() -> None:
    assert _answer(_runs(QUICK), _runs(SLOW)) == Answer(
        outcome="yes",
        title="A is faster than B.",
        why="B takes 4.7 times the CPU time of A (4.6 to 4.7). Measured in 10 runs of each, in turns.",
    )


def test_a_slower_one_is_told_the_other_way_round() -> None:
    found = _answer(_runs(SLOW), _runs(QUICK))
    assert (found.outcome, found.title) == ("no", "B is faster than A.")
    assert found.why.startswith("A takes 4.7 times the CPU time of B (4.6 to 4.7).")


def test_alike_ones_are_neither_faster() -> None:
    found = _answer(_runs(QUICK), _runs(QUICK[::-1]))
    assert (found.outcome, found.title) == ("alike", "Neither A nor B is faster.")
    assert found.why.startswith("B takes 0.98 to 1.02 times the CPU time of A, a difference below 3 %.")


def test_what_noise_hides_cannot_be_told_and_it_says_what_would_help() -> None:
    found = _answer(_runs(NEARLY), _runs(SPREAD))
    assert (found.outcome, found.title) == ("untold", "Whether A or B is faster cannot be told.")
    assert "times the CPU time of A, so either may be the faster one." in found.why
    assert found.why.endswith("A larger test case or more rounds would tell more.")


def test_a_small_difference_may_be_that_of_two_copies() -> None:
    found = _answer(_runs([1_000 + 2 * n for n in range(10)]), _runs([1_028 + 2 * n for n in range(10)]))
    assert found.outcome == "untold"
    assert "B takes 1.02 to 1.03 times the CPU time of A. Two copies of the same program may differ by up" in found.why


@pytest.mark.parametrize(
    ("first", "other", "outcome", "why"),
    [
        (QUICK, SLOW, "yes", "B takes at least 4.6 times the CPU time of A: it was stopped at a limit."),
        (SLOW, QUICK, "untold", "B was stopped at a limit, so only the least that it takes is known."),
        (QUICK, NEARLY, "untold", "A smaller test case, on which both come to their end, would tell more."),
    ],
)
def test_one_that_is_stopped_all_the_same_takes_at_least_so_much(
    first: list[int], other: list[int], outcome: str, why: str
) -> None:
    found = _answer(_runs(first), _runs(other, ending="cpu_limit", verdict="TLE"))
    assert found.outcome == outcome
    assert why in found.why


def test_a_stopped_first_one_is_slower_by_at_least_so_much() -> None:
    found = _answer(_runs(SLOW, ending="cpu_limit", verdict="TLE"), _runs(QUICK))
    assert found.outcome == "no"
    assert found.why.startswith("A takes at least 4.6 times the CPU time of B")


def test_of_two_stopped_ones_nothing_is_told() -> None:
    quick, slow = (_runs(each, ending="cpu_limit", verdict="TLE") for each in (QUICK, SLOW))
    found = _answer(quick, slow)
    assert found.outcome == "untold"
    assert "A and B were stopped at a limit" in found.why


def test_what_crashed_or_did_not_compile_is_not_compared() -> None:
    found = _answer(_runs(QUICK, verdict="RE"), _runs(SLOW))
    assert (found.outcome, "A ended with a runtime error on this test case" in found.why) == ("untold", True)
    found = _answer(_runs(QUICK), [])
    assert (found.outcome, found.why) == ("untold", "B was not run: it did not compile.")


def test_a_wrong_answer_may_be_less_work() -> None:
    found = _answer(_runs(QUICK, verdict="WA"), _runs(SLOW))
    assert found.outcome == "yes"
    assert found.why.endswith("The answer of A is wrong on this test case, so it may have done less work.")


def test_the_clock_is_told_where_cpu_time_says_nothing_of_it() -> None:
    waits = [each + 300 for each in QUICK]
    assert "By the clock, B takes 3.9 times as long as A" in _answer(_runs(QUICK), _runs(NEARLY, waits)).why
    assert "By the clock" not in _answer(_runs(QUICK), _runs(SLOW)).why


def test_rounded_times_of_a_hidden_case_are_not_called_alike() -> None:
    same = _runs([912] * 10), _runs([914] * 10)
    assert _answer(*same).outcome == "alike"
    found = _answer(*same, HIDDEN)
    assert found.outcome == "untold"
    assert found.why.startswith(
        "Rounded to two digits, as all numbers of a hidden test case are, the CPU times are equal."
    )
    assert "too small to compare" in _answer(_runs([5] * 10), _runs([7] * 10), HIDDEN).why
    assert _answer(_runs(QUICK), _runs(SLOW), HIDDEN).outcome == "yes"


@pytest.mark.parametrize(("first", "other"), [(14, 16), (1_040, 1_051), (5, 14)])
def test_what_only_rounding_sets_apart_is_not_told(first: int, other: int) -> None:
    assert _answer(_runs([first] * 10), _runs([other] * 10), HIDDEN).outcome == "untold"


def test_the_interval_of_rounded_times_holds_the_ratio_before_rounding() -> None:
    found = _answer(_runs([100] * 10), _runs([204] * 10), HIDDEN)
    assert found.why.startswith("B takes 2.0 times the CPU time of A (1.86 to 2.2).")


def test_of_a_time_that_is_too_small_to_be_shown_the_least_ratio_is_told() -> None:
    found = _answer(_runs([2] * 10), _runs([100] * 10), HIDDEN)
    assert found.outcome == "yes"
    assert found.why.startswith("B takes at least 9.5 times the CPU time of A.")


def test_no_time_at_all_is_compared_with_nothing() -> None:
    found = _answer(_runs([0, 3] * 5), _runs([0, 2] * 5))
    assert (found.outcome, found.why) == (
        "untold",
        "One of the two took no time that can be measured. A larger test case or more rounds would tell more.",
    )


def test_every_other_side_is_compared_with_the_first() -> None:
    found = answers("ABC", [_runs(QUICK), _runs(SLOW), _runs(QUICK)], EXACT)
    assert [each.title for each in found] == ["A is faster than B.", "Neither A nor C is faster."]
