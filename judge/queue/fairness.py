"""Take turns between people, counted in seconds: start-time fair queueing in every line of work.

How it works: work waits in lines (`QueuedWork.line`): one for each kind, and one for what people ask for with a click.
The rows of a line are taken by (turn, id). Turns are
milliseconds of the line's own time, which goes on as work is begun: now is the least turn of all that is unfinished. A
row gets its turn when it comes: now, or, if its person is ahead of that, where the person's last work ends. It is
expected to take as long as the person's last one did. When a process has worked on it, it is charged what it took, with
all that its program slept: the person's rows that still wait move on by the difference. So ahead of a person's only row
there is at most one of each other person, however many these have sent; and who sends what takes a minute waits until
the others have had a minute each.

Work is not begun anew for somebody else, but between two steps of it others of its line pass: those who have nothing
being worked on and whose turn has come meanwhile. Together they may take as long as the work itself has until then. The
promise: one person delays another one's only row by one step (a running case) at most, or by LOOK_EVERY_S of quicker
ones. Work that students wait for more goes before that of other lines, at each step too: `judge.workers.turns`.

A turn alone lets a second submission wait for ever while others come with nothing in the queue again and again. So
every round of every worker brings forward, of each person who has nothing being judged, the first that has waited for
WAITS_LONG: it gets the least turn, and of these it is older than all that comes later.

Rows that come at the same moment may not see each other; then one of them may come a turn too early.

Source: Goyal, Vin, Cheng, "Start-time fair queueing", 1996.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from operator import itemgetter

from django.db import connection, transaction
from django.db.models import Exists, F, Min, OuterRef, Q
from django.db.models.functions import Greatest, Now

from judge.models import KINDS, CaseRerun, CustomRun, QueuedWork, Share, Status
from judge.models.queue import REQUESTED
from judge.queue import capability, leases
from judge.reruns.kinds import RerunKind

LOOK_EVERY_S = 0.1  # looking costs some ms: steps that are shorter are one
PASSING_S = 0.1  # so much time others get between the steps of any work
WAITS_LONG = timedelta(minutes=2)
COUNTS_WAIT = timedelta(seconds=10)  # findings that depend on calls by name wait no longer for submissions
EXPECTED_MS = 1_000  # of a person's first work in a line
_AT_ONCE = 100  # so many may pass between two steps


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rows:
    """Rows of a line: those of a kind, or `which` of them. `only`: the same as SQL."""

    kind: type[QueuedWork]
    which: Q = field(default_factory=Q)
    only: str = ""


# As texts: each submission asks this, and Django would take longer to write the queries than PostgreSQL to answer.
_LEAST = "(SELECT turn FROM {table} WHERE status = '{status}' {only} ORDER BY turn, id LIMIT 1)"
_TAKE_TURN = """
WITH line AS (
    SELECT COALESCE(
        LEAST({least}),
        (SELECT finish FROM judge_share WHERE line = %(line)s ORDER BY finish DESC LIMIT 1),
        0) AS now
)
INSERT INTO judge_share (user_id, line, finish, cost_ms)
    SELECT %(person)s, %(line)s, now + {expected}, {expected} FROM line
ON CONFLICT (user_id, line) DO UPDATE
    SET finish = GREATEST((SELECT now FROM line), judge_share.finish) + judge_share.cost_ms
RETURNING finish - cost_ms, cost_ms
"""


@cache
def _take_turn(line: str) -> str:
    least = [
        _LEAST.format(table=rows.kind._meta.db_table, only=rows.only, status=status)
        for rows in _LINES[line]
        for status in (Status.QUEUED.value, Status.JUDGING.value)
    ]
    return _TAKE_TURN.format(least=", ".join(least), expected=EXPECTED_MS)


def take_turn(work: QueuedWork) -> None:
    """Give a row that is about to be written its turn, which no other has if the person is held (`intake.hold`)."""
    if work.person_id is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(_take_turn(work.line), {"person": work.person_id, "line": work.line})
        work.turn, work.expected_ms = cursor.fetchone()


def charge(work: QueuedWork, spent_ms: int) -> None:
    """Charge the person for what an attempt took. Raises django.db.Error."""
    if work.person_id is None:
        return
    ahead_ms = spent_ms - work.expected_ms
    with transaction.atomic():
        share = Share.objects.filter(user=work.person_id, line=work.line)
        share.update(finish=Greatest(F("finish") + ahead_ms, 0), cost_ms=spent_ms)
        for rows in _LINES[work.line]:
            own = rows.kind._default_manager.filter(rows.which, **{rows.kind.PERSON: work.person_id})
            later = own.filter(status=Status.QUEUED, turn__gte=work.turn)
            later.update(turn=Greatest(F("turn") + ahead_ms, work.turn))


def who_may_pass(work: QueuedWork, spent_ms: int, node: str) -> list[tuple[type[QueuedWork], int]]:
    """Return the rows of its line that go before the next step of this one, which has taken so long until now: their
    kinds and ids, the first in turn first. Only what the worker `node` can do.
    """
    if work.person_id is None:
        return []
    line, passing = _LINES[work.line], list[tuple[int, int, type[QueuedWork]]]()
    for rows in line:
        others = leases.in_turn(capability.judgeable(rows.kind, node).filter(rows.which))
        others = others.filter(turn__lte=work.turn + spent_ms).exclude(**{rows.kind.PERSON: work.person_id})
        others = others.exclude(_is_worked_on(rows.kind, line))
        passing += [(turn, key, rows.kind) for turn, key in others.values_list("turn", "pk")[:_AT_ONCE]]
    return [(kind, key) for _, key, kind in sorted(passing, key=itemgetter(0, 1))[:_AT_ONCE]]


def bring_forward(node: str) -> int:
    """Move rows that have waited for long, and that the worker `node` can do, to the front; return how many."""
    number = 0
    for line in _LINES.values():
        unfinished = [rows.kind._default_manager.filter(rows.which).exclude(status=Status.DONE) for rows in line]
        turns = [rows.aggregate(least=Min("turn"))["least"] for rows in unfinished]
        least = min((turn for turn in turns if turn is not None), default=0)
        number += sum(_bring_to(least, rows, line, node) for rows in line)
    return number


def _bring_to(least: int, rows: _Rows, line: Sequence[_Rows], node: str) -> int:
    kind = rows.kind
    with transaction.atomic():
        waiting = leases.in_turn(capability.judgeable(kind, node).filter(rows.which))
        long = waiting.filter(created_at__lt=Now() - WAITS_LONG).exclude(_is_worked_on(kind, line))
        first = long.order_by(kind.PERSON, "turn", "pk").distinct(kind.PERSON).values("pk")
        # What somebody takes at this moment needs no help.
        free = kind._default_manager.select_for_update(skip_locked=True, of=("self",), no_key=True)
        late = free.filter(leases.due(), pk__in=first, turn__gt=least)
        keys = list(late.values_list("pk", flat=True))
        return kind._default_manager.filter(pk__in=keys).update(turn=least)


def requested() -> Q:
    """Return the reruns that somebody asked for."""
    return Q(is_automatic=False)


def overdue_counts() -> Q:
    """Return the automatic reruns that were to count calls by name long ago: they no longer let submissions pass."""
    return Q(examination=RerunKind.PROFILE, is_automatic=True, created_at__lt=Now() - COUNTS_WAIT)


def _is_worked_on(kind: type[QueuedWork], line: Iterable[_Rows]) -> Q:
    """Return the rows of a kind of whose person something in the line is being worked on."""
    worked_on = Q()
    for rows in line:
        same = {rows.kind.PERSON: OuterRef(kind.PERSON), "status": Status.JUDGING}
        worked_on |= Q(Exists(rows.kind._default_manager.filter(rows.which, **same)))
    return worked_on


_LINES: dict[str, tuple[_Rows, ...]] = {
    **{kind.TASK: (_Rows(kind=kind),) for kind in KINDS if kind.PERSON and kind is not CustomRun},
    CaseRerun.TASK: (_Rows(kind=CaseRerun, which=~requested(), only="AND is_automatic"),),
    REQUESTED: (_Rows(kind=CaseRerun, which=requested(), only="AND NOT is_automatic"), _Rows(kind=CustomRun)),
}
