"""The list of submissions: which ones, and one page of them.

Pages are found by key (`before` or `after` a submission's id), so that a page far back costs what the first one costs
and new submissions shift nothing. The ids of a page come from an index alone, which holds all that can be filtered by
(`Submission.Meta.indexes`); only then the page's own rows are read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef

from judge.languages import LANGUAGES
from judge.models import Status, Submission, SubmissionQuerySet
from judge.verdicts import Verdict
from problems.models import Problem

PAGE_SIZE = 25
_LARGEST_ID = 2**63 - 1  # of a bigint; eighteen digits always fit
_FieldT = TypeVar("_FieldT", bound=forms.Field)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page of submissions, newest first. `newer` and `older` are query strings of the pages beside it, or empty."""

    submissions: list[Submission]
    newer: str
    older: str


class SubmissionFilter(forms.Form):
    """What the reader asked to see. A value that is not offered is an error of its field and filters nothing."""

    problem = forms.ModelChoiceField(
        queryset=Problem.objects.none(), to_field_name="slug", required=False, empty_label="All problems"
    )
    language = forms.ChoiceField(required=False)
    verdict = forms.ChoiceField(required=False)
    status = forms.ChoiceField(required=False)
    user = forms.CharField(required=False, max_length=150, strip=True, label="User name")

    def __init__(self, data: Any, *, user: AbstractBaseUser | AnonymousUser) -> None:
        super().__init__(data, label_suffix="")
        self._readable = Submission.objects.readable_by(user)
        self.is_for_staff = bool(getattr(user, "is_staff", False))
        if not self.is_for_staff:
            del self.fields["user"]
        sent_in = Problem.objects.filter(Exists(self._readable.filter(problem=OuterRef("pk"))))
        _field(self, "problem", forms.ModelChoiceField).queryset = sent_in
        _field(self, "language", forms.ChoiceField).choices = [
            ("", "All languages"),
            *((language.id, language.name) for language in LANGUAGES.values()),
        ]
        _field(self, "verdict", forms.ChoiceField).choices = [
            ("", "All verdicts"),
            *((verdict.value, f"{verdict.value} \u2013 {verdict.meaning}") for verdict in Verdict),
        ]
        _field(self, "status", forms.ChoiceField).choices = [("", "Any status"), *Status.choices]

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is set."""
        return any(self._wanted().values())

    @property
    def query(self) -> str:
        """The filter as a query string, without a page's key."""
        return self._query()

    def page(self) -> Page:
        """The page that was asked for."""
        after = self._id("after")
        if after is not None:
            keys = self._keys(after=after, most=PAGE_SIZE + 1)
            return self._page(keys[:PAGE_SIZE][::-1], has_newer=len(keys) > PAGE_SIZE, has_older=True)
        before = self._id("before")
        keys = self.keys(before, PAGE_SIZE + 1)
        return self._page(keys[:PAGE_SIZE], has_newer=before is not None, has_older=len(keys) > PAGE_SIZE)

    def keys(self, before: int | None, most: int) -> list[int]:
        """The ids of the newest ones that fit, the newest first; of those before that one if it is given."""
        found = self._matching().filter(pk__lt=before or _LARGEST_ID).order_by("-pk")
        return list(found.values_list("pk", flat=True)[:most])

    def _keys(self, *, after: int, most: int) -> list[int]:
        return list(self._matching().filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:most])

    def _wanted(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def _matching(self) -> SubmissionQuerySet:
        wanted = self._wanted()
        name = wanted.pop("user", "")
        return self._readable.filter(**wanted, **({"user__in": _users_named(name)} if name else {}))

    def _id(self, name: str) -> int | None:
        value = str(self.data.get(name, ""))
        is_id = value.isascii() and value.isdecimal() and len(value) < 19
        return int(value) if is_id else None

    def _page(self, keys: Sequence[int], *, has_newer: bool, has_older: bool) -> Page:
        newer = self._query(after=keys[0]) if keys and has_newer else ""
        older = self._query(before=keys[-1]) if keys and has_older else ""
        shown = self._readable.select_related("problem", "user").defer(
            "source", "compile_message", "explanation", "groups"
        )
        rows = shown.filter(pk__in=keys).order_by("-pk")
        return Page(submissions=list(rows), newer=newer, older=older)

    def _query(self, **key: int) -> str:
        wanted = self._wanted()
        if "problem" in wanted:
            wanted["problem"] = wanted["problem"].slug
        return urlencode(wanted | key)


def _users_named(name: str) -> list[int]:
    """Their ids, whatever the case; in a list of their own, so that the plan for the rows knows how few they are."""
    return list(get_user_model()._default_manager.filter(username__iexact=name).values_list("pk", flat=True))


def _field(form: forms.Form, name: str, kind: type[_FieldT]) -> _FieldT:
    field = form.fields[name]
    assert isinstance(field, kind)
    return field
