"""Generate a judge's rows after two years of use in the database: people, problems, submissions and their results.

How it works: each table is filled by INSERT ... SELECT over `generate_series`, the submissions a piece at a time. A
column that no expression is given for gets its field's default, so a new column needs nothing here. Few problems and
few people have most submissions. Judge errors lie in the first year only, so that a filter that scans back from the
newest row shows itself. The draws come from `setseed`: every run makes the same rows. No trigger fires meanwhile, and
the indexes of the submissions are built afterwards. The results are those of the last months, in a partition for each
month, as on a site that keeps them for KEPT_DAYS; those of one month more are there to be expired.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, models
from django.utils import timezone

from judge import retention
from judge.grading.experiment.spec import METRICS, ExperimentSpec, Variant
from judge.models import (
    Assignment,
    CaseRerun,
    Experiment,
    ExperimentRun,
    ExpiredResults,
    PackageUpload,
    Rejudge,
    RejudgedSubmission,
    Submission,
    TestCaseResult,
    WorkerNode,
)
from problems.jsonvalues import to_json
from problems.models import Problem, ProblemVersion

_COUNTS = ("write_calls", "read_calls", "stdout_bytes", "stderr_bytes", "voluntary_switches", "involuntary_switches")
_SOURCE = "import sys\n\n\ndef main():\n    for line in sys.stdin:\n        print(sum(map(int, line.split())))\n\n\n"
_SKEWED_PEOPLE, _SKEWED_PROBLEMS = 1.65, 2.0  # the greater, the more the first ones have
_PIECE = 500_000  # submissions of one statement
_MONTHS = 24
_KEPT_MONTHS = 3
KEPT_DAYS = 91  # of results: three months


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """The number of rows of each kind."""

    users: int = 2_000
    problems: int = 300
    submissions: int = 10_000_000
    unfinished: int = 3_000
    with_results: int = 0  # 0: those of the last KEPT_DAYS, and of a month more
    cases: int = 10
    rejudged: int = 20_000
    uploads: int = 300
    assignments: int = 40
    students: int = 300
    experiments: int = 40
    runs: int = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class People:
    """The users who request the pages."""

    many: User  # who has the most submissions
    few: User
    staff: User
    owner: User  # of the most popular problem and of its uploads


def people_of_filled() -> People:
    """The users of a database that `fill` has filled."""
    names = {"many": "student" + str(User.objects.get(username="few").pk + 1), "few": "few"}
    names |= {"staff": "staff", "owner": "owner"}
    return People(**{role: User.objects.get(username=name) for role, name in names.items()})


def fill(size: Size) -> People:
    """Make all rows in an empty database, whose library is loaded, and have it looked at by ANALYZE."""
    _run("SELECT setseed(0.25)")
    people, first_user = _users(size)
    versions = _versions(size, people.owner)
    with _without_triggers():
        with _without_indexes():
            _submissions(size, first_user, versions)
        _submissions_of_few(people.few, versions)
        _partitions(size)
        _results(size)
    _run("ANALYZE")  # what follows reads some of them
    _rejudges(size, people.staff, versions)
    _uploads(size, people.owner)
    _assignments(size, people.owner, first_user, versions)
    _experiments(size, people.owner, first_user)
    now = timezone.now() + timedelta(hours=6)  # alive as long as this is measured
    for name in ("one", "two"):
        languages = {"cpp": "g++", "python": "Python 3.11", "rust": "rustc"}
        WorkerNode.objects.create(name=name, started_at=now, last_seen_at=now, languages=languages)
    _run(
        "INSERT INTO judge_tally (problem_id, language, verdict, number)"
        " SELECT problem_id, language, verdict, count(*) FROM judge_submission WHERE status = 'done'"
        " GROUP BY 1, 2, 3"
    )
    _run("VACUUM (ANALYZE)")
    return people


def _users(size: Size) -> tuple[People, int]:
    """The people and the least id of `size.users` students that follow each other."""
    staff = User.objects.create_user("staff", is_staff=True)
    owner = User.objects.create_user("owner", is_staff=True)
    few = User.objects.create_user("few")
    first = few.pk + 1
    _insert(User, f"generate_series({first}, {first + size.users - 1}) AS n", id="n", username="'student' || n")
    _run("SELECT setval(pg_get_serial_sequence('auth_user', 'id'), max(id)) FROM auth_user")
    return People(many=User.objects.get(pk=first), few=few, staff=staff, owner=owner), first


def _versions(size: Size, owner: User) -> list[ProblemVersion]:
    """The current version of each problem, the most popular one first: the library's, then copies of them."""
    found = list(ProblemVersion.objects.filter(problem__current_version=models.F("pk")).order_by("pk"))
    for number in range(len(found), size.problems):
        like = found[number % len(found)]
        problem = Problem.objects.create(slug=f"copy-{number}", title=f"{like.title} {number}")
        like = ProblemVersion.objects.get(pk=like.pk)
        like.pk, like.problem = None, problem
        like.save()
        Problem.objects.filter(pk=problem.pk).update(current_version=like)
        found.append(like)
    Problem.objects.filter(pk__in=[each.problem_id for each in found[:5]]).update(owner=owner)
    return found


@contextmanager
def _without_triggers() -> Iterator[None]:
    """Nothing is counted row by row, and no foreign key is checked."""
    _run("SET session_replication_role = replica")
    yield
    _run("SET session_replication_role = DEFAULT")


@contextmanager
def _without_indexes() -> Iterator[None]:
    """The submissions have their primary key only; the indexes are built on one core."""
    indexes = Submission._meta.indexes
    with connection.schema_editor() as editor:
        for index in indexes:
            editor.remove_index(Submission, index)
    yield
    _run("SET maintenance_work_mem = '512MB'")
    _run("SET max_parallel_maintenance_workers = 0")
    for index in indexes:
        with connection.schema_editor() as editor:
            editor.add_index(Submission, index)
        print(f"{time.strftime('%H:%M:%S')} index {index.name}", flush=True)


def _submissions(size: Size, first_user: int, versions: list[ProblemVersion]) -> None:
    for first in range(1, size.submissions + 1, _PIECE):
        last = min(first + _PIECE - 1, size.submissions)
        _some_submissions(size, range(first, last + 1), first_user, versions)
        print(f"{time.strftime('%H:%M:%S')} {last:,} submissions", flush=True)


def _some_submissions(size: Size, numbers: range, first_user: int, versions: list[ProblemVersion]) -> None:
    done = size.submissions - size.unfinished
    rows = f"""(
        SELECT n, d, n > {done} AS is_open, 1 + floor({len(versions)} * power(random(), {_SKEWED_PROBLEMS}))::int AS p,
            {first_user} + floor({size.users} * power(random(), {_SKEWED_PEOPLE}))::int AS u,
            random() AS r, random() AS l, random() AS w,
            now() - interval '730 days' * (1 - n::float / {size.submissions}) AS at
        FROM (SELECT n, CASE WHEN n <= {done} THEN
            CASE WHEN n < {done} / 2 AND random() < 0.0005 THEN 'JE' WHEN random() < 0.0005 THEN 'OLE' ELSE
            (ARRAY['AC', 'AC', 'AC', 'AC', 'WA', 'WA', 'WA', 'TLE', 'RE', 'CE', 'AC', 'WA', 'TLE', 'RE', 'MLE', 'SLE'])
            [1 + floor(16 * random())::int] END ELSE '' END AS d
            FROM generate_series({numbers[0]}, {numbers[-1]}) AS n) AS x
        ) AS rows"""  # noqa: S608 - of numbers only
    _insert(
        Submission,
        rows,
        user_id="u",
        problem_id=f"(ARRAY{[each.problem_id for each in versions]})[p]",
        problem_version_id=f"(ARRAY{[each.pk for each in versions]})[p]",
        language="CASE WHEN l < 0.55 THEN 'python' WHEN l < 0.93 THEN 'cpp' ELSE 'rust' END",
        source=f"convert_to({_quoted(_SOURCE)} || repeat('# ' || n || md5(n::text) || E'\\n', 6), 'UTF8')",
        status="CASE WHEN NOT is_open THEN 'done' WHEN n % 20 = 0 THEN 'judging' ELSE 'queued' END",
        turn="n",
        attempt="CASE WHEN NOT is_open OR n % 20 = 0 THEN 1 ELSE 0 END",
        lease_until="CASE WHEN is_open AND n % 20 = 0 THEN now() + interval '6 hours' END",
        worker="CASE WHEN NOT is_open OR n % 20 = 0 THEN 'one/1' ELSE '' END",
        created_at="at",
        started_at="CASE WHEN NOT is_open OR n % 20 = 0 THEN at + interval '1 second' END",
        finished_at="CASE WHEN NOT is_open THEN at + interval '3 seconds' END",
        verdict="d",
        compile_ok="CASE WHEN NOT is_open THEN d <> 'CE' END",
        compile_message="CASE WHEN d = 'CE' THEN repeat('main.cpp:3:5: error: expected a semicolon\n', 9) ELSE '' END",
        test_case_count=str(size.cases),
        max_cpu_time_us="CASE WHEN d NOT IN ('', 'CE', 'JE') THEN (10000 * power(10, 2 * w))::int END",
        max_peak_memory_bytes="CASE WHEN d NOT IN ('', 'CE', 'JE') THEN (3000000 * power(10, w))::int END",
        cause="CASE WHEN d NOT IN ('TLE', 'SLE') THEN '' WHEN r < 0.4 THEN 'flush-per-line' WHEN r < 0.8 THEN"
        " 'algorithm' ELSE 'waiting' END",
        explanation=f"CASE WHEN d IN ('', 'CE', 'JE') THEN '[]'::jsonb ELSE {_explanation()} END",
        stages="CASE WHEN is_open THEN '{}'::jsonb ELSE jsonb_build_object('queue', 9000, 'compile', 300000,"
        " 'run', 1500000, 'total', 2000000) END",
    )


def _explanation() -> str:
    """A summary with its evidence, then a finding, as long as real ones."""
    counts = ", ".join(f"'{name}', (power(10, 6 * w))::int" for name in _COUNTS)
    evidence = f"jsonb_build_object('cpu_time_us', 900000, 'system_time_us', (900000 * r)::int, {counts})"
    text = _quoted("It wrote a line at a time, which took most of the time. " * 3)
    rest = f"'text', {text}, 'evidence', {evidence}, 'lines', '[]'::jsonb, 'advice', ''"
    findings = (f"jsonb_build_object('code', '{code}', {rest})" for code in ("summary", "algorithm"))
    return f"jsonb_build_array({', '.join(findings)})"


def _submissions_of_few(few: User, versions: list[ProblemVersion]) -> None:
    """Three of theirs, old ones: of the middle of the table."""
    middle = Submission.objects.order_by("pk").values_list("pk", flat=True)[Submission.objects.count() // 2]
    Submission.objects.filter(pk__in=range(middle, middle + 3)).update(user=few)
    Submission.objects.filter(pk=middle).update(problem=versions[0].problem_id, problem_version=versions[0])


def _partitions(size: Size) -> None:
    """The months with results, of which the oldest is to be expired; the results before went with theirs."""
    month = size.submissions // _MONTHS
    first = max(retention.partitions()[-1].end, size.submissions - month * (_KEPT_MONTHS + 1) + 1)
    for start in range(first, size.submissions + 1, month):
        with retention.changing():
            retention.create(start, min(start + month, size.submissions + 1))
    retention.create_ahead()
    ExpiredResults.objects.create(first=0, end=first, kept_days=KEPT_DAYS, rows=0)


def _results(size: Size) -> None:
    """Of the newest that are judged, and what was asked about some of their cases."""
    done = size.submissions - size.unfinished
    with_results = size.with_results or size.submissions // _MONTHS * (_KEPT_MONTHS + 1)
    numbers = {
        field.attname: "(power(10, 5 * random()))::int"
        for field in TestCaseResult._meta.concrete_fields
        if isinstance(field, models.PositiveBigIntegerField)
    }
    profile = json.dumps({"syscalls": {"read": 12, "write": 9}, "streams": {"stdout": {"calls": 9, "bytes": 99}}})
    _insert(
        TestCaseResult,
        f"(SELECT id, verdict, position FROM judge_submission, generate_series(0, {size.cases - 1}) AS position"  # noqa: S608
        f" WHERE id > {done - with_results} AND id <= {done} AND verdict NOT IN ('CE', 'JE')) AS s",
        submission_id="id",
        attempt="1",
        position="position",
        name="CASE WHEN position = 0 THEN 'sample/1' ELSE 'secret/' || position END",
        is_sample="position = 0",
        verdict="verdict",
        profile=f"CASE WHEN position = 0 THEN {_quoted(profile)}::jsonb END",
        **numbers,
    )
    _insert(
        CaseRerun,
        "(SELECT id, submission_id FROM judge_testcaseresult WHERE id % 50 = 0) AS r",
        submission_id="submission_id",
        result_id="id",
        status=f"CASE WHEN id % {2_000 * (1 + with_results // 100_000)} = 0 THEN 'queued' ELSE 'done' END",
    )


def _rejudges(size: Size, by: User, versions: list[ProblemVersion]) -> None:
    """Twenty small ones of the most popular problem that were applied, and a large open one."""
    for number in range(21):
        is_open = number == 20
        decided = {} if is_open else {"applied_at": timezone.now(), "settled_at": timezone.now(), "applied_by": by}
        rejudge = Rejudge.objects.create(
            problem=versions[0].problem, version=versions[0], reason=f"Reason {number}", made_by=by, **decided
        )
        chosen = (
            f"(SELECT * FROM judge_submission WHERE problem_id = {versions[0].problem_id} AND status = 'done'"  # noqa: S608
            f" ORDER BY id DESC OFFSET {number * 200} LIMIT {size.rejudged if is_open else 200}) AS s"
        )
        _insert(
            RejudgedSubmission,
            chosen,
            rejudge_id=str(rejudge.pk),
            submission_id="id",
            old_version_id="problem_version_id",
            old_attempt="attempt",
            old_verdict="verdict",
            status="'done'",
            verdict="CASE WHEN random() < 0.1 THEN 'WA' ELSE verdict END",
            applied_at="NULL" if is_open else "now()",
        )


def _uploads(size: Size, owner: User) -> None:
    """Refused ones: what is wrong with them is long. One in eight is undecided."""
    mistake = "jsonb_build_object('file', 'problem.yaml', 'key', 'limits', 'why', repeat('is wrong ', 20))"
    _insert(
        PackageUpload,
        f"generate_series(1, {size.uploads}) AS n",
        owner_id=str(owner.pk),
        name="'package' || n || '.zip'",
        size="1000",
        status="'done'",
        discarded_at="CASE WHEN n % 8 > 0 THEN now() END",
        mistakes=f"(SELECT jsonb_agg({mistake}) FROM generate_series(1, 30))",  # noqa: S608 - of constants
    )


def _assignments(size: Size, owner: User, first_user: int, versions: list[ProblemVersion]) -> None:
    for number in range(size.assignments):
        opens = timezone.now() - timedelta(days=14 * (number + 1))
        made = Assignment.objects.create(
            title=f"Week {number}", owner=owner, opens_at=opens, closes_at=opens + timedelta(days=14)
        )
        made.problems.add(*[versions[(number + step) % len(versions)].problem_id for step in (0, 1, 2, 3, 4)])
        made.students.add(*range(first_user, first_user + size.students))


def _experiments(size: Size, owner: User, first_user: int) -> None:
    """People's own, and runs of them: each as long as a real one of a hundred runs."""
    variants = tuple(Variant(name=name, language="python", source="print(1)\n" * 40) for name in ("print", "join"))
    spec = ExperimentSpec(title="Prints", question="Which is faster?", variants=variants)
    Experiment.objects.bulk_create(
        Experiment(owner=owner, spec=spec, is_published=number % 2 == 0) for number in range(size.experiments)
    )
    least = Experiment.objects.order_by("pk").values_list("pk", flat=True)[0]
    run = {"variant": "print", "destination": "file", "round": 1, "ending": "exited", "verdict": "", "timeline": []}
    run["numbers"] = dict.fromkeys(METRICS, 1_000)
    _insert(
        ExperimentRun,
        f"generate_series(1, {size.runs}) AS n",
        user_id=f"{first_user} + (n % 50)",
        key=f"'own-' || ({least} + n % {size.experiments})",
        spec=f"{_quoted(json.dumps(to_json(spec)))}::jsonb",
        total_runs="100",
        status="'done'",
        runs=f"(SELECT jsonb_agg({_quoted(json.dumps(run))}::jsonb || jsonb_build_object('round', n + i))"  # noqa: S608
        " FROM generate_series(1, 100) AS i)",
        is_shared="n % 4 = 0",
    )


def _insert(model: type[models.Model], rows: str, /, **expressions: str) -> None:
    """INSERT a row for each of the source's; what has no expression gets its default."""
    values: dict[str, str] = {}
    defaults: list[Any] = []
    for field in model._meta.concrete_fields:
        if field.attname in expressions:
            values[str(field.column)] = expressions.pop(field.attname or "").replace("%", "%%")
        elif not field.primary_key and not field.has_db_default():
            default = _default(field)
            values[str(field.column)] = "%s"
            defaults.append(default)
    assert not expressions, f"{model.__name__} has no {', '.join(expressions)}"
    columns = ", ".join(f'"{name}"' for name in values)
    table = model._meta.db_table
    _run(
        f"INSERT INTO {table} ({columns}) SELECT {', '.join(values.values())} FROM {rows.replace('%', '%%')}",  # noqa: S608 - of names of models
        defaults,
    )


def _default(field: Any) -> object:
    is_time = isinstance(field, models.DateTimeField) and (field.auto_now_add or field.auto_now)
    return field.get_db_prep_save(timezone.now() if is_time else field.get_default(), connection)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _run(sql: str, values: Mapping[str, Any] | list[Any] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
