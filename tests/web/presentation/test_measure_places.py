"""Every number of a run stands where its row in `judge.grading.measures` says, with its label and explanation."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from judge.grading.measures import MEASURES, STORED, Kind, Measure, Place, measures_at
from judge.models import Submission
from tests.web.conftest import ResultMaker, SubmissionMaker
from tests.web.experiment_rows import make_run
from web.access.rounding import EXACT
from web.presentation.measures import measures_of
from web.presentation.units import count, of_kind

NUMBERS = {measure.name: 1_000_003 + 10_007 * place for place, measure in enumerate(STORED)}
NUMBERS |= {"wall_time_us": 9_000_017, "write_bytes": 77_777_777, "read_bytes": 55_555_551}
TEXTS = re.compile(r"<[^>]*>|&[a-z0-9#]+;")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("open_problem")]


@pytest.fixture
def submission(make_submission: SubmissionMaker, make_result: ResultMaker) -> Submission:
    """With one case, whose numbers all differ."""
    submission = make_submission()
    make_result(submission, **NUMBERS)
    return submission


def words(submission: Submission, measure: Measure, *, in_full: bool = False) -> str:
    """How the page has it."""
    value = measures_of(submission.results.get(), EXACT).value(measure)
    return count(value) if in_full else of_kind(measure.kind, value)


def page_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def between(page: str, begin: str, end: str) -> str:
    return page.partition(begin)[2].partition(end)[0]


def cells(html: str, tag: str) -> list[str]:
    """Return the words of cells, without the buttons that explain terms."""
    html = re.sub(r"<button.*?</button>", "", html, flags=re.DOTALL)
    return [TEXTS.sub("", cell).strip() for cell in re.findall(rf"<{tag}[ >].*?</{tag}>", html, re.DOTALL)]


def explained(page: str) -> list[tuple[str, str]]:
    """Return what the page tells about its numbers."""
    html = between(page, 'class="definitions"', "</dl>")
    return list(zip(cells(html, "dt"), cells(html, "dd"), strict=True))


def shown_at(*places: Place) -> list[tuple[str, str]]:
    """Return what it should tell of the numbers at these places."""
    return [(each.title, TEXTS.sub("", escape(each.explanation))) for each in MEASURES if each.places & set(places)]


def test_the_case_has_its_numbers(as_student: Client, submission: Submission) -> None:
    page = page_of(as_student, reverse("submission", args=[submission.pk]))
    html = between(page, '<dl class="pairs">', "</dl>")
    shown = measures_at(Place.CASE)
    assert cells(html, "dt") == [measure.label for measure in shown]
    for measure, told in zip(shown, cells(html, "dd"), strict=True):
        assert told.partition(" of ")[0] == words(submission, measure)
    assert explained(page) == shown_at(Place.CASE, Place.CASES)


def test_the_table_of_all_cases_has_its_numbers(as_student: Client, submission: Submission) -> None:
    html = between(page_of(as_student, reverse("submission", args=[submission.pk])), 'id="all-numbers"', "</details>")
    shown = measures_at(Place.CASES)
    assert cells(html, "th")[:-1] == ["case", "verdict", *(measure.label for measure in shown)]
    told = [words(submission, measure, in_full=measure.kind is Kind.BYTES) for measure in shown]
    assert cells(html, "td") == ["AC", *told]


def test_the_comparison_has_its_numbers(
    as_student: Client, submission: Submission, make_submission: SubmissionMaker, make_result: ResultMaker
) -> None:
    other = make_submission()
    make_result(other, **NUMBERS)
    page = page_of(as_student, f"{reverse('compare')}?s={submission.pk}&s={other.pk}")
    table = between(page, '<table class="metrics">', "</table>")
    rows = re.findall(r"<tr><th scope=\"row\".*?</tr>", table, re.DOTALL)
    shown = measures_at(Place.COMPARISON)
    assert [cells(row, "th")[0] for row in rows] == [measure.label for measure in shown]
    for measure, row in zip(shown, rows, strict=True):
        assert re.findall(r'class="number">([^<]*)<', row) == [words(submission, measure)] * 2
    assert explained(page) == shown_at(Place.COMPARISON, Place.COMPARISON_PICTURE)
    captions = [caption.removesuffix(" logarithmic").strip() for caption in cells(page, "figcaption")]
    assert captions == [measure.label for measure in measures_at(Place.COMPARISON_PICTURE)]


def test_the_experiment_has_its_numbers(as_student: Client, student: User) -> None:
    page = page_of(as_student, reverse("experiment_run", args=[make_run(student).pk]))
    table = between(page, '<table class="cells">', "</table>")
    assert cells(table, "th")[2 : 2 + len(measures_at(Place.EXPERIMENT_TABLE))] == [
        measure.title for measure in measures_at(Place.EXPERIMENT_TABLE)
    ]
    assert explained(page) == shown_at(Place.EXPERIMENT_TABLE, Place.EXPERIMENT_PICTURE)
    titles = {measure.title for measure in MEASURES}
    assert [title for title in cells(page, "h3") if title in titles] == [
        measure.title for measure in measures_at(Place.EXPERIMENT_PICTURE)
    ]
    heading = page_of(as_student, reverse("experiment_run_csv", args=[make_run(student).pk])).splitlines()[0]
    assert heading.split(",")[5:] == [measure.name for measure in measures_at(Place.EXPERIMENT)]


def test_no_place_is_forgotten_here() -> None:
    command_line = {Place.CLI_JSON, Place.TERMINAL}  # tests/judge/grading/test_measures.py
    pages = {Place.CASE, Place.CASES, Place.COMPARISON, Place.COMPARISON_PICTURE}
    experiments = {Place.EXPERIMENT, Place.EXPERIMENT_TABLE, Place.EXPERIMENT_PICTURE}
    assert set(Place) == command_line | pages | experiments
    assert all(measure.places <= set(Place) for measure in MEASURES)
