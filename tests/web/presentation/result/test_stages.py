"""The page tells where the time until the verdict went, and of hidden cases no more than all of them together."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.grading.stages import TOTAL, Stage
from judge.models import Status, Submission
from problems.models import CaseVisibility, Problem
from web.access.rounding import EXACT
from web.presentation.result.head import journey_of

KEPT = {**{stage.value: 1_000 * number for number, stage in enumerate(Stage, start=1)}, TOTAL: 45_000}


def test_the_parts_fill_the_bar_one_after_the_other() -> None:
    journey = journey_of(KEPT, EXACT, is_restricted=False, makes_program=True)
    assert journey is not None
    assert sum(part.us for part in journey.parts) == journey.total_us == 45_000
    assert journey.parts[0].x == 0
    ends = [part.x + part.width for part in journey.parts]
    assert [part.x for part in journey.parts[1:]] == pytest.approx(ends[:-1], abs=0.01)
    assert ends[-1] == pytest.approx(100, abs=0.01)


def test_who_may_not_see_hidden_cases_sees_one_part_for_all_of_them() -> None:
    journey = journey_of(KEPT, EXACT, is_restricted=True, makes_program=True)
    assert journey is not None
    shown = {part.words: part.us for part in journey.parts}
    alone = {KEPT[stage] for stage in (Stage.RUN, Stage.CHECK, Stage.PROFILE)}
    assert shown["Running and checking the test cases"] == sum(alone)
    assert not alone & set(shown.values())
    assert sum(shown.values()) == journey.total_us


def test_a_submission_from_before_the_measuring_has_no_way() -> None:
    assert journey_of({}, EXACT, is_restricted=False, makes_program=True) is None


@pytest.fixture
def make_judged(student: User, problem: Problem) -> Callable[..., Submission]:
    def make(**columns: object) -> Submission:
        version = problem.current_version
        given: dict[str, object] = {
            "user": student,
            "problem": problem,
            "problem_version": version,
            "language": "python",
            "attempt": 1,
        }
        given |= {"status": Status.DONE, "verdict": "AC", "source": b"print(1)", "stages": KEPT}
        return Submission.objects.create(**{**given, **columns})

    return make


@pytest.mark.usefixtures("open_problem")
def test_the_page_of_a_judged_submission_tells_it(
    client: Client, student: User, make_judged: Callable[..., Submission]
) -> None:
    client.force_login(student)
    text = client.get(f"/submissions/{make_judged().pk}/").content.decode().replace("\u00a0", " ")
    assert "From submission to this verdict: 45.0 ms" in text
    assert "Checking the syntax" in text
    assert "Counting system calls in one more run" in text


def test_the_page_of_a_problem_that_hides_its_cases_tells_less(
    client: Client, student: User, problem: Problem, make_judged: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=CaseVisibility.TOTALS)
    client.force_login(student)
    text = client.get(f"/submissions/{make_judged().pk}/").content.decode()
    assert "Running and checking the test cases" in text
    assert "Counting system calls in one more run" not in text


def test_the_page_says_nothing_of_it_while_it_is_judged(
    client: Client, student: User, make_judged: Callable[..., Submission]
) -> None:
    client.force_login(student)
    text = client.get(f"/submissions/{make_judged(status=Status.JUDGING, verdict='').pk}/").content.decode()
    assert "to this verdict" not in text
