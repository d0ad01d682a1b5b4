"""Keyset pagination: pages `before` or `after` the key of a row.

So a page far back costs what the first one costs, and new rows shift nothing. A key that is none, or with nothing
beyond it, shows the first page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from django.db import models
from django.db.models import QuerySet

RowT = TypeVar("RowT", bound=models.Model)
Key = int | str
_BEFORE, _AFTER = "before", "after"
_NAME_CHARACTERS = 150


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[RowT]):
    """One page of a list. `back` and `on` are query strings of the neighbouring pages, or empty."""

    rows: list[RowT]
    back: str
    on: str


def id_key(text: str) -> int | None:
    """Parse an id from an address; eighteen digits always fit a bigint."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


def name_key(text: str) -> str | None:
    """Parse a name from an address."""
    return text if text.isprintable() and 0 < len(text) <= _NAME_CHARACTERS else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Paging:
    """The paging of a list: rows per page, and a column whose values are unique."""

    size: int
    column: str = "pk"
    read: Callable[[str], Key | None] = id_key
    is_descending: bool = True
    prefix: str = ""  # before `before` and `after` in the address, where a page has two lists

    def asked(self, query: Mapping[str, object]) -> dict[str, Key]:
        """Return the address's key parameter, to keep it in another address; empty without one."""
        for name in (self.prefix + _AFTER, self.prefix + _BEFORE):
            key = self.read(str(query.get(name, "")))
            if key is not None:
                return {name: key}
        return {}

    def page(
        self,
        rows: QuerySet[RowT],
        query: Mapping[str, object],
        *,
        keys: "QuerySet[RowT] | None" = None,
        beside: Mapping[str, object] | None = None,
    ) -> Page[RowT]:
        """Return the requested page.

        `keys`: the same rows without what only showing them needs, where keys are found without reading rows.
        `beside`: what else stays in the addresses of the pages beside it.
        """
        place, beside = self.asked(query), beside or {}
        names = (_BEFORE, _AFTER) if self.is_descending else (_AFTER, _BEFORE)
        on_name, back_name = (self.prefix + name for name in names)
        is_forward = back_name not in place
        order = f"-{self.column}" if is_forward == self.is_descending else self.column
        beyond = rows if keys is None else keys
        for name, key in place.items():
            beyond = beyond.filter(**{f"{self.column}__{'gt' if name.endswith(_AFTER) else 'lt'}": key})
        most = self.size + 1  # one more tells whether there is another page
        if keys is None:
            rows_found = list(beyond.order_by(order)[:most])
        else:
            values = list(beyond.order_by(order).values_list(self.column, flat=True)[:most])
            rows_found = list(rows.filter(**{f"{self.column}__in": values}).order_by(order))
        if place and not rows_found:
            return self.page(rows, {}, keys=keys, beside=beside)
        has_more, page_rows = len(rows_found) > self.size, rows_found[: self.size][:: 1 if is_forward else -1]
        has_back, has_on = (bool(place), has_more) if is_forward else (has_more, True)
        back = urlencode({**beside, back_name: getattr(page_rows[0], self.column)}) if page_rows and has_back else ""
        on = urlencode({**beside, on_name: getattr(page_rows[-1], self.column)}) if page_rows and has_on else ""
        return Page(rows=page_rows, back=back, on=on)
