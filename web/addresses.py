"""Addresses of pages, made quickly: one page has hundreds that differ in a number only. And names of addresses.

How it works: Django's `reverse` is asked once for each name and kind of parameters, with stand-ins in their places;
later addresses are these with the real values. It is asked each time for values that are neither a plain number nor
letters, digits, hyphens and underscores, and where the stand-ins do not fit.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from django.conf import settings
from django.urls import NoReverseMatch, Resolver404, get_script_prefix, get_urlconf, resolve, reverse

_WORD = re.compile(r"[-a-zA-Z0-9_]+")
_NUMBERS = tuple(f"70030{place}007" for place in range(10))  # stand-ins, by the place of their parameter
_WORDS = tuple(f"q7{place}q7z" for place in range(10))


def address_of(name: str, *values: object) -> str:
    """Return the address of this name with these parameters, like `reverse`. Raises NoReverseMatch."""
    return address_within(surroundings(), name, values)


def named(path: str) -> tuple[str, Mapping[str, object]]:
    """Return the name of the address of this path, and its parameters; "" and none for a path without a view."""
    return _named(get_urlconf() or settings.ROOT_URLCONF, path)


@lru_cache(maxsize=64)  # several layers ask for the path of the same request
def _named(urlconf: str, path: str) -> tuple[str, Mapping[str, object]]:
    try:
        match = resolve(path, urlconf)
    except Resolver404:
        return "", {}
    return match.url_name or "", match.kwargs


def surroundings() -> tuple[str, str]:
    """Return what all addresses of one answer have in common: the module of all addresses, and their prefix."""
    return get_urlconf() or settings.ROOT_URLCONF, get_script_prefix()


def address_within(common: tuple[str, str], name: str, values: Sequence[object]) -> str:
    """Return the same for an answer whose `surroundings` are known."""
    words = [str(value) for value in values]
    pattern = _pattern(common, name, "".join(map(_kind, words)))
    return reverse(name, urlconf=common[0], args=values) if pattern is None else pattern.format(*words)


def _kind(word: str) -> str:
    """Return the kind of a value: "n", a number; "w", a word; "-", anything else."""
    if word.isascii() and word.isdecimal():
        return "n"
    return "w" if _WORD.fullmatch(word) else "-"


@cache
def _pattern(common: tuple[str, str], name: str, kinds: str) -> str | None:
    """Return the address with "{}" for each parameter, or None."""
    if "-" in kinds:
        return None
    chosen = [{"n": _NUMBERS, "w": _WORDS}[kind][place] for place, kind in enumerate(kinds)]
    try:
        address = reverse(name, urlconf=common[0], args=chosen)
    except NoReverseMatch:
        return None
    places = [address.find(each) for each in chosen]
    if -1 in places or places != sorted(places) or any(address.count(each) > 1 for each in chosen):
        return None
    for each in chosen:
        address = address.replace(each, "{}")
    return address
