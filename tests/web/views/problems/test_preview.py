"""The preview of a statement that is being written."""

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from problems.models import Problem
from problems.package import PageFile
from tests.web.dense import dense
from web.views.problems.preview import _LOCK

pytestmark = pytest.mark.django_db
ADDRESS = "/problems/preview/"


def send(client: Client, **fields: object) -> str:
    answer = client.post(ADDRESS, {"form": "markdown", **fields})
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def at_work(client: Client, instructor: User) -> Client:
    """A client that an instructor is signed in with."""
    client.force_login(instructor)
    return client


def test_fragment_shows_the_statement_and_nothing_around_it(at_work: Client) -> None:
    text = send(at_work, statement="# Sums\r\n\r\nAdd $a$.\r\n", language="sv")
    assert '<article class="statement" lang="sv" hx-disable>' in text
    assert ">Sums</h2>" in text
    assert "<mi>a</mi>" in text
    assert "<html" not in text
    assert "note" not in text


def test_latex_is_shown_too_and_warnings_are_said(at_work: Client) -> None:
    text = send(at_work, statement="\\begin{Input}x\\end{Input}\\frobnicate{<b>}", form="latex", language="de")
    assert ">Eingabe</h2>" in text
    assert "statement: Skipped &#x27;\\frobnicate{&lt;b&gt;}&#x27;" in text


def test_samples_have_their_places(at_work: Client) -> None:
    text = dense(send(at_work, statement="{{nextsample}}\n\nBetween\n\n{{remainingsamples}}\n\nEnd", sample_count=3))
    order = ["Sample 1<", "Between", "Samples 2, 3<", "End"]
    assert sorted(order, key=text.index) == order
    assert "asks for one more sample than there are" in send(at_work, statement="{{nextsample}}")


def test_pictures_are_those_of_the_problem_that_is_changed(at_work: Client, problem: Problem) -> None:
    version = problem.current_version
    assert version
    version.files = {"statement/cave.png": PageFile(kind="picture", bytes=9)}
    version.save()
    source = "![cave](cave.png)"
    assert 'src="/problems/sumoftwo/files/1/statement/cave.png"' in send(at_work, statement=source, problem="sumoftwo")
    alone = send(at_work, statement=source)
    assert "<img" not in alone
    assert "1 picture is missing from the page: cave.png (not in the statement&#x27;s folder" in alone


def test_pictures_that_were_chosen_are_left_to_the_browser(at_work: Client, problem: Problem) -> None:
    version = problem.current_version
    assert version
    version.files = {f"statement/{name}": PageFile(kind="picture", bytes=9) for name in ("cave.png", "tree.png")}
    version.save()
    chosen = ["tree.png", "그림 1.png", "plan.pdf", "not there.txt"]
    source = "![c](cave.png) ![t](tree.png) ![g](그림 1.png) ![p](plan.pdf) ![n](not there.png)"
    text = send(at_work, statement=source, problem="sumoftwo", chosen=chosen)
    assert 'src="/problems/sumoftwo/files/1/statement/cave.png"' in text
    assert '<img data-chosen="tree.png" alt="t">' in text
    assert '<img data-chosen="%EA%B7%B8%EB%A6%BC%201.png" alt="g">' in text
    assert "1 picture is missing from the page: plan.pdf (Tally draws it when it reads the package)" in text
    assert "1 picture is missing from the page: not there.png (not in the" in text
    assert "tree.png (" not in text


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"statement": "\\begin{itemize}", "form": "latex"}, "The statement cannot be read in line 2: unexpected end"),
        ({"statement": "x" * 524_289}, "The statement exceeds 512 KiB."),
        ({"statement": "x", "form": "docx"}, "docx is not one of the available choices"),
        ({"statement": "x", "sample_count": 1_000}, "less than or equal to 99"),
    ],
)
def test_what_is_wrong_is_said_in_the_fragment(at_work: Client, fields: dict[str, str], why: str) -> None:
    answer = at_work.post(ADDRESS, {"form": "markdown", **fields})
    assert answer.status_code == 422
    assert why in answer.content.decode()
    assert 'role="alert"' in answer.content.decode()
    assert "<article" not in answer.content.decode()


def test_hostile_statement_is_harmless_here_too(at_work: Client) -> None:
    text = send(at_work, statement="<script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>fine")
    assert "fine" in text
    assert "<script" not in text
    assert "<img" not in text


def test_one_preview_at_a_time_for_a_person(at_work: Client, instructor: User) -> None:
    other = psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None, "context": None})
    with other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCK, instructor.pk])
        answer = at_work.post(ADDRESS, {"statement": "x", "form": "markdown"})
        assert answer.status_code == 429
        assert "still being made" in answer.content.decode()
    other.close()
    assert "<p>x</p>" in send(at_work, statement="x")


def test_only_instructors_have_it(client: Client, student: User) -> None:
    assert client.post(ADDRESS, {"statement": "x", "form": "markdown"}).status_code == 302
    client.force_login(student)
    assert client.post(ADDRESS, {"statement": "x", "form": "markdown"}).status_code == 403


def test_asking_changes_nothing_so_reading_is_refused(at_work: Client) -> None:
    assert at_work.get(ADDRESS)["Location"] == "/problems/new/"
