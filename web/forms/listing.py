"""The instructor's form for who sees a problem, and what lists and statistics say of it."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from problems.models import Audience, Difficulty, Problem, Statistics
from problems.tags import MOST_CHARACTERS, MOST_TAGS, as_tag, typed_tags


class ListingForm(forms.Form):
    """Who sees a problem; its tags, difficulty and statistics. They belong to the problem, not to a version."""

    audience = forms.ChoiceField(
        label=_("Who sees the problem"), choices=Audience.choices, widget=forms.RadioSelect, required=False
    )
    tags = forms.CharField(
        required=False, max_length=MOST_TAGS * (MOST_CHARACTERS + 2), label=_("Tags, separated by commas")
    )
    difficulty = forms.ChoiceField(
        required=False, label=_("Difficulty"), choices=[("", _("not set")), *Difficulty.choices]
    )
    statistics = forms.ChoiceField(label=_("Statistics that everybody sees"), choices=Statistics.choices)

    def __init__(self, data: Any = None, *, instance: Problem) -> None:
        columns = {name: getattr(instance, name) for name in ("audience", "difficulty", "statistics")}
        super().__init__(data, initial={**columns, "tags": ", ".join(instance.tags)}, prefix="listing")
        self._problem = instance
        self.fields["tags"].help_text = _("The package has no keywords. Example: graphs, binary search")
        if keywords := (instance.current_version and instance.current_version.keywords) or []:
            sentence = _("From the package: %(value)s. Tags that you enter replace them.")
            self.fields["tags"].help_text = sentence % {"value": ", ".join(keywords)}

    def clean_audience(self) -> str:
        """Keep what is chosen where a form does not say."""
        return self.cleaned_data["audience"] or self._problem.audience

    def clean_tags(self) -> list[str]:
        """Return the tags. Refuse more or longer ones than a problem may have."""
        words = [word for word in self.cleaned_data["tags"].split(",") if as_tag(word)]
        if len(words) > MOST_TAGS:
            raise forms.ValidationError(_("At most %(most)s tags.") % {"most": MOST_TAGS})
        if any(len(word.strip()) > MOST_CHARACTERS for word in words):
            raise forms.ValidationError(_("A tag has at most %(most)s characters.") % {"most": MOST_CHARACTERS})
        return list(typed_tags(self.cleaned_data["tags"]))

    def save(self) -> None:
        """Write the problem's columns. Call on a valid form."""
        Problem.objects.filter(pk=self._problem.pk).update(**self.cleaned_data)
