"""Names of addresses, for what is decided before Django chooses a view."""

from collections.abc import Mapping

from django.urls import Resolver404, resolve


def named(path: str) -> tuple[str, Mapping[str, object]]:
    """Return the name of the address of this path, and its parameters; "" and none for a path without a view."""
    try:
        match = resolve(path)
    except Resolver404:
        return "", {}
    return match.url_name or "", match.kwargs
