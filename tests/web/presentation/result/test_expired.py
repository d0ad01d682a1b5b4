"""Pages of submissions whose test cases' results were deleted by age."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import ExpiredResults, Submission, TestCaseResult

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
NOTE = "this site keeps them for 365 days"
FINDING = {
    "code": "algorithm",
    "evidence": {"test_case": "secret/01", "cpu_time_us": 3_000_000, "limit_us": 2_000_000},
    "lines": [],
}


@pytest.fixture
def expired(make_submission: SubmissionMaker) -> Submission:
    """A submission that was too slow, without results."""
    submission = make_submission(
        verdict=Verdict.TLE,
        compile_ok=True,
        test_case_count=12,
        max_cpu_time_us=2_340_000,
        max_peak_memory_bytes=7 * 1024**2,
        total_write_calls=64_000,
        explanation=[FINDING],
    )
    ExpiredResults.objects.create(first=0, end=submission.pk + 1, kept_days=365, rows=12)
    return submission


def _page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_page_says_when_and_why_and_shows_the_totals(expired: Submission, as_student: Client, as_staff: Client) -> None:
    for client in (as_student, as_staff):
        text = _page(client, reverse("submission", args=[expired.pk]))
        assert NOTE in text
        assert "2.3" in text
        assert "64,000" in text
        assert "Read calls" not in text
        assert "Compare with others" not in text


def test_other_submissions_say_nothing(
    make_submission: SubmissionMaker, expired: Submission, as_student: Client
) -> None:
    newer = make_submission(verdict=Verdict.TLE, compile_ok=True, test_case_count=12)
    broken = make_submission(pk=expired.pk - 1, verdict=Verdict.CE, compile_ok=False)
    for submission in (newer, broken):
        assert NOTE not in _page(as_student, reverse("submission", args=[submission.pk]))


def test_comparison_names_the_side_that_has_no_results(
    expired: Submission, make_submission: SubmissionMaker, make_result: ResultMaker, as_student: Client
) -> None:
    other = make_submission()
    make_result(other)
    text = _page(as_student, f"{reverse('compare')}?s={expired.pk}&s={other.pk}")
    assert re.search(rf"A: The details[^<]*{NOTE}", text)
    assert "B: The details" not in text
