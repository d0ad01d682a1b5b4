"""Slow down an address that tries passwords of many accounts, without slowing down others.

How it works: django-axes keeps a row for each name and address with wrong passwords, until its cool-off is over or the
right one comes. Of an address with settings.LOGIN_FAILURES_PER_ADDRESS of them, the next try is looked at a second
after the last wrong one, and each further wrong one makes that a second more, up to MOST_WAIT_S. A try that comes
too early is not looked at and not counted. One name counts as often as it takes to lock it, so that nobody slows
others down with an account that is locked anyway.

A school has one address for all: so a browser in which somebody has signed in before says so by a signed cookie, and
is not slowed for that account. What locks an account (settings.AXES_FAILURE_LIMIT) holds for it as for all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from math import ceil

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import F, Max, Sum
from django.db.models.functions import Least
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from web.identity.accounts import as_kept
from web.server.client_address import client_address, lock_key

MOST_WAIT_S = 60
KNOWN_FOR = timedelta(days=180)  # so long a browser is remembered
_COOKIE, _SALT = "signed_in_before", "web.server.login_throttle"  # its former place, which signed cookies know
LOCK = 0x4C67  # names the locks of this module among PostgreSQL's advisory ones


@contextmanager
def turn(request: HttpRequest) -> Iterator[int]:
    """Yield 0 if a password may be tried in the `with`; else the seconds until this address's next turn.

    Of an address that is slowed down one try is looked at at a time.
    """
    address = client_address(request)
    if _failures(address)[0] < settings.LOGIN_FAILURES_PER_ADDRESS or _is_known(request):
        yield 0
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCK, lock_key(address)])
            (is_first,) = cursor.fetchone()
        if not is_first:
            yield 1
            return
        failures, ago_s = _failures(address)
        over = failures - settings.LOGIN_FAILURES_PER_ADDRESS
        yield max(0, ceil(min(over + 1, MOST_WAIT_S) - ago_s))


def remember(request: HttpRequest, response: HttpResponseBase) -> None:
    """Record that this request's user signed in, so that this browser is known for the account from now on."""
    response.set_signed_cookie(
        _COOKIE, str(request.user.pk), salt=_SALT, max_age=KNOWN_FOR, httponly=True, samesite="Lax"
    )


def _failures(address: str | None) -> tuple[int, float]:
    """Return how many wrong passwords came from there lately, and how many seconds ago the last one."""
    threshold = timezone.now() - settings.AXES_COOLOFF_TIME
    failures = AccessAttempt.objects.filter(ip_address=address, attempt_time__gte=threshold).aggregate(
        number=Sum(Least(F("failures_since_start"), settings.AXES_FAILURE_LIMIT)), last=Max("attempt_time")
    )
    if failures["last"] is None:
        return 0, 0.0
    return failures["number"], (timezone.now() - failures["last"]).total_seconds()


def _is_known(request: HttpRequest) -> bool:
    """Return whether somebody signed in to this very account with this browser."""
    key = request.get_signed_cookie(_COOKIE, default="", salt=_SALT, max_age=KNOWN_FOR) or ""
    user = get_user_model()._default_manager.filter(pk=int(key)).first() if key.isdecimal() else None
    return user is not None and user.get_username() == as_kept(request.POST.get("username", ""))
