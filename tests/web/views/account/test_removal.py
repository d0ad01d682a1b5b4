"""Removing a person: nothing of theirs is left in any table, and nothing of anybody else's is lost."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection, models, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from judge import removal
from judge.grading.events import GradingFinished
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.verdicts import Verdict
from judge.models import (
    Assignment,
    CaseRerun,
    CustomRun,
    Experiment,
    ExperimentRun,
    Invitation,
    PackageUpload,
    Preferences,
    Rejudge,
    RejudgedSubmission,
    Removal,
    RemovedStudent,
    Share,
    SharedComparison,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)
from judge.queue.leases import LeaseLost
from judge.rejudging import rejudging
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.submissions.statistics import judged_counts
from problems.models import Problem
from tests.waiting import PATIENCE_S, wait_for
from web.identity import accounts
from web.identity.accounts import RightsStay, make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup")]
PASSWORD = "a pass phrase"

MARK = "zebra-9176"  # the person's name: it must be nowhere afterwards
_COUNTED = {
    field.name: 1 for field in TestCaseResult._meta.fields if field.get_internal_type() == "PositiveBigIntegerField"
}


@pytest.fixture
def administrator(db: None) -> User:
    """Who removes."""
    return User.objects.create_superuser("chief", password=PASSWORD)


@pytest.fixture
def colleague(db: None) -> User:
    """Another instructor, who gets what stays."""
    user = User.objects.create_user("colleague", password=PASSWORD)
    make_instructor(user)
    return user


def submission_of(user: User, problem: Problem, **columns: Any) -> Submission:
    """A judged submission with a result and a rerun of it."""
    judged = {"status": Status.DONE, "verdict": "AC", "attempt": 1, "language": "python", "source": b"print(1)"}
    sent = {"user": user, "problem": problem, "problem_version": problem.current_version}
    submission = Submission.objects.create(**(judged | sent | columns))
    case = {"submission": submission, "attempt": 1, "name": "sample/1", "is_sample": True, "verdict": "AC"}
    result = TestCaseResult.objects.create(**case, position=0, **_COUNTED)
    CaseRerun.objects.of(result, user=user, status=Status.DONE)
    return submission


@pytest.fixture
def person(problem: Problem, student: User, colleague: User, settings: Settings, own_store: None) -> User:
    """An instructor with a row in every table that points at accounts, alone or beside others."""
    person = User.objects.create_user(MARK, password=PASSWORD, email=f"{MARK}@example.org")
    make_instructor(person)
    person.user_permissions.add(Permission.objects.get(codename="add_problem"))
    own, other = submission_of(person, problem), submission_of(student, problem)
    CaseRerun.objects.of(other.results.get(), user=person, status=Status.DONE, examination="timeline")
    version = problem.current_version
    assert version
    Problem.objects.filter(pk=problem.pk).update(owner=person)
    type(version).objects.filter(pk=version.pk).update(created_by=person)
    decided = {"made_by": person, "applied_by": person, "discarded_by": person}
    rejudge = Rejudge.objects.create(problem=problem, version=version, reason="why", **decided)
    for submission in (own, other):
        old = {"old_version": version, "old_attempt": 1, "old_verdict": "AC"}
        RejudgedSubmission.objects.create(rejudge=rejudge, submission=submission, status=Status.DONE, **old)
    done = {"status": Status.DONE}
    PackageUpload.objects.create(owner=person, published_version=version, published_by=person, size=1, **done)
    PackageUpload.objects.create(owner=person, name=f"{MARK}.zip", size=1, digest="1" * 64, **done)
    taught = Assignment.objects.create(title="Taught", owner=person)
    taught.students.add(student, person)
    RemovedStudent.objects.create(assignment=taught, student=person)
    Assignment.objects.create(title="Alone", owner=person).students.add(person)
    Assignment.objects.create(title="Joined", owner=colleague).students.add(person, student)
    tomorrow = timezone.now() + timedelta(days=1)
    Invitation.objects.create(owner=person, note=MARK, most_uses=1, expires_at=tomorrow, assignment=taught)
    for owner, sides in ((person, (own, other)), (colleague, (other, own)), (colleague, (other, other))):
        shared = SharedComparison.objects.create(token=f"{owner.pk}-{sides[0].pk}-{sides[1].pk}", owner=owner)
        for position, side in enumerate(sides):
            SharedSide.objects.create(shared=shared, submission=side, position=position)
    spec = ExperimentSpec(title=MARK, question="", variants=())
    Experiment.objects.create(owner=person, spec=replace(spec, title="published"), is_published=True)
    Experiment.objects.create(owner=person, spec=spec)
    for user in (person, student):
        CustomRun.objects.create(user=user, problem_version=version, source=b"x", time_limit_ms=1, language="python")
        ExperimentRun.objects.create(user=user, key="own-1", spec=replace(spec, title=""), total_runs=1)
        Share.objects.create(user=user, line="line")
        Preferences.objects.create(user=user, shows_name=True)
        EmailAddress.objects.create(user=user, email=f"{user}@example.org", verified=True)
        SocialAccount.objects.create(user=user, provider="openid", uid=str(user))
        Authenticator.objects.create(user=user, type="totp", data={})
        kind = ContentType.objects.get_for_model(User)
        LogEntry.objects.create(user=user, content_type=kind, object_id="1", object_repr="x", action_flag=CHANGE)
        seen = {"username": str(user), "ip_address": "192.0.2.1"}
        AccessAttempt.objects.create(**seen, failures_since_start=1)
        AccessFailureLog.objects.create(**seen)
        AccessLog.objects.create(**seen)
    return person


def keys_to_accounts() -> list["models.ForeignKey[Any, Any]"]:
    """Every foreign key to the accounts, of tables of many-to-many fields too."""
    every = (model._meta.get_fields() for model in apps.get_models(include_auto_created=True))
    return [
        field
        for field in chain.from_iterable(every)
        if isinstance(field, models.ForeignKey) and field.related_model is User
    ]


def rows_of(user_id: int) -> dict[str, int]:
    """The number of rows by table and column that point at an account."""
    return {
        str(field): field.model._base_manager.filter(**{field.name: user_id}).count() for field in keys_to_accounts()
    }


def tables_with(text: str) -> set[str]:
    """The tables in which a text stands, in whatever column."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        found = set()
        for table in tables:
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT EXISTS (SELECT FROM {name} each WHERE each::text LIKE %s)", [f"%{text}%"])  # noqa: S608
            if cursor.fetchone()[0]:
                found.add(table)
    return found


def test_nothing_of_a_removed_person_is_left_in_any_table(person: User, student: User, colleague: User) -> None:
    browser = Client()
    browser.force_login(person)
    of_student = Client()
    of_student.force_login(student)
    missing = {name for name, number in rows_of(person.pk).items() if not number}
    assert missing == {"judge.Removal.user"}, "this test makes a row in every table that points at accounts"
    assert "axes_accesslog" in tables_with(MARK)
    assert accounts.remove(person, colleague)
    assert set(rows_of(person.pk).values()) == {0}
    assert not User.objects.filter(pk=person.pk).exists()
    assert tables_with(MARK) == set()
    sessions = [session.get_decoded()["_auth_user_id"] for session in Session.objects.all()]
    assert sessions == [str(student.pk)]
    assert browser.get("/account/").status_code == 302


def test_what_others_have_stays_and_what_they_need_gets_the_new_owner(
    person: User, student: User, colleague: User, problem: Problem
) -> None:
    before = rows_of(student.pk)
    assert accounts.remove(person, colleague)
    assert rows_of(student.pk) == before
    problem.refresh_from_db()
    assert problem.owner == colleague
    assert problem.versions.get() == problem.current_version
    assert PackageUpload.objects.get().owner == colleague
    assert Experiment.objects.get().owner == colleague
    taught = Assignment.objects.get(title="Taught")
    assert taught.owner == colleague
    assert [*taught.students.all()] == [student]
    assert {*Assignment.objects.values_list("title", flat=True)} == {"Taught", "Joined"}
    assert Submission.objects.get().results.count() == 1
    assert Submission.objects.get().reruns.count() == 2
    assert RejudgedSubmission.objects.get().submission == Submission.objects.get()
    links = [[side.submission.user for side in link.sides.all()] for link in SharedComparison.objects.all()]
    assert links == [[student, student]]
    assert judged_counts([problem.pk]) == {problem.pk: (1, 1)}


def test_many_submissions_go_in_pieces_and_the_account_is_closed_at_once(
    person: User, colleague: User, problem: Problem, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    for _ in range(5):
        submission_of(person, problem)
    client.force_login(person)
    monkeypatch.setattr(removal, "CHUNK", 2)
    monkeypatch.setattr(removal, "FIRST_TURN_S", -1.0)
    assert not accounts.remove(person, colleague)
    assert Submission.objects.filter(user=person.pk).count() == 4
    assert client.get("/account/").status_code == 302  # to sign in
    name = User.objects.get(pk=person.pk).username
    assert name == removal.name_while_removed(person.pk)
    answers = [Client().post("/login/", {"username": each, "password": PASSWORD}) for each in (MARK, name)]
    assert {answer.status_code for answer in answers} == {200}
    assert Removal.objects.count() == 1
    removal.carry_out_interrupted()
    assert set(rows_of(person.pk).values()) == {0}
    removal.carry_out_interrupted()  # and has nothing left to do


def test_a_worker_that_judges_a_submission_of_theirs_writes_nothing_more(student: User, problem: Problem) -> None:
    submission_of(student, problem, status=Status.QUEUED, verdict="", attempt=0)
    lease = records.claim(Submission.objects.all(), "worker/0")
    assert lease
    assert accounts.remove(student, None)
    with pytest.raises(LeaseLost):
        GradingRecord(lease).write(GradingFinished(verdict=Verdict.AC, explanation=()))
    assert not Submission.objects.exists()
    assert judged_counts([problem.pk]) in ({}, {problem.pk: (0, 0)})


def test_an_open_rejudge_goes_on_without_their_submission(person: User, colleague: User, student: User) -> None:
    RejudgedSubmission.objects.update(status=Status.DONE, verdict="WA", test_case_count=0)
    Rejudge.objects.update(applied_at=None, applied_by=None, discarded_at=None)
    assert accounts.remove(person, colleague)
    rejudging.apply(Rejudge.objects.get(), by=colleague)
    assert Submission.objects.get().verdict == "WA"


@pytest.mark.django_db(transaction=True)
def test_a_rerun_that_is_asked_for_at_the_same_moment_is_not_in_the_way(student: User, problem: Problem) -> None:
    """Its request holds the case while it begins to point at the submission: locks are taken in one order."""
    submission = submission_of(student, problem)
    held = threading.Event()

    def ask() -> None:
        with transaction.atomic():
            case = TestCaseResult.objects.select_for_update(no_key=True).get(submission=submission)
            held.set()
            wait_for(somebody_waits, "the removal waits for the case")
            CaseRerun.objects.of(case, user=student)
        connection.close()

    with ThreadPoolExecutor(1) as other:
        asking = other.submit(ask)
        assert held.wait(PATIENCE_S)
        assert accounts.remove(student, None)
        asking.result(PATIENCE_S)
    assert not CaseRerun.objects.exists()
    assert not Submission.objects.exists()


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


# On the pages


def test_the_page_says_in_numbers_what_goes_and_what_stays(client: Client, administrator: User, person: User) -> None:
    client.force_login(administrator)
    page = client.get(f"/people/{person.pk}/remove/").content.decode()
    for sentence in (
        "1 submission, with its source and its results",
        "1 custom run",
        "1 run of an experiment",
        "1 experiment that is not published",
        "1 upload that was not published",
        "1 shared comparison",
        "1 comparison that somebody else shares",
        "1 invitation: its link",
        "1 assignment that nobody else joined",
        "1 problem, with what others sent to it: it gets the new owner",
        "1 assignment that others joined",
        "1 published experiment",
    ):
        assert sentence in page


def test_an_administrator_removes_a_person_by_the_typed_name(
    client: Client, administrator: User, person: User, colleague: User, student: User
) -> None:
    client.force_login(administrator)
    address = f"/people/{person.pk}/remove/"
    for sent, field in (
        ({"name": "wrong", "new_owner": "colleague"}, "name"),
        ({"name": MARK}, "new_owner"),
        ({"name": MARK, "new_owner": "student"}, "new_owner"),
        ({"name": MARK, "new_owner": "nobody"}, "new_owner"),
        ({"name": MARK, "new_owner": MARK}, "new_owner"),
    ):
        answer = client.post(address, sent)
        assert (answer.status_code, [*answer.context["form"].errors]) == (422, [field])
    assert User.objects.filter(pk=person.pk).exists()
    answer = client.post(address, {"name": MARK, "new_owner": "colleague"}, follow=True)
    assert f"{MARK} is removed, with all data." in answer.content.decode()
    assert not User.objects.filter(pk=person.pk).exists()
    assert client.get(address).status_code == 404


def test_a_page_says_that_a_worker_goes_on(
    client: Client, administrator: User, student: User, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission_of(student, problem)
    monkeypatch.setattr(removal, "FIRST_TURN_S", -1.0)
    client.force_login(administrator)
    answer = client.post(f"/people/{student.pk}/remove/", {"name": "student"}, follow=True)
    page = answer.content.decode()
    assert "student can no longer sign in. A worker deletes the data; it takes a while." in page
    assert "1 account is being removed" in page
    assert [shown.user for shown in answer.context["people"]] == [administrator]
    assert client.get(f"/people/{student.pk}/").status_code == 404


def test_one_removes_ones_own_account_by_name_and_password(client: Client, student: User, problem: Problem) -> None:
    submission_of(student, problem)
    client.force_login(student)
    assert "1 submission" in client.get("/account/remove/").content.decode()
    answer = client.post("/account/remove/", {"name": "student", "password": "wrong"})
    assert answer.context["form"].errors == {"password": ["This is not your password."]}
    answer = client.post("/account/remove/", {"name": "student", "password": PASSWORD}, follow=True)
    assert "Your account is removed." in answer.content.decode()
    assert not User.objects.exists()
    assert not Submission.objects.exists()


def test_an_account_without_a_password_is_removed_by_its_name(client: Client, student: User) -> None:
    student.set_unusable_password()
    student.save()
    client.force_login(student)
    assert client.post("/account/remove/", {"name": "student"}).status_code == 302
    assert not User.objects.exists()


def test_passwords_are_not_tried_on_this_page_for_long(client: Client, student: User) -> None:
    client.force_login(student)
    sent = {"name": "student", "password": "wrong"}
    assert 429 in {client.post("/account/remove/", sent).status_code for _ in range(12)}
    assert client.get("/account/remove/").status_code == 200


def test_the_only_administrator_cannot_go(client: Client, administrator: User) -> None:
    client.force_login(administrator)
    assert client.get(f"/people/{administrator.pk}/remove/").headers["Location"] == "/account/remove/"
    answer = client.post("/account/remove/", {"name": "chief", "password": PASSWORD})
    assert (answer.status_code, "chief is the only administrator" in answer.content.decode()) == (422, True)
    with pytest.raises(RightsStay):
        accounts.remove(administrator, None)
    assert User.objects.get(pk=administrator.pk).is_active


def test_nothing_changes_when_there_is_nobody_to_have_what_stays(person: User) -> None:
    with pytest.raises(removal.OwnerNeeded):
        accounts.remove(person, None)
    assert User.objects.get(pk=person.pk).username == MARK
    assert Problem.objects.get().owner == person
