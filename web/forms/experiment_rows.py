"""Rows of the experiment form: variants and claims, drawn by their own templates."""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from django.http import QueryDict
from django.utils.translation import gettext as _

from judge.grading.experiment.spec import Claim, Variant
from judge.grading.languages import PYTHON
from problems.editing.draft import plain_lines

Errors = dict[str, str]


@dataclass(kw_only=True, slots=True)
class VariantRow:
    """A variant as it was typed. `errors` by the names of the other fields."""

    name: str = ""
    language: str = PYTHON.id
    args: str = ""
    note: str = ""
    source: str = ""
    errors: Errors = field(default_factory=dict)

    @classmethod
    def of(cls, variant: Variant) -> "VariantRow":
        """Return the row of an existing variant."""
        args = shlex.join(variant.args)
        return cls(name=variant.name, language=variant.language, args=args, note=variant.note, source=variant.source)

    @property
    def is_blank(self) -> bool:
        """Return whether nothing was typed into it."""
        return not (self.name.strip() or self.args.strip() or self.note.strip() or self.source.strip())

    def value(self, variants: Mapping[str, Variant]) -> dict[str, Any]:
        """Return the variant's part of a spec. An unchanged variant stays that of its submission."""
        try:
            args = shlex.split(self.args)
        except ValueError:
            args = []
            self.errors["args"] = _("A quotation mark is not closed.")
        before = variants.get(self.name.strip())
        is_same = before is not None and (before.source, before.language) == (self.source, self.language)
        return {
            "name": self.name.strip(),
            "language": self.language,
            "args": args,
            "note": self.note.strip(),
            "source": self.source,
            "submission": before.submission if before and is_same else None,
        }


@dataclass(kw_only=True, slots=True)
class ClaimRow:
    """A claim as it was typed."""

    text: str = ""
    metric: str = "cpu_time_us"
    more: str = ""
    less: str = ""
    destination: str = "file"
    less_destination: str = ""
    published: str = ""
    errors: Errors = field(default_factory=dict)

    @classmethod
    def of(cls, claim: Claim) -> "ClaimRow":
        """Return the row of an existing claim."""
        return cls(**{name: getattr(claim, name) for name in _names(cls)})

    @property
    def is_blank(self) -> bool:
        """Return whether nothing was typed into it."""
        return not (self.text.strip() or self.more.strip() or self.less.strip() or self.published.strip())

    def value(self) -> dict[str, Any]:
        """Return the claim's part of a spec."""
        return {name: getattr(self, name).strip() for name in _names(type(self))}


Row = VariantRow | ClaimRow
_Row = TypeVar("_Row", VariantRow, ClaimRow)


def typed_rows(kind: type[_Row], prefix: str, data: QueryDict) -> list[_Row]:
    """Return the sent rows: one control per field and row, `variant_name` and the like."""
    names = _names(kind)
    lists = [map(plain_lines, data.getlist(f"{prefix}_{name}")) for name in names]
    rows: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=False)]
    return [kind(**row) for row in rows]


def change_rows(kind: type[_Row], prefix: str, rows: list[_Row], data: QueryDict) -> None:
    """Add or remove the row that the pressed button names: "variant", "claim-2"."""
    if data.get("more") == prefix:
        rows.append(kind())
    which, _, place = data.get("less", "").partition("-")
    if which == prefix:
        with suppress(ValueError, IndexError):
            del rows[int(place)]


def _names(kind: type[VariantRow] | type[ClaimRow]) -> list[str]:
    return [item.name for item in fields(kind) if item.name != "errors"]
