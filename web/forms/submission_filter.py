"""The list of submissions: which ones, and one page of them (`web.presentation.paging`).

The ids of a page come from an index alone, which holds all that can be filtered by (`Submission.Meta.indexes`); only
then the page's own rows are read.
"""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, SubmissionQuerySet
from problems.models import Problem
from web import access
from web.access.visibility import with_rounding
from web.forms.fields import set_choices
from web.identity.accounts import as_kept
from web.presentation.paging import Page, Paging

PAGE_SIZE = 25
_LARGEST_ID = 2**63 - 1  # of a bigint


class SubmissionFilter(forms.Form):
    """The reader's filter. A value that is not offered is an error of its field and filters nothing."""

    problem = forms.ModelChoiceField(
        Problem.objects.none(), to_field_name="slug", required=False, label=_("Problem"), empty_label=_("All problems")
    )
    language = forms.ChoiceField(required=False, label=_("Language"))
    verdict = forms.ChoiceField(required=False, label=_("Verdict"))
    status = forms.ChoiceField(required=False, label=_("Status"))
    user = forms.CharField(required=False, max_length=150, strip=True, label=_("User name"))

    def __init__(self, data: Any, *, user: AbstractBaseUser | AnonymousUser) -> None:
        super().__init__(data, label_suffix="")
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
    def is_narrowed(self) -> bool:
        """Return whether any filter is set."""
        return any(self._wanted().values())

    @property
    def query(self) -> str:
        """The filter as a query string, without a page's key."""
        return urlencode(self._in_address())

    def page(self) -> Page[Submission]:
        """Return the requested page, newest first."""
        rows = with_rounding(self._readable.select_related("user") if self.is_for_staff else self._readable)
        return Paging(size=PAGE_SIZE).page(rows, self.data, keys=self._matching(), beside=self._in_address())

    def keys(self, before: int | None, most: int) -> list[int]:
        """Return the ids of the newest matching submissions, newest first; if an id is given, of those before it."""
        rows = self._matching() if before is None else self._matching().filter(pk__lt=before)
        return list(rows.order_by("-pk").values_list("pk", flat=True)[:most])

    def _wanted(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}

    def _matching(self) -> SubmissionQuerySet:
        conditions = self._wanted()
        if name := conditions.pop("user", ""):
            users = User.objects.filter(username__iexact=as_kept(name))  # whatever the case
            # a separate list, so that the query planner knows how few they are
            conditions["user__in"] = list(users.values_list("pk", flat=True))
        # the bound says nothing, but with one PostgreSQL reads ids in their order from one index, not from two
        return self._readable.filter(pk__lt=_LARGEST_ID).filter(**conditions)

    def _in_address(self) -> dict[str, Any]:
        conditions = self._wanted()
        return conditions | {"problem": conditions["problem"].slug} if "problem" in conditions else conditions
