"""Experiments: the list, one experiment with its variants, and starting it."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from judge.experiments import actions
from judge.grading.experiment.spec import ExperimentSpec
from judge.models import ExperimentRun
from judge.submissions.intake import IntakeRefused
from web import access
from web.forms.experiments import RunForm
from web.forms.fields import wants_other_rows
from web.presentation.experiments import listing
from web.presentation.experiments.listing import ExperimentShown, last_runs
from web.presentation.experiments.page import cards_of
from web.presentation.experiments.run import run_shown
from web.views.problems.sent_again import say_if_sent_again


@never_cache
def experiment_list(request: HttpRequest) -> HttpResponse:
    """Show the experiments that ship with Tally, those that people made, and the user's last runs."""
    page = listing.own_experiments(request.user, request.GET)
    own = [listing.shown_own(row) for row in page.rows]
    comes_with_tally = [] if page.back else listing.ready()
    published = [row for row in own if row.own and row.own.is_published]
    cards = cards_of([*comes_with_tally, *published], request.user)
    context = {
        "ready": cards[: len(comes_with_tally)],
        "published": cards[len(comes_with_tally) :],
        "unpublished": [row for row in own if row.own and not row.own.is_published],
        "page": page,
        "runs": last_runs(request.user),
        "may_make": access.may_publish(request.user),
        "nav": "experiments",
    }
    return render(request, "experiments/list.html", context)


@never_cache
def experiment(request: HttpRequest, key: str) -> HttpResponse:
    """Show the question, the variants, and the last results."""
    experiment = found_experiment(request, key)
    best = listing.best_runs([experiment], request.user).get(experiment.key)
    context = {
        "shown": experiment,
        "variants": listing.variants_shown(experiment.spec.variants),
        "published": listing.published_shown(experiment.spec.published),
        "best": run_shown(best, request.user) if best else None,
        "runs": last_runs(request.user, key),
        "is_changeable": experiment.is_changeable_by(request.user),
        "may_make": access.may_publish(request.user),
        "nav": "experiments",
    }
    return render(request, "experiments/experiment.html", context)


def experiment_start(request: HttpRequest, key: str) -> HttpResponse:
    """Run it as it is."""
    experiment = found_experiment(request, key)
    return started(request, experiment.spec, key) or redirect("experiment", key)


@never_cache
def experiment_change(request: HttpRequest, key: str) -> HttpResponse:
    """Change its variants and run that."""
    experiment = found_experiment(request, key)
    return changed_page(request, experiment.spec, key, back=reverse("experiment", args=[key]))


def changed_page(request: HttpRequest, base: ExperimentSpec, key: str, *, back: str) -> HttpResponse:
    """Show the form with the changes to `base`; run what was typed, or show the errors at their fields."""
    form = RunForm(base=base)
    if request.method == "POST" and wants_other_rows(request.POST):
        form = RunForm.with_other_rows(request.POST, base)
    elif request.method == "POST":
        form = RunForm(request.POST, base=base)
        spec = form.spec()
        if spec and (run := start(request, spec, key, base=base, form=form)):
            return redirect("experiment_run", run.pk)
    context = {"form": form, "base": base, "back": back, "nav": "experiments"}
    return render(request, "experiments/change.html", context, status=422 if form.is_wrong else 200)


def start(
    request: HttpRequest, spec: ExperimentSpec, key: str, *, base: ExperimentSpec, form: RunForm | None = None
) -> ExperimentRun | None:
    """Have it run; None, with the reason in the form or as a message, if that is refused."""
    try:
        run = actions.start(person(request), spec, key, base=base)
        say_if_sent_again(request, run)
        return run
    except IntakeRefused as refused:
        if form is None:
            messages.error(request, refused.message)
        else:
            form.add_error(None, refused.message)
    return None


def started(request: HttpRequest, spec: ExperimentSpec, key: str) -> HttpResponse | None:
    """Redirect to the page of the started run; None when it was refused, with a message for the next page."""
    run = start(request, spec, key, base=spec)
    return redirect("experiment_run", run.pk) if run else None


def person(request: HttpRequest) -> User:
    """Return the user, behind a view that requires signing in."""
    return cast(User, request.user)


def found_experiment(request: HttpRequest, key: str) -> ExperimentShown:
    """Return the experiment if this reader may see it. Raises Http404."""
    experiment = listing.find_experiment(key, request.user)
    if experiment is None:
        raise Http404
    return experiment
