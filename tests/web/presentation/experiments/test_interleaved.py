"""Compared submissions run again in turns: who may, on which case, and what the comparison says of the runs."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judge.experiments.interleaving import interleaved_spec
from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from judge.models import ExperimentRun, SharedComparison, Status, Submission, TestCaseResult
from problems.jsonvalues import to_json
from problems.models import CaseVisibility, Problem, ProblemVersion

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
Measured = Sequence[tuple[int, int]]  # microseconds of CPU time and write calls, run by run


@pytest.fixture
def pair(make_submission: SubmissionMaker, make_result: ResultMaker) -> list[Submission]:
    """Two submissions; the hidden case is slower than the sample."""
    made = [make_submission(), make_submission()]
    for submission in made:
        make_result(submission, name="sample/1", is_sample=True)
        make_result(submission, name="secret/1", user_time_us=900_000)
    return made


def _ask(client: Client, sides: list[Submission], case: str = "secret/1", rounds: object = 5) -> str:
    """Where asking to run them again leads."""
    answer = client.post(reverse("run_again"), {"s": [side.pk for side in sides], "case": case, "rounds": rounds})
    assert answer.status_code == 302
    return str(answer["Location"])


def _refusal(client: Client, sides: list[Submission], case: str = "secret/1", rounds: object = 5) -> str:
    return client.get(_ask(client, sides, case, rounds)).content.decode()


def _page(client: Client, sides: list[Submission]) -> str:
    answer = client.get(reverse("compare"), {"s": [side.pk for side in sides]})
    assert answer.status_code == 200
    return answer.content.decode().replace("\u00a0", " ")


def _section(page: str) -> str:
    found = re.search(r'<section class="compare-again".*?</section>', page, re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[0])) if found else ""


def _measured(
    user: User,
    sides: list[Submission],
    by_side: Sequence[Measured],
    *,
    case: str = "secret/1",
    first: tuple[str, str] = ("exited", "AC"),
    **more: object,
) -> ExperimentRun:
    """A finished run of these with these numbers. `first`: how the first side's runs ended, and their verdict."""
    ending, verdict = first
    spec = interleaved_spec(sides, case, len(by_side[0]))
    runs = [
        RunMeasured(
            variant=variant.name,
            destination="file",
            round=number,
            ending="exited" if place else ending,
            verdict="AC" if place else verdict,
            numbers=dict.fromkeys(METRICS, 0) | {"cpu_time_us": cpu, "wall_time_us": cpu, "write_calls": writes},
        )
        for place, (variant, numbers) in enumerate(zip(spec.variants, by_side, strict=True))
        for number, (cpu, writes) in enumerate(numbers)
    ]
    columns = {
        "user": user,
        "key": "submissions",
        "spec": spec,
        "total_runs": len(runs),
        "runs": [to_json(run) for run in runs],
        "status": Status.DONE,
    }
    return ExperimentRun.objects.create(**{**columns, **more})


SLOW = [(cpu, 2_520_000) for cpu in (900_000, 910_000, 905_000, 915_000, 920_000)]
QUICK = [(cpu, 3_770) for cpu in (100_000, 101_000, 102_000, 103_000, 104_000)]


def test_the_slowest_case_is_chosen_and_the_run_gets_the_programs(
    as_student: Client, student: User, pair: list[Submission], worker: object
) -> None:
    page = _page(as_student, pair)
    assert '<option value="secret/1" selected>' in page
    address = _ask(as_student, pair)
    run = ExperimentRun.objects.get()
    assert address == reverse("experiment_run", args=[run.pk])
    assert (run.user, run.key, run.total_runs) == (student, "submissions", 10)
    spec = run.spec
    assert [variant.submission for variant in spec.variants] == [side.pk for side in pair]
    assert spec.case is not None
    assert spec.case.case == "secret/1"
    assert "Interleaved runs</a> are waiting or in progress" in _page(as_student, pair)


@pytest.mark.parametrize("case", ["secret/2", "sample/9", ""])
def test_only_cases_that_are_compared_can_be_run(
    as_student: Client, pair: list[Submission], case: str, worker: object
) -> None:
    assert "Test case:" in _refusal(as_student, pair, case)
    assert not ExperimentRun.objects.exists()


@pytest.mark.parametrize("rounds", [4, 21, "x", "", -1])
def test_rounds_are_bounded(as_student: Client, pair: list[Submission], rounds: object, worker: object) -> None:
    assert "Rounds:" in _refusal(as_student, pair, rounds=rounds)
    assert not ExperimentRun.objects.exists()


@pytest.mark.parametrize("visibility", [CaseVisibility.VERDICTS, CaseVisibility.TOTALS])
def test_a_case_whose_numbers_are_hidden_is_not_run_for_a_student(
    as_student: Client,
    as_staff: Client,
    student: User,
    pair: list[Submission],
    visibility: CaseVisibility,
    worker: object,
) -> None:
    Problem.objects.update(case_visibility=visibility)
    assert '<option value="sample/1" selected>' in _page(as_student, pair)
    assert "secret/1" not in _page(as_student, pair)
    assert "Choose one of the compared test cases" in _refusal(as_student, pair)
    assert not ExperimentRun.objects.exists()
    _ask(as_staff, pair)
    assert ExperimentRun.objects.count() == 1
    _measured(student, pair, (SLOW, QUICK))  # of a time when it was not hidden
    assert "0.91 s" not in _page(as_student, pair)  # with its unit: a time of day may have these digits


def test_what_one_may_not_read_cannot_be_run(
    as_other: Client, client: Client, other_student: User, pair: list[Submission], make_submission: SubmissionMaker
) -> None:
    for sides in (pair, [make_submission(user=other_student), pair[0]], []):
        for asking in (as_other, client):
            sent = {"s": [side.pk for side in sides], "case": "sample/1", "rounds": 5}
            assert asking.post(reverse("run_again"), sent).status_code == 404
    assert not ExperimentRun.objects.exists()


def test_running_again_needs_a_post_with_the_token(student: User, pair: list[Submission]) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(student)
    sent: dict[str, Any] = {"s": [side.pk for side in pair], "case": "sample/1", "rounds": 5}
    assert strict.post(reverse("run_again"), sent).status_code == 403
    assert strict.get(reverse("run_again"), sent)["Location"] == reverse("compare")
    assert not ExperimentRun.objects.exists()


def test_a_source_that_is_no_text_is_refused_with_the_reason(
    as_student: Client, pair: list[Submission], worker: object
) -> None:
    Submission.objects.filter(pk=pair[1].pk).update(source=b"\xff")
    assert "is not valid UTF-8" in _refusal(as_student, pair)


def test_where_a_run_may_take_too_long_none_is_offered(as_student: Client, pair: list[Submission]) -> None:
    ProblemVersion.objects.update(time_limit_ms=61_000)
    assert "Run interleaved" not in _page(as_student, pair)


def test_the_latest_run_is_told_in_brief_with_the_ratio_and_its_interval(
    as_staff: Client, instructor: User, pair: list[Submission]
) -> None:
    _measured(instructor, pair, (QUICK, QUICK))
    latest = _measured(instructor, pair, (SLOW, QUICK))
    page = _page(as_staff, pair)
    section = _section(page)
    assert "Interleaved runs on secret/1 , 5 rounds." in section
    assert "B is faster than A. A takes 8.9 times the CPU time of B (8.7 to 9.2)." in section
    assert "Each run had at most 1.5 s of CPU time." in section
    assert "0.91 s 0.90 to 0.92 s" in section
    assert "the range in brackets is their interval of at least 97 % confidence" in section
    assert re.search(r"0\.10 s 8\.9\u00d7 less \(8\.\d\u00d7 to 9\.\d\u00d7\)", section)
    assert "2,520,000 exact" in section
    assert "3,770 exact 670\u00d7 fewer" in section
    assert reverse("experiment_run", args=[latest.pk]) in page


def test_single_runs_give_no_answer_and_repeated_ones_are_offered(
    as_student: Client, pair: list[Submission], worker: object
) -> None:
    section = _section(_page(as_student, pair))
    assert "Each number on this page is from a single run" in section
    assert "single runs of the same program may differ by 25 %" in section
    assert "is faster than" not in section
    assert "Run interleaved" in section


@pytest.mark.usefixtures("open_problem")
def test_where_one_was_over_the_limit_the_longer_one_is_told(
    as_student: Client, student: User, pair: list[Submission]
) -> None:
    TestCaseResult.objects.filter(submission=pair[0], name="secret/1").update(verdict="TLE")
    _measured(student, pair, (SLOW, QUICK))
    section = _section(_page(as_student, pair)).replace("&#x27;", "'")
    assert "Each run had at most 10 s of CPU time, more than the problem's limit, so that a program over" in section
    assert "A takes 8.9 times the CPU time of B" in section


@pytest.mark.usefixtures("open_problem")
def test_the_limit_of_the_runs_is_told_though_the_problems_has_changed(
    as_student: Client, student: User, pair: list[Submission]
) -> None:
    run = _measured(student, pair, (SLOW, QUICK))
    ProblemVersion.objects.update(time_limit_ms=20_000)
    assert "Each run had at most 1.5 s of CPU time." in _section(_page(as_student, pair))
    older = to_json(run.spec)
    del older["case"]["cpu_time_ms"]
    ExperimentRun.objects.filter(pk=run.pk).update(spec=older)
    assert "Each run had" not in _section(_page(as_student, pair))


def test_noise_is_called_noise_and_equal_counts_the_same(
    as_student: Client, student: User, pair: list[Submission]
) -> None:
    _measured(student, pair, (QUICK, QUICK[::-1]), case="sample/1")
    section = _section(_page(as_student, pair))
    assert section.count("no difference that can be told from noise") == 2  # CPU and system time
    assert "Changes are relative to A. Exact: every run had the same count." in section  # there are no brackets
    assert "3,770 exact the same" in section


@pytest.mark.parametrize(
    ("first", "runs", "said"),
    [
        (("cpu_limit", "TLE"), (SLOW, QUICK), "at least 8.7\u00d7 less"),
        (("cpu_limit", "TLE"), (QUICK, SLOW), "cannot be told"),
        (("signalled", "RE"), (SLOW, QUICK), "cannot be told"),
        (("exited", "WA"), (SLOW, QUICK), "wrong answer"),
    ],
)
@pytest.mark.usefixtures("open_problem")
def test_of_runs_that_did_not_end_well_only_what_is_known_is_said(
    as_student: Client,
    student: User,
    pair: list[Submission],
    first: tuple[str, str],
    runs: tuple[Measured, Measured],
    said: str,
) -> None:
    _measured(student, pair, runs, first=first)
    section = _section(_page(as_student, pair))
    assert said in section
    assert ("in brackets" in section) == ("(" in section)


def test_numbers_of_a_hidden_case_are_rounded_for_students(
    as_student: Client, student: User, as_staff: Client, pair: list[Submission]
) -> None:
    _measured(student, pair, ([(912_345, 2_524_321)] * 5, QUICK))
    assert "2,524,321" in _section(_page(as_staff, pair))
    section = _section(_page(as_student, pair))
    assert "2,500,000" in section
    assert "exact" not in section


def test_hidden_counts_that_differ_by_little_are_not_called_the_same(
    as_student: Client, student: User, as_staff: Client, pair: list[Submission]
) -> None:
    _measured(student, pair, ([(912_345, 1_000_400)] * 5, [(912_345, 1_003_900)] * 5))
    assert "1,003,900 exact 0.3 % more" in _section(_page(as_staff, pair))
    section = _section(_page(as_student, pair))
    assert "1,000,000 the same to two digits" in section


def test_ratio_of_rounded_counts_is_not_called_exact(as_student: Client, student: User, pair: list[Submission]) -> None:
    _measured(student, pair, ([(912_345, 2_524_321)] * 5, QUICK))
    assert "660\u00d7 fewer " in _section(_page(as_student, pair))


def test_runs_of_others_and_of_other_submissions_are_not_told(
    as_student: Client,
    student: User,
    other_student: User,
    pair: list[Submission],
    make_submission: SubmissionMaker,
    make_result: ResultMaker,
) -> None:
    _measured(other_student, pair, (SLOW, QUICK))
    third = make_submission()
    make_result(third, name="sample/1", is_sample=True)
    _measured(student, [*pair, third], (SLOW, QUICK, QUICK))
    _measured(student, pair, (SLOW, QUICK), problem="It failed.")
    assert "Interleaved runs on" not in _section(_page(as_student, pair))
    assert "Interleaved runs on" in _section(_page(as_student, [*pair, third]))


def test_a_shared_comparison_shows_its_owners_runs_as_a_student_sees_them(
    as_staff: Client, as_other: Client, instructor: User, pair: list[Submission]
) -> None:
    run = _measured(instructor, pair, ([(912_345, 2_524_321)] * 5, QUICK))
    as_staff.post(reverse("share_comparison"), {"s": [side.pk for side in pair]})
    page = as_other.get(reverse("shared_comparison", args=[SharedComparison.objects.get().token])).content.decode()
    assert "2,500,000" in _section(page)
    assert reverse("experiment_run", args=[run.pk]) not in page
    assert "Run interleaved" not in page


def test_before_the_first_runs_are_done_a_shared_comparison_says_nothing_of_them(
    as_staff: Client, as_other: Client, instructor: User, pair: list[Submission]
) -> None:
    _measured(instructor, pair, (SLOW, QUICK), status=Status.QUEUED, runs=[])
    as_staff.post(reverse("share_comparison"), {"s": [side.pk for side in pair]})
    page = as_other.get(reverse("shared_comparison", args=[SharedComparison.objects.get().token])).content.decode()
    assert "compare-again" not in page
    assert "Interleaved runs are waiting or in progress" in _section(_page(as_staff, pair))


@pytest.mark.parametrize("visibility", [CaseVisibility.ALL, CaseVisibility.VERDICTS])
def test_many_runs_take_no_more_queries_than_one(
    as_student: Client, student: User, pair: list[Submission], visibility: CaseVisibility
) -> None:
    Problem.objects.update(case_visibility=visibility)
    _measured(student, pair, (SLOW, QUICK), case="sample/1")
    counts = []
    for more in (0, 18):
        for _ in range(more):
            _measured(student, pair, (SLOW, QUICK), case="secret/1")
        with CaptureQueriesContext(connection) as queries:
            assert "Interleaved runs on" in _section(_page(as_student, pair))
        counts.append(len(queries))
    assert counts[0] == counts[1]
