"""The only writer of results: from a claim to the verdict, each step in a short transaction that the fence guards.

Pages are told after each commit (`judge.queue.wakeup.announce`); they read the rows again, nothing else travels. What
comes within `gather_s` of the last write, or of the end of compiling, is gathered and written with what comes next, or
by the lease's thread when nothing does: the compiler's word, ten quick test cases and their verdict are one
transaction.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from django.db import Error, IntegrityError, connection, transaction
from django.db.models import F, Func, JSONField, Max, QuerySet, Sum, Value
from django.db.models.functions import Now
from psycopg import sql

from judge.grading.bounded import read_source
from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, GradingFinished, RerunEnded
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import LANGUAGES
from judge.grading.measures import STORED, numbers_of
from judge.grading.stages import Stage, Stopwatch, as_kept
from judge.models import CaseRerun, JudgedProgram, QueuedWork, SentSource, Status, Submission, TestCaseResult
from judge.observability import counting, logs
from judge.observability.counting import What
from judge.queue import leases, wakeup
from judge.queue.leases import Lease, LeaseLost, WorkT, fenced
from judge.reruns.kinds import RerunKind
from judge.submissions import late_evidence, trials
from problems.columns import clean, clean_json
from problems.translation import sentence_in
from sandbox.image.reading import Reader
from sandbox.types import Profile

_LEFT_OUT = 20  # unread sources are read in a row at most
GATHER_S = 0.2  # nobody follows more than a few changes of a page in a second
_MESSAGE_CHARACTERS = 64 * 1024
_FINISHED = ("status", "lease_until", "finished_at")  # what `finish` changes
ProgramT = TypeVar("ProgramT", bound=JudgedProgram)
_logger = logging.getLogger(__name__)


def claim(rows: QuerySet[WorkT], worker: str) -> Lease[WorkT] | None:
    """Take the first of these rows and tell its page; None when none is there to take."""
    with ExitStack() as until_commit, transaction.atomic():
        lease = leases.claim(rows, worker)
        if lease is None:
            return None
        until_commit.enter_context(lease.stopwatch.timed(Stage.WRITE))
    assert lease.claimed is not None
    with lease.stopwatch.timed(Stage.PUSH):
        wakeup.announce(lease.claimed, "judging")
    return lease


def release(lease: Lease[WorkT], why: str) -> None:
    """Give the row back after a failure of ours, which counts. Raises LeaseLost."""
    with fenced(lease) as row:
        leases.put_back(row, clean(why))
        counting.count(What.FAILURE, row)
    wakeup.announce(row, "released")


class GradingRecord(Generic[ProgramT]):
    """Writes the events of one attempt in their order. Safe to repeat events whose commit was left unanswered."""

    def __init__(self, lease: Lease[ProgramT], gather_s: float = 0) -> None:
        self._lease = lease
        self._gather_s = gather_s
        self._written_at = time.monotonic() if gather_s else 0.0  # since when is gathered; the claim was a write too
        self._position = 0  # of the next case that is written
        self._gathered: list[Event] = []
        self._lock = threading.Lock()  # on all above and below: the lease has a thread of its own
        self._is_late_write_due = False

    def write(self, event: Event) -> None:
        """Write one event, now or soon, the last one now: then all are written.

        Waits up to settings.LEASE_S for a database that is away. Raises LeaseLost.
        """
        stopwatch = self._lease.stopwatch
        with stopwatch.timed(Stage.WRITE), self._lock:
            self._gathered.append(event)
            if isinstance(event, CompileFinished) and self._gather_s:
                self._written_at = time.monotonic()  # quick cases follow, with which it is written
            wait_s = self._written_at + self._gather_s - time.monotonic()
            if wait_s > 0 and not isinstance(event, GradingFinished):
                self._write_in(wait_s)
                return
            program = leases.write_under_lease(self._lease, self._write_gathered)
            self._note_written()
        with stopwatch.timed(Stage.PUSH):
            self._announce(program, event)
        if isinstance(program, Submission) and isinstance(event, GradingFinished):
            trials.notify(program, event)

    def stop(self) -> None:
        """Write nothing any more: the attempt has ended, maybe with events that were gathered."""
        with self._lock:
            self._gathered = []

    def _write_in(self, wait_s: float) -> None:
        """Have the lease's thread write what is gathered if nothing else does before: the next case may take long."""
        if not self._is_late_write_due:
            self._is_late_write_due = True
            self._lease.errands.put((time.monotonic() + wait_s, self._write_late))

    def _write_late(self) -> None:
        """Write from the lease's thread. If something goes wrong here, the next write meets the same error."""
        try:
            with self._lock:
                self._is_late_write_due = False
                wait_s = self._written_at + self._gather_s - time.monotonic()
                if not self._gathered:
                    return
                if wait_s > 0:  # something else has written meanwhile, and more came
                    self._write_in(wait_s)
                    return
                last = self._gathered[-1]
                program = self._write_gathered()
                self._note_written()
            self._announce(program, last)
        except (Error, LeaseLost) as error:
            _logger.info("what was gathered is written with what comes next: %s", error)
            leases.close_connection()

    def _announce(self, program: ProgramT, news: Event) -> None:
        if program.IS_WATCHED or program.is_done:
            wakeup.announce(program, type(news).__name__)

    def _write_gathered(self) -> ProgramT:
        with fenced(self._lease) as program:
            self._write(program, self._gathered)
        return program

    def _note_written(self) -> None:
        for event in self._gathered:
            logs.log(event)
        self._position += sum(isinstance(event, CaseJudged) for event in self._gathered)
        self._gathered = []
        self._written_at = time.monotonic()

    def _write(self, program: ProgramT, events: Sequence[Event]) -> None:
        """As few statements as can be: each costs a millisecond of a slot that could grade."""
        cases = [event for event in events if isinstance(event, CaseJudged)]
        profiled = {event.name: event.result for event in events if isinstance(event, CaseProfiled)}
        _write_results(program, self._position, cases, profiled)
        columns: list[str] = []
        for event in events:
            match event:
                case CompileFinished():
                    columns += program.note(
                        compile_ok=event.ok,
                        compile_message=clean(event.message)[:_MESSAGE_CHARACTERS],
                        compile_problem=event.problem,
                        compile_wall_time_us=event.wall_time_us,
                        toolchain=clean(event.toolchain)[:200],
                        test_case_count=event.cases,
                    )
                case CaseProfiled(result=None):
                    columns += program.note(meter_reason=event.meter)
                case CaseProfiled() if all(event.name != case.name for case in cases):
                    # its case is in the database already
                    results = program.results.filter(attempt=program.attempt, name=clean(event.name)[:200])
                    results.update(profile=event.result)
                case GradingFinished():
                    columns += program.note(**_totals(program, None if self._position else cases))
                    columns += _note_verdict(program, event, self._lease.stopwatch)
                    if isinstance(program, SentSource) and event.tokens is not None:
                        columns += program.note(tokens=tokens_json(event.tokens))
        if columns:
            program.save(update_fields=columns)
        last = events[-1]
        if isinstance(program, Submission) and isinstance(last, GradingFinished):
            trials.request(program, last)
            counting.count_verdict(program)


def finish_case_request(lease: Lease[CaseRerun], event: RerunEnded[Any], facts: Facts | None = None) -> None:
    """Write what a rerun of a case told, and explain anew by it if there are `facts`. Raises LeaseLost."""

    def write() -> CaseRerun:
        with transaction.atomic():
            submission = late_evidence.hold(lease.id) if facts is not None else None
            with fenced(lease) as request:
                value = event.result
                if isinstance(value, int):  # the line of a crash: a part of its ending
                    line = Value(value, output_field=JSONField())
                    value = Func(F("ending"), Value("{line}"), line, function="jsonb_set")
                if value is not None:
                    case = TestCaseResult.objects.filter(submission=request.submission_id, pk=request.result_id)
                    case.update(**{RerunKind(request.examination).record.column: value})
                request.problem = clean(event.problem)[:300]
                finish(request)
                request.save()
                if submission is not None and facts is not None:
                    if isinstance(event, CaseProfiled) and not event.has_meter:
                        submission.save(update_fields=submission.note(meter_reason=event.meter))
                    kind = RerunKind(request.examination)
                    explained = late_evidence.explain(submission, request.case(), kind, facts)
                    if explained is not None:  # and the reruns that it suggests
                        trials.request(submission, explained)
                        transaction.on_commit(partial(trials.notify, submission, explained))
                return request

    request = leases.write_under_lease(lease, write)
    wakeup.announce(request, request.examination)
    if facts is not None:
        with suppress(IntegrityError):  # somebody asked for the same, or a rejudge replaced the case, at this moment
            trials.request_left_out(request.submission.user_id)


def _write_results(
    program: JudgedProgram, position: int, events: Sequence[CaseJudged], profiled: Mapping[str, Profile | None]
) -> None:
    """Write these cases, the first of which has this position, with one statement; `profiled` by the case's name."""
    if not events:
        return
    rows = [_columns(event, profiled.get(event.name)) for event in events]
    owner = program.results.field.column  # type: ignore[attr-defined]  # every related manager has it
    insert = _insert_into(program.results.model._meta.db_table, owner, tuple(rows[0]))
    placed = [{"position": at, **row} for at, row in enumerate(rows, position)]
    with connection.cursor() as cursor:
        cursor.execute(insert, [program.pk, program.attempt, json.dumps(placed)])


@lru_cache
def _insert_into(table: str, owner: str, columns: tuple[str, ...]) -> str:
    """Return the statement for any number of rows, which PostgreSQL reads from JSON: to pass 12 rows as parameters
    takes four times the CPU time.
    """
    place = [sql.Identifier(name) for name in (owner, "attempt", "position")]
    names = [sql.Identifier(name) for name in columns]
    statement = sql.SQL(
        "INSERT INTO {table} ({place}, {names}) "
        "SELECT %s, %s, position, {names} FROM json_populate_recordset(NULL::{table}, %s) "
        "ON CONFLICT ({place}) DO UPDATE SET {changes}"
    ).format(
        table=sql.Identifier(table),
        place=sql.SQL(", ").join(place),
        names=sql.SQL(", ").join(names),
        changes=sql.SQL(", ").join(sql.SQL("{0} = EXCLUDED.{0}").format(name) for name in names),
    )
    return statement.as_string()


def _columns(event: CaseJudged, profile: Profile | None) -> dict[str, Any]:
    return {
        "name": clean(event.name)[:200],
        "is_sample": event.is_sample,
        "verdict": event.verdict.value,
        **numbers_of(event, STORED),
        "exit_code": event.exit_code,
        "ending": clean_json(event.ending),
        "output": _hex(event.output),
        "stderr": _hex(event.stderr),
        "expected": _hex(event.expected),
        "judge_message": clean(event.judge_message)[:_MESSAGE_CHARACTERS],
        "judge_sentence": clean_json(sentence_in(event.judge_message)),
        "team_message": clean(event.team_message)[:_MESSAGE_CHARACTERS],
        "score": event.score,
        "same_as": clean(event.same_as)[:200],
        "passes": event.passes,
        "profile": clean_json(profile),
        "run_times": event.run_times or None,
    }


def _hex(content: bytes) -> str:
    """Return bytes in the hex format of PostgreSQL's bytea."""
    return rf"\x{content.hex()}"


def tokens_json(tokens: tuple[int, ...]) -> str:
    """Return the column that keeps the tokens of a source."""
    return json.dumps(tokens, separators=(",", ":")) if tokens else ""


def _totals(program: JudgedProgram, cases: Sequence[CaseJudged] | None) -> dict[str, int | None]:
    """Return the most CPU time and memory that a case used, and the write calls of all; None: read the cases' rows."""
    if cases is None:
        totals: dict[str, int | None] = program.results.filter(attempt=program.attempt).aggregate(
            max_cpu_time_us=Max(F("user_time_us") + F("system_time_us")),
            max_peak_memory_bytes=Max("peak_memory_bytes"),
            total_write_calls=Sum("write_calls"),
        )
        return totals
    return {
        "max_cpu_time_us": max((case.usage.cpu_time_us for case in cases), default=None),
        "max_peak_memory_bytes": max((case.usage.peak_memory_bytes for case in cases), default=None),
        "total_write_calls": sum(case.io.write_calls for case in cases) if cases else None,
    }


def _note_verdict(program: JudgedProgram, event: GradingFinished, stopwatch: Stopwatch) -> list[str]:
    """Put all that is known at the end into the row; return the columns that it changed."""
    finish(program)
    columns = program.note(
        verdict=event.verdict,
        score=event.score,
        max_score=event.max_score,
        groups=event.groups,
        judge_message=clean(event.judge_message)[:_MESSAGE_CHARACTERS],
        judge_sentence=sentence_in(event.judge_message),
    )
    if program.started_at is not None:  # as after every claim
        columns += program.note(stages=as_kept(stopwatch.spent_us(), program.queued_since, program.started_at))
    return [*_FINISHED, *columns, *late_evidence.note_findings(program, event)]


def finish(row: QueuedWork) -> None:
    """Note in the locked row that its work is done. Does not save."""
    row.status = Status.DONE
    row.lease_until = None
    row.finished_at = Now()


def read_left_out(reader: Reader, is_idle: Callable[[], bool]) -> int:
    """Read the tokens of the newest sources that nobody has read, as long as nobody waits; return how many.

    A submission's source is read while it is compiled, if nobody waits at that moment. In a rush it is left out, since
    it would take a tenth of the time that the queue needs: pages show plain text until it is read here. Raises
    django.db.Error.
    """
    number = 0
    unread = Submission.objects.filter(status=Status.DONE, tokens=None, language__in=LANGUAGES).order_by("-pk")
    for submission in unread.only("source", "language")[:_LEFT_OUT]:
        if not is_idle():
            break
        tokens = read_source(reader, bytes(submission.source), LANGUAGES[submission.language]).tokens
        number += Submission.objects.filter(pk=submission.pk, tokens=None).update(tokens=tokens_json(tokens))
    return number
