"""Recognise work that one person sends twice: a button pressed twice, or a page loaded again that a POST had asked for.

How it works: what is taken in is compared with what its sender sent within settings.SENT_AGAIN_S. Whoever takes work
in holds the sender's row first, so of two requests at the same moment the second one waits for the first one's commit
and finds its row. Later the same is new work: a program may be judged again on purpose.
"""

from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from judge.models.queue import QueuedWork

_LATEST = 100  # rows of one person among which the same is looked for, so that an index finds them
_WorkT = TypeVar("_WorkT", bound=QueuedWork)


def first_of(rows: "QuerySet[_WorkT]", **content: Any) -> _WorkT | None:
    """Return the row among one person's `rows` that was just made of this content, marked as sent again; or None.

    Call in a transaction that holds the person's row.
    """
    latest = rows.order_by("-pk").values("pk")[:_LATEST]
    same = rows.filter(pk__in=latest, created_at__gt=Now() - timedelta(seconds=settings.SENT_AGAIN_S), **content)
    first: _WorkT | None = same.order_by("pk").first()
    if first is not None:
        first.is_sent_again = True
    return first
