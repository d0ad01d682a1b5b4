"""Statistics of a problem and one's own progress: what is counted, for whom, and how exactly it is shown."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.models import Preferences, Submission
from judge.submissions import statistics
from judge.submissions.statistics import statistics_of
from problems.models import Audience, Problem, ProblemVersion
from tests.web.dense import dense
from web.presentation.statistics.problem import COLUMNS, column_bounds, histogram
from web.presentation.units import count

pytestmark = pytest.mark.django_db
MIB = 1024 * 1024
Sent = Callable[..., Submission]


@pytest.fixture
def sent(problem: Problem) -> Sent:
    """A function that writes a judged submission."""

    def send(
        user: User, verdict: str = "AC", language: str = "cpp", of: Problem = problem, **numbers: int
    ) -> Submission:
        given = {"max_cpu_time_us": 50_000, "max_peak_memory_bytes": 3 * MIB, "total_write_calls": 4_000, **numbers}
        assert of.current_version
        return Submission.objects.create(
            user=user,
            problem=of,
            problem_version=of.current_version,
            language=language,
            source=b"x",
            status="done",
            verdict=verdict,
            **given,
        )

    return send


@pytest.fixture
def page(client: Client, problem: Problem) -> Callable[[], str]:
    """The page of the problem's statistics, as its words."""
    return lambda: client.get(f"/problems/{problem.slug}/statistics/").content.decode()


def test_each_person_counts_once_with_the_best_of_all_accepted_programs(
    sent: Sent, problem: Problem, student: User, other_student: User
) -> None:
    sent(student, max_cpu_time_us=90_000, total_write_calls=10)
    sent(student, max_cpu_time_us=40_000, total_write_calls=20)
    sent(student, "TLE", max_cpu_time_us=1)
    sent(other_student, language="python")
    found = statistics_of(problem)
    assert found.solvers == {student.pk, other_student.pk}
    own = next(best for best in found.bests if best.user == student.pk)
    assert (own.cpu_time_us, own.write_calls, len(found.bests), found.is_all) == (40_000, 10, 2, True)


def test_programs_of_the_owner_and_of_staff_do_not_count(
    sent: Sent, problem: Problem, student: User, instructor: User
) -> None:
    sent(instructor)
    sent(student)
    problem.owner = student
    problem.save()
    assert statistics_of(problem).solvers == frozenset()


def test_numbers_of_another_package_are_not_compared_and_those_who_solved_it_stay(
    sent: Sent, problem: Problem, student: User, other_student: User
) -> None:
    sent(student)
    old = problem.current_version
    assert old
    fields = {field.name: getattr(old, field.name) for field in ProblemVersion._meta.fields if field.name != "id"}
    problem.current_version = ProblemVersion.objects.create(**{**fields, "number": 2, "digest": "1" * 64})
    problem.save()
    sent(other_student)
    found = statistics_of(problem)
    assert found.solvers == {student.pk, other_student.pk}
    assert [best.user for best in found.bests] == [other_student.pk]


def test_no_more_rows_are_read_than_a_page_has_time_for(
    sent: Sent, problem: Problem, student: User, other_student: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics, "MOST_PROGRAMS", 2)
    sent(other_student)
    sent(student)
    sent(student)
    found = statistics_of(problem)
    assert (found.solvers, found.is_all) == (frozenset({student.pk}), False)


def test_boards_name_nobody_and_mark_the_readers_row(
    client: Client, sent: Sent, problem: Problem, student: User, other_student: User, page: Callable[[], str]
) -> None:
    sent(student, max_cpu_time_us=50_000)
    sent(other_student, max_cpu_time_us=20_000)
    assert "<strong>you</strong>" not in dense(page())
    client.force_login(student)
    shown = page()
    assert other_student.username not in shown.replace("another", "")
    rows = client.get(f"/problems/{problem.slug}/statistics/").context["page"].boards[0].rows
    assert [(row.place, row.is_own) for row in rows] == [(1, False), (2, True)]
    assert "you: 50" in shown


def test_board_names_who_chose_to_show_the_name(
    sent: Sent, problem: Problem, student: User, other_student: User, page: Callable[[], str]
) -> None:
    sent(student)
    sent(other_student)
    Preferences.objects.create(user=student, shows_name=True)
    assert f"<td>{student.username}</td>" in dense(page())
    assert f"<td>{other_student.username}</td>" not in dense(page())


def test_equal_numbers_share_a_place_also_when_they_are_only_shown_as_equal(
    client: Client, sent: Sent, problem: Problem, student: User, other_student: User
) -> None:
    sent(student, max_cpu_time_us=123_456)
    sent(other_student, max_cpu_time_us=121_111)
    client.force_login(student)
    fastest = client.get(f"/problems/{problem.slug}/statistics/").context["page"].boards[0]
    assert [(row.place, row.is_own) for row in fastest.rows] == [(1, True), (1, False)]
    assert {row.words for row in fastest.rows} == {"0.12\N{NO-BREAK SPACE}s"}, "rounded, since its cases are hidden"


def test_own_row_is_shown_below_the_board(client: Client, sent: Sent, problem: Problem, student: User) -> None:
    for number in range(11):
        sent(User.objects.create_user(f"quick{number}"), max_cpu_time_us=20_000 + 10_000 * number)
    sent(student, max_cpu_time_us=900_000)
    client.force_login(student)
    fastest = client.get(f"/problems/{problem.slug}/statistics/").context["page"].boards[0]
    assert (len(fastest.rows), fastest.own.place) == (10, 12)


@pytest.mark.parametrize(("shows", "boards", "languages"), [("boards", 2, 1), ("spread", 0, 1), ("none", 0, 0)])
def test_instructor_decides_how_much_is_shown(
    client: Client, sent: Sent, problem: Problem, student: User, shows: str, boards: int, languages: int
) -> None:
    Problem.objects.update(statistics=shows)
    sent(student)
    found = client.get(f"/problems/{problem.slug}/statistics/").context["page"]
    assert (found.solvers, len(found.boards), len(found.languages)) == (1, boards, languages)


def test_hidden_problem_has_no_statistics_for_students(client: Client, problem: Problem, student: User) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    client.force_login(student)
    assert client.get(f"/problems/{problem.slug}/statistics/").status_code == 404


def test_nobody_yet_is_said(page: Callable[[], str], problem: Problem) -> None:
    assert "Nobody has solved this problem yet." in page()


@pytest.mark.parametrize(
    ("least", "largest"), [(0, 0), (0, 1), (5, 5), (7, 19), (0, 10**9), (3, 900_000), (100, 2_000), (1, 10**18)]
)
def test_columns_follow_the_data(least: int, largest: int) -> None:
    bounds = column_bounds(least, largest)
    assert bounds == sorted(set(bounds))
    assert bounds[0] <= least
    assert bounds[-1] > largest
    assert 1 <= len(bounds) - 1 <= COLUMNS + 8


def test_every_number_is_in_a_column_and_one_person_is_no_full_one() -> None:
    drawn = histogram("calls", [3, 4_100, 4_200, 900_000], 4_200, count)
    assert drawn is not None
    assert sum(column.number for column in drawn.columns) == 4
    assert [column.number for column in drawn.columns if column.is_own] == [2]
    assert max(column.height for column in drawn.columns) == 40
    assert histogram("calls", [], None, count) is None


def test_progress_has_what_is_solved_begun_and_next(
    client: Client, sent: Sent, problem: Problem, student: User
) -> None:
    begun = _another(problem, "begun")
    following = _another(problem, "following")
    hidden = _another(problem, "hidden", audience=Audience.HIDDEN)
    sent(student, "WA")
    sent(student, total_write_calls=9_000)
    sent(student, total_write_calls=300)
    sent(student, "TLE", of=begun)
    sent(student, of=hidden)
    client.force_login(student)
    found = client.get("/progress/").context["progress"]
    (solved,) = found.solved
    assert (solved.tries, solved.first_write_calls, solved.best_write_calls) == (3, 9_000, 300)
    assert [(one.problem, one.last.verdict) for one in found.begun] == [(begun, "TLE")]
    assert found.following == [following]
    assert found.total == 3, "the hidden one is no problem of the list"


def test_progress_is_ones_own(client: Client, problem: Problem) -> None:
    assert client.get("/progress/").status_code == 302


def _another(problem: Problem, slug: str, **fields: object) -> Problem:
    version = problem.current_version
    assert version
    made = Problem.objects.create(slug=slug, title=slug, **fields)
    columns = {field.name: getattr(version, field.name) for field in ProblemVersion._meta.fields if field.name != "id"}
    made.current_version = ProblemVersion.objects.create(**{**columns, "problem": made})
    made.save()
    return made
