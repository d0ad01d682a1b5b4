"""The writes of a case by line, as its page shows them: in the case, beside the source, and to whom."""

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
MANY = [{"line": number, "writes": 1_234, "bytes": 4_567} for number in range(10, 40)]


def costs(lines: list[dict[str, int]] | None = None, **changes: Any) -> dict[str, Any]:
    given = [{"line": 7, "writes": 1_234_567, "bytes": 7_654_321}, {"line": 3, "writes": 1, "bytes": 90}]
    return {"lines": given if lines is None else lines, "elsewhere": 2, "sampled_every": 1, "is_whole": True} | changes


@pytest.fixture
def counted(make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission whose only case has these writes by line."""

    def make(found: dict[str, Any] | None, **columns: Any) -> Submission:
        submission = make_submission(source=SOURCE)
        make_result(submission, line_costs=found, **columns)
        return submission

    return make


def page(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission", args=[submission.pk])).content.decode()


def beside(text: str, line: int) -> str:
    """What stands beside a line of the source."""
    row = re.search(rf'<li id="L{line}">.*?</li>', text, re.DOTALL)
    assert row is not None
    cost = re.search(r"</svg>\s+(.*?)\s*</span>", row[0])
    return cost[1].replace("\u00a0", " ") if cost else ""


def test_a_sample_has_every_line_as_it_is(as_student: Client, counted: Callable[..., Submission]) -> None:
    text = page(as_student, counted(costs(), name="sample/1", is_sample=True))
    assert beside(text, 7) == "1,234,567 writes, 7.3 MiB"
    assert beside(text, 3) == "1 write, 90 bytes"
    assert beside(text, 8) == ""
    assert '<a href="#L7">line 7</a>' in text
    assert "1,234,570 write calls" in text
    assert "Write calls that belong to no line of yours: 2." in text
    assert "Measure line costs" not in text


def test_of_a_hidden_case_contestants_see_the_main_lines_rounded(
    as_student: Client, as_staff: Client, counted: Callable[..., Submission]
) -> None:
    submission = counted(costs())
    text = page(as_student, submission)
    assert beside(text, 7) == "1,200,000 writes, 7.3 MiB"
    assert beside(text, 3) == ""
    assert "1,234,5" not in text
    assert "#L3" not in text
    assert "Other lines made a few more." in text
    assert beside(page(as_staff, submission), 7) == "1,234,567 writes, 7.3 MiB"


@pytest.mark.thorough
def test_of_a_hidden_case_no_line_for_each_digit_is_shown(
    as_student: Client, as_staff: Client, counted: Callable[..., Submission]
) -> None:
    submission = counted(costs(MANY))
    assert len(re.findall(r'<a href="#L\d+">', page(as_student, submission))) == 8
    assert sum(bool(beside(page(as_staff, submission), line)) for line in range(1, 60)) == 30


@pytest.mark.usefixtures("open_problem")
def test_what_is_estimated_or_not_whole_says_so(as_student: Client, counted: Callable[..., Submission]) -> None:
    text = page(as_student, counted(costs(sampled_every=8, is_whole=False)))
    assert "about one in 8 was looked at" in text
    assert "did not come to its end" in text
    plain = page(as_student, counted(costs(elsewhere=0)))
    for words in ("looked at", "come to its end", "told to a line"):
        assert words not in plain


def test_beside_the_source_is_the_case_with_the_most_writes(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(source=SOURCE)
    make_result(submission, position=0, name="secret/1", line_costs=costs(MANY[:1]))
    make_result(submission, position=1, name="secret/2", line_costs=costs())
    text = page(as_student, submission)
    assert '<a href="#case-2">secret/2</a>' in text
    assert beside(text, 7)
    assert beside(text, 10) == ""


def test_a_case_is_counted_on_request_and_the_source_comes_along(
    as_student: Client, counted: Callable[..., Submission]
) -> None:
    submission = counted(None)
    address = reverse("examine_case", args=[submission.pk, 0, "lines"])
    assert f'action="{address}"' in page(as_student, submission)
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRerun.objects.get().examination == "lines"
    assert "Rerun requested." in fragment
    assert "source-lines" not in fragment
    submission.results.update(line_costs=costs())
    live = as_student.get(reverse("submission_live", args=[submission.pk])).content.decode()
    assert 'id="source-lines" hx-swap-oob="true"' in live
    assert beside(live, 7)


def test_why_nothing_could_be_counted_is_said(as_student: Client, counted: Callable[..., Submission]) -> None:
    submission = counted(None)
    result = submission.results.get()
    CaseRerun.objects.of(result, examination="lines", status="done", problem="It is linked statically.")
    assert "It is linked statically." in page(as_student, submission)


def test_several_passes_are_not_offered(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    ProblemVersion.objects.update(most_passes=2)
    submission = make_submission(problem_version=ProblemVersion.objects.get())
    make_result(submission)
    assert "Measure line costs" not in page(as_student, submission)


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_who_does_not_see_a_case_sees_no_lines_of_it(
    visibility: CaseVisibility, as_student: Client, as_staff: Client, counted: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=visibility)
    submission = counted(costs())
    text = page(as_student, submission)
    assert beside(text, 7) == ""
    assert "Line costs: the write calls of each line" not in text
    assert as_student.post(reverse("examine_case", args=[submission.pk, 0, "lines"])).status_code == 404
    assert beside(page(as_staff, submission), 7)


def test_nobody_else_has_lines_counted(as_other: Client, counted: Callable[..., Submission]) -> None:
    submission = counted(None)
    assert as_other.post(reverse("examine_case", args=[submission.pk, 0, "lines"])).status_code == 404
    assert not CaseRerun.objects.exists()
