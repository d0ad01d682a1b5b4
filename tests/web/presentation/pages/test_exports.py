"""The list of submissions as CSV: what the filter shows, all of it, and nothing that the result page hides."""

import codecs
import csv
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from problems.models import CaseVisibility, Problem
from web.presentation.pages import exports

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]


def _rows(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(reverse("submission_csv") + query)
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == 'attachment; filename="submissions.csv"'
    text = b"".join(answer).decode("utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


def test_one_line_tells_what_the_list_tells(as_student: Client, make_submission: SubmissionMaker) -> None:
    made = make_submission(
        verdict=Verdict.TLE,
        cause="algorithm",
        score=40.5,
        max_score=100.0,
        max_cpu_time_us=1_234_567,
        max_peak_memory_bytes=3_456_789,
    )
    Submission.objects.filter(pk=made.pk).update(created_at=datetime(2026, 11, 26, 20, 33, 18, 900_000, tzinfo=UTC))
    as_student.cookies["time_zone"] = "Asia/Seoul"
    assert _rows(as_student) == [
        {
            "submission": str(made.pk),
            "submitted_at": "2026-11-27 05:33:18",
            "time_zone": "Asia/Seoul",
            "problem": "sumoftwo",
            "title": made.problem.title,
            "version": "1",
            "language": "cpp",
            "status": "done",
            "verdict": "TLE",
            "cause": "algorithm",
            "score": "40.5",
            "max_score": "100.0",
            "cpu_time_ms": "1200.000",  # rounded as on the result page
            "peak_memory_bytes": "3145728",
        }
    ]


def test_every_row_comes_once_newest_first_over_many_chunks(
    as_student: Client, make_submission: SubmissionMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "FIRST_CHUNK", 2)
    monkeypatch.setattr(exports, "CHUNK", 3)
    made = [make_submission().pk for _ in range(11)]
    assert [int(row["submission"]) for row in _rows(as_student)] == made[::-1]


def test_rows_are_read_chunk_by_chunk_and_the_heading_before_any(
    as_student: Client,
    make_submission: SubmissionMaker,
    other_problem: Problem,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: Callable[[int], object],
) -> None:
    monkeypatch.setattr(exports, "FIRST_CHUNK", 2)
    for _ in range(4):
        make_submission(cause="algorithm")
    make_submission(problem=other_problem, cause="algorithm")
    pieces = iter(as_student.get(reverse("submission_csv")))
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        assert next(pieces).startswith(codecs.BOM_UTF8 + b"submission,")
    with django_assert_num_queries(5):  # type: ignore[attr-defined]  # ids, rows, both problems, their levels, versions
        assert next(pieces).count(b"\n") == 2
    assert sum(piece.count(b"\n") for piece in pieces) == 3


def test_students_get_their_own_without_names_and_staff_everybodys(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker, other_student: User
) -> None:
    mine, theirs = make_submission(), make_submission(user=other_student)
    assert [row["submission"] for row in _rows(as_student)] == [str(mine.pk)]
    assert "user" not in _rows(as_student)[0]
    assert [(row["submission"], row["user"]) for row in _rows(as_staff)] == [
        (str(theirs.pk), "other"),
        (str(mine.pk), "student"),
    ]


def test_the_filter_holds(as_staff: Client, make_submission: SubmissionMaker, other_problem: Problem) -> None:
    wrong = make_submission(problem=other_problem, verdict=Verdict.WA)
    make_submission(problem=other_problem)
    make_submission(verdict=Verdict.WA)
    found = _rows(as_staff, f"?problem={other_problem.slug}&verdict=WA&user=STUDENT")
    assert [row["submission"] for row in found] == [str(wrong.pk)]
    assert _rows(as_staff, "?user=nobody") == []


def test_a_wrong_filter_leads_to_the_list_which_says_so(as_student: Client) -> None:
    answer = as_student.get(reverse("submission_csv") + "?verdict=XX")
    assert (answer.status_code, answer["Location"]) == (302, reverse("submission_list") + "?verdict=XX")


def test_what_a_problem_hides_stays_hidden_from_students(
    as_student: Client, as_staff: Client, make_submission: SubmissionMaker, problem: Problem
) -> None:
    Problem.objects.filter(pk=problem.pk).update(case_visibility=CaseVisibility.TOTALS)
    numbers = {"cause": "algorithm", "max_cpu_time_us": 1_234_567, "max_peak_memory_bytes": 3_456_789}
    make_submission(status=Status.JUDGING, **numbers)
    make_submission(verdict=Verdict.TLE, **numbers)
    shown = [(row["cause"], row["cpu_time_ms"], row["peak_memory_bytes"]) for row in _rows(as_student)]
    assert shown == [("", "1200.000", "3145728"), ("", "", "")]
    assert next((row["cause"], row["cpu_time_ms"]) for row in _rows(as_staff)) == ("algorithm", "1234.567")


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_cell_is_a_formula(as_staff: Client, make_submission: SubmissionMaker, student: User, name: str) -> None:
    User.objects.filter(pk=student.pk).update(username=name)
    make_submission()
    assert _rows(as_staff)[0]["user"] == f"'{name}"


def test_the_file_says_that_it_is_utf_8(as_staff: Client, make_submission: SubmissionMaker, student: User) -> None:
    User.objects.filter(pk=student.pk).update(username="김철수")
    make_submission()
    content = b"".join(as_staff.get(reverse("submission_csv")))
    assert content.startswith(codecs.BOM_UTF8)
    assert content.count(codecs.BOM_UTF8) == 1
    assert _rows(as_staff)[0]["user"] == "김철수"


def test_the_list_links_to_the_file_of_what_it_shows(as_student: Client, make_submission: SubmissionMaker) -> None:
    make_submission()
    address = reverse("submission_csv")
    assert f'href="{address}"' in as_student.get(reverse("submission_list")).content.decode()
    narrowed = as_student.get(reverse("submission_list") + "?verdict=AC&language=cpp").content.decode()
    assert f'href="{address}?language=cpp&amp;verdict=AC"' in narrowed


def test_strangers_are_asked_to_sign_in(client: Client) -> None:
    assert client.get(reverse("submission_csv"))["Location"].startswith(reverse("login"))
