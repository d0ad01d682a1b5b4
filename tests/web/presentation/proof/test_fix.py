"""A changed source on the page of a submission: what is claimed, what is not, and who may take it into the editor."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult
from problems.models import CaseVisibility, Problem
from tests.web.presentation.proof.test_buffered import page, run

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
SOURCE = "#include <iostream>\nint main() { std::cout << 1 << std::endl; }\n"
CHANGED = SOURCE.replace("std::endl", "'\\n'")
FOUND = {"code": "flush-per-line", "evidence": {"test_case": "secret/01", "write_calls": 1_234_567}, "lines": [2]}
FIX: dict[str, Any] = {
    "source": CHANGED,
    "diff": [],
    "codes": ["newline-for-endl"],
    "plain": run("TLE", 612_345, 1_801_234, 1_234_567),
    "fixed": run("AC", 61_234, 4_321, 34),
    "is_whole": True,
    "cases": 12,
    "run": 12,
    "compared": 3,
    "verdict": "AC",
    "failed_case": "",
    "has_all_stderr": True,
    "plain_times_us": [2_413_579],
    "runs": [{"name": "secret/01", "cpu_times_us": [60_000, 65_555, 65_000, 66_000, 90_000], "over": 0}],
}


def fix(**changes: Any) -> dict[str, Any]:
    return {**deepcopy(FIX), **changes}


def runs(*times_us: int, over: int = 0) -> dict[str, Any]:
    return {"runs": [{"name": "secret/01", "cpu_times_us": [*times_us], "over": over}]}


@pytest.fixture
def fixed(make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission over its time limit, with this fix of its only case."""

    def make(found: dict[str, Any] | None, **columns: Any) -> Submission:
        submission = make_submission(verdict=Verdict.TLE, explanation=[FOUND], source=SOURCE.encode(), language="cpp")
        make_result(submission, **{"verdict": Verdict.TLE, "fix": found, **columns})
        return submission

    return make


def section(text: str) -> str:
    start = text.find('<section class="proof fix"')
    return text[start : text.index("</section>", start)] if start >= 0 else ""


@pytest.mark.usefixtures("open_problem")
def test_the_page_shows_what_was_changed_and_measured(as_student: Client, fixed: Callable[..., Submission]) -> None:
    said = section(page(as_student, fixed(fix())))
    assert "Measured: 65.6 ms (60.0 ms to 90.0 ms in 5 runs) instead of 2.41 s" in said
    assert "with 34 write calls instead of 1,234,567." in said
    assert "It would be accepted: the slowest of 5 runs took 90.0 ms; the limit is 1.5 s." in said
    assert "which does not flush." in said
    assert '<span class="visually-hidden">removed </span>' in said
    assert '<span class="visually-hidden">added </span>' in said
    assert "The changed program was compiled and run on 12 of 12 test cases, on the same core." in said
    assert "On 3 of them it was compared with your program." in said
    assert "Every byte on stdout and stderr" in said
    assert "Try a fix" not in said


@pytest.mark.usefixtures("open_problem")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"verdict": None, "run": 5}, "Only 5 of 12 test cases were run, so it is not known"),
        ({"verdict": "WA", "failed_case": "secret/02"}, "Its answer would still be wrong. That is so on secret/02."),
        ({"has_all_stderr": False}, "stderr was not compared"),
        ({"is_whole": False}, "As it was sent, the program did not end within 2.41 s."),
        (
            {"verdict": "TLE", "failed_case": "secret/01", "fixed": run("TLE", 1_900_000, 4_321, 34)},
            "What is left is the program&#x27;s own computation: 1.90 s.",
        ),
        (
            {"verdict": "TLE", "failed_case": "secret/01", "fixed": run("TLE", 10_000, 1_600_000, 400_000)},
            "It still makes 400,000 write calls.",
        ),
        (
            {"verdict": "TLE", "failed_case": "secret/01", "next_line": {"line": 2, "percent": 91}},
            "line 2 of the changed source",
        ),
        (
            {"verdict": "AC", **runs(500_000, 500_000, 700_000, 1_400_000, 600_000)},
            "Too near the limit of 1.5 s to tell",
        ),
        ({"verdict": "AC", **runs(500_000, 1_600_000, over=1)}, "Too near the limit of 1.5 s to tell"),
        ({"verdict": "AC", "runs": [], "fixed": run("AC", 900_000, 0, 34)}, "Too near the limit of 1.5 s to tell"),
    ],
)
def test_only_what_was_run_is_claimed(
    changes: dict[str, Any], said: str, as_student: Client, fixed: Callable[..., Submission]
) -> None:
    text = section(page(as_student, fixed(fix(**changes))))
    assert said in text
    assert ("It would be accepted" in text) == ("verdict" not in changes)


@pytest.mark.usefixtures("open_problem")
def test_lines_that_were_only_left_out_are_named(as_student: Client, fixed: Callable[..., Submission]) -> None:
    diff = ["@@ -1,2 +1 @@", " #include <iostream>", "-int main() { std::cout << 1 << std::endl; }"]
    said = section(page(as_student, fixed(fix(diff=diff, codes=["no-debugging"], stopped=3))))
    assert "Without line 2: 65.6 ms (60.0 ms to 90.0 ms in 5 runs), accepted." in said
    assert "is the same as that of your program" not in said
    assert "the checker decided about the rest" in said


@pytest.mark.usefixtures("open_problem")
@pytest.mark.parametrize(
    ("verdict", "right", "said"),
    [
        ("AC", 12, "Without line 2 the output is right on all test cases (12)."),
        ("WA", 9, "Without line 2 the output is right on 9 of 12 test cases."),
    ],
)
def test_without_a_leftover_print_the_page_tells_on_how_many_cases_the_output_is_right(
    verdict: str, right: int, said: str, as_student: Client, fixed: Callable[..., Submission]
) -> None:
    diff = ["@@ -1,2 +1 @@", " #include <iostream>", "-int main() { std::cout << 1 << std::endl; }"]
    failed = "" if verdict == "AC" else "secret/02"
    found = fix(diff=diff, codes=["leftover-print"], compared=0, verdict=verdict, right=right, failed_case=failed)
    text = section(page(as_student, fixed(found, verdict=Verdict.WA)))
    assert said in text
    assert "the checker alone decided" in text
    assert ("It would be accepted" in text) == (verdict == "AC")


def test_of_hidden_cases_it_is_not_told_on_how_many(
    as_student: Client, problem: Problem, fixed: Callable[..., Submission]
) -> None:
    Problem.objects.filter(pk=problem.pk).update(case_visibility=CaseVisibility.TOTALS)
    diff = ["@@ -1,2 +1 @@", " #include <iostream>", "-int main() { std::cout << 1 << std::endl; }"]
    found = fix(diff=diff, codes=["leftover-print"], compared=0, verdict="WA", right=9, failed_case="secret/02")
    text = section(page(as_student, fixed(found, verdict=Verdict.WA, is_sample=True)))
    assert "Without line 2 the output of this test case is right." in text
    assert "9" not in text.split("</p>")[0]
    assert "secret/02" not in text


@pytest.mark.usefixtures("open_problem")
def test_after_too_many_calls_the_numbers_are_calls(as_student: Client, fixed: Callable[..., Submission]) -> None:
    said = section(page(as_student, fixed(fix(plain=run("SLE", 9_890, 0, 102), fixed=run("AC", 9_640, 0, 1)))))
    assert "Measured: 1 write call instead of 102." in said
    assert "It would be accepted." in said
    assert " ms" not in said


@pytest.mark.usefixtures("open_problem")
def test_an_accepted_program_is_not_told_that_it_would_be_accepted(
    as_student: Client, fixed: Callable[..., Submission]
) -> None:
    submission = fixed(fix(), verdict=Verdict.AC)
    Submission.objects.filter(pk=submission.pk).update(verdict=Verdict.AC)
    said = section(page(as_student, submission))
    assert "Measured: 65.6 ms" in said
    assert "accepted" not in said


def test_numbers_of_a_hidden_case_are_rounded_and_no_other_case_is_named(
    as_student: Client, problem: Problem, fixed: Callable[..., Submission]
) -> None:
    submission = fixed(fix(verdict="WA", failed_case="secret/02-overflow"))
    text = section(page(as_student, submission))
    assert "34 write calls" not in text
    assert "1,234,567" not in text
    Problem.objects.filter(pk=problem.pk).update(case_visibility=CaseVisibility.TOTALS)
    assert section(page(as_student, submission)) == ""


def test_of_a_sample_nothing_is_told_of_cases_that_are_hidden(
    as_student: Client, problem: Problem, fixed: Callable[..., Submission]
) -> None:
    Problem.objects.filter(pk=problem.pk).update(case_visibility=CaseVisibility.TOTALS)
    found = fix(verdict="WA", failed_case="secret/02-overflow", run=7)
    submission = fixed(found, is_sample=True)
    text = section(page(as_student, submission))
    assert "Its answer would still be wrong." in text
    assert "secret/02" not in text
    assert "7 of 12" not in text
    TestCaseResult.objects.update(fix={**found, "verdict": None, "failed_case": ""})
    assert "7 of 12" not in section(page(as_student, submission))


@pytest.mark.usefixtures("silent_wakeup")
def test_a_trial_may_be_asked_for_and_says_why_there_is_none(
    as_student: Client, fixed: Callable[..., Submission]
) -> None:
    submission = fixed(None)
    assert "Try a fix" in section(page(as_student, submission))
    as_student.post(reverse("examine_case", args=[submission.pk, 0, "fix"]))
    request = CaseRerun.objects.get()
    assert (request.examination, request.is_automatic) == ("fix", False)
    assert "Trial of a fix requested." in section(page(as_student, submission))
    CaseRerun.objects.update(status=Status.DONE, problem="Tally knows no change for this source.")
    text = section(page(as_student, submission))
    assert "Tally knows no change for this source." in text
    CaseRerun.objects.update(is_automatic=True)
    assert section(page(as_student, submission)) == ""  # nobody has asked, and advice may stand beside it
    assert "Try a fix" in text


def test_a_program_without_a_remedy_has_the_button_in_the_fold_only(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.AC, language="cpp")
    make_result(submission)
    text = page(as_student, submission)
    assert section(text) == ""
    assert "Try a fix" in text


def test_the_changed_source_comes_into_the_editor_of_its_author_only(
    as_student: Client, as_other: Client, as_staff: Client, problem: Problem, fixed: Callable[..., Submission]
) -> None:
    submission = fixed(fix())
    result = submission.results.get()
    address = f"{reverse('problem', args=[problem.slug])}?fix={result.pk}"
    answer = as_student.get(address)
    assert answer.context["form"]["source"].value() == CHANGED
    assert "has the changed source of" in answer.content.decode()
    for reader in (as_other, as_staff, Client()):
        assert reader.get(address).status_code == 404
    for wrong in ("", "0", "x", "9" * 30, str(result.pk + 1)):
        assert as_student.get(f"{reverse('problem', args=[problem.slug])}?fix={wrong}").status_code == 404
    TestCaseResult.objects.update(attempt=99)
    assert as_student.get(address).status_code == 404


def test_the_changed_source_of_a_case_whose_numbers_are_hidden_stays_hidden(
    as_student: Client, problem: Problem, fixed: Callable[..., Submission]
) -> None:
    result = fixed(fix()).results.get()
    Problem.objects.filter(pk=problem.pk).update(case_visibility=CaseVisibility.VERDICTS)
    assert as_student.get(f"{reverse('problem', args=[problem.slug])}?fix={result.pk}").status_code == 404
