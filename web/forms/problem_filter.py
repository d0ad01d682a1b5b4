"""The filter of the list of problems. Every value stands in the address, so that a list can be linked."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from problems.encodings import composed
from problems.models import Difficulty, ProblemQuerySet
from web.access.guard import Person
from web.forms.fields import set_choices
from web.presentation.topics import topic_name, topics_named

_MOST_CHARACTERS = 100


class ProblemFilter(forms.Form):
    """The filter of the list of problems. A value that is not offered is an error of its field and filters nothing.

    `problems`: with `title_in_language`. `tags`: every topic of them. `has_languages`: some do not take every language.
    """

    q = forms.CharField(
        required=False, max_length=_MOST_CHARACTERS, label=_("Search"), widget=forms.TextInput(attrs={"type": "search"})
    )
    tag = forms.ChoiceField(required=False, label=_("Topic"))
    difficulty = forms.ChoiceField(
        required=False, label=_("Difficulty"), choices=[("", _("Any difficulty")), *Difficulty.choices]
    )
    state = forms.ChoiceField(
        required=False,
        label=_("Your verdict"),
        choices=[("", _("Any")), ("solved", _("solved")), ("tried", _("tried, not solved")), ("new", _("not tried"))],
    )
    language = forms.ChoiceField(required=False, label=_("Language"))

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        user: Person,
        problems: ProblemQuerySet,
        tags: Sequence[str],
        has_languages: bool,
    ) -> None:
        super().__init__(data, label_suffix="")
        self._user, self._problems = user, problems
        topics = sorted(((tag, topic_name(tag)) for tag in tags), key=lambda topic: topic[1].casefold())
        languages = [(language.id, language.short_name) for language in LANGUAGES.values()]
        set_choices(self, "tag", [("", _("All topics")), *topics])
        set_choices(self, "language", [("", _("Any language")), *languages])
        if not has_languages:  # it would filter nothing
            del self.fields["language"]
        if not user.is_authenticated:
            del self.fields["state"]

    @property
    def is_narrowed(self) -> bool:
        """Return whether any filter is set."""
        return bool(self.in_address)

    @property
    def in_address(self) -> dict[str, str]:
        """The filter as parameters of an address."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def query(self) -> str:
        """The filter as a query string."""
        return urlencode(self.in_address)

    def matching(self) -> ProblemQuerySet:
        """Return the problems that were asked for."""
        parameters, problems = self.in_address, self._problems
        if text := composed(parameters.get("q", "")):  # macOS hands out names in parts
            has_text = Q(title__icontains=text) | Q(title_in_language__icontains=text) | Q(slug__icontains=text)
            # a part of a tag: in JSON it stands as it is, but for quotes and the like
            for part in (text, *topics_named(text)):
                has_text |= Q(tags__icontains=part) | Q(tags=[], current_version__keywords__icontains=part)
            problems = problems.filter(has_text)
        if tag := parameters.get("tag"):
            problems = problems.about(tag)
        if difficulty := parameters.get("difficulty"):
            problems = problems.filter(difficulty=difficulty)
        if language := parameters.get("language"):
            takes = Q(current_version__languages__isnull=True) | Q(current_version__languages__contains=[language])
            problems = problems.filter(takes)
        sent = Submission.objects.filter(user=self._user.pk, problem=OuterRef("pk"))
        is_tried, is_solved = Exists(sent), Exists(sent.filter(verdict=Verdict.AC, status=Status.DONE))
        states = {"solved": Q(is_solved), "tried": Q(is_tried) & ~Q(is_solved), "new": ~Q(is_tried)}
        return problems.filter(states.get(parameters.get("state", ""), Q()))
