"""What the pages say of an interactive problem."""

import pytest
from django.contrib.auth.models import User
from django.db import models
from django.test import Client

from judge.models import Status, Submission, TestCaseResult
from problems.models import Problem, ProblemVersion
from problems.package import Sample, Spoken
from tests.web.dense import dense

pytestmark = pytest.mark.django_db
_MEASURED = [
    field.name for field in TestCaseResult._meta.get_fields() if isinstance(field, models.PositiveBigIntegerField)
]


@pytest.fixture
def interactive(problem: Problem) -> ProblemVersion:
    """The problem as an interactive one."""
    version = problem.current_version
    assert version is not None
    version.is_interactive = True
    spoken = [("interactor", "10"), ("program", "? 5"), ("interactor", "<b>"), ("", "and so on")]
    dialogue = tuple(Spoken(speaker=speaker, text=text) for speaker, text in spoken)
    version.samples = (Sample(name="sample/1", dialogue=dialogue, is_cut=True),)
    version.save()
    return version


def test_the_page_says_it_and_how_to_flush(client: Client, interactive: ProblemVersion) -> None:
    page = client.get("/problems/sumoftwo/").content.decode()
    assert '<span class="tag">interactive</span>' in dense(page)
    assert "<strong>Flush</strong>" in page
    assert "Python: <code>print(..., flush=True)</code>; C++: <code>cout &lt;&lt; flush</code>" in page
    assert "Rust: <code>flush()</code> of <code>stdout()</code>" in page
    assert "flush=True" in page
    assert '<span class="tag">interactive</span>' in client.get("/problems/").content.decode()


def test_other_pages_do_not(client: Client, problem: Problem) -> None:
    page = client.get("/problems/sumoftwo/").content.decode()
    assert "interactive" not in page
    assert "Flush" not in page


def test_a_sample_is_a_conversation(client: Client, interactive: ProblemVersion) -> None:
    page = client.get("/problems/sumoftwo/").content.decode()
    for row in (
        '<td class="said">10</td><td></td>',
        '<td></td><td class="said">? 5</td>',
        '<td class="said">&lt;b&gt;</td><td></td>',
        '<td class="soft" colspan="2">and so on</td>',
    ):
        assert row in page
    assert "only its start is shown" in page
    assert "Output" not in page.split('id="samples"')[1].split("</section>")[0]


def test_a_result_shows_no_output_that_nobody_kept(
    client: Client, interactive: ProblemVersion, student: User, instructor: User
) -> None:
    submission = Submission.objects.create(
        user=student,
        problem=interactive.problem,
        problem_version=interactive,
        language="cpp",
        source=b"int main() {}",
        status=Status.DONE,
        verdict="WA",
        attempt=1,
    )
    TestCaseResult.objects.create(
        submission=submission,
        attempt=1,
        position=0,
        name="sample/1",
        is_sample=True,
        verdict="WA",
        stderr=b"chatter",
        judge_message="asked 21 times",
        **dict.fromkeys(_MEASURED, 7),
    )
    client.force_login(student)
    page = client.get(f"/submissions/{submission.pk}/").content.decode()
    assert "chatter" in page
    assert "Your output" not in page
    assert "Expected output" not in page
    assert "First difference" not in page
    assert "asked 21 times" not in page
    client.force_login(instructor)
    assert "Message from the interactor, for staff" in client.get(f"/submissions/{submission.pk}/").content.decode()
