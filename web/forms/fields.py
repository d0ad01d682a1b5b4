"""Fields that several forms have, and their rows: a button adds or removes one, and the page comes again."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict

from web.identity.user_names import check_name


class NameField(forms.CharField):
    """A title, a person's name or the like, in one line."""

    default_validators = [check_name]


class FilesInput(forms.FileInput):
    """Any number of files in one control; the value is their list."""

    allow_multiple_selected = True


def set_choices(form: forms.BaseForm, name: str, choices: Iterable[tuple[str, Any]]) -> None:
    """Have the form's field of this name offer these choices."""
    field: Any = form.fields[name]
    field.choices = choices


def wants_other_rows(data: QueryDict) -> bool:
    """Return whether a button for rows was pressed."""
    return "more" in data or "less" in data
