"""Fields for names that people read, under the one rule of `problems.names`."""

from django import forms
from django.utils.translation import gettext as _

from problems.names import why_no_name
from problems.translation import translated


def check_name(name: str) -> None:
    """Raise ValidationError for a name with something invisible in it, or that turns the text around."""
    if why := why_no_name(name):
        raise forms.ValidationError(_("This name cannot be used: it %(why)s.") % {"why": translated(why)})


class NameField(forms.CharField):
    """A title, a person's name or the like, in one line."""

    default_validators = [check_name]
