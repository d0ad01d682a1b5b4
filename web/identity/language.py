"""Each reader's language: what they chose, else what their browser prefers.

How it works: Django's LocaleMiddleware reads the choice from a cookie, else Accept-Language. Each page has a form to
choose (`web/views/account/page.py`). An account keeps the choice too, and signing in brings it to another browser.
So no request asks the database for its language.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language

from judge.models import Preferences

_A_YEAR_S = 365 * 24 * 3600
_P = ParamSpec("_P")
_ResultT = TypeVar("_ResultT")


def made_once_in_each(function: Callable[_P, _ResultT]) -> Callable[_P, _ResultT]:
    """Keep what a function returns for its arguments, of which there are few, in the language of the moment."""

    @lru_cache(maxsize=512)
    def made_in(_language: str | None, *arguments: _P.args, **options: _P.kwargs) -> _ResultT:
        return function(*arguments, **options)

    @wraps(function)
    def made(*arguments: _P.args, **options: _P.kwargs) -> _ResultT:
        return made_in(get_language(), *arguments, **options)  # type: ignore[arg-type]  # all are hashable

    return made


def remember(answer: HttpResponse, code: str) -> None:
    """Have the browser ask for this language, one of settings.LANGUAGES, from now on."""
    answer.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=_A_YEAR_S, httponly=True, samesite="Lax")


def bring(user: AbstractBaseUser, answer: HttpResponse) -> None:
    """Have the browser of somebody who signs in ask for the language that the account keeps, if it keeps one."""
    if code := kept_by(user):
        remember(answer, code)


def kept_by(user: AbstractBaseUser | None) -> str:
    """Return the language that the account keeps; "" if it keeps none, or there is no account."""
    code = Preferences.objects.of(user.pk).language if user and user.pk is not None else ""
    return code if code in dict(settings.LANGUAGES) else ""


def accepted(request: HttpRequest) -> str:
    """Return the languages that the reader prefers, as an Accept-Language header: first the one that they chose."""
    chosen, preferred = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME), request.headers.get("Accept-Language", "")
    return f"{chosen},{preferred}" if chosen in dict(settings.LANGUAGES) else preferred
