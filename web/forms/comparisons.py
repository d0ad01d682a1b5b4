"""Read which submissions somebody asked to compare, from addresses and forms.

`s` names each of them (`?s=3&s=7&s=9`), oldest first whatever the order; `first` names the one that goes before the
others, with which they are compared. `a` and `b` are how links of old name two, in this order.
"""

from urllib.parse import urlencode

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, QueryDict

from judge.models import Submission
from judge.submissions.comparisons import MOST_SIDES
from web import access


def asked_submissions(user: AbstractBaseUser | AnonymousUser, parameters: QueryDict) -> list[Submission]:
    """Return the submissions in order, each once; at most MOST_SIDES + 1. Raises Http404 for an unreadable one."""
    first = parameters.get("first") or parameters.get("a") or ""
    named = [key for name in ("s", "a", "b") for key in parameters.getlist(name) if key][: 2 * MOST_SIDES]
    if not all(text.isascii() and text.isdecimal() and len(text) < 19 for text in named):
        raise Http404
    chosen = sorted(set(map(int, named)), key=lambda key: (str(key) != first, key))[: MOST_SIDES + 1]
    readable = access.readable_submissions(user).with_version().in_bulk(chosen)
    if len(readable) < len(chosen):
        raise Http404
    return [readable[key] for key in chosen]


def can_be_compared(submissions: list[Submission]) -> bool:
    """Return whether these are as many as go side by side, of one problem."""
    return 2 <= len(submissions) <= MOST_SIDES and len({submission.problem_id for submission in submissions}) == 1


def query_of(submissions: list[Submission]) -> str:
    """Return the query for these: the first one first, the others oldest first."""
    keys = [submission.pk for submission in submissions]
    query = [("s", key) for key in sorted(keys)]
    return urlencode(query if not keys or keys[0] == min(keys) else [*query, ("first", keys[0])])
