"""The submit form: a program, as text or as a file."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import Language, language_of_file

_SOURCE_ATTRIBUTES = {"rows": 18, "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}


class SubmitForm(forms.Form):
    """A program as text or as a file; the file goes first when both are sent.

    Whether the judge takes it is for `judge.submissions.intake` to say. A file's name tells the language and nothing
    else. The `languages` to choose from are asked for when the form is drawn: nobody sees that of a program that is
    taken.
    """

    language = forms.CharField(widget=forms.Select, error_messages={"required": _("Choose a language.")})
    source = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs=_SOURCE_ATTRIBUTES),
        error_messages={"null_characters_not_allowed": _("The text contains a NUL character, so it is not a program.")},
    )
    file = forms.FileField(required=False, allow_empty_file=True)

    def __init__(self, *args: Any, languages: Callable[[], list[Language]], max_bytes: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_bytes = max_bytes
        self._ask_languages = languages
        self.fields["language"].widget = forms.Select(choices=self._choices)  # type: ignore[arg-type]  # not in the stubs
        self.fields["file"].widget.attrs["accept"] = lazy(lambda: ",".join(self.languages_by_extension), str)()

    @cached_property
    def languages(self) -> list[Language]:
        """The languages on offer."""
        return self._ask_languages()

    @property
    def languages_by_extension(self) -> dict[str, str]:
        """The language of a file by the end of its name."""
        return {extension: each.id for each in self.languages for extension in each.extensions}

    def _choices(self) -> list[tuple[str, str]]:
        return [(each.id, each.name) for each in self.languages]

    def clean_file(self) -> "UploadedFile[bytes] | None":
        """Return the file; refuse one over the limit without reading it."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file and (file.size or 0) > self.max_bytes:
            raise forms.ValidationError(
                _("The file has %(size)s bytes; at most %(most)s are allowed.")
                % {"size": f"{file.size:,}", "most": f"{self.max_bytes:,}"}
            )
        return file

    def program(self) -> tuple[str, bytes]:
        """Return language id and source of a valid form. A file keeps its bytes; in a text, line ends become LF again,
        which browsers send as CRLF (HTML standard, "constructing the entry list").
        """
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is None:
            return self.cleaned_data["language"], self.cleaned_data["source"].replace("\r\n", "\n").encode()
        named = language_of_file(file.name or "")
        return named.id if named else self.cleaned_data["language"], file.read()
