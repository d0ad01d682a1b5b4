"""The problem list and a problem's page."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.models import Status, Submission
from problems.models import Audience, Problem, ProblemVersion

pytestmark = pytest.mark.django_db


def send(user: User, problem: Problem, verdict: str) -> Submission:
    assert problem.current_version
    status = Status.DONE if verdict else Status.QUEUED
    return Submission.objects.create(
        user=user,
        problem=problem,
        problem_version=problem.current_version,
        language="cpp",
        source=b"int main() {}",
        status=status,
        verdict=verdict,
    )


def test_empty_list_says_so(client: Client) -> None:
    assert "No problems are open yet." in client.get("/problems/").content.decode()


def test_list_shows_limits_and_acceptance(client: Client, problem: Problem, student: User) -> None:
    for verdict in ("AC", "WA", "JE", ""):
        send(student, problem, verdict)
    page = client.get("/problems/")
    assert "1.5\N{NO-BREAK SPACE}s" in page.content.decode()
    listed = page.context["problems"][0]
    assert (listed.accepted, listed.judged) == (1, 2), "neither ours nor unfinished ones count"


def test_best_verdict_is_accepted_even_when_later_ones_failed(
    client: Client, problem: Problem, student: User, other_student: User
) -> None:
    send(student, problem, "WA")
    accepted = send(student, problem, "AC")
    send(student, problem, "TLE")
    send(other_student, problem, "WA")
    client.force_login(student)
    listed = client.get("/problems/").context["problems"][0]
    assert (listed.own.verdict, listed.own.submission) == ("AC", accepted.pk)
    client.force_login(other_student)
    assert client.get("/problems/").context["problems"][0].own.verdict == "WA"


def test_hidden_problem_is_not_there_for_students(
    client: Client, problem: Problem, student: User, instructor: User
) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    for person in (None, student):
        if person:
            client.force_login(person)
        assert client.get(f"/problems/{problem.slug}/").status_code == 404
        assert problem.title not in client.get("/problems/").content.decode()
    client.force_login(instructor)
    assert client.get(f"/problems/{problem.slug}/").status_code == 200


def test_problem_without_a_version_is_not_there_for_anybody(client: Client, instructor: User) -> None:
    Problem.objects.create(slug="draft", title="Draft")
    client.force_login(instructor)
    assert client.get("/problems/editing/draft/").status_code == 404
    assert "Draft" not in client.get("/problems/").content.decode()


def test_stranger_reads_the_statement_and_is_asked_to_sign_in(client: Client, problem: Problem) -> None:
    page = client.get(f"/problems/{problem.slug}/").content.decode()
    assert "<p>Add <math><mi>a</mi></math> and b.</p>" in page
    assert ">1 2\n</pre>" in page
    assert f'href="/login/?next=/problems/{problem.slug}/"' in page
    assert "<textarea" not in page


def test_editor_starts_with_the_language_used_last(client: Client, problem: Problem, student: User) -> None:
    client.force_login(student)
    address = f"/problems/{problem.slug}/"
    assert '<option value="cpp" selected>' not in client.get(address).content.decode()
    send(student, problem, "AC")
    assert '<option value="cpp" selected>' in client.get(address).content.decode()


def test_page_says_when_nobody_judges(client: Client, problem: Problem, student: User) -> None:
    send(student, problem, "")
    client.force_login(student)
    page = client.get(f"/problems/{problem.slug}/").content.decode()
    assert "No worker is running." in page
    assert "1 submission is already waiting." in page


def test_titles_are_escaped(client: Client, problem: Problem) -> None:
    Problem.objects.update(title="<script>alert(1)</script>")
    ProblemVersion.objects.update(title="<script>alert(1)</script>")
    for address in ("/problems/", f"/problems/{problem.slug}/"):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_policy_allows_neither_inline_code_nor_eval(client: Client, problem: Problem, student: User) -> None:
    client.force_login(student)
    answer = client.get(f"/problems/{problem.slug}/")
    policy = answer.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "'nonce-" in policy, "the editor's styles need it"
    assert " style=" not in answer.content.decode()
