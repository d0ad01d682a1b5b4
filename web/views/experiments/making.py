"""An instructor's own experiments: made, edited, published, taken back, deleted."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.experiments import actions
from judge.grading.experiment.spec import ExperimentSpec, Variant
from judge.grading.languages import PYTHON
from judge.models import Experiment
from judge.submissions.intake import IntakeRefused
from web.forms.experiments import OwnForm
from web.forms.fields import wants_other_rows
from web.presentation.experiments.listing import find_experiment
from web.presentation.experiments.texts import spec_in_words
from web.views.experiments.experiments import person

_BLANK = Variant(name="", language=PYTHON.id, source="")
_EMPTY = ExperimentSpec(title="", question="", variants=(_BLANK, _BLANK))


@never_cache
def experiment_new(request: HttpRequest) -> HttpResponse:
    """Make an experiment, from nothing or from the one that `from` names."""
    base = _EMPTY
    if like := request.GET.get("from"):
        model = find_experiment(like, request.user)
        if model is None:
            raise Http404
        base = spec_in_words(model.spec)
    form = _typed(request, base)
    experiment = _kept(request, form, None)
    if experiment:
        message = _("%(title)s is created. Only you see it until you publish it.")
        messages.success(request, message % {"title": form.cleaned_data["title"]})
        return redirect("experiment", experiment.key)
    return _page(request, form, back=reverse("experiment_list"), own=None)


@never_cache
def experiment_edit(request: HttpRequest, key: str) -> HttpResponse:
    """Change one's own experiment. Runs of it keep what they ran."""
    own, base = _own(request, key)
    form = _typed(request, base)
    if _kept(request, form, own):
        messages.success(request, _("Experiment saved. Existing runs keep their programs and settings."))
        return redirect("experiment", key)
    return _page(request, form, back=reverse("experiment", args=[key]), own=own)


def experiment_publish(request: HttpRequest, key: str) -> HttpResponse:
    """Show it to everybody, or to nobody else any more."""
    own, spec = _own(request, key)
    is_published = request.POST.get("publish") == "on"
    published, unpublished = (
        _("%(title)s is published: everyone sees it and can run it."),
        _("%(title)s is unpublished."),
    )
    message = (published if is_published else unpublished) % {"title": spec.title}
    _decide(request, lambda: actions.publish(own, person(request), is_published=is_published), message)
    return redirect("experiment", key)


def experiment_delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete it; what it was run as stays."""
    own, spec = _own(request, key)
    message = _("%(title)s is deleted. Its runs stay.") % {"title": spec.title}
    _decide(request, lambda: actions.delete(own, person(request)), message)
    return redirect("experiment_list")


def _decide(request: HttpRequest, decision: Callable[[], None], message: str) -> None:
    try:
        decision()
    except IntakeRefused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, message)


def _own(request: HttpRequest, key: str) -> tuple[Experiment, ExperimentSpec]:
    """Return the row that this person may change, and what it is. Raises Http404."""
    experiment = find_experiment(key, request.user)
    if experiment is None or experiment.own is None or not experiment.is_changeable_by(request.user):
        raise Http404
    return experiment.own, experiment.spec


def _typed(request: HttpRequest, base: ExperimentSpec) -> OwnForm:
    """Return the form with what was typed so far."""
    if request.method != "POST":
        return OwnForm(base=base)
    if wants_other_rows(request.POST):
        return OwnForm.with_other_rows(request.POST, base)
    return OwnForm(request.POST, base=base)


def _kept(request: HttpRequest, form: OwnForm, own: Experiment | None) -> Experiment | None:
    """Return the experiment as it was typed, kept; None if nothing was sent, or with the reasons in the form."""
    spec = form.spec() if form.is_bound else None
    if spec is None:
        return None
    try:
        return actions.save_experiment(person(request), spec, own)
    except IntakeRefused as refused:
        form.add_error(None, refused.message)
    return None


def _page(request: HttpRequest, form: OwnForm, *, back: str, own: Experiment | None) -> HttpResponse:
    context = {"form": form, "base": form.base, "back": back, "own": own, "nav": "experiments"}
    return render(request, "experiments/edit.html", context, status=422 if form.is_wrong else 200)
