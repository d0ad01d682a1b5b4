"""The cause of a submission is the same wherever somebody reads it: row, result page, class view, CSV."""

import csv
from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from judge.grading.explain import CAUSES
from judge.grading.explain.evidence.rule import Reason
from judge.models import CaseRerun, Submission
from judge.reruns.kinds import RerunKind
from judge.submissions import records
from judge.submissions.class_view import ClassView
from judge.submissions.records import GradingRecord
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem
from problems.store.publishing import publish
from tests.explain.grading import Graded
from tests.judge.conftest import living_worker  # noqa: F401  # fixture
from tests.judge.submissions.test_late_evidence import Judge, count, judge  # noqa: F401  # fixture

pytestmark = [
    pytest.mark.timeout(1_800),  # the first one that asks for the labelled programs has all of them graded
    pytest.mark.usefixtures("silent_wakeup", "living_worker"),
    pytest.mark.django_db,
]
FLUSH = LIBRARY / "countton/submissions/time_limit_exceeded/flush.py"


@pytest.fixture
def problem(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Problem:
    """A problem of the library, in a store of the test's own."""
    settings.STORE_DIR = tmp_path_factory.mktemp("store")
    return publish(LIBRARY / "countton", owner=None).problem


@pytest.fixture
def student(db: None) -> User:
    """Somebody who submits."""
    return User.objects.create_user("student")


@pytest.fixture
def teacher(db: None) -> Client:
    """The browser of somebody who reads everything."""
    client = Client()
    client.force_login(User.objects.create_user("teacher", is_staff=True))
    return client


def _written(said: Graded, problem: Problem, number: int) -> Submission:
    """The row that a worker leaves with the verdict."""
    submission = Submission.objects.create(
        user=User.objects.create_user(f"student-{number}"),
        problem=problem,
        problem_version=problem.versions.get(),
        language=said.program.language,
        source=said.program.source,
    )
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    for event in said.told:
        record.write(event)
    submission.refresh_from_db()
    return submission


def _count(said: Graded, submission: Submission) -> None:
    """Write what the reruns told that came with the verdict, as the worker does."""
    facts = said.facts.with_counts({}, frozenset(said.first.awaits))
    for counted in said.counted:
        reruns = CaseRerun.objects.filter(result__submission=submission, result__name=counted.name)
        lease = records.claim(reruns.filter(examination=RerunKind.PROFILE), "w")
        assert lease is not None
        records.finish_case_request(lease, counted, facts)
    submission.refresh_from_db()


def _on_its_page(teacher: Client, submission: Submission) -> str:
    """The finding that the result page begins with; "" if none of its findings is a cause."""
    report = teacher.get(reverse("submission", args=[submission.pk])).context["report"]
    codes = [finding.code for finding in report.explanations.findings]
    return codes[0] if CAUSES.keys() & codes else ""


def _in_the_file(teacher: Client) -> dict[int, str]:
    lines = b"".join(teacher.get(reverse("submission_csv"))).decode("utf-8-sig").splitlines()
    return {int(row["submission"]): row["cause"] for row in csv.DictReader(lines)}


def _class_view(teacher: Client, problem: Problem) -> ClassView:
    (one,) = teacher.get(reverse("problem_class", args=[problem.slug])).context["classes"]
    view: ClassView = one.view
    return view


def test_the_cause_of_each_labelled_program_is_the_same_wherever_it_is_read(
    graded: Mapping[str, Graded], problem: Problem, teacher: Client
) -> None:
    rows: list[Submission] = []
    for number, said in enumerate(graded.values()):
        submission = _written(said, problem, number)
        assert _on_its_page(teacher, submission) == submission.cause, f"{said.program.file} with its verdict"
        if said.counted:
            _count(said, submission)
            assert _on_its_page(teacher, submission) == submission.cause, f"{said.program.file} once counted"
        assert (submission.cause != "") == bool({each.code for each in said.findings} & CAUSES.keys())
        rows.append(submission)
    assert _in_the_file(teacher) == {row.pk: row.cause for row in rows}
    view = _class_view(teacher, problem)
    hinted = {one.submission: (hint.cause, hint.text) for hint in view.hints for one in hint.students}
    assert hinted == {row.pk: (row.cause, CAUSES[row.cause].hint) for row in rows if row.cause and row.verdict != "AC"}
    reasons = [CAUSES[row.cause].reason if row.cause else Reason.UNCLEAR for row in rows if row.verdict == "TLE"]
    assert view.reasons == {reason: reasons.count(reason) for reason in Reason}


@pytest.mark.jail
def test_a_flush_left_in_python_is_told_to_student_and_teacher(
    judge: Judge,  # noqa: F811  # the fixture
    problem: Problem,
    teacher: Client,
) -> None:
    submission = judge(FLUSH.read_bytes())
    assert submission.verdict == "TLE"
    if count(submission).problem:
        pytest.skip("this host cannot count calls")
    assert _on_its_page(teacher, submission) == "flush-per-line"
    assert _in_the_file(teacher) == {submission.pk: "flush-per-line"}
    view = _class_view(teacher, problem)
    assert (view.reasons[Reason.IO], view.reasons[Reason.UNCLEAR]) == (1, 0)
    (hint,) = view.hints
    assert (hint.cause, [one.student for one in hint.students]) == ("flush-per-line", ["student"])
    assert hint.text == "Gather the output: one flush at the end instead of one per line."
