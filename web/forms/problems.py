"""What an instructor may send about a problem: a package, what to do with it, and the problem's settings."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from judge.budget import LEAST_ROOM
from judge.models import WhenClean, WorkerNode
from problems.models import CaseVisibility, ProblemVersion, ScorePolicy
from sandbox.types import MIB, Destination
from web.presentation.settings import in_words
from web.presentation.units import data_size

_REASON_CHARACTERS = 2_000


def when_clean_field() -> forms.TypedChoiceField:
    """What to do with an upload whose report is clean; without a choice, to wait."""
    return forms.TypedChoiceField(
        label="When its report is clean",
        choices=WhenClean.choices,
        coerce=WhenClean,
        empty_value=WhenClean.ASK,
        initial=WhenClean.ASK,
        required=False,
        widget=forms.RadioSelect,
    )


class PackageForm(forms.Form):
    """A problem package as a zip, and what is to follow when its report is clean."""

    archive = forms.FileField(
        label="Package (zip)",
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".zip,.kpp,application/zip"}),
        error_messages={"required": "Choose a zip file.", "missing": "Choose a zip file."},
    )
    when_clean = when_clean_field()

    def clean_archive(self) -> "UploadedFile[bytes]":
        """The archive; one over the limit is refused unread."""
        archive: UploadedFile[bytes] = self.cleaned_data["archive"]
        if (archive.size or 0) > settings.MAX_PACKAGE_BYTES:
            most = data_size(settings.MAX_PACKAGE_BYTES)
            raise forms.ValidationError(f"The file has {data_size(archive.size)}; at most {most} are allowed.")
        return archive


class PublishForm(forms.Form):
    """The decision to publish. `slug` is asked for only where a new problem is made."""

    slug = forms.SlugField(
        required=False,
        max_length=64,
        label="Address",
        widget=forms.TextInput(attrs={"size": 24, "spellcheck": "false"}),
        error_messages={"invalid": "An address has letters, digits, hyphens and underscores only."},
    )
    hidden = forms.BooleanField(required=False, label="Hidden: only you and staff see it")
    reason = forms.CharField(
        required=False,
        max_length=_REASON_CHARACTERS,
        label="Why it is published all the same",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class SettingsForm(forms.Form):
    """The settings of a problem; what is left empty is as the package says."""

    time_limit_ms = forms.DecimalField(
        label="Time limit", required=False, min_value=Decimal("0.01"), max_value=600, decimal_places=3
    )
    memory_bytes = forms.DecimalField(
        label="Memory limit", required=False, min_value=4, max_value=65_536, decimal_places=3
    )
    output_bytes = forms.DecimalField(
        label="Output limit", required=False, min_value=Decimal("0.001"), max_value=1_024, decimal_places=3
    )
    code_bytes = forms.DecimalField(
        label="Source size", required=False, min_value=Decimal("0.1"), max_value=4_096, decimal_places=3
    )
    processes = forms.IntegerField(label="Processes and threads", required=False, min_value=1, max_value=512)
    cores = forms.IntegerField(label="Cores", required=False, min_value=1, max_value=64)
    stdout = forms.ChoiceField(label="What stdout is", required=False)
    write_calls = forms.IntegerField(
        label="Write calls per test case", required=False, min_value=0, max_value=1_000_000_000
    )
    read_calls = forms.IntegerField(
        label="Read calls per test case", required=False, min_value=0, max_value=1_000_000_000
    )
    write_factor = forms.FloatField(
        label="Write calls, times the reference", required=False, min_value=0, max_value=1_000
    )
    score_policy = forms.ChoiceField(label="Which points count", required=False)
    case_visibility = forms.ChoiceField(label="Of the secret cases contestants see", choices=CaseVisibility.choices)

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
            self._offer_the_packages_own(name, value)
            self._say_its_bounds(name)
        self._room = WorkerNode.objects.largest()
        self._say_what_the_workers_have()
        self._say_what_calls_are()
        if not version.is_scoring:
            del self.fields["score_policy"]
        if version.is_interactive:  # how often it reads hangs on the other side
            del self.fields["read_calls"]

    @property
    def wrong(self) -> "list[forms.BoundField]":
        """The fields with a mistake."""
        return [field for field in self if field.errors]

    def clean_memory_bytes(self) -> Any:
        """No more than the largest worker has: a program that took it would take the host down."""
        return self._within("memory_bytes", self._room.memory_bytes)

    def clean_cores(self) -> Any:
        """No more than the largest worker has: judging would go on with fewer."""
        return self._within("cores", self._room.cores)

    def chosen(self) -> dict[str, Any]:
        """The settings that were filled in, in the units of their columns. Call on a valid form."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        given.pop("case_visibility")
        return {name: round(value * self._size(name)) if name in self.UNITS else value for name, value in given.items()}

    def _offer_the_packages_own(self, name: str, value: Any) -> None:
        field, said = self.fields[name], f"As the package says: {in_words(name, value)}"
        if isinstance(field, forms.ChoiceField):
            choices = ScorePolicy.choices if name == "score_policy" else [(one.value, one.value) for one in Destination]
            field.choices = [("", said), *choices]
        else:
            field.help_text = said
            field.label = f"{field.label}, {self.UNITS[name][1]}" if name in self.UNITS else field.label

    def _say_its_bounds(self, name: str) -> None:
        """The form's own words for a number that is none, or is out of bounds."""
        field = self.fields[name]
        if isinstance(field, forms.IntegerField):  # and DecimalField, which is one
            unit = f"\N{NO-BREAK SPACE}{self.UNITS[name][1]}" if name in self.UNITS else ""
            field.error_messages |= {
                "invalid": "A number, such as 2." if name in self.UNITS else "A whole number, such as 2.",
                "min_value": f"At least {field.min_value:,}{unit}.",
                "max_value": f"At most {field.max_value:,}{unit}.",
                "max_decimal_places": "At most 3 digits after the point.",
            }

    def _say_what_the_workers_have(self) -> None:
        for name in ("memory_bytes", "cores"):
            most = getattr(self._room, name)
            if most is not None:
                self.fields[name].help_text += f". The largest worker has {in_words(name, most)}."

    def _say_what_calls_are(self) -> None:
        self.fields["read_calls"].help_text += ". The reads with which a runtime starts count too. 0: any number."
        self.fields["write_calls"].help_text += ". 0: any number."
        self.fields["write_factor"].help_text += (
            ". The reference is an accepted jury submission, in the contestant's language if there is one. Runtimes "
            "gather 4 to 8 KiB per call, so with less than 2 times some that gather well are refused; at least "
            f"{LEAST_ROOM} calls more than the reference makes are allowed."
        )

    def _within(self, name: str, most: int | None) -> Any:
        value = self.cleaned_data[name]
        if value is not None and most is not None and value * self._size(name) > most:
            raise forms.ValidationError(f"No worker has more than {in_words(name, most)}.")
        return value

    def _shown(self, name: str, value: Any) -> Any:
        return f"{Decimal(value) / self._size(name):f}" if name in self.UNITS else value

    def _size(self, name: str) -> int:
        return self.UNITS[name][0] if name in self.UNITS else 1
