"""Rejudges on pages: who may see and decide them, what is chosen, and what a student sees before and after."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judge import rejudging
from judge.models import Rejudge, RejudgedSubmission, Status, Submission, WorkerNode
from judge.rejudge_choice import Choice
from judge.verdicts import Verdict
from problems.models import Problem, ProblemVersion
from tests.judge.rejudged import claimed, judge, judge_all
from web.presentation import rejudge as rejudge_presentation
from web.presentation.rejudge import Shown, rejudge_page

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
MARK = "okapi-4711"  # the reason, which students see once it is applied
GET_PAGES = ("rejudge", "rejudge_live", "rejudge_events")
POST_PAGES = ("rejudge_apply", "rejudge_discard", "rejudge_try_again")


@pytest.fixture
def make_judged(student: User, problem: Problem) -> SubmissionMaker:
    """A function that inserts a judged submission, which was wrong."""

    def make(**columns: object) -> Submission:
        given = {
            "user": student,
            "problem": problem,
            "problem_version": problem.current_version,
            "language": "python",
            "source": b"print(1)\n",
            "status": Status.DONE,
            "verdict": "WA",
            "attempt": 1,
            "max_cpu_time_us": 21_000,
            "finished_at": timezone.now(),
        }
        return Submission.objects.create(**{**given, **columns})

    return make


@pytest.fixture
def newer(problem: Problem, make_judged: SubmissionMaker) -> ProblemVersion:
    """Two submissions by version 1, and a version 2 that is the current one."""
    make_judged()
    make_judged(verdict="AC")
    version = ProblemVersion.objects.get(problem=problem)
    version.pk, version.number, version.digest = None, 2, "2" * 64
    version.save()
    problem.current_version = version
    problem.save()
    return version


@pytest.fixture
def rejudge(newer: ProblemVersion, problem: Problem, instructor: User) -> Rejudge:
    """A rejudge of these two."""
    return rejudging.start(problem, Choice(), by=instructor, reason=MARK)


@pytest.fixture
def owner(problem: Problem) -> User:
    """Somebody who may publish, is no staff, and owns the problem."""
    group = Group.objects.create(name="publishers")
    group.permissions.add(Permission.objects.get(codename="add_problem"))
    user = User.objects.create_user("owner")
    user.groups.add(group)
    problem.owner = user
    problem.save()
    return user


def _client(user: User | None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


def _text(html: bytes | str) -> str:
    """What a page says, without its markup."""
    text = html.decode() if isinstance(html, bytes) else html
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def _page(user: User, rejudge: Rejudge, query: str = "") -> str:
    answer = _client(user).get(reverse("rejudge", args=[rejudge.pk]) + query)
    assert answer.status_code == 200
    return _text(answer.content)


# Who


def test_only_who_manages_the_problem_finds_its_rejudges(
    rejudge: Rejudge, problem: Problem, owner: User, instructor: User, student: User, other_student: User
) -> None:
    judge_all(rejudge, Verdict.AC)
    another = User.objects.create_user("another")  # may publish too, but does not own this problem
    another.groups.add(Group.objects.get(name="publishers"))
    row = rejudge.submissions.all()[0]
    pages = [reverse(name, args=[rejudge.pk]) for name in GET_PAGES]
    pages += [reverse(name, args=[problem.slug]) for name in ("rejudge_list", "rejudge_new")]
    pages += [reverse("rejudge_result", args=[rejudge.pk, row.pk])]
    for page in pages:
        for stranger in (student, other_student, another):
            assert _client(stranger).get(page).status_code == 404, page
        for manager in (owner, instructor):
            assert _client(manager).get(page).status_code == 200, page
        assert _client(None).get(page).status_code in {302, 404}, page
    for name in POST_PAGES:
        page = reverse(name, args=[rejudge.pk])
        assert _client(student).post(page).status_code == 404
        assert _client(another).post(page).status_code == 404
        assert _client(None).post(page).status_code == 302
        assert _client(instructor).get(page)["Location"] == reverse("rejudge", args=[rejudge.pk])
    assert _client(student).post(reverse("rejudge_new", args=[problem.slug]), {"reason": "x"}).status_code == 404
    assert Rejudge.objects.get().is_open


def test_an_owner_who_is_no_staff_can_do_all_of_it(newer: ProblemVersion, problem: Problem, owner: User) -> None:
    client = _client(owner)
    client.post(reverse("rejudge_new", args=[problem.slug]) + "?asked=on", {"reason": "Why not"})
    rejudge = Rejudge.objects.get()
    judge_all(rejudge, Verdict.AC)
    client.post(reverse("rejudge_apply", args=[rejudge.pk]))
    rejudge.refresh_from_db()
    assert rejudge.applied_by == owner


def test_the_result_of_another_rejudge_is_not_found(
    rejudge: Rejudge, problem: Problem, instructor: User, make_judged: SubmissionMaker
) -> None:
    other = rejudging.start(problem, Choice(), by=instructor, reason="other")
    judge_all(other, Verdict.AC)
    row = other.submissions.all()[0]
    client = _client(instructor)
    assert client.get(reverse("rejudge_result", args=[rejudge.pk, row.pk])).status_code == 404
    assert client.get(reverse("rejudge_result", args=[other.pk, row.pk])).status_code == 200


# Choosing


def test_older_ones_are_chosen_at_first_and_counted(newer: ProblemVersion, problem: Problem, instructor: User) -> None:
    answer = _client(instructor).get(reverse("rejudge_new", args=[problem.slug]))
    text = _text(answer.content)
    assert "They are judged by version 2, the current one" in text
    assert "2 submissions of 1 student" in text
    assert "Judge 2 submissions again" in text
    assert answer.context["form"]["older"].value() is True


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("verdict=WA", 1),
        ("verdict=WA&verdict=AC", 2),
        ("language=python", 2),
        ("users=student", 2),
        ("users=student,%20other", 2),
        ("users=other", 0),
        ("since=2020-01-01&until=2020-01-31", 0),
        ("since=2020-01-01", 2),
        ("ids=1-999999999", None),
        ("users=nobody%20here", None),
        ("since=yesterday", None),
        ("ids=x", None),
        ("verdict=RE", None),
    ],
)
def test_each_filter_counts(
    newer: ProblemVersion, problem: Problem, instructor: User, other_student: User, query: str, number: int | None
) -> None:
    answer = _client(instructor).get(f"{reverse('rejudge_new', args=[problem.slug])}?asked=on&{query}")
    chosen = answer.context["chosen"]
    assert (chosen.total if chosen else None) == number
    assert (b"Judge " in answer.content.split(b'id="chosen"')[1]) == bool(number)
    assert (b'role="alert"' in answer.content) == (number is None)


def test_today_is_within_until_today(newer: ProblemVersion, problem: Problem, instructor: User) -> None:
    today = timezone.now().date().isoformat()
    page = reverse("rejudge_new", args=[problem.slug])
    answer = _client(instructor).get(f"{page}?asked=on&since={today}&until={today}")
    assert answer.context["chosen"].total == 2


def test_numbers_and_ranges_choose_single_submissions(
    newer: ProblemVersion, problem: Problem, instructor: User
) -> None:
    first, second = Submission.objects.order_by("pk")
    page = reverse("rejudge_new", args=[problem.slug])
    for ids, number in ((f"{first.pk}", 1), (f"{first.pk}-{second.pk}", 2), (f"{first.pk}, {second.pk}", 2)):
        answer = _client(instructor).get(page, {"asked": "on", "ids": ids})
        assert answer.context["chosen"].total == number


def test_starting_takes_what_was_counted_and_needs_a_reason(
    newer: ProblemVersion, problem: Problem, instructor: User
) -> None:
    client = _client(instructor)
    page = reverse("rejudge_new", args=[problem.slug]) + "?asked=on&verdict=WA"
    assert client.post(page, {"reason": " "}).status_code == 422
    assert not Rejudge.objects.exists()
    answer = client.post(page, {"reason": "Case 7 was wrong"})
    rejudge = Rejudge.objects.get()
    assert answer["Location"] == reverse("rejudge", args=[rejudge.pk])
    assert (rejudge.reason, rejudge.made_by, rejudge.version) == ("Case 7 was wrong", instructor, newer)
    assert [row.old_verdict for row in rejudge.submissions.all()] == ["WA"]


# The page


def test_progress_then_preview_then_what_was_decided(rejudge: Rejudge, instructor: User, student: User) -> None:
    first, second = rejudge.submissions.order_by("pk")
    assert "No worker is running" in _page(instructor, rejudge)
    WorkerNode.objects.create(name="w", started_at=timezone.now(), last_seen_at=timezone.now())
    text = _page(instructor, rejudge)
    assert "Judging again: 0 of 2" in text
    assert "Discard" in text
    assert "Apply to" not in text
    claimed(first)
    assert "1 is being judged now" in _page(instructor, rejudge)
    RejudgedSubmission.objects.update(status=Status.QUEUED)
    judge(first, Verdict.AC, user_time_us=5_000)
    judge(second, Verdict.TLE)
    text = _page(instructor, rejudge)
    assert "2 of 2 would change" in text
    assert "Apply to 2 submissions, 2 of which change" in text
    assert "Accepted now, not before 1" in text
    assert "Accepted before, not now 1" in text
    assert re.search(r"student Python .CPython 3. WA . AC 21\.0.ms . 5\.00.ms Open", text), text
    client = _client(instructor)
    answer = client.post(reverse("rejudge_apply", args=[rejudge.pk]), follow=True)
    text = _text(answer.content)
    assert "Applied to 2 submissions." in text
    assert "Discard" not in text
    assert "data-events" not in answer.content.decode()
    again = client.post(reverse("rejudge_discard", args=[rejudge.pk]), follow=True)
    assert "This rejudge has been applied." in _text(again.content)


def test_page_of_many_that_are_being_applied_follows_them(
    rejudge: Rejudge, instructor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("CHUNK", 1), ("AT_ONCE", 1), ("FIRST_TURN_S", 0.0)):
        monkeypatch.setattr(rejudging, name, value)
    WorkerNode.objects.create(name="w", started_at=timezone.now(), last_seen_at=timezone.now())
    judge_all(rejudge, Verdict.AC)
    client = _client(instructor)
    answer = client.post(reverse("rejudge_apply", args=[rejudge.pk]), follow=True)
    text = _text(answer.content)
    assert "Applied to 1 submission; a worker goes on with the rest." in text
    assert "Being applied: 1 of 2" in text
    assert "data-events" in answer.content.decode()
    rejudging.carry_out_interrupted()
    live = client.get(reverse("rejudge_live", args=[rejudge.pk])).content
    assert "Applied to 2 submissions" in _text(live)
    assert "data-events" not in live.decode()


def test_matrix_counts_and_leads_to_the_submissions(
    rejudge: Rejudge, instructor: User, make_judged: SubmissionMaker, problem: Problem
) -> None:
    for _ in range(3):
        make_judged(verdict="TLE")
    big = rejudging.start(problem, Choice(), by=instructor, reason="big")
    verdicts = {"WA": Verdict.WA, "AC": Verdict.JE, "TLE": Verdict.AC}
    for row in big.submissions.all():
        judge(row, verdicts[row.old_verdict])
    answer = _client(instructor).get(reverse("rejudge", args=[big.pk]))
    matrix = answer.context["page"].matrix
    numbers = {(cell.old, cell.new): cell.number for _, cells in matrix.rows for cell in cells if cell}
    assert numbers == {("WA", "WA"): 1, ("AC", "JE"): 1, ("TLE", "AC"): 3}
    assert matrix.columns == [Verdict.AC, Verdict.WA, Verdict.JE]
    areas = {(cell.old, cell.new): cell.side**2 for _, cells in matrix.rows for cell in cells if cell}
    assert areas["TLE", "AC"] / areas["WA", "WA"] == pytest.approx(3, rel=0.01)
    assert "1 ends in a judge error" in _text(answer.content)
    assert len(answer.context["page"].listed.rows) == 4  # those that change
    one_cell = _client(instructor).get(reverse("rejudge", args=[big.pk]) + "?old=WA&new=WA")
    assert [row.old_verdict for row in one_cell.context["page"].listed.rows] == ["WA"]
    everything = _client(instructor).get(reverse("rejudge", args=[big.pk]) + "?show=all")
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
    client = _client(instructor)
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
    answer = _client(instructor).get(reverse("rejudge_result", args=[rejudge.pk, row.pk]))
    text = _text(answer.content)
    assert "Time limit exceeded" in text
    assert "said by the checker" in text
    assert "Profile this case" not in text
    assert f"submission {row.submission_id} of student would get" in text
    assert list(Submission.objects.order_by("pk").values()) == before
    unfinished = rejudge.submissions.order_by("pk")[1]
    page = reverse("rejudge_result", args=[rejudge.pk, unfinished.pk])
    assert _client(instructor).get(page).status_code == 404


def test_what_another_rejudge_overtook_is_named(
    rejudge: Rejudge, instructor: User, problem: Problem, newer: ProblemVersion
) -> None:
    first = Submission.objects.order_by("pk")[0]
    other = rejudging.start(problem, Choice(ids=frozenset({first.pk})), by=instructor, reason="other")
    judge_all(other, Verdict.AC)
    judge_all(rejudge, Verdict.RE)
    rejudging.apply(other, by=instructor)
    text = _page(instructor, rejudge)
    assert "1 was judged by something else since they were chosen, and keeps that result" in text
    assert "Apply to 1 submission" in text
    _client(instructor).post(reverse("rejudge_apply", args=[rejudge.pk]))
    text = _page(instructor, rejudge)
    assert "Applied to 1 submission" in text
    assert "judged by something else meanwhile" in text


def test_those_that_we_failed_can_be_tried_again(rejudge: Rejudge, instructor: User) -> None:
    rejudge.submissions.update(status=Status.DONE, is_given_up=True, verdict="JE", failures=3)
    text = _page(instructor, rejudge, "?show=all")
    assert "2 could not be judged because of failures of ours, and keep their results" in text
    assert "Apply to" not in text
    answer = _client(instructor).post(reverse("rejudge_try_again", args=[rejudge.pk]), follow=True)
    assert "2 submissions queued again." in _text(answer.content)
    assert rejudge.submissions.unfinished().count() == 2


def test_history_names_all_with_where_they_are(rejudge: Rejudge, instructor: User, problem: Problem) -> None:
    page = reverse("rejudge_list", args=[problem.slug])
    assert re.search(rf"{MARK} 2 2 \S.* by instructor open", _text(_client(instructor).get(page).content))
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=instructor)
    other = rejudging.start(problem, Choice(), by=instructor, reason="again")
    rejudging.discard(other, by=instructor)
    text = _text(_client(instructor).get(page).content)
    assert "applied to 2 by instructor" in text
    assert "discarded by instructor" in text
    assert text.index("discarded by") < text.index("applied to 2")


# The students


def _pages_of(student: User) -> dict[str, str]:
    """Every page and fragment on which a student could notice something, without what time changes in it."""
    client = _client(student)
    submissions = Submission.objects.order_by("pk")
    pages = ["/", reverse("submission_list"), reverse("problem", args=["sumoftwo"])]
    pages += [reverse(name, args=[each.pk]) for name in ("submission", "submission_live") for each in submissions]
    found = {}
    for page in pages:
        html = client.get(page).content.decode()
        found[page] = re.sub(r'csrf\w*"[^>]*|nonce="[^"]*"|X-CSRFToken[^}]*', "", html)
    return found


def test_a_student_notices_nothing_until_it_is_applied(rejudge: Rejudge, student: User, instructor: User) -> None:
    untouched = _pages_of(student)
    Rejudge.objects.all().delete()
    assert _pages_of(student) == untouched
    problem = Problem.objects.get()
    again = rejudging.start(problem, Choice(), by=instructor, reason=MARK)
    judge_all(again, Verdict.TLE)
    assert _pages_of(student) == untouched
    rejudging.discard(again, by=instructor)
    assert _pages_of(student) == untouched


def test_after_applying_the_student_reads_what_was_and_why(rejudge: Rejudge, student: User, instructor: User) -> None:
    judge_all(rejudge, Verdict.AC)
    rejudging.apply(rejudge, by=instructor)
    first = Submission.objects.order_by("pk")[0]
    for name in ("submission", "submission_live"):
        text = _text(_client(student).get(reverse(name, args=[first.pk])).content)
        today = timezone.now().strftime("%Y-%m-%d")
        assert f"Judged again on {today} with version 2: WA → AC" in text
        assert MARK in text
        assert "instructor" not in text


def test_a_reason_is_text_whatever_is_in_it(rejudge: Rejudge, student: User, instructor: User) -> None:
    Rejudge.objects.update(reason="<script>alert(1)</script>")
    judge_all(rejudge, Verdict.AC)
    assert b"<script>alert" not in _client(instructor).get(reverse("rejudge", args=[rejudge.pk])).content
    rejudging.apply(rejudge, by=instructor)
    first = Submission.objects.order_by("pk")[0]
    html = _client(student).get(reverse("submission", args=[first.pk])).content
    assert b"&lt;script&gt;alert(1)" in html
    assert b"<script>alert" not in html


def test_its_pages_belong_to_the_management_of_the_problem(
    problem: Problem, newer: ProblemVersion, instructor: User, rejudge: Rejudge
) -> None:
    pages = [reverse(name, args=[problem.slug]) for name in ("rejudge_list", "rejudge_new")]
    for page in (*pages, reverse("rejudge", args=[rejudge.pk])):
        shown = _client(instructor).get(page).content.decode()
        assert f'<p class="eyebrow"><a href="{reverse("manage", args=[problem.slug])}">' in shown
        assert re.findall('aria-current="page">([^<]+)<', shown) == ["My problems"]
