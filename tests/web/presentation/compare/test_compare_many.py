"""Three and more submissions side by side: against the first, step by step, and only what is known of stopped runs."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult

pytestmark = pytest.mark.django_db

SubmissionMaker = Callable[..., Submission]
ResultMaker = Callable[..., TestCaseResult]
Sender = Callable[..., Submission]


@pytest.fixture
def send(make_submission: SubmissionMaker, make_result: ResultMaker) -> Sender:
    """A function that inserts a submission with one case that used so many milliseconds and write calls."""

    def do(cpu_ms: int, writes: int = 1, is_stopped: bool = False, **columns: object) -> Submission:
        verdict = Verdict.TLE if is_stopped else Verdict.AC
        made = make_submission(verdict=verdict, **columns)
        times = {"user_time_us": cpu_ms * 1_000, "system_time_us": 0, "wall_time_us": cpu_ms * 1_000}
        make_result(made, name="sample/1", is_sample=True, verdict=verdict, write_calls=writes, **times)
        return made

    return do


def _page(client: Client, *sides: Submission, more: str = "") -> str:
    query = "&".join(f"s={side.pk}" for side in sides)
    response = client.get(f"{reverse('compare')}?{query}{more}")
    assert response.status_code == 200
    return response.content.decode().replace("\u00a0", " ")


def _words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_three_are_told_from_the_first_to_the_last_with_the_step_that_gained_most(
    as_student: Client, send: Sender
) -> None:
    sides = send(2_400, 3_000_000, is_stopped=True), send(1_000, 640), send(990, 640)
    words = _words(_page(as_student, *sides))
    assert "From time limit exceeded (A) over accepted (B) to accepted (C)." in words
    assert "C took 0.99 s of CPU time instead of 2.40 s (at least 2.4\u00d7 less)" in words
    assert "Step by step, the CPU time: A to B at least 2.4\u00d7 less and B to C the same." in words
    assert "The gain came with the step from A to B (write calls: at least 4,700\u00d7 fewer)." in words
    assert "A was stopped at a limit on 1 case" in words


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([(900, False), (650, False), (100, False)], "Most of the gain came with the step from B to C."),
        ([(900, False), (500, False), (100, False)], "No single step gained clearly more than the others."),
        ([(500, False), (505, False), (500, False)], "No step made it faster by more than noise."),
        ([(100, False), (500, False), (900, False)], "No step made it faster by more than noise."),
        ([(2_000, True), (2_001, True), (100, False)], "Which step gained most cannot be told"),
        ([(900, False), (100, False), (2_000, True), (50, False)], "Most of the gain came with the step from C to D."),
        ([(2_000, True), (1_990, False), (100, False)], "Which step gained most cannot be told"),
    ],
)
def test_which_step_gained_most_is_said_only_where_it_is_known(
    as_student: Client, send: Sender, steps: list[tuple[int, bool]], said: str
) -> None:
    sides = [send(cpu_ms, is_stopped=is_stopped) for cpu_ms, is_stopped in steps]
    assert said in _words(_page(as_student, *sides))


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        ("A CD", "A, C and D were each stopped at a limit on 1 case, so"),
        ("  CD", "C and D were each stopped at a limit on 1 case, so"),
        (" B  ", "B was stopped at a limit on 1 case, so"),
    ],
)
def test_sides_that_were_stopped_as_often_are_told_in_one(
    as_student: Client, send: Sender, stopped: str, said: str
) -> None:
    sides = [send(1_000, is_stopped=letter != " ") for letter in stopped]
    assert said in _words(_page(as_student, *sides))


def test_sides_that_were_stopped_more_often_are_told_apart(
    as_student: Client, send: Sender, make_result: ResultMaker
) -> None:
    sides = [send(1_000, is_stopped=True) for _ in range(3)]
    for side, verdict in zip(sides, (Verdict.TLE, Verdict.AC, Verdict.AC), strict=True):
        make_result(side, name="sample/2", is_sample=True, verdict=verdict)
    said = "A was stopped at a limit on 2 cases and B and C were each stopped at a limit on 1 case"
    assert said in _words(_page(as_student, *sides))


def test_where_a_difference_lies_is_said_of_all_of_it_only_where_none_was_stopped(
    as_student: Client, send: Sender
) -> None:
    words = _words(_page(as_student, send(900), send(100)))
    assert "100 % of the difference lies outside the kernel" in words


def test_every_metric_has_a_picture_with_a_bar_for_each(as_student: Client, send: Sender) -> None:
    page = _page(as_student, send(1_000, 1_000_000), send(500, 1_000), send(250, 1))
    pictures = re.findall(r'<figure class="metric-picture">(.*?)</figure>', page, re.DOTALL)
    names = [re.search(r"<figcaption[^>]*>([^<]+)", picture)[1].strip() for picture in pictures]  # type: ignore[index]
    assert names[:4] == ["CPU time", "user time", "system time", "time blocked"]
    assert names[4:] == [
        "peak memory",
        "write calls",
        "bytes per write",
        "read calls",
        "voluntary context switches",
        "involuntary context switches",
    ]
    widths = [re.findall(r'class="series-[ab]" y="1" width="([\d.]+)%"', picture) for picture in pictures]
    assert widths[0] == ["100.0", "50.0", "25.0"]
    assert [round(float(width)) for width in widths[5]] == [100, 50, 5]  # logarithmic
    assert "logarithmic" in pictures[5]
    assert "logarithmic" not in pictures[0]


def test_a_stopped_runs_numbers_are_marked_as_lower_bounds(as_student: Client, send: Sender) -> None:
    page = _page(as_student, send(2_000, 7, is_stopped=True), send(100, 7))
    assert 'data-side="A"><span class="number">\u2265 2.00 s</span>' in page
    assert 'data-side="B"><span class="number">0.10 s</span> <span class="less">at least 20\u00d7 less</span>' in page


def test_a_case_that_one_was_not_judged_on_is_left_out_and_named(
    as_student: Client, send: Sender, make_result: ResultMaker
) -> None:
    a, b, c = send(10), send(10), send(10)
    make_result(a, name="secret/x")
    make_result(c, name="secret/x")
    page = _page(as_student, a, b, c)
    assert "On sample/1, the only test case judged in all, from A to C:" in page
    assert "Judged only in A and C: secret/x." in page
    assert page.count('<details class="case"') == 1


def test_one_can_be_left_out_and_another_be_the_one_that_others_are_compared_with(
    as_student: Client, send: Sender
) -> None:
    a, b, c = send(10), send(20), send(30)
    page = _page(as_student, a, b, c)
    assert f'href="?s={a.pk}&amp;s={c.pk}">Leave out' in page
    assert f'href="?s={a.pk}&amp;s={b.pk}&amp;s={c.pk}&amp;first={b.pk}">Use as A' in page
    assert "Leave out" not in _page(as_student, a, b)


def test_sources_are_shown_from_each_to_the_next_or_of_a_chosen_pair(as_student: Client, send: Sender) -> None:
    a, b = send(10, source=b"one\nalpha\n"), send(10, source=b"one\nbeta\n")
    c, python = send(10, source=b"one\ngamma\n"), send(10, language="python", source=b"delta\n")
    page = _words(_page(as_student, a, b, c, python))
    assert all(step in page for step in ("From A to B", "From B to C", "From C to D"))
    assert "in different languages" in page
    chosen = _words(_page(as_student, a, b, c, python, more="&pair=AC"))
    assert "From A to C" in chosen
    assert "From A to B" not in chosen
    assert "beta" not in chosen
    assert "From A to B" in _words(_page(as_student, a, b, c, more="&pair=ZZ"))


def test_numbers_of_hidden_cases_are_rounded_whoever_is_beside(
    as_student: Client, as_staff: Client, send: Sender, make_result: ResultMaker
) -> None:
    sides = [send(10), send(10), send(10)]
    for side in sides:
        make_result(side, name="secret/1", write_calls=1_234_567)
    assert "1,234,567" not in _page(as_student, *sides)
    assert "1,234,567" in _page(as_staff, *sides)
