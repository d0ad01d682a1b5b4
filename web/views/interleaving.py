"""Running compared submissions again, in turns."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from judge import experimenting
from judge.intake import IntakeRefused
from judge.interleaving import LEAST_ROUNDS, NotRepeatable, interleaved_spec, most_rounds
from judge.models import Submission
from web import access
from web.forms.comparisons import asked_submissions, can_be_compared, query_of
from web.presentation.comparing import Comparison, compare_submissions

_USUAL_ROUNDS = 10


class RunAgainForm(forms.Form):
    """Which case, and how often. Only cases whose numbers the reader sees are offered; the slowest one is chosen."""

    def __init__(self, data: Any = None, *, submissions: list[Submission], comparison: Comparison) -> None:
        slowest = max(comparison.cases, key=lambda case: case.slowest_us, default=None)
        most = most_rounds(submissions)
        initial = {"case": slowest.name if slowest else "", "rounds": min(_USUAL_ROUNDS, most)}
        super().__init__(data, initial=initial, label_suffix="")
        self.fields["case"] = forms.ChoiceField(
            label=_("Test case"),
            choices=[(case.name, case.name) for case in comparison.cases],
            error_messages={"invalid_choice": _("Choose one of the compared test cases.")},
        )
        self.fields["rounds"] = forms.IntegerField(label=_("Rounds"), min_value=LEAST_ROUNDS, max_value=most)


def run_again_form(submissions: list[Submission], comparison: Comparison) -> RunAgainForm | None:
    """The form for a page; None where nothing can be run again."""
    if not comparison.cases or most_rounds(submissions) < LEAST_ROUNDS:
        return None
    return RunAgainForm(submissions=submissions, comparison=comparison)


def run_again(request: HttpRequest) -> HttpResponse:
    """Have the submissions run in turns on one case; to the page of that run, or back with the reason why not."""
    submissions = asked_submissions(request.user, request.POST)
    if not can_be_compared(submissions):
        raise Http404
    comparison = compare_submissions(submissions, access.sight_of(request.user, submissions[0].problem))
    form = RunAgainForm(request.POST, submissions=submissions, comparison=comparison)
    refusal = _first_error(form)
    if not refusal:
        try:
            spec = interleaved_spec(submissions, form.cleaned_data["case"], form.cleaned_data["rounds"])
            run = experimenting.start(cast(User, request.user), spec, experimenting.SUBMISSIONS)
        except (NotRepeatable, IntakeRefused) as refused:
            refusal = str(refused)
        else:
            return redirect("experiment_run", run.pk)
    messages.error(request, refusal)
    return redirect(f"{reverse('compare')}?{query_of(submissions)}#again")


def _first_error(form: forms.Form) -> str:
    """What is wrong with it in a sentence; empty when nothing is."""
    for name, errors in form.errors.items():
        return f"{form.fields[name].label}: {errors[0]}"
    return ""
