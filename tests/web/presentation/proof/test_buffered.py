"""A case tried with its output buffered, as its page shows it: what is claimed, what is not, and to whom."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, ExplanationLevel, Status, Submission, TestCaseResult, WorkerNode
from problems.models import CaseVisibility, Problem, ProblemVersion
from tests.web.presentation.shown import mark_of
from web.live.hub import DONE
from web.presentation.result import reader

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
ACCEPTED = "With its output buffered, this test case would be accepted."
FOUND = {
    "code": "flush-per-line",
    "text": "Your program made 1,234,567 writes.",
    "evidence": {"test_case": "secret/01"},
    "lines": [],
    "advice": "",
}


def run(verdict: str, user_us: int, system_us: int, writes: int) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "usage": {
            "user_time_us": user_us,
            "system_time_us": system_us,
            "wall_time_us": user_us + system_us + 1_234,
            "queued_time_us": 0,
        },
        "io": {"read_calls": 9, "write_calls": writes, "read_bytes": 9, "write_bytes": 7_654_321},
        "stdout_bytes": 7_000_000,
        "stderr_bytes": 654_321,
    }


TRIAL: dict[str, Any] = {
    "plain": run("TLE", 612_345, 1_801_234, 1_234_567),
    "buffered": run("AC", 61_234, 4_321, 34),
    "is_identical": True,
    "is_whole": True,
    "same_bytes": 7_654_321,
}


def trial(**changes: Any) -> dict[str, Any]:
    return {**deepcopy(TRIAL), **changes}


@pytest.fixture
def tried(make_submission: SubmissionMaker, make_result: ResultMaker) -> Callable[..., Submission]:
    """A function that inserts a submission over its time limit, with this trial of its only case."""

    def make(found: dict[str, Any] | None, **columns: Any) -> Submission:
        submission = make_submission(verdict=Verdict.TLE, explanation=[FOUND])
        make_result(submission, **{"verdict": Verdict.TLE, "buffered": found, **columns})
        return submission

    return make


def page(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission", args=[submission.pk])).content.decode().replace("\N{NO-BREAK SPACE}", " ")


def proof(text: str) -> str:
    start = text.find('<section class="proof"')
    return text[start : text.index("</section>", start)] if start >= 0 else ""


@pytest.mark.usefixtures("open_problem")
def test_the_proof_stands_at_the_top_and_its_case_refers_to_it(
    as_student: Client, tried: Callable[..., Submission]
) -> None:
    submission = tried(TRIAL)
    text = page(as_student, submission)
    assert "Measured: 65.6 ms instead of 2.41 s." in proof(text)
    assert ACCEPTED in proof(text)
    assert 'href="#case-1-more"' in proof(text)
    assert text.count(ACCEPTED) == 1
    assert '<a href="#proof">shown above</a>' in text
    assert proof(text).count('<svg class="time-bar"') == 2
    assert f"limit {submission.problem_version.time_limit_ms / 1_000:g} s" in proof(text)


def test_counts_of_a_hidden_case_are_rounded_for_students_only(
    as_student: Client, as_staff: Client, tried: Callable[..., Submission]
) -> None:
    submission = tried(TRIAL, write_calls=5)
    assert "1,200,000" in proof(page(as_student, submission))
    assert "1,234,567" not in page(as_student, submission)
    assert "1,234,567" in proof(page(as_staff, submission))


def test_of_a_sample_the_counts_are_exact(as_student: Client, tried: Callable[..., Submission]) -> None:
    assert "1,234,567" in proof(page(as_student, tried(TRIAL, is_sample=True)))


@pytest.mark.parametrize("part", [True, False])
def test_output_that_differs_is_no_proof(part: bool, as_student: Client, tried: Callable[..., Submission]) -> None:
    """Neither where both came to their end, nor where the part that could be compared differs."""
    text = page(as_student, tried(trial(is_identical=False, is_whole=not part, same_bytes=5)))
    assert "was not the same" in proof(text)
    assert "nothing is claimed" in proof(text)
    assert ACCEPTED not in text
    assert "Measured:" not in text
    assert "<svg" not in proof(text)


@pytest.mark.usefixtures("open_problem")
def test_a_run_without_an_end_is_compared_as_far_as_it_came(
    as_student: Client, tried: Callable[..., Submission]
) -> None:
    text = page(as_student, tried(trial(is_identical=False, is_whole=False)))
    assert "Up to that point both outputs are identical (7,654,321 bytes)" in proof(text)
    assert "draws no conclusion" in proof(text)
    assert ACCEPTED not in text


@pytest.mark.parametrize(
    ("changes", "judged", "words"),
    [
        ({"buffered": run("WA", 61_234, 4_321, 34)}, "TLE", "Its answer would still be wrong."),
        ({"buffered": run("TLE", 1_061_234, 4_321, 34)}, "TLE", "It would still be over the time limit."),
        ({"buffered": run("SLE", 61_234, 4_321, 34)}, "SLE", "It would still make more calls"),
        ({"plain": run("AC", 612_345, 301_234, 1_234_567)}, "TLE", "This time it was accepted as it is, too."),
        ({"plain": run("AC", 62_345, 4_321, 1_234_567)}, "AC", "Fewer write calls do not make it faster."),
        ({"plain": run("AC", 62_345, 4_321, 1_000), "buffered": run("AC", 61_234, 0, 900)}, "AC", "900 stayed"),
        ({"plain": run("AC", 62_345, 4_321, 3), "buffered": run("AC", 61_234, 0, 1)}, "AC", "it makes 3 write calls."),
    ],
)
@pytest.mark.usefixtures("open_problem")
def test_only_what_was_measured_is_said(
    changes: dict[str, Any], judged: str, words: str, as_student: Client, tried: Callable[..., Submission]
) -> None:
    text = page(as_student, tried(trial(**changes), verdict=judged))
    assert words in proof(text)
    assert ACCEPTED not in text


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.usefixtures("open_problem")
def test_where_buffering_is_not_enough_the_next_step_is_told(
    is_whole: bool, as_student: Client, tried: Callable[..., Submission]
) -> None:
    slow = run("TLE", 3_631_234, 4_321, 34)
    plain = run("TLE", 4_612_345, 1_801_234, 1_234_567)
    text = page(as_student, tried(trial(plain=plain, buffered=slow, is_identical=is_whole, is_whole=is_whole)))
    assert "Buffering alone is not enough: 3.64 s, and the limit is 1.5 s. Next: print less often." in proof(text)


@pytest.mark.parametrize(("judged", "is_claimed"), [("SLE", True), ("AC", False)])
@pytest.mark.usefixtures("open_problem")
def test_fewer_calls_are_a_gain_where_there_were_too_many(
    judged: str, is_claimed: bool, as_student: Client, tried: Callable[..., Submission]
) -> None:
    found = trial(plain=run("SLE", 2_345, 321, 300), buffered=run("AC", 2_234, 321, 1))
    text = page(as_student, tried(found, verdict=judged))
    assert "Measured: 1 write call instead of 300." in proof(text)
    assert "no difference" not in text
    assert (ACCEPTED in proof(text)) == is_claimed
    same = trial(plain=run("SLE", 2_345, 321, 300), buffered=run("AC", 2_234, 321, 300))  # other calls were too many
    assert ACCEPTED not in page(as_student, tried(same, verdict=judged))


@pytest.mark.usefixtures("open_problem")
def test_of_an_accepted_case_the_times_are_said_and_no_more(
    as_student: Client, tried: Callable[..., Submission]
) -> None:
    text = page(as_student, tried(trial(plain=run("AC", 412_345, 301_234, 1_234_567)), verdict=Verdict.AC))
    assert "Measured: 65.6 ms instead of 0.71 s." in proof(text)
    assert ACCEPTED not in text


def test_the_page_follows_until_the_trial_is_done(
    as_student: Client, tried: Callable[..., Submission], worker: WorkerNode
) -> None:
    submission = tried(None)
    request = CaseRerun.objects.of(
        submission.results.get(), examination="buffered", is_automatic=True, status=Status.JUDGING
    )
    text = page(as_student, submission)
    assert "Rerun with output buffered requested." in proof(text)
    assert "once more as it is and with output buffered" in proof(text)
    assert "data-events=" in text
    assert '<meta http-equiv="refresh"' in text  # for a browser without JavaScript
    assert mark_of(submission.pk) != DONE
    CaseRerun.objects.filter(pk=request.pk).update(status=Status.DONE)
    TestCaseResult.objects.update(buffered=TRIAL)
    text = page(as_student, submission)
    assert ACCEPTED in proof(text)
    assert "data-events=" not in text
    assert mark_of(submission.pk) == DONE


def test_a_trial_that_ends_while_the_page_is_made_is_not_taken_for_a_failed_one(
    as_student: Client, tried: Callable[..., Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = tried(None)
    CaseRerun.objects.of(submission.results.get(), examination="buffered", status=Status.JUDGING)
    hide_reruns = reader.hide_reruns

    def end_meanwhile(results: list[TestCaseResult], level: ExplanationLevel) -> None:
        """The cases were read a moment before the request was done."""
        CaseRerun.objects.update(status=Status.DONE)
        TestCaseResult.objects.update(buffered=TRIAL)
        hide_reruns(results, level)

    monkeypatch.setattr(reader, "hide_reruns", end_meanwhile)
    text = page(as_student, submission)
    assert "Rerun with output buffered requested." in proof(text)
    assert "data-events=" in text


def test_a_trial_that_failed_says_why_and_may_be_asked_for_again(
    as_student: Client, tried: Callable[..., Submission]
) -> None:
    submission = tried(None)
    CaseRerun.objects.of(
        submission.results.get(), examination="buffered", status=Status.DONE, problem="It cannot be tried."
    )
    text = page(as_student, submission)
    assert "It cannot be tried." in proof(text)
    assert text.count("It cannot be tried.") == 1
    assert "Rerun buffered" in proof(text)


def test_a_suggested_trial_that_nobody_made_is_offered_at_the_top(
    as_student: Client, tried: Callable[..., Submission], worker: WorkerNode
) -> None:
    """A person who has two of them open gets no more by themselves."""
    submission = tried(None)
    address = reverse("examine_case", args=[submission.pk, 0, "buffered"])
    text = page(as_student, submission)
    assert f'action="{address}"' in proof(text)
    assert 'id="proof-buffered-1" type="submit">Rerun buffered<' in proof(text)
    assert "data-events=" not in text
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert "Rerun with output buffered requested." in proof(fragment)
    assert "<form" not in proof(fragment)


def test_too_many_writes_are_offered_at_the_top_and_too_many_reads_are_not(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    for what, is_offered in (("write", True), ("read", False)):
        evidence = {"test_case": "secret/01", f"{what}_calls": 5_000}
        found = {**FOUND, "code": "call-limit", "evidence": evidence}
        submission = make_submission(verdict=Verdict.SLE, explanation=[found])
        make_result(submission, verdict=Verdict.SLE)
        assert bool(proof(page(as_student, submission))) == is_offered


@pytest.mark.parametrize("examination", ["profile", "buffered", "lines", "timeline"])
def test_what_follows_a_button_has_its_id(
    examination: str, as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    """So that the focus of a keyboard stays there when the part of the page is replaced."""
    submission = make_submission()
    make_result(submission)
    assert f'<button class="plain small" id="{examination}-1"' in page(as_student, submission)
    address = reverse("examine_case", args=[submission.pk, 0, examination])
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert f'<h3 id="{examination}-1" tabindex="-1">' in fragment
    assert fragment.count(f' id="{examination}-1"') == 1


def test_of_a_run_that_was_stopped_it_says_that_here_it_had_more_time(
    as_student: Client, tried: Callable[..., Submission]
) -> None:
    more = "Here the program had more time and finished"
    assert more in proof(page(as_student, tried(TRIAL, write_calls=1_000_000)))
    assert more not in proof(page(as_student, tried(TRIAL, write_calls=1_234_567)))  # it ended by itself, too late
    assert more not in proof(page(as_student, tried(TRIAL, verdict=Verdict.SLE, write_calls=1_000_000)))
    cut = trial(is_identical=False, is_whole=False)
    assert more not in proof(page(as_student, tried(cut, write_calls=1_000_000)))


def test_any_case_may_be_tried_on_request(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    address = reverse("examine_case", args=[submission.pk, 0, "buffered"])
    assert f'action="{address}"' in page(as_student, submission)
    assert proof(page(as_student, submission)) == ""
    for _ in range(2):
        fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    request = CaseRerun.objects.get()
    assert (request.examination, request.is_automatic) == ("buffered", False)
    assert "Rerun with output buffered requested." in fragment
    assert "data-events=" in fragment
    assert "Rerun requested." not in fragment  # no profile was
    assert as_student.post(address)["Location"].endswith(f"/{submission.pk}/#case-1")


def test_a_trial_that_nobody_asked_for_and_that_waits_can_be_asked_for(
    as_student: Client, tried: Callable[..., Submission], worker: WorkerNode
) -> None:
    submission = tried(None)
    result = submission.results.get()
    request = CaseRerun.objects.of(result, examination="buffered", is_automatic=True)
    address = reverse("examine_case", args=[submission.pk, result.position, "buffered"])
    assert "Run now" in page(as_student, submission)
    fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    request.refresh_from_db()
    assert not request.is_automatic
    assert "Rerun with output buffered requested." in fragment
    assert "Run now" not in fragment
    CaseRerun.objects.update(is_automatic=True, status=Status.JUDGING)
    assert "Run now" not in page(as_student, submission)


def test_a_case_that_was_tried_is_not_tried_again(as_student: Client, tried: Callable[..., Submission]) -> None:
    submission = tried(TRIAL)
    address = reverse("examine_case", args=[submission.pk, 0, "buffered"])
    assert address not in page(as_student, submission)
    answer = as_student.post(address, headers={"HX-Request": "true"})
    assert not CaseRerun.objects.exists()
    assert answer.status_code == 200


@pytest.mark.parametrize("columns", [{"is_interactive": True}, {"most_passes": 2}])
def test_what_can_never_be_tried_is_not_offered(
    columns: dict[str, Any], as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    ProblemVersion.objects.update(**columns)
    submission = make_submission(problem_version=ProblemVersion.objects.get(), explanation=[FOUND])
    make_result(submission)
    assert proof(page(as_student, submission)) == ""
    assert "Rerun buffered" not in page(as_student, submission)


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_who_does_not_see_a_case_sees_no_trial_of_it(
    visibility: CaseVisibility, as_student: Client, as_staff: Client, tried: Callable[..., Submission]
) -> None:
    Problem.objects.update(case_visibility=visibility)
    submission = tried(TRIAL)
    text = page(as_student, submission)
    assert proof(text) == ""
    assert ACCEPTED not in text
    address = reverse("examine_case", args=[submission.pk, 0, "buffered"])
    assert as_student.post(address).status_code == 404
    assert ACCEPTED in page(as_staff, submission)


def test_nobody_else_has_a_case_tried(as_other: Client, tried: Callable[..., Submission]) -> None:
    submission = tried(None)
    assert as_other.post(reverse("examine_case", args=[submission.pk, 0, "buffered"])).status_code == 404
    assert not CaseRerun.objects.exists()
