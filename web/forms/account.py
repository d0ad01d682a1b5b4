"""The forms of one's own account: signing up, preferences, and allauth's forms in our words."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.models import EmailAddress
from allauth.mfa.base.forms import AuthenticateForm as CodeForm, ReauthenticateForm as CodeAgainForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from judge.models import Preferences
from judge.models.preferences import BROWSERS_ZONE
from web.identity import user_names
from web.identity.preferences import DEFAULT_ZONE, zones

_NEW = _("New password")
_AGAIN = _("New password again")
_RULES = _("At least 8 characters, not a common password, not similar to your name.")
_EMAIL = _("E-mail address")
_CODE_HELP = _("The six digits that the app shows now, or one of your recovery codes.")


@cache
def _zone_choices() -> list[Any]:
    regions = [(region, [(name, name.replace("_", " ")) for name in names]) for region, names in zones().items()]
    return [(BROWSERS_ZONE, _("As the browser")), (DEFAULT_ZONE, DEFAULT_ZONE), *regions]


class SignupForm(UserCreationForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A new account: a name, and a password twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Others may see it. Letters, digits and @ . + - _")
        self.fields["password1"].help_text = _RULES
        self.fields["password2"].label = _("Password again")
        self.fields["password2"].help_text = ""

    def clean_username(self) -> str:
        """Refuse a name that somebody has, or by which its owner could pass for somebody else."""
        name: str = self.cleaned_data["username"]
        user_names.check(name)
        user_names.check_look(name)
        return name


class PreferencesForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """Colours, time zone, and whether others read the name."""

    class Meta:
        model = Preferences
        fields = ("scheme", "time_zone", "shows_name")
        labels = {"scheme": _("Colours"), "shows_name": _("Show my name on boards")}
        help_texts = {"shows_name": _("Otherwise the boards of a problem show no name beside your result.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.fields["time_zone"] = forms.ChoiceField(
            required=False,  # the browser's zone is the empty word
            choices=_zone_choices,
            label=_("Time zone"),
            help_text=_("All times on the pages are shown in it."),
        )


class _InOurWords(forms.Form):
    """Gives fields of allauth's form a label and a help in our words, and no placeholder."""

    words: Mapping[str, tuple[Any, Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for name, (label, help_text) in self.words.items():
            field = self.fields[name]
            field.label, field.help_text = label, help_text
            field.widget.attrs.pop("placeholder", None)


def _in_our_words(form: type[forms.Form], **words: tuple[Any, Any]) -> type[forms.Form]:
    """Return allauth's form with these labels and helps of its fields."""
    return type(form.__name__, (_InOurWords, form), {"words": words})


class ResetAskForm(_InOurWords, allauth_forms.ResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """The address to which the link goes."""

    users: list[AbstractBaseUser]

    words = {"email": (_EMAIL, "")}

    def clean_email(self) -> str:
        """Leave out accounts that named this address and never confirmed it."""
        email: str = super().clean_email()
        pending = EmailAddress.objects.filter(email__iexact=email, verified=False).values_list("user_id", flat=True)
        self.users = [user for user in self.users if user.pk not in set(pending)]
        return email


PasswordChangeForm = _in_our_words(
    allauth_forms.ChangePasswordForm,
    oldpassword=(_("Current password"), ""),
    password1=(_NEW, _RULES),
    password2=(_AGAIN, ""),
)
PasswordSetForm = _in_our_words(  # the first one
    allauth_forms.SetPasswordForm, password1=(_("Password"), _RULES), password2=(_("Password again"), "")
)
ResetForm = _in_our_words(allauth_forms.ResetPasswordKeyForm, password1=(_NEW, _RULES), password2=(_AGAIN, ""))
EmailForm = _in_our_words(allauth_forms.AddEmailForm, email=(_EMAIL, ""))
PasswordAgainForm = _in_our_words(allauth_forms.ReauthenticateForm, password=(_("Password"), ""))
SignInCodeForm = _in_our_words(CodeForm, code=(_("Code"), _CODE_HELP))
CodeForChangeForm = _in_our_words(CodeAgainForm, code=(_("Code"), _CODE_HELP))
FirstCodeForm = _in_our_words(ActivateTOTPForm, code=(_("Code"), _("The six digits that the app shows now.")))
