"""What a problem hides of its secret cases stays hidden on every page; staff and the problem's owner see all."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem, ProblemVersion
from tests.web.dense import dense

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
PROFILE = {"syscalls": {"futex": 7}, "streams": {}}
EXPLANATION = [
    {"code": "summary", "text": "secret/hard is the first, it used 1.23 s.", "evidence": {"test_case": "secret/hard"}},
    {"code": "algorithm", "text": "Not why secret/hard was slow.", "evidence": {"test_case": "secret/hard"}},
    {"code": "leftover-output", "text": "Was a print left in sample/1?", "evidence": {"test_case": "sample/1"}},
    {"code": "not-run", "text": "3 of 6 test cases were not run: 2 had been too slow.", "evidence": {"not_run": 3}},
]


@pytest.fixture
def submission(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """A sample, and two secret cases of which the second one failed."""
    made = make_submission(verdict=Verdict.TLE, test_case_count=3, explanation=EXPLANATION)
    make_result(made, name="sample/1", is_sample=True, wall_time_us=111_000_000)
    make_result(made, name="secret/easy", wall_time_us=222_000_000, profile=PROFILE)
    make_result(made, name="secret/hard", verdict=Verdict.TLE, wall_time_us=333_000_000, user_time_us=1_230_000)
    return made


def hide(problem: Problem, visibility: CaseVisibility) -> None:
    Problem.objects.filter(pk=problem.pk).update(case_visibility=visibility)


def everything(client: Client, submission: Submission) -> str:
    """The page and its live part, without the buttons that explain terms."""
    found = ""
    for address in ("submission", "submission_live"):
        response = client.get(reverse(address, args=[submission.pk]))
        assert response.status_code == 200
        found += response.content.decode().replace("\u00a0", " ")
    return re.sub(r'<button class="term".*?</button>', "", found)


@pytest.mark.usefixtures("open_problem")
def test_by_default_all_is_shown(as_student: Client, submission: Submission) -> None:
    page = everything(as_student, submission)
    for shown in ("secret/easy", "secret/hard", "111 s", "222 s", "333 s", "futex", "1.23 s", "Not why"):
        assert shown in page


def test_verdicts_only(as_student: Client, submission: Submission, problem: Problem) -> None:
    hide(problem, CaseVisibility.VERDICTS)
    page = everything(as_student, submission)
    for shown in ("sample/1", "111 s", "secret/easy", "secret/hard", "Was a print left", "3 of 6 test cases"):
        assert shown in page
    for hidden in ("222 s", "333 s", "futex", "is the first", "Not why", "Profile this case<"):
        assert hidden not in page.replace('Profile this case<span class="visually-hidden"> (sample/1)', "")
    assert "reached the time limit." in page


def test_totals_only(as_student: Client, submission: Submission, problem: Problem) -> None:
    hide(problem, CaseVisibility.TOTALS)
    page = everything(as_student, submission)
    for hidden in ("secret/easy", "secret/hard", "222 s", "333 s", "futex", "Not why"):
        assert hidden not in page
    for shown in ("sample/1", "111 s", "2 secret test cases were judged too", "2 <small>of 3</small>"):
        assert shown in page
    assert "CPU time, slowest case" in page, "the totals are shown"


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_a_profile_of_a_hidden_case_is_not_to_be_had(
    as_student: Client, submission: Submission, problem: Problem, visibility: CaseVisibility
) -> None:
    hide(problem, visibility)
    assert as_student.post(reverse("examine_case", args=[submission.pk, 2, "profile"])).status_code == 404
    assert not CaseRerun.objects.exists()
    assert as_student.post(reverse("examine_case", args=[submission.pk, 0, "profile"])).status_code == 302
    assert CaseRerun.objects.get().result.name == "sample/1"


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_the_comparison_is_of_samples_alone(
    as_student: Client,
    submission: Submission,
    problem: Problem,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
    visibility: CaseVisibility,
) -> None:
    hide(problem, visibility)
    other = make_submission()
    make_result(other, name="sample/1", is_sample=True)
    make_result(other, name="secret/only-here")
    page = as_student.get(reverse("compare"), {"a": submission.pk, "b": other.pk}).content.decode()
    assert "sample/1" in page
    assert "secret/" not in page
    assert "so only samples are compared" in page


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_staff_and_the_owner_see_all(
    as_staff: Client,
    as_student: Client,
    student: User,
    submission: Submission,
    problem: Problem,
    visibility: CaseVisibility,
) -> None:
    hide(problem, visibility)
    assert "333 s" in everything(as_staff, submission)
    assert "333 s" not in everything(as_student, submission)
    Problem.objects.filter(pk=problem.pk).update(owner=student)
    assert "333 s" in everything(as_student, submission)


def test_a_case_that_runs_says_no_more_than_how_far_it_is(
    as_student: Client, submission: Submission, problem: Problem
) -> None:
    hide(problem, CaseVisibility.TOTALS)
    Submission.objects.filter(pk=submission.pk).update(status="judging", verdict="", test_case_count=9)
    page = everything(as_student, submission)
    assert "secret/" not in page
    assert 'max="9" value="3"' in page


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_between_two_secret_cases_no_number_changes_but_how_far_it_is(
    as_student: Client,
    problem: Problem,
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
    visibility: CaseVisibility,
) -> None:
    """What changes between two looks is of one case: a program could say a hidden input with its calls."""
    hide(problem, visibility)
    assert problem.current_version
    group = {"name": "secret/g", "max_score": 10, "cases": 3}
    ProblemVersion.objects.filter(pk=problem.current_version.pk).update(is_scoring=True, groups=[group])
    made = make_submission(status="judging", test_case_count=4)
    make_result(made, name="sample/1", is_sample=True, write_calls=777)

    def readings() -> str:
        """The numbers at the top, without the accepted cases: their verdicts may be seen, or they are not there."""
        page = as_student.get(reverse("submission_live", args=[made.pk])).content.decode()
        page = re.sub(r'<button class="term".*?</button>', "", page)
        top = dense(page).split('<dl class="readings', 1)[1].split("</dl>")[0]
        return re.sub(r"<dt>Test cases accepted</dt><dd>\d+", "", top)

    before = readings()
    assert "Write calls, all samples</dt><dd>777<" in before
    for name, verdict in (("secret/g/1", Verdict.AC), ("secret/g/2", Verdict.WA)):
        used = {"write_calls": 5_210, "read_calls": 88_800, "user_time_us": 1_990_000, "peak_memory_bytes": 2**31}
        make_result(made, name=name, verdict=verdict, **used)
        assert readings() == before
    page = everything(as_student, made)
    assert ("1 of 3 accepted, 1 to come" in page) == (visibility == CaseVisibility.VERDICTS)
    assert ("2 of 3 judged" in page) == (visibility == CaseVisibility.TOTALS)
    assert ("shows only their totals, once all are judged." in page) == (visibility == CaseVisibility.TOTALS)
    assert ("Test cases accepted" in page) == (visibility == CaseVisibility.VERDICTS)


@pytest.mark.usefixtures("open_problem")
def test_once_all_cases_are_judged_their_totals_are_shown(
    as_student: Client, problem: Problem, submission: Submission
) -> None:
    hide(problem, CaseVisibility.TOTALS)
    page = everything(as_student, submission)
    assert "Write calls, all cases</dt><dd>9<" in dense(page)
    assert "shows only their totals.<" in dense(page)


@pytest.mark.usefixtures("open_problem")
def test_where_nothing_is_hidden_the_totals_grow_case_by_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    made = make_submission(status="judging", test_case_count=4)
    for number in (1, 2):
        make_result(made, name=f"secret/{number}", write_calls=5)
        assert f"Write calls, all cases</dt><dd>{5 * number}<" in dense(everything(as_student, made))
