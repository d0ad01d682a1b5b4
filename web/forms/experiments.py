"""The forms for an experiment: a change that is run, or an instructor's own that is kept."""

from decimal import Decimal
from typing import Any, Self

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judge.grading.experiment.checks import check
from judge.grading.experiment.spec import ExperimentSpec, SpecError, spec_from_json
from judge.grading.languages import LANGUAGES
from judge.grading.measures import Place, measures_at
from problems.editing.draft import plain_lines
from problems.jsonvalues import to_json
from problems.translation import translated
from web.forms.experiment_rows import ClaimRow, Row, VariantRow, change_rows, typed_rows
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
        if self.errors or self.wrong_rows:
            return None
        return spec

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
        field = _FIELDS_OF_KEYS.get(key, part)
        label = str(self.fields[field].label) if field in self.fields else _label(field)
        self.add_error(field if field in self.fields else None, f"{label}: {why}.")


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
