"""A case watched over time, as its page shows it: the picture, the totals in words, and to whom."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem, ProblemVersion
from tests.web.dense import dense

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
STEP_US = 10_007
USAGE = {
    "user_time_us": 1_234_567,
    "system_time_us": 0,
    "wall_time_us": 1_000_700,
    "queued_time_us": 0,
    "voluntary_switches": 54_321,
    "involuntary_switches": 101,
}


def watched(every: int = 1, usage: dict[str, int] | None = None, **changes: Any) -> dict[str, Any]:
    """A run of 100 looks whose second half works on two cores; in each `every`th look of the first half it works."""
    points, cpu_us = [], 0
    for number in range(101):
        points.append(
            {
                "at_us": number * STEP_US,
                "cpu_time_us": cpu_us,
                "voluntary_switches": number * 543,
                "involuntary_switches": number + number // 50,
            }
        )
        cpu_us += 2 * STEP_US if number >= 50 else STEP_US * (number % every == 0) // 2
    return {"points": points, "usage": USAGE | (usage or {}), "cores": 2, "is_whole": True} | changes


@pytest.fixture
def shown(make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission whose only case was watched like this."""

    def make(found: dict[str, Any] | None, **columns: Any) -> Submission:
        submission = make_submission()
        make_result(submission, timeline=found, **columns)
        return submission

    return make


def page(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission", args=[submission.pk])).content.decode().replace("\u00a0", " ")


def paths(text: str, kind: str) -> list[float]:
    """The heights of the steps of one path, 0 at the top."""
    found = re.search(rf'<path class="{kind}" d="([^"]*)"', text)
    assert found is not None
    return [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)H", found[1])]


def test_sample_has_every_step_and_its_totals_as_they_are(as_student: Client, shown: Callable[..., Submission]) -> None:
    text = page(as_student, shown(watched(), name="sample/1", is_sample=True, wall_time_us=950_000))
    assert paths(text, "user") == [75.0] * 50 + [0.0] * 50
    assert paths(text, "waiting") == [50.0] * 50 + [100.0] * 50
    assert len(paths(text, "line-own")) == len(paths(text, "line-forced")) == 100
    assert "It took 1.00 s and 1.23 s of CPU time: 1.23 of 2 cores busy on average." in text
    assert "For at least 25 % of the time, the program ran on no core." in text
    assert "It made 54,321 voluntary and 101 involuntary context switches." in text
    assert "2 cores</span>" in text
    assert "Record timeline" not in text
    for words in ("did not come to its end", "Its first thread was runnable", "When it was judged"):
        assert words not in text


def table(text: str) -> list[list[str]]:
    """The rows of the timeline's table: from, to, cores, off the cores, both kinds of switches per second."""
    rows = re.findall(r'<tr><th scope="row" class="number">(.*?)</tr>', dense(text))
    return [re.split(r"</t[hd]>(?:<td[^>]*>)?", row)[:6] for row in rows]


def test_table_has_the_numbers_of_the_panels(as_student: Client, shown: Callable[..., Submission]) -> None:
    rows = table(page(as_student, shown(watched(), name="sample/1", is_sample=True)))
    assert [row[2] for row in rows] == ["0.5"] * 10 + ["2.0"] * 10
    assert [row[3] for row in rows] == ["50 %"] * 10 + ["0 %"] * 10
    assert {row[4] for row in rows} == {"54,262"}  # 543 in each step of 10,007 us
    assert all(begin == end for (_, end, *_rest), (begin, *_others) in pairwise(rows))
    coarse = table(page(as_student, shown(watched(every=3))))
    assert len(coarse) == 10
    assert {row[4] for row in coarse} == {"100,000"}


def test_of_a_hidden_case_contestants_see_a_few_coarse_steps(
    as_student: Client, as_staff: Client, shown: Callable[..., Submission]
) -> None:
    submission = shown(watched(every=3))
    text = page(as_student, submission)
    heights = paths(text, "user")
    assert len(heights) == 10
    assert all(height % 5 == 0 for height in heights)  # tenths of one of two cores
    assert len(set(heights[:4])) <= 2  # which look it worked in is not to be seen
    assert len(paths(text, "line-own")) == 10
    assert "54,321" not in text
    assert "54,000 voluntary" in text
    of_staff = page(as_staff, submission)
    assert len(paths(of_staff, "user")) == 100
    assert "54,321 voluntary" in of_staff


def test_what_else_there_is_to_say_is_said(as_student: Client, shown: Callable[..., Submission]) -> None:
    text = page(as_student, shown(watched(usage={"queued_time_us": 200_000}, cores=1, is_whole=False), is_sample=True))
    assert "did not come to its end, so this is what went on until then" in text
    assert "When it was judged it took 16.0 ms." in text
    assert "Its first thread was runnable for 0.20 s, waiting for a core." in text
    assert "For 25 % of the time, the program ran on no core." in text
    assert max(paths(text, "user")) <= 100
    assert min(paths(text, "user")) >= 0  # nothing is drawn above what the run could use


def test_case_is_watched_on_request_and_shown_when_it_is_done(
    as_student: Client, shown: Callable[..., Submission]
) -> None:
    submission = shown(None)
    address = reverse("examine_case", args=[submission.pk, 0, "timeline"])
    assert f'action="{address}"' in page(as_student, submission)
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().examination == "timeline"
    assert "Rerun requested." in fragment
    assert "Record timeline" not in fragment
    submission.results.update(timeline=watched())
    live = as_student.get(reverse("submission_live", args=[submission.pk])).content.decode()
    assert len(paths(live, "user")) == 10
    again = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert len(paths(again, "user")) == 10
    assert CaseRerun.objects.count() == 1


def test_why_there_is_no_picture_is_said(as_student: Client, shown: Callable[..., Submission]) -> None:
    submission = shown(None)
    result = submission.results.get()
    CaseRerun.objects.of(result, examination="timeline", status="done", problem="It was too short.")
    text = page(as_student, submission)
    assert "It was too short." in text
    assert "Record timeline" in text


def test_several_passes_are_not_offered(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    ProblemVersion.objects.update(most_passes=2)
    submission = make_submission(problem_version=ProblemVersion.objects.get())
    make_result(submission)
    assert "Record timeline" not in page(as_student, submission)


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_who_does_not_see_a_case_does_not_see_it_over_time(
    visibility: CaseVisibility, as_student: Client, as_staff: Client, shown: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=visibility)
    submission = shown(watched())
    text = page(as_student, submission)
    assert "time-panel" not in text
    assert "voluntary and" not in text
    assert as_student.post(reverse("examine_case", args=[submission.pk, 0, "timeline"])).status_code == 404
    assert len(paths(page(as_staff, submission), "user")) == 100


def test_nobody_else_has_it_watched(as_other: Client, shown: Callable[..., Submission]) -> None:
    submission = shown(None)
    assert as_other.post(reverse("examine_case", args=[submission.pk, 0, "timeline"])).status_code == 404
    assert not CaseRerun.objects.exists()
