"""Counting what happens, exactly and cheaply: `/metrics` reads a few hundred rows however many submissions there are.

How it works: whoever writes a verdict adds to the counters in the same transaction, with one statement. Each call takes
one of SHARDS rows per counter by chance, always in the same order, so no two wait for each other in a circle. Whoever
reads sums them up.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Sum

from judge.models import Count, QueuedWork, Submission

SHARDS = 8
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)  # of a stage's time
MORE = "+Inf"

_ADD = """INSERT INTO judge_count AS c (what, first, second, shard, number, total_us)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::int[], %s::bigint[], %s::bigint[])
ON CONFLICT (what, first, second, shard)
DO UPDATE SET number = c.number + excluded.number, total_us = c.total_us + excluded.total_us"""


class What(StrEnum):
    """What is counted; in brackets what `first` and `second` are."""

    VERDICT = "verdict"  # a submission got one (language, verdict)
    STAGE = "stage"  # a stage of a submission took its time (stage, upper end of its bucket in seconds)
    LEASE_LOST = "lease lost"  # a worker stopped answering, its row was taken back (kind)
    FAILURE = "failure"  # an attempt failed by our own fault, its row went back (kind)
    GIVEN_UP = "given up"  # a row failed too often (kind)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counted:
    """The sum of one counter."""

    what: What
    first: str
    second: str
    number: int
    total_us: int


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class _Event:
    what: str
    first: str
    second: str = ""
    took_us: int = 0


def count_verdict(submission: Submission) -> None:
    """Count its verdict and its stages. Call in the transaction that writes them, once per submission."""
    _add([_verdict(submission), *_stages(submission.stages)])


def count_lost_lease(row: QueuedWork) -> None:
    """Count, after the commit, that the row's worker stopped answering."""
    _add_later([_Event(what=What.LEASE_LOST, first=kind_of(row))])


def count_failure(row: QueuedWork) -> None:
    """Count, after the commit, that an attempt at the row failed by our own fault."""
    _add_later([_Event(what=What.FAILURE, first=kind_of(row))])


def count_given_up(row: QueuedWork) -> None:
    """Count, after the commit, that the row failed too often; a submission got its JE with that."""
    events = [_Event(what=What.GIVEN_UP, first=kind_of(row))]
    if isinstance(row, Submission):
        events.append(_verdict(row))
    _add_later(events)


def kind_of(row: QueuedWork | type[QueuedWork]) -> str:
    """The kind of work as a label: "submission", "caserequest", ..."""
    return row._meta.model_name or ""


def counted() -> list[Counted]:
    """All counters."""
    sums = Count.objects.order_by("what", "first", "second").values_list("what", "first", "second")
    return [
        Counted(what=What(what), first=first, second=second, number=number, total_us=total_us)
        for what, first, second, number, total_us in sums.annotate(Sum("number"), Sum("total_us"))
    ]


def _verdict(submission: Submission) -> _Event:
    return _Event(what=What.VERDICT, first=submission.language, second=submission.verdict)


def _stages(stages: Mapping[str, int]) -> Iterable[_Event]:
    for name, took_us in stages.items():
        bucket = next((str(end) for end in BUCKETS_S if took_us <= end * 1_000_000), MORE)
        yield _Event(what=What.STAGE, first=name, second=bucket, took_us=took_us)


def _add_later(events: list[_Event]) -> None:
    # Not in the transaction: it may hold several rows, and two such ones could wait for each other.
    transaction.on_commit(partial(_add, events), robust=True)


def _add(events: list[_Event]) -> None:
    events = sorted(events)
    shard = random.randrange(SHARDS)  # noqa: S311 - chance is all that is wanted
    columns: list[Any] = [
        [event.what for event in events],
        [event.first for event in events],
        [event.second for event in events],
        [shard] * len(events),
        [1] * len(events),
        [event.took_us for event in events],
    ]
    with connection.cursor() as cursor:
        cursor.execute(_ADD, columns)
