"""Each account's preferences at work: its time zone while a request is answered, its colours in templates.

How it works: nearly every page of somebody who is signed in asks for their preferences and for their permissions. One
statement reads both, when a request first needs to know who asks, so that addresses which need not (the probes) ask
nothing of the database. Without an account: the browser's own scheme and zone. A browser tells its zone in a cookie
(`web/frontend/parts/zone.js`); UTC holds until it has.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from judge.models import Preferences
from judge.models.preferences import BROWSERS_ZONE

Handler = Callable[[HttpRequest], HttpResponseBase]
_REGIONS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia"),
    *("Atlantic", "Australia", "Europe", "Indian", "Pacific"),
)
_KEPT = "_preferences"  # where a request keeps them
_COOKIE = "time_zone"  # as web/frontend/parts/zone.js names it
DEFAULT_ZONE = "UTC"


def of_request(request: HttpRequest) -> Preferences:
    """Return the preferences of whoever asks; the defaults for nobody."""
    if not hasattr(request, _KEPT):
        user = getattr(request, "user", None)
        is_somebody = bool(user and user.is_authenticated)  # asking it may be what reads them
        if not hasattr(request, _KEPT):
            setattr(request, _KEPT, Preferences.objects.of(user.pk) if user and is_somebody else Preferences())
    preferences: Preferences = getattr(request, _KEPT)
    return preferences


def in_templates(request: HttpRequest) -> dict[str, object]:
    """Give templates `preferences`."""
    return {"preferences": SimpleLazyObject(lambda: of_request(request))}


def own_time_zone(get_response: Handler) -> Handler:
    """Show all times of an answer in the zone of whoever asks."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        def user_with_permissions() -> AbstractBaseUser | AnonymousUser:
            user = get_user(request)
            if isinstance(user, User):
                setattr(request, _KEPT, Preferences.objects.with_permissions(user))
            return user

        request.user = SimpleLazyObject(user_with_permissions)  # type: ignore[assignment]  # as Django's own
        with timezone.override(_OwnZone(request)):
            return get_response(request)

    return middleware


@cache
def zones() -> dict[str, list[str]]:
    """Return the names of the time zones that people choose from, by region."""
    names = sorted(_known_zones())
    by_region = {region: [name for name in names if name.startswith(f"{region}/")] for region in _REGIONS}
    return {region: listed for region, listed in by_region.items() if listed}


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def zone_of(request: HttpRequest) -> ZoneInfo:
    """Return the chosen zone of whoever asks, else their browser's; UTC for one that this host does not know."""
    name = of_request(request).time_zone
    if name == BROWSERS_ZONE:
        name = request.COOKIES.get(_COOKIE, DEFAULT_ZONE)
    return ZoneInfo(name if name in _known_zones() else DEFAULT_ZONE)


class _OwnZone(tzinfo):
    """The zone of whoever sent the request, looked up at the first time that is shown."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @property
    def _real(self) -> ZoneInfo:
        return zone_of(self._request)

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return self._real.utcoffset(moment)

    def dst(self, moment: datetime | None) -> timedelta | None:
        return self._real.dst(moment)

    def tzname(self, moment: datetime | None) -> str | None:
        return self._real.tzname(moment)

    def fromutc(self, moment: datetime) -> datetime:
        return self._real.fromutc(moment.replace(tzinfo=self._real)).replace(tzinfo=self)

    def __str__(self) -> str:
        return str(self._real)
