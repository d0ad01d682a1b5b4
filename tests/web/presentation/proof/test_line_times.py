"""The CPU time of a case by line, as its page shows it: in the case, beside the source, as a file, and to whom."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem, ProblemVersion

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
SOURCE = b"".join(b"line %d\n" % number for number in range(1, 60))
MANY = [{"line": number, "own": 30, "total": 30} for number in range(10, 40)]


def times(lines: list[dict[str, int]] | None = None, **changes: Any) -> dict[str, Any]:
    own = [
        {"line": 14, "own": 830, "total": 830},
        {"line": 7, "own": 120, "total": 950},
        {"line": 3, "own": 0, "total": 950},
        {"line": 4, "own": 3, "total": 3},
    ]
    stacks = [{"lines": [14, 7, 3], "samples": 830}, {"lines": [7, 3], "samples": 120}]
    told = {"lines": own if lines is None else lines, "stacks": stacks, "samples": 1_000, "elsewhere": 47, "lost": 0}
    rest = {"cut": 0, "period_us": 997, "cpu_time_us": 2_134_567, "is_whole": True}
    return told | rest | changes


@pytest.fixture
def sampled(make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission whose only case has this CPU time by line."""

    def make(found: dict[str, Any] | None, **columns: Any) -> Submission:
        submission = make_submission(source=SOURCE)
        make_result(submission, line_times=found, **columns)
        return submission

    return make


def page(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission", args=[submission.pk])).content.decode().replace("\u00a0", " ")


def speedscope(client: Client, submission: Submission) -> Any:
    response = client.get(reverse("submission_speedscope", args=[submission.pk, 0]))
    assert response.status_code == 200
    return json.loads(b"".join(response.streaming_content))  # type: ignore[attr-defined]


def beside(text: str, line: int) -> str:
    """What stands beside a line of the source."""
    row = re.search(rf'<li id="L{line}">.*?</li>', text, re.DOTALL)
    assert row is not None
    time = re.search(r"</svg>\s+(.*?)\s*</span>", row[0])
    return time[1] if time else ""


def test_a_sample_has_every_line_as_it_is(as_student: Client, sampled: Callable[..., Submission]) -> None:
    text = page(as_student, sampled(times(), name="sample/1", is_sample=True))
    assert beside(text, 14) == "83 %, 1.77 s"
    assert beside(text, 7) == "12 %, 0.26 s; 95 % with calls"
    assert beside(text, 3) == "95 % with calls"
    assert beside(text, 4) == "6.40 ms"
    assert beside(text, 8) == ""
    assert "Line 14 took 83 % of 2.13 s of CPU time." in text
    assert '<a href="#L14">line 14</a>' in text
    assert "1,000 samples in a rerun." in text
    assert "Attributed to no line of yours: 0.10 s." in text
    assert "Measure CPU time by line" not in text
    assert 'class="line-cost heat-4"' in text


def test_of_a_hidden_case_contestants_see_the_main_lines_rounded(
    as_student: Client, as_staff: Client, sampled: Callable[..., Submission]
) -> None:
    submission = sampled(times())
    text = page(as_student, submission)
    assert beside(text, 14).endswith("%, 1.8 s")
    assert beside(text, 4) == ""
    assert "samples in a rerun" not in text
    assert not re.search(r"\b2\.13\s", text)
    assert "Other lines took a little more." in text
    assert beside(page(as_staff, submission), 4) == "6.40 ms"


def test_of_a_hidden_case_no_line_for_each_digit_is_shown(
    as_student: Client, as_staff: Client, sampled: Callable[..., Submission]
) -> None:
    submission = sampled(times(MANY))
    text = page(as_student, submission)
    assert sum(bool(beside(text, line)) for line in range(1, 60)) == 8
    assert sum(bool(beside(page(as_staff, submission), line)) for line in range(1, 60)) == 30
    assert len(speedscope(as_student, submission)["shared"]["frames"]) == 8 + 1  # the rest


@pytest.mark.usefixtures("open_problem")
def test_what_is_not_whole_or_not_exact_says_so(as_student: Client, sampled: Callable[..., Submission]) -> None:
    text = page(as_student, sampled(times(samples=100, lost=3, cut=40, is_whole=False)))
    assert "off by several per cent" in text
    assert "3 samples were lost." in text
    assert "nested too deeply" in text
    assert "did not come to its end" in text
    plain = page(as_student, sampled(times(elsewhere=0)))
    for words in ("several per cent", "were lost", "too deeply", "come to its end", "no line of yours"):
        assert words not in plain


def test_a_run_without_a_line_says_so(as_student: Client, sampled: Callable[..., Submission]) -> None:
    text = page(as_student, sampled(times([], stacks=[], elsewhere=1_000), name="sample/1", is_sample=True))
    assert "No line of the source took a notable part of the CPU time." in text
    assert "Download for speedscope" not in text


def test_beside_the_source_is_the_case_with_the_most_time(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(source=SOURCE)
    make_result(submission, position=0, name="secret/1", line_times=times(MANY[:1], cpu_time_us=50_000))
    make_result(submission, position=1, name="secret/2", line_times=times())
    text = page(as_student, submission)
    assert '<a href="#case-2">secret/2</a>' in text
    assert beside(text, 14)
    assert beside(text, 10) == ""


def test_writes_and_time_stand_beside_one_line(as_student: Client, sampled: Callable[..., Submission]) -> None:
    costs = {"lines": [{"line": 14, "writes": 7_000, "bytes": 9_000}], "elsewhere": 0, "sampled_every": 1}
    text = page(as_student, sampled(times(), line_costs=costs | {"is_whole": True}, name="sample/1", is_sample=True))
    row = re.search(r'<li id="L14">.*?</li>', text, re.DOTALL)
    assert row is not None
    assert re.findall(r"</svg>\s+(.*?)\s*</span>", row[0]) == ["83 %, 1.77 s", "7,000 writes, 8.8 KiB"]


def test_a_case_is_sampled_on_request_and_the_source_comes_along(
    as_student: Client, sampled: Callable[..., Submission]
) -> None:
    submission = sampled(None)
    address = reverse("examine_case", args=[submission.pk, 0, "cputime"])
    assert f'action="{address}"' in page(as_student, submission)
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().examination == "cputime"
    assert "Rerun requested." in fragment
    submission.results.update(line_times=times())
    live = as_student.get(reverse("submission_live", args=[submission.pk])).content.decode()
    assert 'id="source-lines" hx-swap-oob="true"' in live
    assert beside(live, 14)


def test_why_nothing_could_be_sampled_is_said(as_student: Client, sampled: Callable[..., Submission]) -> None:
    submission = sampled(None)
    result = submission.results.get()
    CaseRerun.objects.of(result, examination="cputime", status="done", problem="It took too little.")
    assert "It took too little." in page(as_student, submission)


def test_the_file_for_speedscope_has_the_stacks(as_student: Client, sampled: Callable[..., Submission]) -> None:
    file = speedscope(as_student, sampled(times(), name="sample/1", is_sample=True))
    frames, profile = file["shared"]["frames"], file["profiles"][0]
    assert [frame.get("line") for frame in frames] == [3, 7, 14, None]
    assert frames[2] == {"name": "14: line 14", "file": "main.cpp", "line": 14}
    assert profile["type"] == "sampled"
    assert profile["samples"] == [[0, 1, 2], [0, 1], [3]]
    assert profile["weights"] == [1_771_691, 256_148, 106_728]
    assert profile["endValue"] == sum(profile["weights"]) == 2_134_567  # all of the CPU time: shares are of that


def test_the_file_of_a_hidden_case_has_the_rounded_numbers(
    as_student: Client, as_other: Client, sampled: Callable[..., Submission]
) -> None:
    submission = sampled(times())
    profile = speedscope(as_student, submission)["profiles"][0]
    assert profile["weights"] == [1_800_000, 260_000, profile["endValue"] - 2_060_000]
    assert all(len(stack) == 1 for stack in profile["samples"])
    assert as_other.get(reverse("submission_speedscope", args=[submission.pk, 0])).status_code == 404
    assert as_student.get(reverse("submission_speedscope", args=[submission.pk, 1])).status_code == 404


def test_there_is_no_file_of_what_was_not_sampled(as_student: Client, sampled: Callable[..., Submission]) -> None:
    assert as_student.get(reverse("submission_speedscope", args=[sampled(None).pk, 0])).status_code == 404


def test_several_passes_are_not_offered(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    ProblemVersion.objects.update(most_passes=2)
    submission = make_submission(problem_version=ProblemVersion.objects.get())
    make_result(submission)
    assert "Measure CPU time by line" not in page(as_student, submission)


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_who_does_not_see_a_case_sees_no_lines_of_it(
    visibility: CaseVisibility, as_student: Client, as_staff: Client, sampled: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=visibility)
    submission = sampled(times())
    text = page(as_student, submission)
    assert beside(text, 14) == ""
    assert "Line 14 took" not in text
    assert as_student.post(reverse("examine_case", args=[submission.pk, 0, "cputime"])).status_code == 404
    assert as_student.get(reverse("submission_speedscope", args=[submission.pk, 0])).status_code == 404
    assert beside(page(as_staff, submission), 14)
