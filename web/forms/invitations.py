"""The form for an invitation."""

from datetime import timedelta
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judge.models import Assignment, Invitation
from web import access
from web.forms.fields import NameField

MOST_USES = 1_000
MOST_DAYS = 366


class InvitationForm(forms.Form):
    """For whom it is, how many, how long, and where they go."""

    note = NameField(max_length=100, label=_("For whom"), help_text=_("Only instructors see it."))
    most_uses = forms.IntegerField(min_value=1, max_value=MOST_USES, initial=30, label=_("Accounts"))
    days = forms.IntegerField(min_value=1, max_value=MOST_DAYS, initial=14, label=_("Days until it expires"))
    assignment = forms.ModelChoiceField(
        queryset=Assignment.objects.none(),
        required=False,
        label=_("Leads to assignment"),
        empty_label=_("No assignment"),
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data, label_suffix="")
        self._user = user
        own = access.manageable_assignments(user).order_by("-pk")
        cast("forms.ModelChoiceField[Assignment]", self.fields["assignment"]).queryset = own

    def save(self) -> Invitation:
        """Create the invitation of a valid form."""
        cleaned = self.cleaned_data
        return Invitation.objects.create(
            owner=self._user,
            note=cleaned["note"],
            most_uses=cleaned["most_uses"],
            expires_at=timezone.now() + timedelta(days=cleaned["days"]),
            assignment=cleaned["assignment"],
        )
