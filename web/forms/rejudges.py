"""The form that chooses which submissions of a problem are judged again."""

import re
from datetime import date, datetime, time, timedelta

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.timezone import get_current_timezone_name, make_aware
from django.utils.translation import gettext_lazy as _

from judge.grading.languages import LANGUAGES
from judge.rejudging.selection import Filter, Preview, count, options
from problems.models import Problem
from web.forms.fields import set_choices
from web.identity.accounts import as_kept

MOST_IDS = 20_000
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)
_SEPARATOR = re.compile(r"[\s,;]+")


class RejudgeChoiceForm(forms.Form):
    """The choice of submissions. Verdicts and languages are offered as far as the problem has submissions of them."""

    asked = forms.BooleanField(required=False, initial=True, widget=forms.HiddenInput)  # whether the form was sent
    older = forms.BooleanField(
        required=False, label=_("Only submissions judged with another version than the current one")
    )
    verdict = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, label=_("Verdicts"))
    language = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple, label=_("Languages"))
    since = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))
    users = forms.CharField(required=False, max_length=10_000, label=_("Students, by user name"))
    ids = forms.CharField(required=False, max_length=10_000, label=_("Submissions, by number"))

    def __init__(self, problem: Problem, data: QueryDict) -> None:
        """Read the query string; without one, choose submissions of older versions if there are any."""
        there = options(problem)
        super().__init__(data if data.get("asked") else {"older": there.has_older, "asked": "on"}, label_suffix="")
        self.fields["since"].label = _("Submitted from (%(zone)s)") % {"zone": get_current_timezone_name()}
        self.fields["until"].label = _("Submitted until, inclusive (%(zone)s)") % {"zone": get_current_timezone_name()}
        self.fields["users"].widget.attrs["placeholder"] = "ada, grace"
        self.fields["ids"].widget.attrs["placeholder"] = "12, 30-45"
        self._problem = problem
        set_choices(self, "verdict", [(key, f"{key} ({number:,})") for key, number in there.by_verdict.items()])
        names = {language.id: language.name for language in LANGUAGES.values()}
        by_language = [(key, f"{names.get(key, key)} ({number:,})") for key, number in there.by_language.items()]
        set_choices(self, "language", by_language)

    @property
    def chosen(self) -> Preview | None:
        """The number of submissions that it selects; None if a field is invalid."""
        return count(self._problem, self.choice()) if self.is_valid() else None

    def choice(self) -> Filter:
        """Return the choice of a valid form."""
        cleaned = self.cleaned_data
        return Filter(
            verdicts=frozenset(cleaned["verdict"]),
            languages=frozenset(cleaned["language"]),
            users=cleaned["users"],
            ids=cleaned["ids"],
            since=_midnight(cleaned["since"]),
            until=_midnight(cleaned["until"], later_days=1),
            is_older_only=cleaned["older"],
        )

    def clean_users(self) -> frozenset[int]:
        """Return the students by id. Names must be written exactly."""
        names = {as_kept(name) for name in _SEPARATOR.split(self.cleaned_data["users"]) if name}
        users = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
        unknown = sorted(names - users.keys())
        if unknown:
            raise forms.ValidationError(_("Unknown users: %(names)s.") % {"names": ", ".join(unknown)})
        return frozenset(users.values())

    def clean_ids(self) -> frozenset[int]:
        """Return the numbers, with ranges expanded."""
        ids: set[int] = set()
        for word in _SEPARATOR.split(self.cleaned_data["ids"].strip()):
            match = _RANGE.fullmatch(word)
            if word and match is None:
                why = _("%(word)s is neither a number nor a range such as 30-45.")
                raise forms.ValidationError(why % {"word": word})
            if match:
                first, last = int(match[1]), int(match[2] or match[1])
                if last - first >= MOST_IDS - len(ids):
                    raise forms.ValidationError(_("At most %(most)s numbers.") % {"most": f"{MOST_IDS:,}"})
                ids.update(range(first, last + 1))
        return frozenset(ids)


class ReasonForm(forms.Form):
    """The reason of judging again."""

    reason = forms.CharField(max_length=500, strip=True)


def _midnight(day: date | None, later_days: int = 0) -> datetime | None:
    """Return when a day begins in the time zone of whoever fills the form in."""
    return make_aware(datetime.combine(day + timedelta(days=later_days), time())) if day else None
