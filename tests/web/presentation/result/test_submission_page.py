"""The result page: what it says of verdicts, cases, explanations and profiles."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.models import ProblemVersion
from sandbox.errors import MeterProblem, MeterStop
from tests.web.presentation.shown import PROFILE, page_of, words_of

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_named_in_words(
    as_student: Client, make_submission: SubmissionMaker, verdict: Verdict
) -> None:
    page = page_of(as_student, make_submission(verdict=verdict))
    assert f"<title>{verdict} " in page
    assert verdict.meaning in words_of(page)


@pytest.mark.parametrize(
    ("columns", "submitted", "name", "download"),
    [
        ({}, {}, "main.cpp", "submission-{}.cpp"),
        ({"language": "python", "file_name": "letter.py"}, {}, "letter.py", "letter.py"),
        ({"language": "python", "file_name": "letter.py"}, {"python": {"name": "double.py"}}, "double.py", "double.py"),
        ({"language": "cobol"}, {}, "", "submission-{}.txt"),
    ],
)
def test_the_files_name_is_shown_and_used_for_the_download(
    as_student: Client,
    make_submission: SubmissionMaker,
    columns: dict[str, str],
    submitted: dict[str, dict[str, str]],
    name: str,
    download: str,
) -> None:
    submission = make_submission(verdict=Verdict.AC, **columns)
    ProblemVersion.objects.update(submitted=submitted)
    assert (f"<code>{name}</code>, " in page_of(as_student, submission)) is bool(name)
    answer = as_student.get(f"/submissions/{submission.pk}/source")
    assert answer["Content-Disposition"] == f'attachment; filename="{download.format(submission.pk)}"'


@pytest.mark.usefixtures("open_problem")
def test_the_summary_stands_below_the_verdict_and_is_not_said_twice(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    summary = {"code": "summary", "text": "secret/1 is the first: `x` < 2 of 1,234,567.", "evidence": {}}
    cause = {"code": "algorithm", "text": "Look for fewer steps.", "evidence": {}}
    page = page_of(as_student, make_submission(verdict=Verdict.TLE, explanation=[summary, cause]))
    assert '<p class="lead">secret/1 is the first: <code>x</code> &lt; 2 of 1,234,567.</p>' in page
    assert page.count("is the first:") == 1
    assert page.count('class="finding"') == 1


@pytest.mark.usefixtures("open_problem")
def test_the_cause_is_the_first_finding(as_student: Client, make_submission: SubmissionMaker) -> None:
    turns = {"code": "taking-turns", "text": "The threads take turns.", "evidence": {"test_case": "secret/1"}}
    steps = {"code": "algorithm", "text": "Look for fewer steps.", "evidence": {"test_case": "secret/1"}}
    submission = make_submission(verdict=Verdict.TLE, explanation=[turns, steps], cause="algorithm")
    page = page_of(as_student, submission)
    assert page.index("Look for fewer steps.") < page.index("The threads take turns.")


def test_without_a_summary_the_verdict_is_put_in_words(as_student: Client, make_submission: SubmissionMaker) -> None:
    compile_error = {"code": "compile", "text": "The program did not compile.", "evidence": {}}
    page = words_of(page_of(as_student, make_submission(verdict=Verdict.CE, explanation=[compile_error])))
    assert "The compiler did not accept the program, so nothing was run. Its messages say why." in page


@pytest.mark.usefixtures("open_problem")
def test_cpu_time_is_rounded_once_as_in_the_sentences(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.AC)
    make_result(submission, user_time_us=51_550, system_time_us=14_750)  # 51.6 and 14.8 would add up to 66.4
    assert "66.3 ms" in words_of(page_of(as_student, submission))


def test_a_case_shows_its_times_counts_and_the_limit(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.TLE)
    make_result(
        submission,
        is_sample=True,
        verdict=Verdict.TLE,
        user_time_us=460_000,
        system_time_us=1_950_000,
        wall_time_us=2_590_000,
        write_calls=3_000_001,
        write_bytes=20_700_007,
        voluntary_switches=18,
        involuntary_switches=241,
    )
    page = page_of(as_student, submission)
    assert 'aria-label="user 0.46 s, system 1.95 s, blocked 0.18 s, limit 1.5 s"' in page
    assert 'class="overrun"' in page
    words = words_of(page)
    for shown in ("2.41 s", "2.59 s", "3,000,001", "6.9 bytes", "18", "241", "The program was stopped at the limit"):
        assert shown in words


@pytest.mark.usefixtures("open_problem")
@pytest.mark.usefixtures("open_problem")
def test_the_explanation_of_an_older_row_shows_sentences_code_and_lines(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    evidence = {"test_case": "sample/1", "system_time_us": 1_950_000, "bytes_per_write": 6.9, "lines": [3, 7]}
    text = "`endl` (lines 3 and 7) flushes <b>each</b> time."
    submission = make_submission(explanation=[{"code": "flush-per-line", "text": text, "evidence": evidence}])
    page = page_of(as_student, submission)
    assert "<code>endl</code> (lines 3 and 7) flushes &lt;b&gt;each&lt;/b&gt; time." in page
    assert '<a href="#L3">line 3</a>' in page


@pytest.mark.usefixtures("open_problem")
def test_facts_are_what_the_sentence_does_not_tell(as_student: Client, make_submission: SubmissionMaker) -> None:
    evidence = {
        "test_case": "sample/1",
        "write_calls": 3_000_001,
        "bytes_per_write": 6.9,
        "system_time_us": 1_950_000,
        "cpu_time_us": 2_410_000,
        "kernel_percent": 80,
        "minor_faults": 80,  # a number of another kind is not this one
        "read_calls": 1,
        "futex_calls": 41,
    }
    text = "It made 3,000,001 write calls of 6.9 bytes on average; 80 % of its CPU time (1.95 s of 2.41 s) on sample/1."
    submission = make_submission(explanation=[{"code": "flush-per-line", "text": text, "evidence": evidence}])
    page = page_of(as_student, submission)
    facts = page[page.index('<dl class="facts">') :]
    facts = words_of(facts[: facts.index("</dl>")])
    assert facts.strip() == "read calls 1 futex calls 41 minor page faults 80"


@pytest.mark.usefixtures("open_problem")
def test_the_explanation_shows_advice_and_where_it_belongs(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    finding = {
        "code": "flush-per-line",
        "text": "3,000,000 write calls.",
        "evidence": {"test_case": "sample/1", "weight_percent": 77},
        "lines": [5],
        "advice": "`endl` flushes each time: write `'\\n'` <instead>.",
    }
    page = page_of(as_student, make_submission(explanation=[finding]))
    assert "<code>endl</code> flushes each time" in page
    assert "&lt;instead&gt;" in page
    assert '<a href="#L5">line 5</a>' in page
    assert "weight" not in words_of(page)


def test_a_profiled_case_shows_calls_by_name_and_streams(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, is_sample=True, profile=PROFILE)
    words = words_of(page_of(as_student, submission))
    assert "3,000,018 calls" in words
    assert re.search(r"write 3,000,001 read 17 ", words)
    assert re.search(r"stdin 17 66.4 KiB 3.9 KiB stdout 3,000,001 19.7 MiB 6.9 bytes stderr 0 0 bytes \u2013", words)
    assert "Profile this case" not in words
    assert "stopped after" not in words


def test_a_profile_that_was_cut_short_says_so(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, is_sample=True, profile=PROFILE | {"stopped_after_ms": 60_000})
    text = words_of(page_of(as_student, submission))
    assert (
        "stopped after 60 s, because no other program can be judged meanwhile: these are not all of its calls" in text
    )


def test_a_judge_error_says_that_nothing_is_lost_and_tells_staff_why(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker
) -> None:
    submission = make_submission(verdict=Verdict.JE, judge_message="nsjail did not start")
    page = page_of(as_student, submission)
    assert "not your program. Nothing is lost" in page
    assert f"the number of this submission, {submission.pk}" in page
    assert "nsjail did not start" not in page
    assert "nsjail did not start" in page_of(as_staff, submission)


def test_missing_counts_are_explained_and_not_offered(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    reason = MeterProblem(code=MeterStop.NOT_LOADED, words="BPF is switched off")
    submission = make_submission(meter_reason=reason)
    make_result(submission)
    page = page_of(as_student, submission)
    assert "System calls by name are missing: the meter cannot be loaded: BPF is switched off" in page
    assert "Profile this case" not in page


def test_results_of_an_earlier_attempt_are_not_shown(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(attempt=2)
    make_result(submission, attempt=1, name="secret/old")
    assert "secret/old" not in page_of(as_student, submission)


def test_what_the_worker_adds_is_disclosed_in_numbers(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(overhead_wall_us=605, overhead_cpu_us=-12, empty_cpu_us=264, overhead_runs=100)
    make_result(submission)
    assert (
        "This worker adds 0.60 ms to each run, which the times shown exclude. The CPU time shown includes 0.26 ms for "
        "starting and ending a process; without the sandbox this takes 0.28 ms. Medians of 100 runs at the start of "
        "the worker."
    ) in words_of(page_of(as_student, submission))


def test_nothing_is_said_of_a_worker_that_measured_nothing(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    assert "This worker adds" not in words_of(page_of(as_student, submission))
