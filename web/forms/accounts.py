"""The form for signing up."""

from typing import Any

from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from web.identity import user_names


class SignupForm(UserCreationForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A new account: a name, and a password twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Others may see it. Letters, digits and @ . + - _")
        self.fields["password1"].help_text = _(
            "At least 8 characters, not a common password, not similar to your name."
        )
        self.fields["password2"].label = _("Password again")
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        """Refuse a name that somebody has, or by which its owner could pass for somebody else."""
        name: str = self.cleaned_data["username"]
        user_names.check(name)
        user_names.check_look(name)
        return name
