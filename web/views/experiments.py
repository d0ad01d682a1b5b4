"""Experiments: the list, one with its variants, its runs (live, then as pages and files), and an instructor's own."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.experiments import actions
from judge.grading.experiment.spec import ExperimentSpec, Variant
from judge.grading.languages import PYTHON
from judge.models import Experiment, ExperimentRun, Status
from judge.submissions.intake import IntakeRefused
from web import access
from web.forms.experiments import OwnForm, RunForm
from web.forms.fields import wants_other_rows
from web.live.stream import event_stream, while_it_may_change
from web.presentation.experiments import listing
from web.presentation.experiments.listing import ExperimentShown, last_runs
from web.presentation.experiments.page import RunPage, cards_of, run_page
from web.presentation.experiments.run import run_shown
from web.presentation.experiments.texts import spec_in_words
from web.presentation.pages.exports import run_as_json, runs_as_csv
from web.views.problems.sent_again import say_if_sent_again

_BLANK = Variant(name="", language=PYTHON.id, source="")
_EMPTY = ExperimentSpec(title="", question="", variants=(_BLANK, _BLANK))
_FormT = TypeVar("_FormT", bound=RunForm)


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
    experiment = _visible(request, key)
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
    experiment = _visible(request, key)
    return _started(request, experiment.spec, key) or redirect("experiment", key)


@never_cache
def experiment_change(request: HttpRequest, key: str) -> HttpResponse:
    """Change its variants and run that."""
    experiment = _visible(request, key)
    return _changed_page(request, experiment.spec, key, back=reverse("experiment", args=[key]))


def _changed_page(request: HttpRequest, base: ExperimentSpec, key: str, *, back: str) -> HttpResponse:
    """Show the form with the changes to `base`; run what was typed, or show the errors at their fields."""
    form = _typed(RunForm, request, base)
    spec = form.spec() if form.is_bound else None
    if spec and (run := _start(request, spec, key, base=base, form=form)):
        return redirect("experiment_run", run.pk)
    context = {"form": form, "base": base, "back": back, "nav": "experiments"}
    return render(request, "experiments/change.html", context, status=422 if form.is_wrong else 200)


def _start(
    request: HttpRequest, spec: ExperimentSpec, key: str, *, base: ExperimentSpec, form: RunForm | None = None
) -> ExperimentRun | None:
    """Have it run; None, with the reason in the form or as a message, if that is refused."""
    try:
        run = actions.start(_person(request), spec, key, base=base)
        say_if_sent_again(request, run)
        return run
    except IntakeRefused as refused:
        if form is None:
            messages.error(request, refused.message)
        else:
            form.add_error(None, refused.message)
    return None


def _started(request: HttpRequest, spec: ExperimentSpec, key: str) -> HttpResponse | None:
    """Redirect to the page of the started run; None when it was refused, with a message for the next page."""
    run = _start(request, spec, key, base=spec)
    return redirect("experiment_run", run.pk) if run else None


def _person(request: HttpRequest) -> User:
    """Return the user, behind a view that requires signing in."""
    return cast(User, request.user)


def _visible(request: HttpRequest, key: str) -> ExperimentShown:
    """Return the experiment if this reader may see it. Raises Http404."""
    experiment = listing.find_experiment(key, request.user)
    if experiment is None:
        raise Http404
    return experiment


@never_cache
def experiment_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the progress of a run, then its results."""
    return render(request, "experiment_run/page.html", {"page": _page(request, run_id), "nav": "experiments"})


@never_cache
def experiment_run_live(request: HttpRequest, run_id: int) -> HttpResponse:
    """Return the changing part of the page; without a trigger once nothing more comes."""
    return render(request, "experiment_run/live.html", {"page": _page(request, run_id), "is_update": True})


@require_GET
async def experiment_run_events(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """Send server-sent events: "news" whenever the page should fetch its changing part again (see `web.live`)."""
    run = await sync_to_async(_readable)(request, run_id)
    unfinished = ExperimentRun.objects.filter(pk=run_id).exclude(status=Status.DONE)
    return event_stream(request, run.channel, while_it_may_change(unfinished.exists))


@never_cache
def experiment_run_json(request: HttpRequest, run_id: int) -> HttpResponse:
    """Return everything as JSON: the programs, every run, and the results."""
    run = _readable(request, run_id)
    text = run_as_json(run, run_shown(run, request.user))
    return _file(text, "application/json", f"experiment-{run_id}.json")


@never_cache
def experiment_run_csv(request: HttpRequest, run_id: int) -> HttpResponse:
    """Return every run as a line of CSV."""
    run = run_shown(_readable(request, run_id), request.user)
    return _file(runs_as_csv(run.runs), "text/csv; charset=utf-8", f"experiment-{run_id}.csv")


def experiment_run_again(request: HttpRequest, run_id: int) -> HttpResponse:
    """Run the same once more."""
    run = _readable(request, run_id)
    if not access.may_run_again(request.user, run.spec):
        raise Http404
    return _started(request, run.spec, run.key) or redirect("experiment_run", run_id)


@never_cache
def experiment_run_change(request: HttpRequest, run_id: int) -> HttpResponse:
    """Change what was run, and run that."""
    run = _readable(request, run_id)
    spec = run.spec
    if not access.may_run_changed(spec):
        raise Http404
    return _changed_page(request, spec, run.key, back=reverse("experiment_run", args=[run_id]))


def experiment_run_share(request: HttpRequest, run_id: int) -> HttpResponse:
    """Let everybody who is signed in read it, or nobody else any more: its owner decides."""
    run = get_object_or_404(access.own_runs(request.user), pk=run_id)
    try:
        if request.POST.get("share") == "on":
            actions.share(run, _person(request))
            message = _(
                "Everyone who is signed in can read this run and its sources. If the experiment is unchanged, its page "
                "shows the numbers of this run."
            )
            messages.success(request, message)
        else:
            actions.unshare(run, _person(request))
            messages.success(request, _("This run is no longer shared."))
    except IntakeRefused as refused:
        messages.error(request, refused.message)
    return redirect("experiment_run", run_id)


def _readable(request: HttpRequest, run_id: int) -> ExperimentRun:
    """Return the run if this reader may read it. Raises Http404."""
    return get_object_or_404(access.readable_runs(request.user).select_related("user"), pk=run_id)


def _page(request: HttpRequest, run_id: int) -> RunPage:
    return run_page(_readable(request, run_id), request.user)


def _file(text: str, media_type: str, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type=media_type)
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@never_cache
def experiment_new(request: HttpRequest) -> HttpResponse:
    """Make an experiment, from nothing or from the one that `from` names."""
    like = request.GET.get("from")
    base = spec_in_words(_visible(request, like).spec) if like else _EMPTY
    form = _typed(OwnForm, request, base)
    experiment = _saved(request, form, None)
    if experiment:
        message = _("%(title)s is created. Only you see it until you publish it.")
        messages.success(request, message % {"title": form.cleaned_data["title"]})
        return redirect("experiment", experiment.key)
    return _edit_page(request, form, back=reverse("experiment_list"), own=None)


@never_cache
def experiment_edit(request: HttpRequest, key: str) -> HttpResponse:
    """Change one's own experiment. Runs of it keep what they ran."""
    own, base = _own(request, key)
    form = _typed(OwnForm, request, base)
    if _saved(request, form, own):
        messages.success(request, _("Experiment saved. Existing runs keep their programs and settings."))
        return redirect("experiment", key)
    return _edit_page(request, form, back=reverse("experiment", args=[key]), own=own)


def experiment_publish(request: HttpRequest, key: str) -> HttpResponse:
    """Show it to everybody, or to nobody else any more."""
    own, spec = _own(request, key)
    is_published = request.POST.get("publish") == "on"
    message = _("%(title)s is unpublished.")
    if is_published:
        message = _("%(title)s is published: everyone sees it and can run it.")
    publish = partial(actions.publish, own, _person(request), is_published=is_published)
    _decide(request, publish, message % {"title": spec.title})
    return redirect("experiment", key)


def experiment_delete(request: HttpRequest, key: str) -> HttpResponse:
    """Delete it; what it was run as stays."""
    own, spec = _own(request, key)
    message = _("%(title)s is deleted. Its runs stay.") % {"title": spec.title}
    _decide(request, partial(actions.delete, own, _person(request)), message)
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
    experiment = _visible(request, key)
    if experiment.own is None or not experiment.is_changeable_by(request.user):
        raise Http404
    return experiment.own, experiment.spec


def _typed(kind: type[_FormT], request: HttpRequest, base: ExperimentSpec) -> _FormT:
    """Return the form with what was typed so far; bound if that was sent to be taken."""
    if request.method != "POST":
        return kind(base=base)
    if wants_other_rows(request.POST):
        return kind.with_other_rows(request.POST, base)
    return kind(request.POST, base=base)


def _saved(request: HttpRequest, form: OwnForm, own: Experiment | None) -> Experiment | None:
    """Return the experiment as it was typed, kept; None if nothing was sent, or with the reasons in the form."""
    spec = form.spec() if form.is_bound else None
    if spec is None:
        return None
    try:
        return actions.save_experiment(_person(request), spec, own)
    except IntakeRefused as refused:
        form.add_error(None, refused.message)
    return None


def _edit_page(request: HttpRequest, form: OwnForm, *, back: str, own: Experiment | None) -> HttpResponse:
    context = {"form": form, "base": form.base, "back": back, "own": own, "nav": "experiments"}
    return render(request, "experiments/edit.html", context, status=422 if form.is_wrong else 200)
