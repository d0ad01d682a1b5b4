"""The instructor's forms for a problem: a package, what to do with it, the problem's settings, and its listing."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from judge.grading.submission.budget import LEAST_ROOM
from judge.models import WhenClean, WorkerNode
from judge.uploads.time_limits import needs_of
from problems.format.files import printable
from problems.format.limits import MOST_TIME_LIMIT_S
from problems.models import (
    Audience,
    CaseVisibility,
    Difficulty,
    Problem,
    ProblemVersion,
    ScoreDialect,
    ScorePolicy,
    Statistics,
)
from problems.tags import MOST_CHARACTERS, MOST_TAGS, as_tag, typed_tags
from sandbox.types import MIB
from web.forms.fields import FilesInput, set_choices
from web.presentation.experiments.texts import DESTINATIONS
from web.presentation.setter.settings import EXACT_NUMBERS, doubts_in_words, in_words, needs_in_words
from web.presentation.units import data_size

_REASON_CHARACTERS = 2_000


def when_clean_field() -> forms.TypedChoiceField:
    """Return the field for what to do with an upload whose report is clean; the default is to wait."""
    return forms.TypedChoiceField(
        label=_("When its report is clean"),
        choices=WhenClean.choices,
        coerce=WhenClean,
        empty_value=WhenClean.ASK,
        initial=WhenClean.ASK,
        required=False,
        widget=forms.RadioSelect,
    )


class _PackagesField(forms.FileField):
    """One or several archives; the value is their list."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Package (zip)"),
            allow_empty_file=True,
            widget=FilesInput(attrs={"accept": ".zip,.kpp,application/zip", "multiple": True}),
            error_messages={"required": _("Choose a zip file."), "missing": _("Choose a zip file.")},
        )

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        """Refuse an archive over the limit without reading it."""
        archives = [super(_PackagesField, self).clean(file, None) for file in data or (None,)]
        for archive in archives:
            if (archive.size or 0) > settings.MAX_PACKAGE_BYTES:
                sizes = {"size": data_size(archive.size or 0), "most": data_size(settings.MAX_PACKAGE_BYTES)}
                why = _("%(name)s has %(size)s; at most %(most)s are allowed.")
                raise forms.ValidationError(why % {"name": printable(archive.name or ""), **sizes})
        return archives


class PackagesForm(forms.Form):
    """Problem packages as zips, and what is to follow when their reports are clean."""

    archive = _PackagesField()
    when_clean = when_clean_field()


class PackageForm(PackagesForm):
    """A single one."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        del self.fields["archive"].widget.attrs["multiple"]

    def clean_archive(self) -> "list[UploadedFile[bytes]]":
        """Refuse several."""
        archives: list[UploadedFile[bytes]] = self.cleaned_data["archive"]
        if len(archives) > 1:
            raise forms.ValidationError(_("Choose a single zip file: the problem gets one new version."))
        return archives


class ListingForm(forms.Form):
    """Who sees a problem; its tags, difficulty and statistics. They belong to the problem, not to a version."""

    audience = forms.ChoiceField(
        label=_("Who sees the problem"), choices=Audience.choices, widget=forms.RadioSelect, required=False
    )
    tags = forms.CharField(
        required=False, max_length=MOST_TAGS * (MOST_CHARACTERS + 2), label=_("Tags, separated by commas")
    )
    difficulty = forms.ChoiceField(
        required=False, label=_("Difficulty"), choices=[("", _("not set")), *Difficulty.choices]
    )
    statistics = forms.ChoiceField(label=_("Statistics that everybody sees"), choices=Statistics.choices)

    def __init__(self, data: Any = None, *, instance: Problem) -> None:
        columns = {name: getattr(instance, name) for name in ("audience", "difficulty", "statistics")}
        super().__init__(data, initial={**columns, "tags": ", ".join(instance.tags)}, prefix="listing")
        self._problem = instance
        self.fields["tags"].help_text = _("The package has no keywords. Example: graphs, binary search")
        if keywords := (instance.current_version and instance.current_version.keywords) or []:
            sentence = _("From the package: %(value)s. Tags that you enter replace them.")
            self.fields["tags"].help_text = sentence % {"value": ", ".join(keywords)}

    def clean_audience(self) -> str:
        """Keep what is chosen where a form does not say."""
        return self.cleaned_data["audience"] or self._problem.audience

    def clean_tags(self) -> list[str]:
        """Return the tags. Refuse more or longer ones than a problem may have."""
        words = [word for word in self.cleaned_data["tags"].split(",") if as_tag(word)]
        if len(words) > MOST_TAGS:
            raise forms.ValidationError(_("At most %(most)s tags.") % {"most": MOST_TAGS})
        if any(len(word.strip()) > MOST_CHARACTERS for word in words):
            raise forms.ValidationError(_("A tag has at most %(most)s characters.") % {"most": MOST_CHARACTERS})
        return list(typed_tags(self.cleaned_data["tags"]))

    def save(self) -> None:
        """Write the problem's columns. Call on a valid form."""
        Problem.objects.filter(pk=self._problem.pk).update(**self.cleaned_data)


class PublishForm(forms.Form):
    """The decision to publish. `slug` is asked for only where a new problem is made."""

    slug = forms.SlugField(
        required=False,
        max_length=64,
        label=_("Address"),
        widget=forms.TextInput(attrs={"size": 24, "spellcheck": "false"}),
        error_messages={"invalid": _("Use only letters, digits, hyphens and underscores in an address.")},
    )
    audience = forms.ChoiceField(
        required=False, label=_("Who sees the problem"), choices=Audience.choices, widget=forms.RadioSelect
    )
    reason = forms.CharField(
        required=False,
        max_length=_REASON_CHARACTERS,
        label=_("Reason for publishing anyway"),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, target: Problem | None, proposed: str = "") -> None:
        super().__init__(data, initial={"slug": proposed, "audience": ""})
        now = Audience(target.audience) if target else Audience.EVERYBODY
        others = [choice for choice in Audience.choices if choice[0] != now]
        # "" leaves a problem as it is, so that an address of one's own that is typed here widens nothing
        set_choices(self, "audience", [("", now.label), *others])

    def clean_audience(self) -> Audience | None:
        """Return what was chosen; None: as it is."""
        return Audience(self.cleaned_data["audience"]) if self.cleaned_data["audience"] else None


_CHOICES: Mapping[str, Sequence[tuple[str, Any]]] = {
    "score_policy": ScorePolicy.choices,
    "score_dialect": ScoreDialect.choices,
    "stdout": list(DESTINATIONS.items()),
    "exact_numbers": [(str(value), words) for value, words in EXACT_NUMBERS.items()],
}


class SettingsForm(forms.Form):
    """The settings of a problem; what is left empty is as the package says."""

    time_limit_ms = forms.DecimalField(
        label=_("Time limit"), required=False, min_value=Decimal("0.01"), max_value=MOST_TIME_LIMIT_S, decimal_places=3
    )
    memory_bytes = forms.DecimalField(
        label=_("Memory limit"), required=False, min_value=4, max_value=65_536, decimal_places=3
    )
    output_bytes = forms.DecimalField(
        label=_("Output limit"), required=False, min_value=Decimal("0.001"), max_value=1_024, decimal_places=3
    )
    code_bytes = forms.DecimalField(
        label=_("Source size"), required=False, min_value=Decimal("0.1"), max_value=4_096, decimal_places=3
    )
    processes = forms.IntegerField(label=_("Processes and threads"), required=False, min_value=1, max_value=512)
    cores = forms.IntegerField(label=_("Cores"), required=False, min_value=1, max_value=64)
    stdout = forms.ChoiceField(label=_("stdout is"), required=False)
    write_calls = forms.IntegerField(
        label=_("Write calls per test case"), required=False, min_value=0, max_value=1_000_000_000
    )
    read_calls = forms.IntegerField(
        label=_("Read calls per test case"), required=False, min_value=0, max_value=1_000_000_000
    )
    write_factor = forms.FloatField(
        label=_("Write calls, as a factor of the reference"), required=False, min_value=0, max_value=1_000
    )
    score_policy = forms.ChoiceField(label=_("Points that count"), required=False)
    score_dialect = forms.ChoiceField(label=_("Meaning of accept_score"), required=False)
    exact_numbers = forms.TypedChoiceField(
        label=_("Numbers of secret test cases"), required=False, coerce=lambda value: value == "True", empty_value=""
    )
    case_visibility = forms.ChoiceField(
        label=_("Secret test cases: visible to contestants"), choices=CaseVisibility.choices
    )
    confirmed_ms = forms.IntegerField(required=False)  # a time limit that is meant, whatever the last report says

    # the unit in which people give a setting: how many of the column's it is, and its name
    UNITS = {
        "time_limit_ms": (1_000, "s"),
        "memory_bytes": (MIB, "MiB"),
        "output_bytes": (MIB, "MiB"),
        "code_bytes": (1_024, "KiB"),
    }

    def __init__(self, data: Mapping[str, Any] | None = None, *, version: ProblemVersion, case_visibility: str) -> None:
        chosen = {name: self._shown(name, value) for name, value in version.chosen_settings.items()}
        super().__init__(data, initial={**chosen, "case_visibility": case_visibility})
        for name, value in version.package_settings.items():
            self._describe(name, value, version.chosen_settings)
        self._version = version
        self.needs = needs_of(version)
        self._explain("time_limit_ms", needs_in_words(self.needs))
        self._room = WorkerNode.objects.grading().largest()
        for name in ("memory_bytes", "cores"):
            if (most := getattr(self._room, name)) is not None:
                self._explain(name, _("The largest worker has %(value)s.") % {"value": in_words(name, most)})
        self._explain("read_calls", _("The reads of a starting runtime count too. 0: any number."))
        self._explain("write_calls", _("0: any number."))
        exact = _("Exact numbers can reveal a test case's content. Keep them rounded unless the cases are public.")
        self._explain("exact_numbers", exact)
        factor = _(
            "The reference is an accepted jury submission, in the contestant's language if possible. Runtimes buffer 4 "
            "to 8 KiB per call, so a factor below 2 refuses some buffered programs; at least %(calls)s calls more than "
            "the reference makes are allowed."
        )
        self._explain("write_factor", factor % {"calls": LEAST_ROOM})
        if not version.is_scoring:
            del self.fields["score_policy"]
        if not version.package_settings["score_dialect"]:  # it means the same in both
            del self.fields["score_dialect"]
        if version.is_interactive:  # how often it reads hangs on the other side
            del self.fields["read_calls"]

    @property
    def shown(self) -> "list[forms.BoundField]":
        """The fields that are always there; to confirm a time limit is asked for where it is doubted."""
        return [field for field in self if field.name != "confirmed_ms"]

    @property
    def limit_ms(self) -> int:
        """The time limit that a valid form puts into force."""
        own: int = self._version.package_settings["time_limit_ms"]
        return int(self.chosen().get("time_limit_ms", own))

    @property
    def doubted_ms(self) -> int | None:
        """The new time limit that has to be confirmed; None if there is none."""
        if not self.is_bound or "time_limit_ms" not in self.cleaned_data:
            return None
        is_doubted = self.limit_ms != self._version.time_limit_ms and self.needs.doubts(self.limit_ms)
        return self.limit_ms if is_doubted else None

    def clean(self) -> dict[str, Any]:
        """Ask whether a time limit is meant that the last verification report speaks against."""
        cleaned = super().clean() or {}
        if self.doubted_ms is not None and cleaned.get("confirmed_ms") != self.doubted_ms:
            for doubt in doubts_in_words(self.needs, self.doubted_ms):
                self.add_error(None, doubt)
        return cleaned

    @property
    def wrong(self) -> "list[forms.BoundField]":
        """The fields with a mistake."""
        return [field for field in self if field.errors]

    def clean_memory_bytes(self) -> Any:
        """Refuse more than the largest worker has: a program that took it would take the host down."""
        return self._within("memory_bytes", self._room.memory_bytes)

    def clean_cores(self) -> Any:
        """Refuse more than the largest worker has: judging would go on with fewer."""
        return self._within("cores", self._room.cores)

    def chosen(self) -> dict[str, Any]:
        """Return the settings that were filled in, in the units of their columns. Call on a valid form."""
        values = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        values.pop("case_visibility", None)
        values.pop("confirmed_ms", None)
        values |= {name: round(values[name] * self._size(name)) for name in self.UNITS.keys() & values.keys()}
        return values

    def _describe(self, name: str, package_value: Any, chosen: Mapping[str, Any]) -> None:
        """Fill in the field's choices or placeholder, what is in force, and its messages for a number out of bounds."""
        field, words = self.fields[name], {"package": in_words(name, package_value)}
        field.help_text = _("In force: %(package)s, from the package.") % words
        if name in chosen:
            words["value"] = in_words(name, chosen[name])
            field.help_text = _("In force: %(value)s, chosen here. The package says: %(package)s.") % words
        if isinstance(field, forms.ChoiceField):
            sentence = _("From the package: %(value)s") % {"value": words["package"]}
            field.choices = [("", sentence), *_CHOICES[name]]
            return
        current = self._shown(name, package_value)
        field.widget.attrs["placeholder"] = f"{current:g}" if isinstance(current, float) else current
        number, unit = _("Enter a whole number, such as 2."), ""
        if name in self.UNITS:
            field.label = f"{field.label}, {self.UNITS[name][1]}"
            number, unit = _("Enter a number, such as 2."), f"\N{NO-BREAK SPACE}{self.UNITS[name][1]}"
        if isinstance(field, forms.IntegerField):  # and DecimalField, which is one
            field.error_messages |= {
                "invalid": number,
                "min_value": _("At least %(value)s.") % {"value": f"{field.min_value:,}{unit}"},
                "max_value": _("At most %(value)s.") % {"value": f"{field.max_value:,}{unit}"},
                "max_decimal_places": _("Enter at most 3 digits after the decimal point."),
            }

    def _explain(self, name: str, sentence: object) -> None:
        """Put the sentence behind what the field's help says."""
        field = self.fields[name]
        field.help_text = f"{field.help_text} {sentence}".rstrip()

    def _within(self, name: str, most: int | None) -> Any:
        value = self.cleaned_data[name]
        if value is not None and most is not None and value * self._size(name) > most:
            raise forms.ValidationError(_("No worker has more than %(value)s.") % {"value": in_words(name, most)})
        return value

    def _shown(self, name: str, value: Any) -> Any:
        return f"{Decimal(value) / self._size(name):f}" if name in self.UNITS else value

    def _size(self, name: str) -> int:
        return self.UNITS[name][0] if name in self.UNITS else 1
