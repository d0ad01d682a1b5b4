"""The form for an assignment."""

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext_lazy as _

from judge.models import Assignment
from problems.models import Problem
from web import access
from web.forms.names import check_name
from web.presentation.units import zone_name

if TYPE_CHECKING:
    _Form = forms.ModelForm[Assignment]
else:
    _Form = forms.ModelForm  # Django's own takes no parameter

_MOST_PROBLEMS = 100


class _Time(forms.DateTimeInput):
    input_type = "datetime-local"


class AssignmentForm(_Form):
    """Title, problems and times, in the time zone of whoever fills it in."""

    problems = forms.ModelMultipleChoiceField(
        queryset=Problem.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one problem.")},
    )

    class Meta:
        model = Assignment
        fields = ("title", "problems", "opens_at", "closes_at", "explanation_level")
        widgets = {
            "title": forms.TextInput(attrs={"size": 40}),
            "opens_at": _Time(format="%Y-%m-%dT%H:%M"),
            "closes_at": _Time(format="%Y-%m-%dT%H:%M"),
        }

    def __init__(self, *args: Any, user: AbstractBaseUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = access.visible_problems(user).filter(is_archived=False, current_version__isnull=False)
        if self.instance.pk:  # what was chosen stays, also where it has been hidden since
            offered |= Problem.objects.filter(pk__in=self.instance.problems.values("pk"))
        cast("forms.ModelMultipleChoiceField[Problem]", self.fields["problems"]).queryset = offered.by_title()
        self.fields["title"].label = _("Title")
        self.fields["title"].validators.append(check_name)
        self.fields["opens_at"].label = _("Counts from (%(zone)s)") % {"zone": zone_name()}
        self.fields["closes_at"].label = _("Counts until (%(zone)s)") % {"zone": zone_name()}
        self.fields["explanation_level"].label = _("Explanations shown")
        self.fields["explanation_level"].help_text = _(
            "Why programs for these problems are slow, while the assignment is open: for your students and for"
            " everybody else who sees the problems. You see all of it."
        )
        self.fields["explanation_level"].required = False  # a form without it keeps what is chosen
        for name in ("opens_at", "closes_at"):
            self.fields[name].help_text = _("Empty: no end.") if name == "closes_at" else _("Empty: no start.")

    def clean_explanation_level(self) -> str:
        """Keep what is chosen where a form does not say."""
        return self.cleaned_data["explanation_level"] or self.instance.explanation_level

    def clean_problems(self) -> Any:
        """Refuse more problems than one page can show."""
        chosen = self.cleaned_data["problems"]
        if len(chosen) > _MOST_PROBLEMS:
            raise forms.ValidationError(_("Choose at most %(most)s problems.") % {"most": _MOST_PROBLEMS})
        return chosen

    def clean(self) -> dict[str, Any]:
        """Refuse an end before the beginning."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens and closes and closes <= opens:
            self.add_error("closes_at", _("The end must be later than the start."))
        return cleaned
