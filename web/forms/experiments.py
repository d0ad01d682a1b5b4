"""The forms for an experiment: a change that is run, or an instructor's own that is kept.

Their rows, of variants and claims, are drawn by templates of their own.
"""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, Self, TypeVar

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _

from judge.grading.experiment.checks import check
from judge.grading.experiment.spec import Claim, ExperimentSpec, SpecError, Variant, spec_from_json
from judge.grading.languages import LANGUAGES, PYTHON
from judge.grading.measures import Place, measures_at
from problems.editing.draft import plain_lines
from problems.jsonvalues import to_json
from problems.translation import translated
from web.forms.fields import NameField
from web.presentation.experiments.texts import DESTINATIONS

_PLAIN = {"spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
_SETTINGS = ("memory_mib", "output_mib", "processes", "cores", "sample_ms")
_FIELDS_OF_KEYS = {"settings.cpu_time_ms": "cpu_time_s"} | {f"settings.{name}": name for name in _SETTINGS}

_NAMED = _("%(name)s %(reason)s.")  # what an error is about, and half a sentence
_LABELS = {
    "": _("The claim"),
    "variants": _("The variants"),
    "claims": _("The claims"),
    "name": _("The name"),
    "language": _("The language"),
    "source": _("The source"),
    "note": _("The note"),
    "text": _("The text"),
    "metric": _("The metric"),
    "destination": _("The destination"),
    "args": _("The arguments"),
    "more": _("The variant with more"),
    "less": _("The variant with less"),
    "less_destination": _("The destination of the variant with less"),
    "published": _("What its author measured"),
}


@dataclass(kw_only=True, slots=True)
class VariantRow:
    """A variant as it was typed. `errors` by the names of the other fields."""

    name: str = ""
    language: str = PYTHON.id
    args: str = ""
    note: str = ""
    source: str = ""
    errors: dict[str, str] = field(default_factory=dict)

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
            self.errors["args"] = gettext("A quotation mark is not closed.")
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
    errors: dict[str, str] = field(default_factory=dict)

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


class RunForm(forms.Form):
    """A change to the experiment `base`: its variants and how they are run. What is not asked for stays as it is."""

    destinations = forms.MultipleChoiceField(
        label=_("Output destination"),
        choices=list(DESTINATIONS.items()),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one destination.")},
    )
    rounds = forms.IntegerField(label=_("Rounds"))
    input = forms.CharField(
        label=_("Input"), required=False, strip=False, widget=forms.Textarea(attrs={"rows": 4, **_PLAIN})
    )
    cpu_time_s = forms.DecimalField(
        label=_("CPU time limit, s"), min_value=Decimal(0), max_value=Decimal(3_600), decimal_places=3
    )
    memory_mib = forms.IntegerField(label=_("Memory limit, MiB"))
    output_mib = forms.IntegerField(label=_("Output limit, MiB"))
    processes = forms.IntegerField(label=_("Processes and threads"))
    cores = forms.IntegerField(label=_("Cores"))
    sample_ms = forms.IntegerField(label=_("Timeline sample interval, ms"))

    def __init__(self, data: QueryDict | None = None, *, base: ExperimentSpec) -> None:
        figures = [
            (row.variant, *(f"{name}: {words}" for name, words in row.figures.items())) for row in base.published
        ]
        super().__init__(
            data,
            initial={
                "title": base.title,
                "question": base.question,
                "mechanism": base.mechanism,
                "published": "\n".join(map(" | ".join, figures)),
                "published_source": base.published_source,
                "destinations": list(base.destinations),
                "rounds": base.rounds,
                "input": base.input,
                "cpu_time_s": f"{base.settings.cpu_time_ms / 1_000:g}",
                **{name: getattr(base.settings, name) for name in _SETTINGS},
            },
        )
        self.base = base
        self.languages = [(language.id, language.name) for language in LANGUAGES.values()]
        self.variant_rows = [VariantRow.of(variant) for variant in base.variants]
        self.claim_rows: list[ClaimRow] = []
        if data is not None:
            self.variant_rows = typed_rows(VariantRow, "variant", data)

    @classmethod
    def with_other_rows(cls, data: QueryDict, base: ExperimentSpec) -> Self:
        """Return what was typed, with the row added or removed that a button asks for, unchecked."""
        typed = cls(data, base=base)
        form = cls(base=base)
        form.initial = {name: typed[name].value() for name in typed.fields}
        form.variant_rows, form.claim_rows = typed.variant_rows, typed.claim_rows
        change_rows(VariantRow, "variant", form.variant_rows, data)
        change_rows(ClaimRow, "claim", form.claim_rows, data)
        return form

    def spec(self) -> ExperimentSpec | None:
        """Return the experiment; None, with the errors at their fields, if it is invalid."""
        if not self.is_valid():
            return None
        try:
            spec = spec_from_json(self.value())
            check(spec)
        except SpecError as error:
            for key, why in error.problems.items():
                self.blame(key, translated(why))
        return None if self.is_wrong else spec

    @property
    def is_wrong(self) -> bool:
        """Return whether something is said about what was typed."""
        return bool(self.errors or self.wrong_rows)

    @property
    def wrong_rows(self) -> list[Row]:
        """The rows at which something is said."""
        rows: list[Row] = [*self.variant_rows, *self.claim_rows]
        return [row for row in rows if row.errors]

    def value(self) -> dict[str, Any]:
        """Return the spec as JSON, unchecked. Claims and figures stay with the variants that they are about."""
        cleaned, base = self.cleaned_data, dict[str, Any](to_json(self.base))
        variants_before = {variant.name: variant for variant in self.base.variants}
        variants = [row.value(variants_before) for row in self.variant_rows if not row.is_blank]
        names, destinations = {variant["name"] for variant in variants}, cleaned["destinations"]
        claims = [
            claim
            for claim in base["claims"]
            if {claim["more"], claim["less"]} <= names
            and {claim["destination"], claim["less_destination"] or claim["destination"]} <= set(destinations)
        ]
        limits = {name: cleaned[name] for name in _SETTINGS}
        return base | {
            "variants": variants,
            "destinations": destinations,
            "rounds": cleaned["rounds"],
            "input": plain_lines(cleaned["input"]),
            "settings": {**limits, "cpu_time_ms": round(cleaned["cpu_time_s"] * 1_000)},
            "claims": claims,
            "published": [row for row in base["published"] if row["variant"] in names],
        }

    def blame(self, key: str, why: str) -> None:
        """Say what is wrong at the field or in the row that this key of the spec has."""
        part, _, rest = key.partition(".")
        place, _, name = rest.partition(".")
        rows: list[Row] = []
        if part == "variants":
            rows = [row for row in self.variant_rows if not row.is_blank]
        elif part == "claims":
            rows = [*self.claim_rows]
        if place.isdecimal() and int(place) < len(rows):
            name = name.partition(".")[0]
            rows[int(place)].errors.setdefault(name, str(_NAMED % {"name": _label(name), "reason": why}))
            return
        field_name = _FIELDS_OF_KEYS.get(key, part)
        is_field = field_name in self.fields
        label = str(self.fields[field_name].label) if is_field else _label(field_name)
        self.add_error(field_name if is_field else None, f"{label}: {why}.")


class OwnForm(RunForm):
    """An experiment that an instructor makes: also what it is called, and what is claimed of it."""

    title = NameField(label=_("Name"), max_length=200)
    question = forms.CharField(label=_("Question"), max_length=500, widget=forms.Textarea(attrs={"rows": 2}))
    mechanism = forms.CharField(
        label=_("Mechanism"), max_length=4_000, required=False, widget=forms.Textarea(attrs={"rows": 5})
    )
    published = forms.CharField(
        label=_("Published figures"), required=False, widget=forms.Textarea(attrs={"rows": 4, **_PLAIN})
    )
    published_source = forms.CharField(label=_("Source of the published figures"), max_length=500, required=False)

    def __init__(self, data: QueryDict | None = None, *, base: ExperimentSpec) -> None:
        super().__init__(data, base=base)
        self.claim_rows = [ClaimRow.of(claim) for claim in base.claims]
        if data is not None:
            self.claim_rows = typed_rows(ClaimRow, "claim", data)
        self.metrics = [(measure.name, measure.title) for measure in measures_at(Place.EXPERIMENT)]
        self.places = list(DESTINATIONS)

    def value(self) -> dict[str, Any]:
        """Return the spec as JSON, unchecked."""
        cleaned = self.cleaned_data
        self.claim_rows = [row for row in self.claim_rows if not row.is_blank]
        # the rows of `variant | column: words | column: words` as JSON
        rows = []
        for line in filter(str.strip, plain_lines(cleaned["published"]).split("\n")):
            variant, *figures = (part.strip() for part in line.split("|"))
            pairs = [figure.partition(":") for figure in figures if figure]
            rows.append({"variant": variant, "figures": {name.strip(): words.strip() for name, _, words in pairs}})
        return super().value() | {
            "title": cleaned["title"],
            "question": plain_lines(cleaned["question"]),
            "mechanism": plain_lines(cleaned["mechanism"]),
            "claims": [row.value() for row in self.claim_rows],
            "published": rows,
            "published_source": cleaned["published_source"],
        }


def _label(name: str) -> str:
    return str(_LABELS.get(name, name))
