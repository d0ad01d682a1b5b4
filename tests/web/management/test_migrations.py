"""The models and the migrations say the same, and migrating disturbs neither what runs nor what was interrupted."""

import pkgutil
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import JSONField
from django.db.models.functions import Cast
from django.utils.translation import override

from judge import migrations
from judge.grading.measures import STORED
from judge.models import Assignment, CaseRerun, PackageUpload, Status, Submission, WorkerNode
from problems.models import Problem
from problems.translation import Sentence
from web.management.commands import prepare

_NUMBERS = [measure.name for measure in STORED]
_INSERT_RESULT = (
    "INSERT INTO judge_testcaseresult (submission_id, attempt, position, name, is_sample, verdict, detail, output,"  # noqa: S608 - of names of columns
    f" stderr, expected, judge_message, team_message, same_as, passes, {', '.join(_NUMBERS)})"
    f" VALUES (%s, 0, 0, 's', true, 'AC', '', '', '', '', '', '', '', 1{', 0' * len(_NUMBERS)}) RETURNING id"
)
_INSERT_RERUN = (
    "INSERT INTO judge_caserequest (result_id, examination, problem, is_automatic, status, attempt, failures, worker)"
    " VALUES (%s, 'profile', '', false, 'done', 0, 0, '')"
)
_NEW = {"turn", "stages", "last_failure", "self_test", "processes"}


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    output = StringIO()
    call_command("makemigrations", check=True, dry_run=True, verbosity=3, stdout=output)
    assert output.getvalue() == "No changes detected\n"


def _copy_as_before(kind: type[models.Model], **changed: str) -> None:
    """Insert a row as a process does that knows nothing of the new columns."""
    fields = [str(each.column) for each in kind._meta.concrete_fields]
    columns = [each for each in fields if each not in {"id", *_NEW, *changed}]
    into, table = ", ".join([*columns, *changed]), kind._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({into}) SELECT {', '.join([*columns, *['%s'] * len(changed)])} FROM {table}",  # noqa: S608 - of the model's columns
            list(changed.values()),
        )


@pytest.mark.django_db
def test_processes_of_the_version_before_still_write_rows(student: User, problem: Problem) -> None:
    version = problem.versions.get()
    Submission.objects.create(user=student, problem=problem, problem_version=version, source=b"", turn=3)
    _copy_as_before(Submission)
    row = Submission.objects.latest("pk")
    assert (row.turn, row.stages) == (0, {})
    now = row.created_at
    WorkerNode.objects.create(name="new", started_at=now, last_seen_at=now, self_test=[{}])
    _copy_as_before(WorkerNode, name="old")
    assert WorkerNode.objects.get(name="old").self_test == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_building_of_indexes_that_was_interrupted_is_done_again() -> None:
    half = ("submission_of_user", "submission_unfinished", "rejudged_of_rejudge", "user_by_upper_name")
    call_command("migrate", "judge", "0020", verbosity=0)
    try:
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX submission_by_user, submission_unfinished")
            for name in half:
                cursor.execute(f"CREATE INDEX {name} ON judge_submission (id)")
    finally:
        call_command("migrate", "judge", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index WHERE indisvalid"
            " AND indexrelid::regclass::text = ANY (%s)",
            [[*half, "submission_turn"]],
        )
        found = dict(cursor.fetchall())
        constraints = connection.introspection.get_constraints(cursor, Submission._meta.db_table)
    assert set(found) == {*half, "submission_turn"}
    assert not any(definition.endswith("USING btree (id)") for definition in found.values())
    keys = {each["foreign_key"] for each in constraints.values()}
    assert {("auth_user", "id"), (Problem._meta.db_table, "id")} <= keys


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_preparing_holds_nobody_up_for_long_at_a_busy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    call_command("migrate", "judge", "0021", verbosity=0)
    said = StringIO()
    busy = connection.copy()
    busy.set_autocommit(False)
    with busy.cursor() as cursor:  # somebody reads in a transaction that goes on
        cursor.execute("SELECT count(*) FROM judge_submission")

    def free_it(text: str) -> None:
        said.write(text)
        busy.close()

    monkeypatch.setattr(prepare, "LOCK_TIMEOUT_MS", 100)
    command = prepare.Command(stdout=StringIO())
    monkeypatch.setattr(command.stderr, "write", free_it)
    try:
        command._migrate()
    finally:
        busy.close()
        call_command("migrate", "judge", verbosity=0)
    assert "A table is busy" in said.getvalue()
    assert Submission.objects.filter(queued_again_at=None).count() == 0
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_results_that_are_there_become_the_first_partition(student: User, problem: Problem) -> None:
    version = problem.versions.get()
    call_command("migrate", "judge", "0040", verbosity=0)
    try:
        submission = Submission.objects.create(user=student, problem=problem, problem_version=version, source=b"")
        with connection.cursor() as cursor:
            cursor.execute(_INSERT_RESULT, [submission.pk])
            (result,) = cursor.fetchone()
            cursor.execute(_INSERT_RERUN, [result])
    finally:
        call_command("migrate", "judge", verbosity=0)
    rerun = CaseRerun.objects.get()
    assert (rerun.submission_id, rerun.case().pk) == (submission.pk, result)
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM judge_testcaseresult")
        assert cursor.fetchall() == [("judge_testcaseresult_0",)]
        cursor.execute(_INSERT_RERUN, [result])  # as a process of the version before does
        cursor.execute(_INSERT_RESULT.replace("0, 's'", "1, 's'"), [submission.pk])
        assert cursor.fetchone()[0] > result
    assert {each.submission_id for each in CaseRerun.objects.all()} == {submission.pk}
    with pytest.raises(IntegrityError), transaction.atomic():
        CaseRerun.objects.create(submission=submission, result_id=result + 100, examination="profile")
    submission.delete()
    assert not CaseRerun.objects.exists()


@pytest.mark.django_db
def test_what_was_judged_before_gets_its_cause_by_the_rule_of_now(
    student: User, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(*codes: str, **columns: str) -> Submission:
        explanation = [{"code": code, "text": "", "evidence": {"weight_percent": 24}} for code in ("summary", *codes)]
        version = problem.versions.get()
        given = {"status": Status.DONE, "verdict": "TLE", "explanation": explanation, "source": b"", **columns}
        return Submission.objects.create(user=student, problem=problem, problem_version=version, **given)

    light = [judged("flush-per-line") for _ in range(3)]
    known = judged("algorithm", cause="algorithm")
    none, waiting = judged("where-it-went"), judged("flush-per-line", status=Status.QUEUED, verdict="")
    (name,) = (each.name for each in pkgutil.iter_modules(migrations.__path__) if each.name.endswith("_causes_again"))
    migration = import_module(f"judge.migrations.{name}")
    monkeypatch.setattr(migration, "_AT_ONCE", 2)
    older = MigrationLoader(connection).project_state([("judge", name)]).apps
    for _ in range(2):  # also when it is done again
        migration._decide_again(older, None)
        causes = dict(Submission.objects.values_list("pk", "cause"))
        assert [causes[row.pk] for row in light] == ["flush-per-line"] * 3
        assert [causes[row.pk] for row in (known, none, waiting)] == ["algorithm", "", ""]


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_hidden_problems_stay_hidden_when_problems_get_an_audience() -> None:
    shown, hidden = (Problem.objects.create(slug=slug, title=slug) for slug in ("shown", "hidden"))
    call_command("migrate", "problems", "0012", verbosity=0)
    try:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE problems_problem SET is_hidden = true WHERE id = %s", [hidden.pk])
    finally:
        call_command("migrate", "problems", verbosity=0)
    audiences = {shown.pk: "everybody", hidden.pk: "hidden"}
    assert dict(Problem.objects.values_list("pk", "audience")) == audiences


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_problems_of_assignments_stay_when_they_get_an_order(student: User, problem: Problem) -> None:
    made = Assignment.objects.create(title="Week 1", owner=student)
    made.problems.add(problem)
    call_command("migrate", "judge", "0072", verbosity=0)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT assignment_id, problem_id FROM judge_assignment_problems")
            assert cursor.fetchall() == [(made.pk, problem.pk)]
    finally:
        call_command("migrate", "judge", verbosity=0)
    assert list(made.assigned.values_list("problem", "position")) == [(problem.pk, 0)]


@pytest.mark.django_db
def test_sentences_of_reports_are_put_in_place(student: User) -> None:
    sentence = Sentence("has more than %(most)s lines", most=7)
    older = {"ok": False, "errors": [str(sentence), "plain"], "sentences": [sentence.as_json()]}
    rows = PackageUpload.objects.filter(pk=PackageUpload.objects.create(owner=student, name="a.zip", size=1).pk)
    rows.update(report=older)
    PackageUpload.objects.create(owner=student, name="b.zip", size=1, report=None)
    state = MigrationLoader(connection).project_state([("judge", "0059_sentences_in_reports")])
    import_module("judge.migrations.0059_sentences_in_reports")._put_in_place(state.apps, None)
    kept = rows.values_list(Cast("report", JSONField()), flat=True).get()
    assert kept == {"ok": False, "errors": [sentence.as_json(), "plain"]}


@pytest.mark.django_db
def test_older_credits_are_read_once(problem: Problem) -> None:
    problem.versions.update(credits="Ada; license cc by; rights owner NWERC")
    import_module("problems.migrations.0014_attribution")._read_lines(apps, None)
    version = problem.versions.get()
    with override("ko"):
        assert version.shown_credits == "Ada; 라이선스 cc by; 권리자 NWERC"
