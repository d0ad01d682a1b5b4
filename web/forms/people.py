"""Forms about people: inviting them, finding an account, and removing one."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judge.models import Assignment, Invitation
from judge.removal import OwnerNeeded
from web import access
from web.forms.fields import NameField
from web.identity import accounts
from web.identity.accounts import Role

_MOST_CHARACTERS = 150  # as a user name has
MOST_USES = 1_000
MOST_DAYS = 366


class InvitationForm(forms.Form):
    """For whom it is, how many, how long, and where they go."""

    note = NameField(max_length=100, label=_("For whom"), help_text=_("Only instructors see it."))
    most_uses = forms.IntegerField(min_value=1, max_value=MOST_USES, initial=30, label=_("Accounts"))
    days = forms.IntegerField(min_value=1, max_value=MOST_DAYS, initial=14, label=_("Days until it expires"))
    assignment = forms.ModelChoiceField(
        Assignment.objects.none(), required=False, label=_("Leads to assignment"), empty_label=_("No assignment")
    )

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data, label_suffix="")
        self._user = user
        assignment: Any = self.fields["assignment"]
        assignment.queryset = access.manageable_assignments(user).order_by("-pk")

    def save(self) -> Invitation:
        """Create the invitation of a valid form."""
        columns = dict(self.cleaned_data)
        expires_at = timezone.now() + timedelta(days=columns.pop("days"))
        return Invitation.objects.create(owner=self._user, expires_at=expires_at, **columns)


class SearchForm(forms.Form):
    """A part of a user name or of an e-mail address."""

    q = forms.CharField(required=False, max_length=_MOST_CHARACTERS, label=_("User name or e-mail address"))

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="")


class RemovalForm(forms.Form):
    """The name of the account, typed, and who gets what others need."""

    new_owner = forms.CharField(
        max_length=_MOST_CHARACTERS,
        label=_("New owner"),
        help_text=_("The user name of an instructor."),
        error_messages={"required": _("Enter the user name of an instructor who gets what stays.")},
    )
    name = forms.CharField(max_length=_MOST_CHARACTERS, label=_("User name, to confirm"))

    def __init__(self, data: Any = None, *, person: User, needs_owner: bool) -> None:
        super().__init__(data, label_suffix="")
        self.person = person
        if not needs_owner:
            del self.fields["new_owner"]
        self.fields["name"].widget.attrs["autocomplete"] = "off"

    def clean_new_owner(self) -> User:
        """Find an instructor's account that is not this one."""
        name = self.cleaned_data["new_owner"]
        user = accounts.account_named(name)
        if user is None or not user.is_active or accounts.roles_of([user])[user.pk] is Role.STUDENT:
            raise ValidationError(_("%(name)s is no instructor.") % {"name": name})
        if user == self.person:
            raise ValidationError(_("Enter the name of somebody else."))
        return user

    def clean_name(self) -> str:
        """Compare it with the name of the account."""
        name: str = accounts.as_kept(self.cleaned_data["name"])
        if name != self.person.get_username():
            raise ValidationError(_("This is not the name of the account."))
        return name

    def remove(self) -> bool | None:
        """Remove the account; return whether that is done, or a worker goes on. None: it is refused, and why is said.

        Call it on a valid form.
        """
        try:
            return accounts.remove(self.person, self.cleaned_data.get("new_owner"))
        except accounts.RightsStay as why:
            self.add_error(None, str(why))
        except OwnerNeeded:  # of something that came at this moment
            self.add_error(None, _("Something is to get a new owner now. Load the page again."))
        return None


class OwnRemovalForm(RemovalForm):
    """Likewise, with the password once more if there is one."""

    password = forms.CharField(
        label=_("Password"), strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, data: Any = None, *, person: User, needs_owner: bool) -> None:
        super().__init__(data, person=person, needs_owner=needs_owner)
        if not person.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> str:
        """Compare it with that of the account."""
        password: str = self.cleaned_data["password"]
        if not self.person.check_password(password):
            raise ValidationError(_("This is not your password."))
        return password
