"""Record every step of every submission, by database triggers in the transaction of the step itself.

So a verdict that was decided twice is seen although the second one covers the first. `Gate` holds workers at one of
their steps: a trigger takes an advisory lock there, and whoever holds it alone makes them wait.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import psycopg

_PATIENCE_S = 120
_GATES = 7700  # the first of the two numbers of our advisory locks

_TRIGGERS = """
CREATE TABLE IF NOT EXISTS fault_steps (
    id bigserial PRIMARY KEY, submission bigint, old text, new text, attempt int, verdict text, worker text
);
CREATE OR REPLACE FUNCTION fault_note() RETURNS trigger AS $$ BEGIN
    INSERT INTO fault_steps (submission, old, new, attempt, verdict, worker)
        VALUES (NEW.id, OLD.status, NEW.status, NEW.attempt, NEW.verdict, NEW.worker);
    PERFORM pg_notify('fault_steps', NEW.status || ' ' || NEW.id);
    RETURN NULL;
END $$ LANGUAGE plpgsql;
CREATE OR REPLACE TRIGGER fault_note AFTER UPDATE ON judge_submission FOR EACH ROW
    WHEN ((OLD.status, OLD.attempt, OLD.verdict) IS DISTINCT FROM (NEW.status, NEW.attempt, NEW.verdict))
    EXECUTE FUNCTION fault_note();
CREATE OR REPLACE FUNCTION fault_gate() RETURNS trigger AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(7700, TG_ARGV[0]::int);
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE OR REPLACE TRIGGER fault_gate_1 BEFORE UPDATE ON judge_submission FOR EACH ROW
    WHEN (OLD.status = 'queued' AND NEW.status = 'judging') EXECUTE FUNCTION fault_gate(1);
CREATE OR REPLACE TRIGGER fault_gate_2 BEFORE UPDATE ON judge_submission FOR EACH ROW
    WHEN (OLD.compile_ok IS NULL AND NEW.compile_ok IS NOT NULL) EXECUTE FUNCTION fault_gate(2);
CREATE OR REPLACE TRIGGER fault_gate_3 BEFORE INSERT ON judge_testcaseresult FOR EACH ROW
    WHEN (NEW.position = 2) EXECUTE FUNCTION fault_gate(3);
CREATE OR REPLACE TRIGGER fault_gate_4 BEFORE UPDATE ON judge_submission FOR EACH ROW
    WHEN (OLD.status = 'judging' AND NEW.status = 'done') EXECUTE FUNCTION fault_gate(4);
DROP TRIGGER IF EXISTS fault_gate_5 ON judge_submission;
CREATE CONSTRAINT TRIGGER fault_gate_5 AFTER UPDATE ON judge_submission DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.status = 'judging' AND NEW.status = 'done') EXECUTE FUNCTION fault_gate(5);
"""


class Hop(IntEnum):
    """A step of a worker at which a gate can hold it: in the transaction that writes what is named."""

    CLAIM = 1
    COMPILED = 2
    THIRD_RESULT = 3
    VERDICT = 4
    COMMIT_OF_VERDICT = 5  # all is written, and PostgreSQL was told to commit


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A submission as it is now, and how often it was decided."""

    id: int
    status: str
    attempt: int
    failures: int
    verdict: str
    decided: int  # how often it became done
    changed_after: int  # how often its verdict or attempt changed after it was done
    results: tuple[tuple[int, str], ...]  # attempt and verdict of each case, in their order
    cases: int | None

    @property
    def is_done(self) -> bool:
        """Whether it has its verdict."""
        return self.status == "done"

    @property
    def is_double(self) -> bool:
        """Whether it was decided more than once, or holds results of more than one attempt."""
        mixes = any(attempt != self.attempt for attempt, _ in self.results)
        return self.decided > 1 or self.changed_after > 0 or mixes or len(self.results) > (self.cases or 0)


class Ledger:
    """Questions to the database of an installation, asked again while it is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None

    def set_up(self) -> None:
        """Add the triggers."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(_TRIGGERS)

    def ask(self, query: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=5)
                cursor = self._connection.execute(query.encode(), args)
                return cursor.fetchall() if cursor.description else []
            except psycopg.OperationalError:
                self.close_connection()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def close_connection(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
        self._connection = None

    def unfinished(self, ids: Sequence[int]) -> int:
        """How many of these are not done, or not there."""
        [(done,)] = self.ask("SELECT count(*) FROM judge_submission WHERE id = ANY(%s) AND status = 'done'", list(ids))
        return len(set(ids)) - int(done)

    def rows(self, ids: Sequence[int]) -> list[Row]:
        """What became of these; one that is not there is left out."""
        found = self.ask(
            "SELECT s.id, status, s.attempt, failures, s.verdict,"
            " (SELECT count(*) FROM fault_steps f WHERE f.submission = s.id AND f.new = 'done' AND f.old <> 'done'),"
            " (SELECT count(*) FROM fault_steps f WHERE f.submission = s.id AND f.old = 'done'),"
            " array_agg(r.attempt ORDER BY r.position), array_agg(r.verdict ORDER BY r.position), test_case_count"
            " FROM judge_submission s LEFT JOIN judge_testcaseresult r ON r.submission_id = s.id"
            " WHERE s.id = ANY(%s) GROUP BY s.id ORDER BY s.id",
            list(ids),
        )
        return [
            Row(
                id=number,
                status=status,
                attempt=attempt,
                failures=failures,
                verdict=verdict,
                decided=decided,
                changed_after=changed,
                results=tuple((a, v) for a, v in zip(attempts, verdicts, strict=True) if a is not None),
                cases=cases,
            )
            for number, status, attempt, failures, verdict, decided, changed, attempts, verdicts, cases in found
        ]

    @contextmanager
    def news(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection that hears of each step at its commit; the message is the new status and the id."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("LISTEN fault_steps")
            yield connection

    @contextmanager
    def closed_gate(self, hop: Hop) -> Iterator["Gate"]:
        """Hold every worker that comes to this step, until the end of the `with`."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s, %s)", (_GATES, int(hop)))
            yield Gate(connection, hop)


class Gate:
    """A gate that is closed."""

    def __init__(self, connection: psycopg.Connection[Any], hop: Hop) -> None:
        self._connection = connection
        self._hop = hop

    def open(self) -> None:
        """Let all go on; it stays open."""
        self._connection.execute("SELECT pg_advisory_unlock(%s, %s)", (_GATES, int(self._hop)))

    def held(self) -> list[str]:
        """The names of the workers that wait at it: of their main processes, or of those that grade."""
        found = self._connection.execute(
            "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND NOT granted",
            (_GATES, int(self._hop)),
        )
        return [name.partition(", slot ")[0] for (name,) in found.fetchall()]
