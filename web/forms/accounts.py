"""What somebody sends who wants an account."""

from typing import Any

from django.contrib.auth.forms import UserCreationForm


class SignupForm(UserCreationForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A new account: a name, and a password twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = "Others may see it. Letters, digits and @ . + - _"
        self.fields["password1"].help_text = "At least 8 characters, not a common one, not like your name."
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""
