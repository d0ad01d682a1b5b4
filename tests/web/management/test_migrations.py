"""The models and the migrations say the same, and migrating disturbs neither what runs nor what was interrupted."""

import pkgutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import JSONField
from django.db.models.functions import Cast
from django.utils.translation import override

from judge import migrations
from judge.grading.case_ending import CaseEnding
from judge.grading.compile_problem import CompileProblem, CompileStop
from judge.grading.experiment.results import RunMeasured, VariantFailed
from judge.grading.experiment.spec import CaseRef, Compared
from judge.grading.measures import STORED
from judge.models import (
    Assignment,
    CaseRerun,
    ExperimentRun,
    PackageUpload,
    Status,
    Submission,
    TestCaseResult,
    WorkerNode,
)
from problems.jsonvalues import from_row, to_json
from problems.models import Problem
from problems.translation import Sentence
from sandbox.errors import MeterProblem, MeterStop
from sandbox.types import Ending
from tests.web.experiment_rows import SPEC
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
    (name,) = (each.name for each in pkgutil.iter_modules(migrations.__path__) if each.name.startswith("0040_"))
    older = MigrationLoader(connection).project_state([("judge", name)]).apps.get_model("judge", "Submission")
    try:
        submission = Submission(
            pk=older.objects.create(
                user_id=student.pk, problem_id=problem.pk, problem_version_id=version.pk, source=b""
            ).pk
        )
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
        now = _INSERT_RESULT.replace(" detail,", "").replace("'AC', '',", "'AC',").replace("0, 's'", "1, 's'")
        cursor.execute(now, [submission.pk])
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
    call_command("migrate", "judge", "0057", verbosity=0)
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


_DISTURBED = "the machine, or a part of it, stood still during this run"


@pytest.mark.parametrize(
    ("detail", "verdict", "values"),
    [
        ("CPU time limit of 1.375 s", "TLE", {"how": "cpu_limit", "limit": 1_375, "stream": ""}),
        ("wall time limit of 3 s", "TLE", {"how": "wall_limit", "limit": 3_000, "stream": ""}),
        ("memory limit of 255 MiB", "MLE", {"how": "memory_limit", "limit": 255 << 20, "stream": ""}),
        ("output limit of 8 MiB on stderr", "OLE", {"how": "output_limit", "limit": 8 << 20, "stream": "stderr"}),
        ("killed by SIGSEGV (segmentation fault)", "RE", {"how": "signalled", "signal": "SIGSEGV"}),
        ("killed by signal 40", "RE", {"how": "signalled", "signal": "40"}),
        ("killed by a signal", "RE", {"how": "signalled", "signal": ""}),
        ("exit code 3", "RE", {"how": "exited", "exit_code": 3}),
        ("non-zero exit code", "RE", {"how": "exited", "exit_code": None}),
        (
            "12,345 write calls where at most 2,000 are allowed",
            "SLE",
            {"how": "exited", "exit_code": 0, "calls": {"what": "write", "made": 12_345, "most": 2_000}},
        ),
        (
            "more read calls than the problem allows",
            "SLE",
            {"how": "exited", "exit_code": 0, "calls": {"what": "read", "made": None, "most": None}},
        ),
        (
            "token 2: expected '1, got 2', got \"it's\"...",
            "WA",
            {
                "how": "exited",
                "exit_code": 0,
                "difference": {"number": 2, "expected": "'1, got 2'", "got": '"it\'s"...'},
            },
        ),
        (
            "token 9: expected the end of the output, got '7'",
            "WA",
            {"how": "exited", "exit_code": 0, "difference": {"number": 9, "expected": None, "got": "'7'"}},
        ),
        ("/program/main cannot be started: Exec format error", "RE", {"how": None, "text": ...}),
        ("over the limit, it read 4711", "TLE", {"how": "cpu_limit", "text": ...}),
        ("CPU time limit of 1 s and more", "TLE", {"how": "cpu_limit", "text": ...}),
    ],
)
def test_sentences_on_ends_become_values_and_others_stay(detail: str, verdict: str, values: dict[str, Any]) -> None:
    read = import_module("judge.migrations.0063_endings_as_values").ending_of(detail, verdict)
    assert read == {key: detail if value is ... else value for key, value in values.items()}
    from_row(CaseEnding, read)


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        (
            "The compiler was stopped: it used more than 10 s of CPU time.",
            CompileProblem(code=CompileStop.CPU_TIME, limit=10_000),
        ),
        ("The compiler was stopped: it took more than 9.4 s.", CompileProblem(code=CompileStop.WALL_TIME, limit=9_400)),
        (
            "The compiler was stopped: it needed more than 1024 MiB of memory.",
            CompileProblem(code=CompileStop.MEMORY, limit=1 << 30),
        ),
        (
            "The compiler was stopped: it wrote more than 8 MiB of messages.",
            CompileProblem(code=CompileStop.MESSAGES, limit=8 << 20),
        ),
        (
            "The compiler was stopped: it wrote a file of more than 64 MiB.",
            CompileProblem(code=CompileStop.FILE_SIZE, limit=64 << 20),
        ),
        (
            "The compiler left no program, or one of more than 64 MiB.",
            CompileProblem(code=CompileStop.NO_PROGRAM, limit=64 << 20),
        ),
        ("The compiler left a file that is not a program.", CompileProblem(code=CompileStop.NOT_A_PROGRAM)),
        ("The compiler refused the program without a word.", CompileProblem(code=CompileStop.SILENT)),
        (
            "The compiler crashed (killed by SIGSEGV (segmentation fault)).",
            CompileProblem(code=CompileStop.CRASHED, signal="SIGSEGV (segmentation fault)"),
        ),
        ("The compiler says: main.cpp:1:1: error", None),
        ("main.cpp:1:1: error: The compiler left a file that is not a program.", None),
    ],
)
def test_what_a_compiler_did_not_say_becomes_a_code(first: str, problem: CompileProblem | None) -> None:
    values, rest = import_module("judge.migrations.0063_endings_as_values").compile_problem_of(f"{first}\nmain.cpp:1")
    assert (from_row(CompileProblem, values) if values else None) == problem
    assert rest == ("main.cpp:1" if problem else f"{first}\nmain.cpp:1")


def _models_at(migration: str) -> Callable[[str], Any]:
    """Return the models of the judge as they were after this migration."""
    state = MigrationExecutor(connection).loader.project_state([("judge", migration)])
    return partial(state.apps.get_model, "judge")


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_rows_with_sentences_get_their_values(student: User, problem: Problem) -> None:
    """Of rows that were there, in as many steps as it takes; what an ending already says is not changed."""
    ended = CaseEnding(how=Ending.EXITED, line=7)
    older = ("CPU time limit of 1 s; run 2 times: 1.31, 1.42 s of CPU time", "non-zero exit code", "it read 4711", "")
    summary = {"code": "summary", "evidence": {"test_case": "s", "detail": "killed by SIGFPE (x)"}, "lines": []}
    measured = RunMeasured(variant="a", destination="file", round=0, ending="exited", verdict="RE", numbers={})
    older_run = {**to_json(measured), "detail": f"exit code 3; {_DISTURBED}"}
    del older_run["end"], older_run["is_disturbed"]
    call_command("migrate", "judge", "0062", verbosity=0)
    try:
        model = _models_at("0062_ending_columns")
        row = model("Submission").objects.create(
            user_id=student.pk,
            problem_id=problem.pk,
            problem_version_id=problem.versions.get().pk,
            source=b"",
            verdict="CE",
            explanation=[summary, {"code": "waiting", "evidence": {}, "lines": []}],
            compile_message="The compiler was stopped: it took more than 14 s.\nmain.cpp: x",
        )
        failed = [{"variant": "b", "message": "no"}]
        columns = {"user_id": student.pk, "key": "e1", "spec": to_json(SPEC), "total_runs": 1}
        model("ExperimentRun").objects.create(runs=[older_run], failed=failed, **columns)
        for place, detail in enumerate(older):
            verdict, ending = ("RE", to_json(ended)) if place == 1 else ("TLE", None)
            model("TestCaseResult").objects.create(
                submission_id=row.pk,
                attempt=0,
                position=place,
                name="s",
                is_sample=True,
                verdict=verdict,
                detail=detail,
                ending=ending,
                **dict.fromkeys(_NUMBERS, 0),
            )
        with patch.object(import_module("judge.migrations.0063_endings_as_values"), "_AT_ONCE", 2):
            call_command("migrate", "judge", "0063", verbosity=0)
    finally:
        call_command("migrate", "judge", verbosity=0)
    submission = Submission.objects.get()
    slow, crashed, unread, accepted = submission.results.all()
    assert (slow.ending, slow.run_times) == (CaseEnding(how=Ending.CPU_LIMIT, limit=1_000), (1_310_000, 1_420_000))
    assert (crashed.ending, crashed.run_times) == (ended, None)
    assert (unread.ending, accepted.ending) == (CaseEnding(how=Ending.CPU_LIMIT, text="it read 4711"), None)
    assert TestCaseResult.objects.filter(ending__isnull=True).get() == accepted
    assert submission.compile_problem == CompileProblem(code=CompileStop.WALL_TIME, limit=14_000)
    assert submission.compile_message == "main.cpp: x"
    evidence = submission.explanation[0].evidence
    assert evidence == {"test_case": "s", "ending": {"how": "signalled", "signal": "SIGFPE"}}
    run = ExperimentRun.objects.get()
    end = CaseEnding(how=Ending.EXITED, exit_code=3)
    assert run.runs == (replace(measured, end=end, is_disturbed=True),)
    assert run.failed == (VariantFailed(variant="b", message="no"),)


@pytest.mark.parametrize(
    ("sentence", "problem"),
    [
        ("the meter cannot be read: gone", MeterProblem(code=MeterStop.UNREADABLE, words="gone")),
        ("the meter saw no program start in the jail", MeterProblem(code=MeterStop.NO_START)),
        ("the kernel skipped 12 system calls", MeterProblem(code=MeterStop.SKIPPED, number=12)),
        ("counting system calls by name needs root", MeterProblem(code=MeterStop.NOT_ROOT)),
        (
            "system calls are counted by name on x86-64 and arm64 only, not on riscv64",
            MeterProblem(code=MeterStop.ARCHITECTURE, words="riscv64"),
        ),
        (
            "this kernel does not describe its types (/sys/kernel/btf/vmlinux): use one built with BTF",
            MeterProblem(code=MeterStop.NO_KERNEL_TYPES, words="/sys/kernel/btf/vmlinux"),
        ),
        (
            "the meter is not built: install clang and libbpf-dev, then make -C sandbox/native",
            MeterProblem(code=MeterStop.NOT_BUILT),
        ),
        (
            "the meter cannot be loaded: x: denied (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)",
            MeterProblem(code=MeterStop.NOT_LOADED, words="x: denied", lacks_capabilities=True),
        ),
        ("the meter cannot be attached: x", MeterProblem(code=MeterStop.NOT_ATTACHED, words="x")),
        ("the meter cannot count a run: x", MeterProblem(code=MeterStop.NOT_COUNTING, words="x")),
        ("the profile pass failed because of an error of ours", MeterProblem(code=MeterStop.FAILED)),
        ("BPF is off", MeterProblem(code=MeterStop.OTHER, words="BPF is off")),
    ],
)
def test_why_calls_are_not_counted_becomes_a_code(sentence: str, problem: MeterProblem) -> None:
    values = import_module("judge.migrations.0066_read_reasons").reason_of(sentence)
    assert from_row(MeterProblem, values) == problem
    assert str(problem) == sentence


@pytest.mark.django_db(transaction=True)
@pytest.mark.thorough
def test_rows_with_reasons_get_their_values(student: User, problem: Problem) -> None:
    compared = replace(SPEC, title="Submissions 3, 4 to Sum, of Two", case=CaseRef(version=1, case="secret/1"))
    version = problem.versions.get().pk
    call_command("migrate", "judge", "0065", verbosity=0)
    try:
        model = _models_at("0065_reasons_as_values")
        for reason in ("", "the kernel skipped 12 system calls"):
            model("Submission").objects.create(
                user_id=student.pk,
                problem_id=problem.pk,
                problem_version_id=version,
                source=b"",
                meter_problem=reason,
            )
        for spec in (compared, SPEC):
            columns = {"key": "submissions", "spec": to_json(spec), "total_runs": 1}
            model("ExperimentRun").objects.create(user_id=student.pk, **columns)
    finally:
        call_command("migrate", "judge", verbosity=0)
    seen, blind = Submission.objects.order_by("pk")
    assert (seen.meter_reason, blind.meter_reason) == (None, MeterProblem(code=MeterStop.SKIPPED, number=12))
    assert Submission.objects.filter(meter_reason__isnull=True).get() == seen
    run, other = ExperimentRun.objects.order_by("pk")
    assert run.compared == Compared(submissions=(3, 4), problem="Sum, of Two", case="secret/1")
    assert other.compared is None
