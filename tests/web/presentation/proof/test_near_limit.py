"""A case near its time limit, as its page shows it: the runs, how far they scatter, the rule, and to whom."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem, ProblemVersion
from tests.web.presentation.shown import page_of, words_of
from web.presentation.proof import near_limit

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
RERUN = "Repeat this case"


@pytest.fixture
def shown(problem: Problem, make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission whose only case used this much CPU time, of 2 s."""
    ProblemVersion.objects.update(time_limit_ms=2_000)

    def make(cpu_us: int, **columns: Any) -> Submission:
        verdict = columns.get("verdict", "AC")
        submission = make_submission(verdict=verdict, problem_version=ProblemVersion.objects.get())
        times = {"user_time_us": cpu_us, "system_time_us": 0, "wall_time_us": cpu_us}
        make_result(submission, **{"name": "sample/1", "is_sample": True, **times, **columns})
        return submission

    return make


def further(*times_us: int, stopped_by_clock: int = 0) -> dict[str, object]:
    within = sum(time <= 2_000_000 for time in times_us) - stopped_by_clock
    return {"cpu_times_us": list(times_us), "within": within, "stopped_by_clock": stopped_by_clock}


def dots(page: str) -> list[tuple[str, float]]:
    """The dots of the drawing: their classes and how far they are from the left."""
    return [(kind, float(x)) for kind, x in re.findall(r'<circle class="(run-dot[^"]*)" cx="([\d.]+)%"', page)]


def test_the_fastest_of_several_runs_counts_and_is_shown_to_count(
    as_student: Client, shown: Callable[..., Submission]
) -> None:
    page = page_of(as_student, shown(1_960_000, run_times=[2_040_000, 1_960_000]))
    words = words_of(page)
    assert "The fastest of 2 runs counts: 2.04 s, 1.96 s. The limit is 2 s." in words
    assert "over its limit by at most 25 % is run again before its verdict" in words
    (over, right), (counts, left) = dots(page)
    assert (over, counts) == ("run-dot over", "run-dot counts")
    limit = re.search(r'<line class="limit" x1="([\d.]+)%" x2="\1%" y1="0" y2="22"', page)
    assert limit is not None
    assert left < float(limit[1]) < right
    assert 'aria-label="Judged: 2.04 s, 1.96 s. Limit: 2 s."' in page


@pytest.mark.parametrize(
    ("verdict", "cpu_us", "times", "sentence"),
    [
        (
            "AC",
            1_950_000,
            (1_900_000, 1_940_000, 1_990_000),
            "3 of 3 further runs were within the limit of 2 s: 1.90 s to 1.99 s, median 1.94 s. All runs",
        ),
        (
            "AC",
            1_950_000,
            (1_901_000, 1_900_000, 1_899_000),
            "3 of 3 further runs were within the limit of 2 s: 1.90 s each. All runs",
        ),
        (
            "AC",
            1_950_000,
            (1_900_000, 2_040_000, 2_010_000),
            "2 of 3 further runs were over the limit of 2 s: 1.90 s to 2.04 s, median 2.01 s. On another day, this "
            "case may be over the limit.",
        ),
        (
            "TLE",
            2_050_000,
            (1_990_000, 2_040_000, 2_010_000),
            "1 of 3 further runs was within the limit of 2 s: 1.99 s to 2.04 s, median 2.01 s. On another day",
        ),
        (
            "TLE",
            2_050_000,
            (2_090_000, 2_040_000, 2_010_000),
            "3 of 3 further runs were over the limit of 2 s too: 2.01 s to 2.09 s, median 2.04 s. All runs",
        ),
    ],
)
def test_further_runs_say_how_sure_the_verdict_is(
    verdict: str,
    cpu_us: int,
    times: tuple[int, ...],
    sentence: str,
    as_student: Client,
    shown: Callable[..., Submission],
) -> None:
    page = page_of(as_student, shown(cpu_us, verdict=verdict, repeats=further(*times)))
    assert sentence in words_of(page)
    assert len(dots(page)) == 1 + len(times)
    assert "Further runs come after the verdict and do not change it." in page
    assert RERUN not in page


@pytest.mark.parametrize(
    ("times", "stopped", "sentence"),
    [
        (
            (1_700_000, 1_900_000, 1_800_000),
            1,
            "1 of 3 further runs was over the limit of 2 s: 1.70 s to 1.90 s, median 1.80 s. On another day, this case "
            "may be over the limit. 1 of them was stopped by the wall time limit.",
        ),
        (
            (1_700_000, 2_100_000, 1_800_000),
            2,
            "3 of 3 further runs were over the limit of 2 s: 1.70 s to 2.10 s, median 1.80 s. On another day, this "
            "case may be over the limit. 2 of them were stopped by the wall time limit.",
        ),
        (
            (1_990_000, 2_613_000, 2_010_000),
            0,
            "2 of 3 further runs were over the limit of 2 s: 1.99 s to at least 2.60 s, median 2.01 s. On another day",
        ),
        (
            (2_612_000, 2_613_000, 2_611_000),
            0,
            "3 of 3 further runs were over the limit of 2 s: at least 2.60 s each. On another day",
        ),
    ],
)
def test_runs_that_a_limit_stopped_are_told_as_such(
    times: tuple[int, ...], stopped: int, sentence: str, as_student: Client, shown: Callable[..., Submission]
) -> None:
    page = page_of(as_student, shown(1_950_000, repeats=further(*times, stopped_by_clock=stopped)))
    assert sentence in words_of(page)
    assert ("stopped by the wall time limit" in page) == bool(stopped)


def test_rows_that_do_not_know_what_the_clock_stopped_say_nothing_of_it(
    as_student: Client, shown: Callable[..., Submission]
) -> None:
    runs = {"cpu_times_us": [1_700_000, 1_900_000, 1_800_000], "within": 2}
    words = words_of(page_of(as_student, shown(1_950_000, repeats=runs)))
    assert "1 of 3 further runs was over the limit" in words
    assert "stopped by the wall time limit" not in words


def test_a_translation_cannot_tell_exact_times_of_a_rounded_case(
    as_student: Client, shown: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    rounded = "The fastest of %(number)s runs counts. The limit is %(limit)s."
    words = {rounded: "%(times)s"}
    monkeypatch.setattr(near_limit, "_", lambda sentence: words.get(sentence, sentence))
    submission = shown(1_954_321, name="secret/1", is_sample=False, run_times=[2_043_210, 1_954_321])
    with pytest.raises(KeyError, match="times"):
        page_of(as_student, submission)


def test_of_a_rounded_case_only_the_number_of_runs_and_rounded_ends_are_told(
    as_student: Client, shown: Callable[..., Submission]
) -> None:
    case = {"name": "secret/1", "is_sample": False}
    runs = {"run_times": [2_043_210, 1_954_321], "repeats": further(1_876_543, 1_912_345, 2_034_567)}
    page = page_of(as_student, shown(1_954_321, **case, **runs))
    words = words_of(page)
    assert "The fastest of 2 runs counts. The limit is 2 s." in words
    assert "1 of 3 further runs was over the limit of 2 s: 1.9 s to 2.1 s." in words
    assert not dots(page)
    slow = page_of(as_student, shown(1_954_321, **case, repeats=further(1_876_543, 1_912_345, 2_634_567)))
    assert "1 of 3 further runs was over the limit of 2 s: 1.9 s to at least 2.60 s." in words_of(slow)
    for told in ("1.88", "1.91", "2.03", "2.04", "1.95", "median"):
        assert told not in words


def test_near_the_limit_repeating_may_be_asked_for(as_student: Client, shown: Callable[..., Submission]) -> None:
    submission = shown(1_760_000)
    assert RERUN in page_of(as_student, submission)
    address = reverse("examine_case", args=[submission.pk, 0, "repeats"])
    live = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().examination == "repeats"
    assert "Near the time limit" in live
    assert "Rerun requested." in live
    assert RERUN not in live


def test_of_several_passes_the_slowest_one_is_near(as_student: Client, shown: Callable[..., Submission]) -> None:
    ProblemVersion.objects.update(most_passes=2)
    passes = {"passes": 2, "run_times": [1_900_000]}
    page = page_of(as_student, shown(2_500_000, **passes))  # both passes together
    assert RERUN in page
    assert "Near the time limit" not in page
    page = page_of(as_student, shown(2_500_000, **passes, repeats=further(1_910_000, 2_010_000, 1_920_000)))
    words = words_of(page)
    assert "1 of 3 further runs was over the limit of 2 s: 1.91 s to 2.01 s, median 1.92 s." in words
    assert "so the time of a run is that of its slowest pass" in words
    assert [kind for kind, _ in dots(page)] == ["run-dot counts", "run-dot", "run-dot over", "run-dot"]


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (
            "AC",
            "1 of 3 further runs was over the limit of 6 s: 5.80 s to at least 6.00 s, median 5.95 s. On another day",
        ),
        (
            "TLE",
            "2 of 3 further runs were within the limit of 6 s: 5.80 s to at least 6.00 s, median 5.95 s. On another",
        ),
    ],
)
def test_a_case_near_the_wall_limit_alone_shows_times_on_the_clock(
    verdict: str, sentence: str, as_student: Client, shown: Callable[..., Submission]
) -> None:
    wall = {"wall_time_us": 6_900_000, "queued_time_us": 1_000_000, "verdict": verdict}
    offer = page_of(as_student, shown(40_000, **wall))
    assert RERUN in offer
    assert "Near the time limit" not in offer
    clock = {"clock_times_us": [5_950_000, 5_800_000, 6_012_000]}
    page = page_of(
        as_student, shown(40_000, **wall, repeats=further(40_000, 41_000, 42_000, stopped_by_clock=1) | clock)
    )
    words = words_of(page)
    assert sentence in words
    assert "1 of them was stopped by the wall time limit." in words
    assert "These are times on the clock and the limit on wall time" in words
    assert "Time on the clock of each run." in words
    assert [kind for kind, _ in dots(page)] == ["run-dot counts", "run-dot", "run-dot", "run-dot over"]


def test_a_case_near_both_limits_shows_cpu_times(as_student: Client, shown: Callable[..., Submission]) -> None:
    runs = further(1_910_000, 1_940_000, 1_920_000) | {"clock_times_us": [5_950_000, 5_800_000, 5_700_000]}
    words = words_of(page_of(as_student, shown(1_900_000, wall_time_us=5_900_000, repeats=runs)))
    assert "3 of 3 further runs were within the limit of 2 s: 1.91 s to 1.94 s, median 1.92 s." in words
    assert "times on the clock and the limit" not in words
    assert "Time on the clock of each run" not in words


def test_of_a_rounded_case_near_the_wall_limit_rounded_times_are_told(
    as_student: Client, shown: Callable[..., Submission]
) -> None:
    runs = further(40_000, 41_000, 42_000) | {"clock_times_us": [5_912_345, 5_654_321, 5_743_210]}
    page = page_of(as_student, shown(40_000, name="secret/1", is_sample=False, wall_time_us=5_876_543, repeats=runs))
    assert "3 of 3 further runs were within the limit of 6 s: 5.7 s to 5.9 s." in words_of(page)
    assert not dots(page)


def test_passes_far_from_the_limit_offer_nothing(as_student: Client, shown: Callable[..., Submission]) -> None:
    ProblemVersion.objects.update(most_passes=2)
    page = page_of(as_student, shown(1_900_000, passes=2))
    assert RERUN not in page
    assert "Near the time limit" not in page


@pytest.mark.parametrize("cpu_us", [1_000, 1_690_000, 2_310_000])
def test_far_from_the_limit_nothing_is_said_or_offered(
    cpu_us: int, as_student: Client, shown: Callable[..., Submission]
) -> None:
    page = page_of(as_student, shown(cpu_us))
    assert RERUN not in page
    assert "Near the time limit" not in page


def test_where_only_verdicts_are_shown_no_runs_are(
    as_student: Client, as_staff: Client, shown: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=CaseVisibility.VERDICTS)
    case = {"name": "secret/1", "is_sample": False}
    submission = shown(1_950_000, **case, run_times=[2_010_000, 1_950_000], repeats=further(1_900_000, 2_010_000))
    assert "further runs" not in page_of(as_student, submission)
    assert "1 of 2 further runs was over" in words_of(page_of(as_staff, submission))
