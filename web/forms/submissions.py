"""The submit form, a program as text or as a file, and what to run it on without submitting it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from judge.custom_runs import TestInput, sample_names
from judge.grading.languages import LANGUAGES, Language, language_of_file, looks_like
from judge.submissions.intake import Offer, SentProgram, offer
from problems.models import ProblemVersion
from web.forms.fields import set_choices

_ALL, OWN = "all", "own"  # choices of `RunForm` beside the samples' names, which all have a slash
_SOURCE_ATTRIBUTES = {"rows": 18, "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Mismatch:
    """A program that looks like another language than the chosen one. `is_offered`: the problem takes that one."""

    other: Language
    chosen: Language
    is_offered: bool
    text: str  # the program, whether it came as text or as a file
    file_name: str  # of the file, "" for none


class SubmitForm(forms.Form):
    """A program as text or as a file; the file goes first when both are sent.

    Whether the judge takes it is for `judge.submissions.intake` to say. A file's name tells the language; `file_name`
    is that of a file whose text the page put into the editor. The `languages` to choose from are asked for when the
    form is drawn: nobody sees that of a program that is taken.
    """

    language = forms.CharField(widget=forms.Select, error_messages={"required": _("Choose a language.")})
    source = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs=_SOURCE_ATTRIBUTES),
        error_messages={"null_characters_not_allowed": _("The text contains a NUL character, so it is not a program.")},
    )
    file = forms.FileField(required=False, allow_empty_file=True)
    file_name = forms.CharField(required=False, widget=forms.HiddenInput(attrs={"autocomplete": "off"}))
    take_as = forms.CharField(required=False)  # the language in which the sender wants it taken, whatever it looks like

    def __init__(self, *args: Any, version: ProblemVersion, max_bytes: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_bytes = max_bytes
        self._only = version.languages
        self.fields["language"].widget = forms.Select(choices=self._choices)  # type: ignore[arg-type]  # not in the stubs
        self.fields["file"].widget.attrs["accept"] = lazy(lambda: ",".join(self.languages_by_extension), str)()

    @cached_property
    def languages(self) -> list[Language]:
        """The languages on offer for this problem."""
        return [language for language in self.offer.languages if self._only is None or language.id in self._only]

    @cached_property
    def offer(self) -> Offer:
        """The languages that the judge takes now, which is asked once."""
        return offer()

    @property
    def languages_by_extension(self) -> dict[str, str]:
        """The language of a file by the end of its name."""
        return {extension: language.id for language in self.languages for extension in language.extensions}

    def _choices(self) -> list[tuple[str, str]]:
        return [(language.id, language.name) for language in self.languages]

    def clean_file(self) -> "UploadedFile[bytes] | None":
        """Return the file; refuse one over the limit without reading it."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        _check_size(file, self.max_bytes)
        return file

    def program(self) -> SentProgram:
        """Return the program of a valid form. A file keeps its bytes; in a text, line ends become LF again, which
        browsers send as CRLF (HTML standard, "constructing the entry list").
        """
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        chosen = self.cleaned_data["take_as"] or self.cleaned_data["language"]
        if file is None:
            source = self.cleaned_data["source"].replace("\r\n", "\n").encode()
            return SentProgram(language=chosen, source=source, file_name=self.cleaned_data["file_name"])
        named = language_of_file(file.name or "")
        language = named.id if named and not self.cleaned_data["take_as"] else chosen
        return SentProgram(language=language, source=file.read(), file_name=file.name or "")

    def mismatch(self, program: SentProgram) -> Mismatch | None:
        """Return what the program looks like if that is not its language, unless the sender has chosen it anyway."""
        language = LANGUAGES.get(program.language)
        try:
            text = program.source.decode()
        except UnicodeDecodeError:  # from the editor its bytes would not come back
            return None
        if self.cleaned_data["take_as"] or "\0" in text or language is None:
            return None
        other = looks_like(text, language.id)
        if other is None:
            return None
        is_offered = other in self.languages
        return Mismatch(other=other, chosen=language, is_offered=is_offered, text=text, file_name=program.file_name)


class RunForm(forms.Form):
    """Input of a run without a submission: a sample, all samples, or an own input, as text or as a file.

    The file goes first when both are sent. The problem's own choice of samples is made of its version.
    """

    test = forms.ChoiceField(label=_("Run on"), error_messages={"invalid_choice": _("There is no such sample.")})
    input = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={**_SOURCE_ATTRIBUTES, "rows": 5}),
        error_messages={
            "null_characters_not_allowed": _("The input contains a NUL character. Send it as a file instead.")
        },
    )
    input_file = forms.FileField(required=False, allow_empty_file=True)

    def __init__(self, *args: Any, version: ProblemVersion, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_bytes: int = settings.MAX_CUSTOM_INPUT_BYTES
        self.version = version
        choices = _choices(version)
        set_choices(self, "test", choices)
        self.fields["test"].initial = choices[0][0]

    @property
    def is_own(self) -> bool:
        """Return whether the own input is chosen, so that its fields are to be seen."""
        return str(self["test"].value()) == OWN

    @property
    def has_samples(self) -> bool:
        """Return whether there is anything else to choose."""
        return len(_choices(self.version)) > 1

    def clean_input_file(self) -> "UploadedFile[bytes] | None":
        """Return the file; refuse one over the limit without reading it."""
        file: UploadedFile[bytes] | None = self.cleaned_data["input_file"]
        _check_size(file, self.max_bytes)
        return file

    def test_input(self) -> TestInput:
        """Return what a valid form asks for. A file keeps its bytes; in a text, line ends become LF again."""
        chosen: str = self.cleaned_data["test"]
        if chosen != OWN:
            return TestInput(sample="" if chosen == _ALL else chosen)
        file: UploadedFile[bytes] | None = self.cleaned_data["input_file"]
        typed: str = self.cleaned_data["input"]
        return TestInput(content=typed.replace("\r\n", "\n").encode() if file is None else file.read())


def _choices(version: ProblemVersion) -> list[tuple[str, str]]:
    """Return the samples by the numbers that the page gives them, and the own input."""
    names = sample_names(version)
    numbers = {sample.name: number for number, sample in enumerate(version.samples, 1)}
    samples = [(name, _("Sample %(number)s") % {"number": numbers[name]}) for name in names]
    if len(version.samples) == 1:
        samples = [(name, str(_("The sample"))) for name in names]
    every = [(_ALL, str(_("All samples")))] if len(names) > 1 else []
    return [*every, *samples, (OWN, str(_("Own input")))]


def _check_size(file: "UploadedFile[bytes] | None", most: int) -> None:
    if file and (file.size or 0) > most:
        why = _("The file has %(size)s bytes; at most %(most)s are allowed.")
        raise forms.ValidationError(why % {"size": f"{file.size:,}", "most": f"{most:,}"})
