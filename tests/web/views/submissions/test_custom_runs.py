"""Running a program without submitting it: the form beside the editor, the run's page and its panel, all without a
script.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from judge.grading.case_ending import CaseEnding
from judge.grading.measures import STORED
from judge.models import CustomRun, CustomRunCase, Status, Submission
from problems.models import Audience, Problem, ProblemVersion
from problems.package import Sample
from sandbox.types import Ending
from web.presentation.pages.etag import custom_run_etag

pytestmark = pytest.mark.django_db

RUN = "/problems/sumoftwo/run"
PROGRAM = {"language": "python", "source": "print(3)"}
SAMPLES = (
    Sample(name="sample/1", input="1 2\n", answer="3\n"),
    Sample(name="sample/2", input="2 2\n", answer="4\n"),
)
MakeRun = Callable[..., CustomRun]


@pytest.fixture
def version(problem: Problem) -> ProblemVersion:
    """The problem's version, with two samples."""
    version = problem.current_version
    assert version
    version.samples = SAMPLES
    version.save()
    return version


@pytest.fixture
def make_run(student: Any, version: ProblemVersion) -> MakeRun:
    """A function that inserts a run of the student's, done, with one case; keyword arguments replace its columns."""

    def make(case: dict[str, Any] | None = None, **columns: Any) -> CustomRun:
        given = {"user": student, "problem_version": version, "language": "python", "source": b"print(1)\n"}
        done = {"status": Status.DONE, "verdict": "AC", "attempt": 1, "compile_ok": True, "test_case_count": 1}
        run = CustomRun.objects.create(**{**given, **done, "sample": "sample/1", "time_limit_ms": 1_000, **columns})
        numbers = {measure.name: number for number, measure in enumerate(STORED, start=101)}
        told = {"name": "sample/1", "is_sample": True, "verdict": run.verdict, "output": b"1\n", "expected": b"3\n"}
        if run.verdict not in ("", "CE"):
            CustomRunCase.objects.create(custom_run=run, attempt=1, position=0, **numbers, **{**told, **(case or {})})
        return run

    return make


def _page(client: Client, run: CustomRun, query: str = "") -> str:
    answer = client.get(f"/runs/{run.pk}/{query}")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_page_and_panel_say_that_the_source_was_converted(as_student: Client, make_run: MakeRun) -> None:
    said = "The source was sent in UTF-16. It is compiled and shown as UTF-8."
    assert said not in _page(as_student, make_run())
    run = make_run(encoding="utf-16", source="# 합\n".encode())
    assert said in _page(as_student, run)
    assert said in as_student.get(f"/runs/{run.pk}/live?panel").content.decode()
    assert "Download gives" not in _page(as_student, run)


def test_problem_page_offers_its_samples_and_an_own_input(as_student: Client, version: ProblemVersion) -> None:
    page = as_student.get("/problems/sumoftwo/").content.decode()
    for value, words in (
        ("all", "All samples"),
        ("sample/1", "Sample 1"),
        ("sample/2", "Sample 2"),
        ("own", "Own input"),
    ):
        assert f'<option value="{value}">{words}</option>' in page.replace(" selected", "")
    assert f'formaction="{RUN}"' in page


def test_run_is_queued_and_leads_to_its_page_which_reloads(as_student: Client, version: ProblemVersion) -> None:
    answer = as_student.post(RUN, {**PROGRAM, "test": "sample/2", "input": "not meant"})
    run = CustomRun.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/runs/{run.pk}/")
    assert (run.sample, run.input, run.language, bytes(run.source)) == ("sample/2", None, "python", b"print(3)")
    page = _page(as_student, run)
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert "Waiting in the queue" in page
    assert not Submission.objects.exists()


def test_own_input_is_typed_or_a_file(as_student: Client, version: ProblemVersion) -> None:
    as_student.post(RUN, {**PROGRAM, "test": "own", "input": "1 2\r\n"})
    as_student.post(RUN, {**PROGRAM, "test": "own", "input": "x", "input_file": SimpleUploadedFile("a", b"3\r\n\xff")})
    kept = [bytes(run.input or b"") for run in CustomRun.objects.order_by("pk")]
    assert kept == [b"1 2\n", b"3\r\n\xff"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"source": ""}, "The source is empty."),
        ({"test": "secret/1"}, "There is no such sample."),
        ({"test": "own", "input": "x" * 11}, "The input has 11 bytes; at most 10 are allowed."),
        (
            {"test": "own", "input_file": SimpleUploadedFile("a", b"x" * 12)},
            "The file has 12 bytes; at most 10 are allowed.",
        ),
    ],
)
def test_what_is_refused_comes_back_with_its_sentence(
    as_student: Client, version: ProblemVersion, settings: Settings, fields: dict[str, Any], sentence: str
) -> None:
    settings.MAX_CUSTOM_INPUT_BYTES = 10
    answer = as_student.post(RUN, {**PROGRAM, "test": "all", **fields})
    page = answer.content.decode()
    assert (answer.status_code, sentence in page) == (422, True)
    assert fields.get("source", "print(3)") in page
    if "input" in fields:
        assert fields["input"] in page
    if "input_file" in fields:
        fields["input_file"].seek(0)
    panel = as_student.post(RUN, {**PROGRAM, "test": "all", **fields}, headers={"HX-Request": "true"})
    assert (panel.status_code, sentence in panel.content.decode()) == (422, True)
    assert "<html" not in panel.content.decode()
    assert not CustomRun.objects.exists()


def test_a_button_pressed_twice_makes_one_run(as_student: Client, version: ProblemVersion) -> None:
    places = {as_student.post(RUN, {**PROGRAM, "test": "all"})["Location"] for _ in range(2)}
    assert places == {f"/runs/{CustomRun.objects.get().pk}/"}


@pytest.mark.usefixtures("every_send_counts")
def test_third_run_at_once_is_refused(as_student: Client, version: ProblemVersion) -> None:
    for _ in range(2):
        assert as_student.post(RUN, {**PROGRAM, "test": "all"}).status_code == 302
    answer = as_student.post(RUN, {**PROGRAM, "test": "all"})
    assert answer.status_code == 429
    assert "You have 2 runs waiting or running" in answer.content.decode()


def test_interactive_problem_says_to_type_the_other_side(as_student: Client, version: ProblemVersion) -> None:
    version.is_interactive = True
    version.save()
    page = as_student.get("/problems/sumoftwo/").content.decode()
    assert "Type the other side of a conversation" in page
    assert '<option value="sample/1">' not in page
    assert as_student.post(RUN, {**PROGRAM, "test": "sample/1"}).status_code == 422


def test_problem_without_samples_offers_the_own_input_only(as_student: Client, version: ProblemVersion) -> None:
    ProblemVersion.objects.update(samples=[])
    page = as_student.get("/problems/sumoftwo/").content.decode()
    assert "This problem has no samples to run" in page
    assert "All samples" not in page


def test_submission_that_is_refused_keeps_the_typed_input(as_student: Client, version: ProblemVersion) -> None:
    answer = as_student.post("/problems/sumoftwo/submit", {**PROGRAM, "source": "", "test": "own", "input": "7 8 9"})
    assert answer.status_code == 422
    assert "7 8 9" in answer.content.decode()


def test_wrong_answer_on_a_sample_shows_both_outputs_and_exact_numbers(as_student: Client, make_run: MakeRun) -> None:
    run = make_run(verdict="WA")
    page = _page(as_student, run)
    assert "Wrong answer" in page
    for words in ("Your output", "Expected output", "First difference: <strong>line 1</strong>", "Where the time went"):
        assert words in page
    case = run.results.get()
    assert f"<dd>{case.write_calls}</dd>" in page  # a hidden case's number of this size would be rounded
    assert "http-equiv" not in page


def test_own_input_has_no_verdict_when_it_ended_well(as_student: Client, make_run: MakeRun) -> None:
    page = _page(as_student, make_run(input=b"4 <b>5\n", sample=""))
    for words in ("Ended normally", "There is no expected output for your own input", "Your input", "4 &lt;b&gt;5"):
        assert words in page
    for words in ("Accepted", "Expected output", 'class="verdict AC"'):
        assert words not in page


def test_own_input_that_runs_out_of_time_has_the_verdict(as_student: Client, make_run: MakeRun) -> None:
    page = _page(as_student, make_run(input=b"", sample="", verdict="TLE"))
    assert "Time limit exceeded" in page
    assert "The program was stopped at the limit" in page


def test_a_program_that_failed_says_first_and_once_what_ended_it(as_student: Client, make_run: MakeRun) -> None:
    ending = CaseEnding(how=Ending.SIGNALLED, signal="SIGSEGV", line=1)
    run = make_run(case={"ending": ending}, verdict="RE", language="cpp")
    said = "SIGSEGV (segmentation fault) ended the program on sample/1"
    page, panel = _page(as_student, run), _page(as_student, run, "live?panel")
    for text, address in ((page, "#L1"), (panel, f"/runs/{run.pk}/#L1")):
        shown, _, told = text.partition('data-status="')[2].partition('"')
        assert said in shown
        assert "<a" not in shown
        assert told.count(said) == 1
        assert f'It was at <a href="{address}">line 1</a> then.' in told
    own = make_run(case={"name": "own input", "ending": ending}, verdict="RE", sample="", input=b"1\n")
    assert "ended the program on Own input" in _page(as_student, own)


def test_output_beyond_what_is_kept_is_told(as_student: Client, make_run: MakeRun) -> None:
    case = {"output": b"x" * 16_384, "stdout_bytes": 20_000}
    run = make_run(case=None, input=b"", sample="")
    run.results.update(**case)
    assert "Only the first 16 KiB are shown." in _page(as_student, run)


def test_compiler_output_and_capped_time_are_shown(as_student: Client, make_run: MakeRun) -> None:
    page = _page(as_student, make_run(verdict="CE", compile_ok=False, compile_message="line 1: no", time_limit_ms=500))
    assert "Compiler output" in page
    assert "line 1: no" in page
    assert "A run has at most" in page


def test_samples_that_were_left_out_are_told(as_student: Client, make_run: MakeRun) -> None:
    page = _page(as_student, make_run(verdict="TLE", sample="", test_case_count=3))
    assert "2 more samples were not run after that." in page


def test_run_can_be_changed_and_run_again(as_student: Client, make_run: MakeRun) -> None:
    run = make_run(input=b"40 2\n", sample="", source=b"print('again')\n")
    assert f'href="/problems/sumoftwo/?run={run.pk}"' in _page(as_student, run)
    page = as_student.get(f"/problems/sumoftwo/?run={run.pk}").content.decode()
    assert "print(&#x27;again&#x27;)" in page
    assert "40 2" in page
    assert '<option value="own" selected>' in page
    for nonsense in ("x", "9" * 30, "-1", str(run.pk + 1)):
        assert "again" not in as_student.get(f"/problems/sumoftwo/?run={nonsense}").content.decode()


def test_nobody_else_fills_in_somebody_s_program(as_other: Client, make_run: MakeRun) -> None:
    run = make_run(source=b"print('secret')\n")
    assert "secret" not in as_other.get(f"/problems/sumoftwo/?run={run.pk}").content.decode()
    assert as_other.get(f"/runs/{run.pk}/").status_code == 404


def test_run_of_a_problem_that_was_hidden_since_is_not_shown(
    as_student: Client, as_staff: Client, make_run: MakeRun
) -> None:
    run = make_run()
    Problem.objects.update(audience=Audience.HIDDEN)
    for path in (f"/runs/{run.pk}/", f"/runs/{run.pk}/live", f"/runs/{run.pk}/events"):
        assert as_student.get(path).status_code == 404
    assert as_staff.get(f"/runs/{run.pk}/").status_code == 200


def test_panel_follows_the_run_until_it_is_done(as_student: Client, make_run: MakeRun) -> None:
    run = make_run(status=Status.JUDGING, verdict="", compile_ok=None)
    mark = custom_run_etag(run.pk)
    panel = as_student.get(f"/runs/{run.pk}/live?panel").content.decode()
    assert f'data-events="/runs/{run.pk}/events?shown={mark}"' in panel
    assert as_student.get(f"/runs/{run.pk}/live?panel&shown={mark}").status_code == 204
    CustomRun.objects.update(status=Status.DONE, verdict="CE", compile_ok=False)
    done = as_student.get(f"/runs/{run.pk}/live?panel&shown={mark}").content.decode()
    assert "data-events" not in done
    assert "Compile error" in done
    assert custom_run_etag(run.pk) == ""
