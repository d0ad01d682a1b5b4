"""The result page: what it says, to whom, and what it never shows."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judge.models import CaseRequest, Status, Submission, TestCaseResult, WorkerNode
from judge.verdicts import Verdict

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
PROFILE = {
    "syscalls": {"write": 3_000_001, "read": 17},
    "streams": {
        "stdin": {"calls": 17, "bytes": 68_000},
        "stdout": {"calls": 3_000_001, "bytes": 20_700_007},
        "stderr": {"calls": 0, "bytes": 0},
        "files": {"calls": 3, "bytes": 832},
    },
}


def _page(client: Client, submission: Submission) -> str:
    response = client.get(reverse("submission", args=[submission.pk]))
    assert response.status_code == 200
    return response.content.decode().replace("\u00a0", " ")


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_named_in_words(
    as_student: Client, make_submission: SubmissionMaker, verdict: Verdict
) -> None:
    page = _page(as_student, make_submission(verdict=verdict))
    assert f"<title>{verdict} " in page
    assert verdict.meaning in _words(page)


def test_the_summary_stands_below_the_verdict_and_is_not_said_twice(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    summary = {"code": "summary", "text": "secret/1 is the first: `x` < 2 of 1,234,567.", "evidence": {}}
    cause = {"code": "algorithm", "text": "Look for fewer steps.", "evidence": {}}
    page = _page(as_student, make_submission(verdict=Verdict.TLE, explanation=[summary, cause]))
    assert '<p class="lead">secret/1 is the first: <code>x</code> &lt; 2 of 1,230,000.</p>' in page
    assert page.count("is the first:") == 1
    assert page.count('class="finding"') == 1


def test_without_a_summary_the_verdict_is_put_in_words(as_student: Client, make_submission: SubmissionMaker) -> None:
    compile_error = {"code": "compile", "text": "The program did not compile.", "evidence": {}}
    page = _words(_page(as_student, make_submission(verdict=Verdict.CE, explanation=[compile_error])))
    assert "The compiler did not accept the program, so nothing was run. Its messages say why." in page


def test_cpu_time_is_rounded_once_as_in_the_sentences(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.AC)
    make_result(submission, user_time_us=51_550, system_time_us=14_750)  # 51.6 and 14.8 would add up to 66.4
    assert "66.3 ms" in _words(_page(as_student, submission))


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
    page = _page(as_student, submission)
    assert 'aria-label="user 0.46 s, system 1.95 s, waiting 0.18 s, limit 1.5 s"' in page
    assert 'class="overrun"' in page
    words = _words(page)
    for shown in ("2.41 s", "2.59 s", "3,000,001", "6.9 bytes", "18", "241", "The program was stopped at the limit"):
        assert shown in words


def test_the_explanation_shows_sentences_code_facts_and_lines(
    as_student: Client, make_submission: SubmissionMaker
) -> None:
    evidence = {"test_case": "sample/1", "system_time_us": 1_950_000, "bytes_per_write": 6.9, "lines": [3, 7]}
    text = "`endl` (lines 3 and 7) flushes <b>each</b> time."
    submission = make_submission(explanation=[{"code": "flush-per-line", "text": text, "evidence": evidence}])
    page = _page(as_student, submission)
    assert "<code>endl</code> (lines 3 and 7) flushes &lt;b&gt;each&lt;/b&gt; time." in page
    assert '<a href="#L3">line 3</a>' in page
    words = _words(page)
    assert "system time 1.95 s" in words
    assert "bytes per write 6.9 bytes" in words


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
    page = _page(as_student, submission)
    facts = page[page.index('<dl class="facts">') :]
    facts = _words(facts[: facts.index("</dl>")])
    assert facts.strip() == "read calls 1 futex calls 41 minor faults 80"


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
    page = _page(as_student, make_submission(explanation=[finding]))
    assert "<code>endl</code> flushes each time" in page
    assert "&lt;instead&gt;" in page
    assert '<a href="#L5">line 5</a>' in page
    assert "weight" not in _words(page)


def test_a_profiled_case_shows_calls_by_name_and_streams(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, is_sample=True, profile=PROFILE)
    words = _words(_page(as_student, submission))
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
    assert "That run was stopped after 60 s, so these are not all of its calls" in _words(_page(as_student, submission))


# Hidden test cases


def _hidden(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    finding = {
        "code": "summary",
        "text": "secret/01 made 3,000,001 write calls in 2.41 s.",
        "evidence": {"test_case": "secret/01", "write_calls": 3_000_001},
    }
    submission = make_submission(verdict=Verdict.RE, explanation=[finding], judge_message="")
    make_result(
        submission,
        verdict=Verdict.RE,
        detail="exit code 42",
        judge_message="CHECKER-WORDS",
        output=b"HIDDEN-OUTPUT",
        expected=b"HIDDEN-ANSWER",
        stderr=b"HIDDEN-STDERR",
        write_calls=3_000_001,
        read_calls=123_456,
        user_time_us=1_234_567,
        peak_memory_bytes=123_456_789,
        profile=PROFILE,
    )
    return submission


def test_a_hidden_case_shows_contestants_no_content_and_no_exit_code(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = _page(as_student, _hidden(make_submission, make_result))
    assert "secret/01" in page
    for secret in ("HIDDEN-OUTPUT", "HIDDEN-ANSWER", "HIDDEN-STDERR", "CHECKER-WORDS", "exit code 42"):
        assert secret not in page


def test_the_numbers_of_a_hidden_case_are_rounded_for_contestants(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = _page(as_student, _hidden(make_submission, make_result))
    for exact in ("3,000,001", "3000001", "123,456", "1234567", "123456789", "20,700,007"):
        assert exact not in page
    assert "3,000,000" in page
    assert "rounded to three digits" in page


def test_staff_see_exact_numbers_details_and_the_checkers_words_but_no_content(
    as_staff: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    page = _page(as_staff, _hidden(make_submission, make_result))
    for shown in ("3,000,001", "123,456", "CHECKER-WORDS", "exit code 42"):
        assert shown in page
    assert "HIDDEN-" not in page
    assert "rounded to three digits" not in page


@pytest.mark.parametrize("verdict", [Verdict.TLE, Verdict.MLE, Verdict.OLE])
def test_a_hidden_case_says_which_limit_stopped_it(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, verdict: Verdict
) -> None:
    submission = make_submission(verdict=verdict)
    make_result(submission, verdict=verdict, detail="over the limit of wall time")
    assert "over the limit of wall time" in _page(as_student, submission)


# Samples and other content of strangers


def test_a_sample_shows_escaped_output_and_where_it_differs(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(verdict=Verdict.WA)
    make_result(
        submission,
        name="sample/1",
        is_sample=True,
        verdict=Verdict.WA,
        output=b"3\n<script>alert(1)</script>\x00\xff\n",
        expected=b"3\n4\n",
        stderr="\u202edebug".encode(),
        stdout_bytes=9_999,
    )
    page = _page(as_student, submission)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    words = _words(page)
    assert "\\x00" in words
    assert "\\xff" in words
    assert "U+202E" in words
    assert "The first difference is in line 2 ." in words
    assert words.count("The first 4 KiB are shown.") == 1


def test_a_kept_result_shows_no_time_of_a_compiler(as_student: Client, make_submission: SubmissionMaker) -> None:
    for language, words in (("cpp", "Compiled"), ("python", "Checked")):
        submission = make_submission(language=language, compile_ok=True, compile_wall_time_us=None)
        assert f"{words} before the result of the same source was kept" in _words(_page(as_student, submission))
        submission.compile_wall_time_us = 1_234_000
        submission.save()
        page = _words(_page(as_student, submission))
        assert f"{words} in 1.23 s" in page
        assert "was kept" not in page
    assert "ompiled" not in _words(_page(as_student, make_submission(compile_ok=None))).partition("Submitted")[0]


def test_compiler_messages_are_escaped(as_student: Client, make_submission: SubmissionMaker) -> None:
    submission = make_submission(
        verdict=Verdict.CE, compile_ok=False, compile_message="error: <img src=x onerror=alert(1)> \u202e \x1b[31m"
    )
    page = _page(as_student, submission)
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "U+202E" in page
    assert "\\x1b" in page


def test_source_is_escaped_and_numbered(as_student: Client, make_submission: SubmissionMaker) -> None:
    page = _page(as_student, make_submission(source=b"// </code><script>alert(1)</script>\n\xff\n"))
    assert "<script>alert" not in page
    assert '<li id="L2">' in page


def test_the_page_has_no_inline_style_or_script(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission, profile=PROFILE)
    page = _page(as_student, submission)
    assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?![^>]*\ssrc=)", page)


# Judge errors, missing counts


def test_a_judge_error_says_that_nothing_is_lost_and_tells_staff_why(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker
) -> None:
    submission = make_submission(verdict=Verdict.JE, judge_message="nsjail did not start")
    page = _page(as_student, submission)
    assert "not your program. Nothing is lost" in page
    assert f"the number of this submission, {submission.pk}" in page
    assert "nsjail did not start" not in page
    assert "nsjail did not start" in _page(as_staff, submission)


def test_missing_counts_are_explained_and_not_offered(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(meter_problem="BPF is switched off on this host.")
    make_result(submission)
    page = _page(as_student, submission)
    assert "BPF is switched off on this host." in page
    assert "Profile this case" not in page


def test_results_of_an_earlier_attempt_are_not_shown(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(attempt=2)
    make_result(submission, attempt=1, name="secret/old")
    assert "secret/old" not in _page(as_student, submission)


# Profiles on request


def test_asking_for_a_profile_makes_one_request_and_the_page_live(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    result = make_result(submission)
    address = reverse("examine_case", args=[submission.pk, 0, "profile"])
    for _ in range(2):
        fragment = as_student.post(address, headers={"HX-Request": "true"}).content.decode()
    assert CaseRequest.objects.get().result == result
    assert "Asked for." in fragment
    assert "No worker is running; your request is kept" in fragment
    assert "data-events=" in fragment


def test_a_request_says_whether_it_waits_or_runs(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker, worker: WorkerNode
) -> None:
    submission = make_submission()
    CaseRequest.objects.create(result=make_result(submission))
    assert "It waits for its turn." in _page(as_student, submission)
    CaseRequest.objects.update(status=Status.JUDGING)
    assert "being run once more to count its calls" in _page(as_student, submission)


def test_without_javascript_asking_leads_back_to_the_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    response = as_student.post(reverse("examine_case", args=[submission.pk, 0, "profile"]))
    assert response.status_code == 302
    assert response["Location"] == reverse("submission", args=[submission.pk]) + "#case-1"


def test_a_refused_request_says_why_at_its_case(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    for _ in range(5):
        make_submission(status=Status.QUEUED)
    response = as_student.post(
        reverse("examine_case", args=[submission.pk, 0, "profile"]), headers={"HX-Request": "true"}
    )
    assert "as many as one person may have at once" in response.content.decode()
    assert not CaseRequest.objects.exists()


def test_a_failed_profile_says_why_and_may_be_asked_for_again(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    CaseRequest.objects.create(result=make_result(submission), status=Status.DONE, problem="The meter was busy.")
    page = _page(as_student, submission)
    assert "The meter was busy." in page
    assert "Profile this case" in page


def test_there_is_no_profile_of_a_case_that_is_not_there(as_student: Client, make_submission: SubmissionMaker) -> None:
    assert as_student.post(reverse("examine_case", args=[make_submission().pk, 7, "profile"])).status_code == 404


def test_what_the_worker_adds_is_disclosed_in_numbers(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission(overhead_wall_us=605, overhead_cpu_us=-12, empty_cpu_us=264, overhead_runs=100)
    make_result(submission)
    assert (
        "This worker adds 0.60 ms around each run, which is not in the times shown. Of the CPU time shown, 0.26 ms is "
        "starting and ending any program; without the sandbox that takes 0.28 ms. It measured this when it started: "
        "medians of 100 runs."
    ) in _words(_page(as_student, submission))


def test_nothing_is_said_of_a_worker_that_measured_nothing(
    as_student: Client, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    submission = make_submission()
    make_result(submission)
    assert "This worker adds" not in _words(_page(as_student, submission))
