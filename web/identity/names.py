"""The one rule of `problems.names` for names that people type: of accounts, and titles."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from problems.names import why_no_name
from problems.translation import translated


def check_name(name: str) -> None:
    """Raise ValidationError for a name with something invisible in it, or that turns the text around."""
    if why := why_no_name(name):
        raise ValidationError(_("This name cannot be used: it %(why)s.") % {"why": translated(why)})
