"""Count events exactly and cheaply: `/metrics` reads a few hundred rows however many submissions there are.

How it works: whoever writes a verdict appends to the counters in the same transaction, with one statement that waits
for nobody. `judge.workers.reaper` makes one row of many; whoever reads sums up what there is.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.db import connection
from django.db.models import Sum

from judge.models import Count, QueuedWork, Submission

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)  # of a stage's time
MORE = "+Inf"
_COLUMNS = ("what", "first", "second", "number", "total_us")
# As a text: each verdict is counted, and Django's `bulk_create` takes longer than PostgreSQL.
_APPEND = """
INSERT INTO judge_count (what, first, second, number, total_us)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[])
"""


class What(StrEnum):
    """The counters; in brackets the meaning of `first` and `second`."""

    VERDICT = "verdict"  # a submission got one (language, verdict)
    STAGE = "stage"  # a stage of a submission took its time (stage, upper end of its bucket in seconds)
    LEASE_LOST = "lease lost"  # a worker stopped answering, its row was taken back (kind)
    FAILURE = "failure"  # an attempt failed by our own fault, its row went back (kind)
    GIVEN_UP = "given up"  # a row failed too often (kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    """The total of one counter."""

    what: What
    first: str
    second: str
    number: int
    total_us: int


def count_verdict(submission: Submission) -> None:
    """Count its verdict and its stages. Call in the transaction that writes them, once per submission."""
    counts = [_verdict(submission)]
    for name, took_us in submission.stages.items():
        bucket = next((str(end) for end in BUCKETS_S if took_us <= end * 1_000_000), MORE)
        counts.append(_one(What.STAGE, name, bucket, took_us))
    columns = ([getattr(count, column) for count in counts] for column in _COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, list(columns))


def count(what: What, row: QueuedWork) -> None:
    """Count what happened to a row, in the transaction that writes it; a submission that is given up got its JE."""
    _one(what, kind_of(row)).save()
    if what is What.GIVEN_UP and isinstance(row, Submission):
        _verdict(row).save()


def kind_of(row: QueuedWork | type[QueuedWork]) -> str:
    """Return the kind of work as a label: "submission", "caserequest", ..."""
    return row._meta.db_table.removeprefix("judge_")


def counted() -> list[Counted]:
    """Return all counters."""
    sums = Count.objects.order_by("what", "first", "second").values_list("what", "first", "second")
    return [
        Counted(what=What(what), first=first, second=second, number=number, total_us=total_us)
        for what, first, second, number, total_us in sums.annotate(Sum("number"), Sum("total_us"))
    ]


def _verdict(submission: Submission) -> Count:
    return _one(What.VERDICT, submission.language, submission.verdict)


def _one(what: What, first: str, second: str = "", took_us: int = 0) -> Count:
    return Count(what=what, first=first, second=second, number=1, total_us=took_us)
