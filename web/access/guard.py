"""The access check before every view, by the table of `web.access.addresses`.

A named address that the table leaves out stops the start of the site: nobody is let in by having been forgotten.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.cache import add_never_cache_headers

Person = AbstractBaseUser | AnonymousUser
View = Callable[..., Any]


class Refusal(Enum):
    """An answer to somebody who is not let in."""

    SIGN_IN = "the page to sign in, which leads back"
    FORBIDDEN = "403: the page is for others"
    NOT_FOUND = "404: whether there is such a thing is not told"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """The people that an address admits, and the answers to others: to `nobody`, not signed in, and to `others`."""

    admits: Callable[[Person], bool]
    nobody: Refusal = Refusal.SIGN_IN
    others: Refusal = Refusal.NOT_FOUND


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """The rules for loading an address and for posting to it; None: nobody may (405).

    `page`: the page with the form of an address that only takes POST. A browser that loads such an address, after a
    mistake in the form or after signing in, is sent there. `asks`: the rule by which the view takes the row that the
    address names.
    """

    get: Rule | None = None
    post: Rule | None = None
    page: str = ""
    asks: Callable[..., object] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Guard:
    """The check of one address. `names`: the parameters that the address of its `page` takes of its own."""

    address: Address
    names: frozenset[str]

    def refusal(self, request: HttpRequest, parameters: Mapping[str, Any]) -> HttpResponseBase | None:
        """Return the answer in place of the view's; None for whoever may pass. Raises Http404, PermissionDenied."""
        is_load = request.method in ("GET", "HEAD")
        names = {name: parameters[name] for name in self.names}
        page = self.address.page and reverse(self.address.page, kwargs=names)
        if is_load and page:
            return redirect(page)
        rule = self.address.get if is_load else self.address.post if request.method == "POST" else None
        if rule is None:
            loads = ["GET", "HEAD"] if self.address.get or self.address.page else []
            return HttpResponseNotAllowed([*loads, *(["POST"] if self.address.post else [])])
        if rule.admits(request.user):
            return None
        match rule.others if request.user.is_authenticated else rule.nobody:
            case Refusal.SIGN_IN:
                answer = redirect_to_login(page or request.get_full_path())  # where to go on after signing in
                add_never_cache_headers(answer)
                return answer
            case Refusal.FORBIDDEN:
                raise PermissionDenied
            case Refusal.NOT_FOUND:
                raise Http404


def guarded(patterns: Sequence[URLPattern], addresses: Mapping[str, Address]) -> list[URLPattern]:
    """Return the addresses with the check before each view. Raises ImproperlyConfigured if the table lacks one."""
    named = {pattern.name: frozenset(pattern.pattern.converters) for pattern in patterns if pattern.name}
    if len(named) < len(patterns) or named.keys() != addresses.keys():
        differing = sorted(named.keys() ^ addresses.keys())
        raise ImproperlyConfigured(f"The addresses of web.urls are not those of web.access.addresses: {differing}")
    for pattern in patterns:
        address = addresses[pattern.name or ""]
        guard = _Guard(address=address, names=named.get(address.page, frozenset()))
        pattern.callback = _checked(pattern.callback, guard)
    return list(patterns)


def _checked(view: View, guard: _Guard) -> View:
    @wraps(view)
    def checked(request: HttpRequest, **parameters: Any) -> Any:
        return guard.refusal(request, parameters) or view(request, **parameters)

    @wraps(view)
    async def checked_stream(request: HttpRequest, **parameters: Any) -> Any:
        refusal = await sync_to_async(guard.refusal)(request, parameters)  # reads `request.user`, for the view too
        return refusal or await view(request, **parameters)

    return checked_stream if iscoroutinefunction(view) else checked
