"""The form for an assignment."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.forms.boundfield import BoundWidget
from django.http import QueryDict
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext_lazy as _

from judge.models import Assignment
from problems.models import Problem
from web import access
from web.identity.user_names import check_name
from web.presentation.paging import id_key

if TYPE_CHECKING:
    _Form = forms.ModelForm[Assignment]
else:
    _Form = forms.ModelForm  # Django's own takes no parameter

_MOST_PROBLEMS = 100
_PLACE = "place-"  # before a problem's key: the name of the field for its number
_WHOLE, _LAST = re.compile("0{0,9}[1-9][0-9]{0,2}"), 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One problem of the form: its check box, and the number that says where it stands."""

    problem: Problem
    box: BoundWidget
    place: str

    @property
    def name(self) -> str:
        """The name of the field for its number."""
        return f"{_PLACE}{self.problem.pk}"


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
        problems: Any = self.fields["problems"]
        problems.queryset = offered.by_title()
        self.fields["title"].label = _("Title")
        self.fields["title"].validators.append(check_name)
        self.fields["opens_at"].label = _("Counts from (%(zone)s)") % {"zone": get_current_timezone_name()}
        self.fields["closes_at"].label = _("Counts until (%(zone)s)") % {"zone": get_current_timezone_name()}
        self.fields["explanation_level"].label = _("Explanations shown")
        self.fields["explanation_level"].help_text = _(
            "Why programs for these problems are slow, while the assignment is open: for your students and for"
            " everybody else who sees the problems. You see all of it."
        )
        self.fields["explanation_level"].required = False  # a form without it keeps what is chosen
        self.fields["opens_at"].help_text = _("Empty: no start.")
        self.fields["closes_at"].help_text = _("Empty: no end.")

    @property
    def choices(self) -> "list[Choice]":
        """The problems to choose from: the chosen ones first, in their order."""
        chosen = self._chosen()
        order = {key: number for number, key in enumerate(chosen)}
        boxes = ((box, box.data["value"].instance) for box in self["problems"])
        choices = [Choice(box=box, problem=problem, place=chosen.get(problem.pk, "")) for box, problem in boxes]
        return sorted(choices, key=lambda choice: order.get(choice.problem.pk, len(order)))

    def _chosen(self) -> dict[int, str]:
        """Return what stands in the field of each chosen problem, in their order."""
        if self.is_bound:
            sent = cast(QueryDict, self.data).getlist("problems")
            keys = [key for text in sent if (key := id_key(text)) is not None]
            return {key: self.data.get(f"{_PLACE}{key}", "") for key in keys}
        every = Problem.objects.all()
        rows = self.instance.in_order(every) if self.instance.pk else every.none()
        return {problem.pk: str(place) for place, problem in enumerate(rows, start=1)}

    def save(self, commit: bool = True) -> Assignment:
        """Write the assignment with its problems in the order of their numbers; those without one follow by title."""
        saved, places = super().save(commit=False), self._chosen()
        saved.save()
        chosen = self.cleaned_data["problems"]
        saved.set_problems(sorted(chosen, key=lambda problem: int(places.get(problem.pk) or _LAST)))
        return saved

    def clean_explanation_level(self) -> str:
        """Keep what is chosen where a form does not say."""
        return self.cleaned_data["explanation_level"] or self.instance.explanation_level

    def clean_problems(self) -> Any:
        """Refuse more problems than one page can show."""
        chosen = self.cleaned_data["problems"]
        if len(chosen) > _MOST_PROBLEMS:
            raise forms.ValidationError(_("Choose at most %(most)s problems.") % {"most": _MOST_PROBLEMS})
        if not all(place == "" or _WHOLE.fullmatch(place) for place in self._chosen().values()):
            raise forms.ValidationError(_("Number the problems with whole numbers from 1 to 999, or not at all."))
        return chosen

    def clean(self) -> dict[str, Any]:
        """Refuse an end before the beginning."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens and closes and closes <= opens:
            self.add_error("closes_at", _("The end must be later than the start."))
        return cleaned
