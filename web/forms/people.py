"""Forms about people: finding an account."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

_MOST_CHARACTERS = 150  # as a user name has


class SearchForm(forms.Form):
    """A part of a user name or of an e-mail address."""

    q = forms.CharField(required=False, max_length=_MOST_CHARACTERS, label=_("User name or e-mail address"))

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
