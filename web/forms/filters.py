"""The filters of the lists of problems and of submissions. Every value stands in the address: lists can be linked."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, SubmissionQuerySet
from problems.encodings import composed
from problems.models import Difficulty, Problem, ProblemQuerySet
from web import access
from web.access.guard import Person
from web.access.visibility import with_rounding
from web.forms.fields import set_choices
from web.identity.accounts import as_kept
from web.presentation.paging import Page, Paging
from web.presentation.topics import topic_name, topics_named

PAGE_SIZE = 25
_MOST_CHARACTERS = 100
_LARGEST_ID = 2**63 - 1  # of a bigint


class _Filter(forms.Form):
    """A filter of a list. A value that is not offered is an error of its field and filters nothing."""

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="")

    def conditions(self) -> dict[str, Any]:
        """Return the valid values that narrow the list."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    @property
    def in_address(self) -> dict[str, Any]:
        """The filter as parameters of an address."""
        return self.conditions()

    @property
    def is_narrowed(self) -> bool:
        """Return whether any filter is set."""
        return bool(self.conditions())

    @property
    def query(self) -> str:
        """The filter as a query string."""
        return urlencode(self.in_address)


class ProblemFilter(_Filter):
    """The filter of the list of problems.

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
        super().__init__(data)
        self._user, self._problems = user, problems
        topics = sorted(((tag, topic_name(tag)) for tag in tags), key=lambda topic: topic[1].casefold())
        languages = [(language.id, language.short_name) for language in LANGUAGES.values()]
        set_choices(self, "tag", [("", _("All topics")), *topics])
        set_choices(self, "language", [("", _("Any language")), *languages])
        if not has_languages:  # it would filter nothing
            del self.fields["language"]
        if not user.is_authenticated:
            del self.fields["state"]

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


class SubmissionFilter(_Filter):
    """The filter of the list of submissions, and one page of them.

    The ids of a page come from an index alone, which holds all that can be filtered by (`Submission.Meta.indexes`);
    only then the page's own rows are read.
    """

    problem = forms.ModelChoiceField(
        Problem.objects.none(), to_field_name="slug", required=False, label=_("Problem"), empty_label=_("All problems")
    )
    language = forms.ChoiceField(required=False, label=_("Language"))
    verdict = forms.ChoiceField(required=False, label=_("Verdict"))
    status = forms.ChoiceField(required=False, label=_("Status"))
    user = forms.CharField(required=False, max_length=150, strip=True, label=_("User name"))

    def __init__(self, data: Any, *, user: Person) -> None:
        super().__init__(data)
        self._readable = access.readable_submissions(user)
        self.is_for_staff = access.reads_every_submission(user)
        if not self.is_for_staff:
            del self.fields["user"]
        sent_in = Problem.objects.filter(Exists(self._readable.filter(problem=OuterRef("pk")))).only("slug", "title")
        problem: Any = self.fields["problem"]
        problem.queryset = sent_in.by_title()
        languages = [(language.id, language.name) for language in LANGUAGES.values()]
        verdicts = [(verdict.value, f"{verdict.value} \u2013 {_(verdict.meaning)}") for verdict in Verdict]
        set_choices(self, "language", [("", _("All languages")), *languages])
        set_choices(self, "verdict", [("", _("All verdicts")), *verdicts])
        set_choices(self, "status", [("", _("Any status")), *Status.choices])

    @property
    def in_address(self) -> dict[str, Any]:
        """The filter as parameters of an address, without a page's key."""
        conditions = self.conditions()
        return conditions | {"problem": conditions["problem"].slug} if "problem" in conditions else conditions

    def page(self) -> Page[Submission]:
        """Return the requested page, newest first."""
        rows = with_rounding(self._readable.select_related("user") if self.is_for_staff else self._readable)
        return Paging(size=PAGE_SIZE).page(rows, self.data, keys=self._matching(), beside=self.in_address)

    def keys(self, before: int | None, most: int) -> list[int]:
        """Return the ids of the newest matching submissions, newest first; if an id is given, of those before it."""
        rows = self._matching() if before is None else self._matching().filter(pk__lt=before)
        return list(rows.order_by("-pk").values_list("pk", flat=True)[:most])

    def _matching(self) -> SubmissionQuerySet:
        conditions = self.conditions()
        if name := conditions.pop("user", ""):
            users = User.objects.filter(username__iexact=as_kept(name))  # whatever the case
            # a separate list, so that the query planner knows how few they are
            conditions["user__in"] = list(users.values_list("pk", flat=True))
        # the bound says nothing, but with one PostgreSQL reads ids in their order from one index, not from two
        return self._readable.filter(pk__lt=_LARGEST_ID).filter(**conditions)
