"""The home page, the help page, and the recorded example."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import Submission
from problems.management.commands.load_library import LIBRARY
from problems.models import Audience, Problem
from web.presentation.welcome.example import COMMAND, EXAMPLE, PROBLEM, example

pytestmark = pytest.mark.django_db
TERMS = {"kernel", "system-call", "write-call", "user-time", "system-time", "context-switch", "cpu-time", "wall-time"}
TERMS |= {"peak-memory", "buffered", "verdicts"}


def test_stranger_reads_why_tally_exists_a_result_and_where_to_start(client: Client, problem: Problem) -> None:
    Problem.objects.update(difficulty="first")
    page = client.get("/").content.decode()
    assert "Why is my correct program too slow?" in page
    assert f'href="/problems/{problem.slug}/">Start here: {problem.title}</a>' in page
    assert 'href="/problems/"' in page
    assert "A recorded example, not a submission to this site" in page
    assert COMMAND in page
    assert page.count('class="time-bar"') == 2


def test_home_starts_with_no_problem_that_the_reader_may_not_see(client: Client, problem: Problem) -> None:
    Problem.objects.update(difficulty="first", audience=Audience.HIDDEN)
    page = client.get("/")
    assert page.context["first"] is None
    assert problem.title not in page.content.decode()


def test_home_is_there_for_somebody_signed_in_with_what_is_solved(
    client: Client, problem: Problem, student: User
) -> None:
    Submission.objects.create(
        user=student,
        problem=problem,
        problem_version=problem.versions.get(),
        language="cpp",
        source=b"x",
        status="done",
        verdict="AC",
    )
    client.force_login(student)
    page = client.get("/").content.decode()
    assert "Why is my correct program too slow?" in page
    assert "You have solved 1 of 1" in page


def test_example_is_what_the_library_has_and_tells_the_cause() -> None:
    recorded = json.loads(EXAMPLE.read_text())
    for program in recorded["programs"]:
        assert (LIBRARY / PROBLEM / "submissions" / program["file"]).read_text() == program["source"]
    slow, quick = example().programs
    assert (slow.verdict, quick.verdict) == (Verdict.TLE, Verdict.AC)
    assert slow.finding is not None
    assert "write calls" in slow.finding.html
    assert quick.finding is None
    assert [line.html for line in slow.lines if line.is_other], "the line to blame is marked"
    assert slow.measures["write_calls"] > 100 * quick.measures["write_calls"]


def test_help_explains_every_term_verdict_and_language_at_an_address_of_its_own(client: Client) -> None:
    page = client.get("/help/").content.decode()
    ids = re.findall(r'id="([^"]+)"', page)
    assert set(ids) >= TERMS
    assert {verdict.lower() for verdict in Verdict} <= set(ids)
    assert len(ids) == len(set(ids))
    assert all(language.name in page for language in LANGUAGES.values())
    assert "-std=c++20" in page
    assert "/usr" not in page, "no path of the host"


def test_every_page_leads_to_help(client: Client) -> None:
    assert 'href="/help/"' in client.get("/problems/").content.decode()
