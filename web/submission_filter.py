"""The list of submissions: which ones, and one page of them.

Pages are found by key (`before` or `after` a submission's id), so that a page far back costs what the first one costs
and new submissions shift nothing.
"""

from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

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
        sent_in = Problem.objects.filter(submissions__in=self._readable).distinct()
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

    def page(self) -> Page:
        """The page that was asked for."""
        found = (
            self._matching()
            .select_related("problem", "user")
            .defer("source", "compile_message", "explanation", "groups")
        )
        after = self._id("after")
        if after is not None:
            rows = list(found.filter(pk__gt=after).order_by("pk")[: PAGE_SIZE + 1])
            has_newer, rows = len(rows) > PAGE_SIZE, rows[:PAGE_SIZE][::-1]
            return self._page(rows, has_newer=has_newer, has_older=True)
        before = self._id("before")
        rows = list(found.filter(pk__lt=before or _LARGEST_ID).order_by("-pk")[: PAGE_SIZE + 1])
        return self._page(rows[:PAGE_SIZE], has_newer=before is not None, has_older=len(rows) > PAGE_SIZE)

    def _wanted(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def _matching(self) -> SubmissionQuerySet:
        wanted = self._wanted()
        name = wanted.pop("user", "")
        return self._readable.filter(**wanted, **({"user__username__iexact": name} if name else {}))

    def _id(self, name: str) -> int | None:
        value = str(self.data.get(name, ""))
        is_id = value.isascii() and value.isdecimal() and len(value) < 19
        return int(value) if is_id else None

    def _page(self, rows: list[Submission], *, has_newer: bool, has_older: bool) -> Page:
        newer = self._query(after=rows[0].pk) if rows and has_newer else ""
        older = self._query(before=rows[-1].pk) if rows and has_older else ""
        return Page(submissions=rows, newer=newer, older=older)

    def _query(self, **key: int) -> str:
        wanted = self._wanted()
        if "problem" in wanted:
            wanted["problem"] = wanted["problem"].slug
        return urlencode(wanted | key)


def _field(form: forms.Form, name: str, kind: type[_FieldT]) -> _FieldT:
    field = form.fields[name]
    assert isinstance(field, kind)
    return field
