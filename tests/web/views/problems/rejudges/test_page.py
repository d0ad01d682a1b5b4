"""The page of a rejudge: progress, preview, decision, and what became of each submission."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judge.grading.verdicts import Verdict
from judge.models import Rejudge, RejudgedSubmission, Status, Submission, WorkerNode
from judge.rejudging import rejudging
from judge.rejudging.selection import Filter
from problems.models import Problem, ProblemVersion
from tests.judge.rejudging.rejudged import claimed, judge, judge_all
from tests.web.views.problems.rejudges.shown import MARK, client_of, page_of, text_of
from web.presentation.setter import rejudge as rejudge_presentation
from web.presentation.setter.rejudge import Shown, rejudge_page

pytestmark = pytest.mark.django_db
SubmissionMaker = Callable[..., Submission]


def test_progress_then_preview_then_what_was_decided(rejudge: Rejudge, instructor: User, student: User) -> None:
    first, second = rejudge.submissions.order_by("pk")
    assert "No worker is running" in page_of(instructor, rejudge)
    WorkerNode.objects.create(name="w", started_at=timezone.now(), last_seen_at=timezone.now())
    text = page_of(instructor, rejudge)
    assert "Judging again: 0 of 2" in text
    assert "Discard" in text
    assert "Apply to" not in text
    claimed(first)
    assert "Judging 1 submission." in page_of(instructor, rejudge)
    RejudgedSubmission.objects.update(status=Status.QUEUED)
    judge(first, Verdict.AC, user_time_us=5_000)
    judge(second, Verdict.TLE)
    text = page_of(instructor, rejudge)
    assert "2 of 2 would change" in text
    assert "Apply to 2 submissions (2 changed)" in text
    assert "Newly accepted 1" in text
    assert "No longer accepted 1" in text
    assert re.search(r"student Python .CPython 3. WA . AC 21\.0.ms . 5\.00.ms Open", text), text
    client = client_of(instructor)
    answer = client.post(reverse("rejudge_apply", args=[rejudge.pk]), follow=True)
    text = text_of(answer.content)
    assert "Applied to 2 submissions." in text
    assert "Discard" not in text
    assert "data-events" not in answer.content.decode()
    again = client.post(reverse("rejudge_discard", args=[rejudge.pk]), follow=True)
    assert "This rejudge has been applied." in text_of(again.content)


def test_page_of_many_that_are_being_applied_follows_them(
    rejudge: Rejudge, instructor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("CHUNK", 1), ("AT_ONCE", 1), ("FIRST_TURN_S", 0.0)):
        monkeypatch.setattr(rejudging, name, value)
    WorkerNode.objects.create(name="w", started_at=timezone.now(), last_seen_at=timezone.now())
    judge_all(rejudge, Verdict.AC)
    client = client_of(instructor)
    answer = client.post(reverse("rejudge_apply", args=[rejudge.pk]), follow=True)
    text = text_of(answer.content)
    assert "Applied to 1 submission; a worker goes on with the rest." in text
    assert "Being applied: 1 of 2" in text
    assert "data-events" in answer.content.decode()
    rejudging.carry_out_interrupted()
    live = client.get(reverse("rejudge_live", args=[rejudge.pk])).content
    assert "Applied to 2 submissions" in text_of(live)
    assert "data-events" not in live.decode()


def test_matrix_counts_and_leads_to_the_submissions(
    rejudge: Rejudge, instructor: User, make_judged: SubmissionMaker, problem: Problem
) -> None:
    for _ in range(3):
        make_judged(verdict="TLE")
    big = rejudging.start(problem, Filter(), by=instructor, reason="big")
    verdicts = {"WA": Verdict.WA, "AC": Verdict.JE, "TLE": Verdict.AC}
    for row in big.submissions.all():
        judge(row, verdicts[row.old_verdict])
    answer = client_of(instructor).get(reverse("rejudge", args=[big.pk]))
    matrix = answer.context["page"].matrix
    numbers = {(cell.old, cell.new): cell.number for _, cells in matrix.rows for cell in cells if cell}
    assert numbers == {("WA", "WA"): 1, ("AC", "JE"): 1, ("TLE", "AC"): 3}
    assert matrix.columns == [Verdict.AC, Verdict.WA, Verdict.JE]
    areas = {(cell.old, cell.new): cell.side**2 for _, cells in matrix.rows for cell in cells if cell}
    assert areas["TLE", "AC"] / areas["WA", "WA"] == pytest.approx(3, rel=0.01)
    assert "1 submission ends in a judge error" in text_of(answer.content)
    assert len(answer.context["page"].listed.rows) == 4  # those that change
    one_cell = client_of(instructor).get(reverse("rejudge", args=[big.pk]) + "?old=WA&new=WA")
    assert [row.old_verdict for row in one_cell.context["page"].listed.rows] == ["WA"]
    everything = client_of(instructor).get(reverse("rejudge", args=[big.pk]) + "?show=all")
    assert len(everything.context["page"].listed.rows) == 5


def test_rows_are_counted_in_two_statements_whatever_their_number(
    rejudge: Rejudge, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judge_all(rejudge, Verdict.AC)
    with django_assert_num_queries(4):  # the list, the counts, those overtaken, and whether a worker lives
        page = rejudge_page(rejudge, Shown())
    assert (page.numbers.total, page.numbers.changed, page.numbers.overtaken) == (2, 1, 0)
    Submission.objects.filter(rejudged__rejudge=rejudge).update(attempt=7)
    RejudgedSubmission.objects.filter(pk=page.listed.rows[0].pk).update(is_stale=True)
    assert rejudge_page(rejudge, Shown()).numbers.overtaken == 2


def test_a_long_list_comes_in_pages(rejudge: Rejudge, instructor: User, monkeypatch: pytest.MonkeyPatch) -> None:
    paging = replace(rejudge_presentation.PAGING, size=1)
    monkeypatch.setattr(rejudge_presentation, "PAGING", paging)
    judge_all(rejudge, Verdict.TLE)
    client = client_of(instructor)
    address, live = reverse("rejudge", args=[rejudge.pk]), reverse("rejudge_live", args=[rejudge.pk])
    first = client.get(address).context["page"]
    second = client.get(f"{address}?{first.listed.on}").context["page"]
    assert [row.pk for row in (*first.listed.rows, *second.listed.rows)] == [
        row.pk for row in rejudge.submissions.order_by("submission")
    ]
    assert second.listed.on == ""
    assert client.get(f"{address}?{second.listed.back}").context["page"].listed == first.listed
    assert client.get(f"{live}?{second.shown.query}").context["page"].listed == second.listed


def test_a_new_result_opens_with_what_the_checker_said_for_staff(rejudge: Rejudge, instructor: User) -> None:
    row = rejudge.submissions.order_by("pk")[0]
    judge(row, Verdict.TLE, user_time_us=3_000)
    before = list(Submission.objects.order_by("pk").values())
    answer = client_of(instructor).get(reverse("rejudge_result", args=[rejudge.pk, row.pk]))
    text = text_of(answer.content)
    assert "Time limit exceeded" in text
    assert "said by the checker" in text
    assert "Profile this case" not in text
    assert f"submission {row.submission_id} of student would get" in text
    assert list(Submission.objects.order_by("pk").values()) == before
    unfinished = rejudge.submissions.order_by("pk")[1]
    page = reverse("rejudge_result", args=[rejudge.pk, unfinished.pk])
    assert client_of(instructor).get(page).status_code == 404


def test_an_owner_who_is_no_staff_reads_no_line_of_a_students_source(
    rejudge: Rejudge, owner: User, instructor: User
) -> None:
    """Neither in the source nor where the compiler quotes it."""
    quoted = "main.py:1: warning: print(secret_of_the_student)"
    row = rejudge.submissions.order_by("pk")[0]
    Submission.objects.update(source=b"print(secret_of_the_student)\n")
    judge(row, Verdict.AC)
    RejudgedSubmission.objects.update(compile_message=quoted)
    page = reverse("rejudge_result", args=[rejudge.pk, row.pk])
    shown = {user: client_of(user).get(page).content.decode() for user in (owner, instructor)}
    assert "Accepted" in shown[owner]
    assert "secret_of_the_student" not in shown[owner]
    assert quoted in re.sub(r"<[^>]+>", "", shown[instructor])


def test_what_another_rejudge_overtook_is_named(
    rejudge: Rejudge, instructor: User, problem: Problem, newer: ProblemVersion
) -> None:
    first = Submission.objects.order_by("pk")[0]
    other = rejudging.start(problem, Filter(ids=frozenset({first.pk})), by=instructor, reason="other")
    judge_all(other, Verdict.AC)
    judge_all(rejudge, Verdict.RE)
    rejudging.apply(other, by=instructor)
    text = page_of(instructor, rejudge)
    assert "1 submission was judged elsewhere since it was chosen and keeps that result" in text
    assert "Apply to 1 submission" in text
    client_of(instructor).post(reverse("rejudge_apply", args=[rejudge.pk]))
    text = page_of(instructor, rejudge)
    assert "Applied to 1 submission" in text
    assert "judged elsewhere meanwhile" in text


def test_those_that_we_failed_can_be_tried_again(rejudge: Rejudge, instructor: User) -> None:
    rejudge.submissions.update(status=Status.DONE, is_given_up=True, verdict="JE", failures=3)
    text = page_of(instructor, rejudge, "?show=all")
    assert "2 submissions could not be judged because of failures on our side and keep their results" in text
    assert "Apply to" not in text
    answer = client_of(instructor).post(reverse("rejudge_try_again", args=[rejudge.pk]), follow=True)
    assert "2 submissions queued again." in text_of(answer.content)
    assert rejudge.submissions.unfinished().count() == 2


def test_history_names_all_with_where_they_are(rejudge: Rejudge, instructor: User, problem: Problem) -> None:
    page = reverse("rejudge_list", args=[problem.slug])
    assert re.search(rf"{MARK} 2 2 \S.* by instructor open", text_of(client_of(instructor).get(page).content))
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=instructor)
    other = rejudging.start(problem, Filter(), by=instructor, reason="again")
    rejudging.discard(other, by=instructor)
    text = text_of(client_of(instructor).get(page).content)
    assert "applied to 2 by instructor" in text
    assert "discarded by instructor" in text
    assert text.index("discarded by") < text.index("applied to 2")
