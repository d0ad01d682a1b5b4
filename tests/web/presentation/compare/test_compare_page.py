"""Submissions side by side."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, TestCaseResult
from problems.models import Problem, ProblemVersion

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
SLOW = {
    "verdict": Verdict.TLE,
    "user_time_us": 460_000,
    "system_time_us": 1_950_000,
    "wall_time_us": 2_500_000,
    "write_calls": 3_000_000,
    "write_bytes": 20_700_000,
}
QUICK = {
    "user_time_us": 50_000,
    "system_time_us": 10_000,
    "wall_time_us": 65_000,
    "write_calls": 640,
    "write_bytes": 20_700_000,
}


@pytest.fixture
def slow(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """Three million writes and too slow."""
    submission = make_submission(verdict=Verdict.TLE, source=b"cout << i << endl;\n")
    make_result(submission, name="secret/01", **SLOW)
    return submission


@pytest.fixture
def quick(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """The same with a buffer, and one case more."""
    submission = make_submission(source=b"cout << i << '\\n';\n")
    make_result(submission, name="secret/01", **QUICK)
    make_result(submission, name="secret/02", **QUICK)
    return submission


def _words(client: Client, query: str) -> str:
    response = client.get(reverse("compare") + query)
    assert response.status_code == 200
    page = response.content.decode().replace("\u00a0", " ")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.usefixtures("open_problem")
def test_the_paragraph_says_what_changed_and_that_it_is_a_lower_bound(
    as_student: Client, slow: Submission, quick: Submission
) -> None:
    words = _words(as_student, f"?a={slow.pk}&b={quick.pk}")
    assert "From time limit exceeded (A) to accepted (B)." in words
    assert "B made 640 write calls instead of 3,000,000 (at least 4,700\u00d7 fewer)" in words
    assert "each of 31.6 KiB instead of 6.9 bytes on average" in words
    assert "B took 60.0 ms of CPU time instead of 2.41 s (at least 40\u00d7 less)" in words
    assert "82 % of the difference so far lies in the kernel" in words
    assert "A was stopped at a limit on 1 case" in words


@pytest.mark.usefixtures("open_problem")
def test_a_small_difference_in_time_is_called_the_same(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    a, b = make_submission(), make_submission()
    make_result(a, user_time_us=1_000_000, system_time_us=0)
    make_result(b, user_time_us=1_080_000, system_time_us=0)
    words = _words(as_student, f"?a={a.pk}&b={b.pk}")
    assert "The CPU time is the same as far as can be told from noise: 1.00 s and 1.08 s." in words
    assert "CPU time: the same" in words


def test_of_a_stopped_run_nothing_is_called_the_same(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    a, b = make_submission(verdict=Verdict.TLE), make_submission()
    make_result(a, user_time_us=1_000_000, system_time_us=0, verdict=Verdict.TLE)
    make_result(b, user_time_us=1_010_000, system_time_us=0)
    words = _words(as_student, f"?a={a.pk}&b={b.pk}")
    assert "Which one needs less CPU time cannot be told" in words
    assert "Peak memory is the same so far." in words


def test_every_metric_stands_side_by_side_and_cases_of_one_side_are_named(
    as_student: Client, slow: Submission, quick: Submission
) -> None:
    words = _words(as_student, f"?a={slow.pk}&b={quick.pk}")
    for metric in (
        "CPU time",
        "system time",
        "time blocked",
        "peak memory",
        "bytes per write",
        "involuntary context switches",
    ):
        assert f" {metric} " in words
    assert "Judged only in B: secret/02." in words


def test_numbers_of_hidden_cases_are_rounded_in_the_comparison_too(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    a, b = make_submission(), make_submission()
    for submission in (a, b):
        make_result(submission, write_calls=1_234_567)
        make_result(submission, write_calls=7_654_321)
    query = f"?a={a.pk}&b={b.pk}"
    contestant = _words(as_student, query)
    assert not {"1,234,567", "7,654,321", "8,888,888"} & set(contestant.split())
    assert "8,900,000" in contestant
    assert {"1,234,567", "8,888,888"} <= set(_words(as_staff, query).split())


def test_bars_of_all_cases_share_one_scale_and_writes_a_logarithmic_one(
    as_student: Client, slow: Submission, quick: Submission
) -> None:
    page = as_student.get(reverse("compare") + f"?a={slow.pk}&b={quick.pk}").content.decode()
    assert 'class="series-a" y="3" width="100.0%"' in page
    width = re.search(r'class="series-b" y="3" width="([\d.]+)%"', page)
    assert width is not None
    assert 40 < float(width[1]) < 50
    assert not re.search(r"\sstyle=", page)


def test_the_sources_differ_line_by_line(as_student: Client, slow: Submission, quick: Submission) -> None:
    page = as_student.get(reverse("compare") + f"?a={slow.pk}&b={quick.pk}").content.decode()
    assert page.count('<mark class="diff-word">endl</mark>') == 2  # once side by side, once unified


def test_sources_in_different_languages_stand_side_by_side(
    as_student: Client, slow: Submission, make_submission: SubmissionMaker
) -> None:
    python = make_submission(language="python", source=b"print('<b>')\n")
    words = _words(as_student, f"?a={slow.pk}&b={python.pk}")
    assert "in different languages" in words
    assert "There is no test case that was judged in both" in words


def test_different_problems_cannot_be_compared_and_the_page_says_why(
    as_student: Client, slow: Submission, make_submission: SubmissionMaker, other_problem: Problem
) -> None:
    words = _words(as_student, f"?a={slow.pk}&b={make_submission(problem=other_problem).pk}")
    assert "These submissions belong to different problems" in words
    assert "They ran different test cases" in words


def test_different_versions_of_a_problem_are_said_so(
    as_student: Client, slow: Submission, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    version = ProblemVersion.objects.get(pk=slow.problem_version_id)
    version.pk, version.digest, version.number = None, "f" * 64, 2
    version.save()
    newer = make_submission(problem_version=version)
    make_result(newer, name="secret/01")
    assert "judged with different versions" in _words(as_student, f"?a={slow.pk}&b={newer.pk}")


def test_with_one_side_the_page_offers_the_others_of_the_same_problem(
    as_student: Client, slow: Submission, quick: Submission, make_submission: SubmissionMaker, other_problem: Problem
) -> None:
    elsewhere = make_submission(problem=other_problem)
    page = as_student.get(reverse("compare") + f"?s={quick.pk}").content.decode()
    assert f'type="hidden" name="s" value="{quick.pk}"' in page
    assert _boxes(page) == [slow.pk]
    assert elsewhere.pk not in _boxes(page)


def _boxes(page: str) -> list[int]:
    return [int(key) for key in re.findall(r'type="checkbox" name="s" value="(\d+)"', page)]


def test_offers_to_a_student_are_never_of_others(
    as_student: Client, slow: Submission, quick: Submission, make_submission: SubmissionMaker, other_student: User
) -> None:
    make_submission(user=other_student)
    assert _boxes(as_student.get(reverse("compare") + f"?s={slow.pk}").content.decode()) == [quick.pk]


def test_staff_are_offered_everybodys_the_same_persons_first(
    as_staff: Client, slow: Submission, quick: Submission, make_submission: SubmissionMaker, other_student: User
) -> None:
    theirs = make_submission(user=other_student)
    page = as_staff.get(reverse("compare") + f"?s={slow.pk}").content.decode()
    assert _boxes(page) == [quick.pk, theirs.pk]
    assert "by other" in page
    assert as_staff.get(reverse("compare") + f"?s={slow.pk}&s={theirs.pk}").status_code == 200


@pytest.mark.parametrize("query", ["?a={0}&b={0}", "?s={0}&s={0}", "?s={0}&s=", "?a={0}&b=", "?b={0}"])
def test_one_submission_alone_is_offered_others(
    as_student: Client, slow: Submission, quick: Submission, query: str
) -> None:
    page = as_student.get(reverse("compare") + query.format(slow.pk)).content.decode()
    assert f"Compare submission {slow.pk} with<" in page
    assert _boxes(page) == [quick.pk]


def test_without_any_side_the_page_leads_to_the_list(as_student: Client) -> None:
    assert "Select two or more of" in _words(as_student, "")


def test_the_boxes_of_the_list_compare_the_older_with_the_newer(
    as_student: Client, slow: Submission, quick: Submission
) -> None:
    listed = as_student.get(reverse("submission_list")).content.decode()
    assert _boxes(listed) == [quick.pk, slow.pk]
    assert "time limit exceeded (A) to accepted (B)" in _words(as_student, f"?s={quick.pk}&s={slow.pk}")


def test_which_one_goes_first_can_be_chosen_and_old_links_say_it_too(
    as_student: Client, slow: Submission, quick: Submission
) -> None:
    for query in (f"?s={slow.pk}&s={quick.pk}&first={quick.pk}", f"?a={quick.pk}&b={slow.pk}"):
        assert "accepted (A) to time limit exceeded (B)" in _words(as_student, query)
    page = as_student.get(reverse("compare") + f"?a={slow.pk}&b={quick.pk}").content.decode()
    assert f'href="?s={slow.pk}&amp;s={quick.pk}&amp;first={quick.pk}">Swap A and B' in page


def test_more_than_go_side_by_side_lead_back_to_the_list(as_student: Client, make_submission: SubmissionMaker) -> None:
    query = "&".join(f"s={make_submission().pk}" for _ in range(7))
    response = as_student.get(reverse("compare") + f"?{query}", follow=True)
    assert response.redirect_chain == [(reverse("submission_list"), 302)]
    assert "Choose at most 6 submissions to compare." in response.content.decode()
    assert as_student.get(reverse("compare") + f"?{query.rpartition('&')[0]}").status_code == 200


@pytest.mark.parametrize("key", ["x", "-1", "1e9", "9" * 30, "\u0663", "0x10"])
def test_a_key_that_is_no_number_is_404(as_student: Client, key: str) -> None:
    assert as_student.get(reverse("compare") + f"?a={key}").status_code == 404


def test_an_unfinished_submission_can_be_compared_so_far(
    as_student: Client, slow: Submission, make_submission: SubmissionMaker
) -> None:
    waiting = make_submission(status=Status.QUEUED)
    words = _words(as_student, f"?a={slow.pk}&b={waiting.pk}")
    assert "Not judged yet: queued." in words
    assert "From time limit exceeded (A) to queued (B)." in words
