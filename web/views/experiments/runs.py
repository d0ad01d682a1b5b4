"""One run of an experiment: live while it is measured, then its results, also as files, and what to do with it."""

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.experiments import actions
from judge.models import ExperimentRun, Status
from judge.submissions.intake import IntakeRefused
from web import access
from web.live.stream import event_stream, while_it_may_change
from web.presentation.experiments.export import run_as_json, runs_as_csv
from web.presentation.experiments.page import RunPage, run_page
from web.presentation.experiments.run import run_shown
from web.views.experiments.experiments import changed_page, person, started


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
    return started(request, run.spec, run.key) or redirect("experiment_run", run_id)


@never_cache
def experiment_run_change(request: HttpRequest, run_id: int) -> HttpResponse:
    """Change what was run, and run that."""
    run = _readable(request, run_id)
    spec = run.spec
    if not access.may_run_changed(spec):
        raise Http404
    return changed_page(request, spec, run.key, back=reverse("experiment_run", args=[run_id]))


def experiment_run_share(request: HttpRequest, run_id: int) -> HttpResponse:
    """Let everybody who is signed in read it, or nobody else any more: its owner decides."""
    run = get_object_or_404(access.own_runs(request.user), pk=run_id)
    try:
        if request.POST.get("share") == "on":
            actions.share(run, person(request))
            message = _(
                "Everyone who is signed in can read this run and its sources. If the experiment is unchanged, its page "
                "shows the numbers of this run."
            )
            messages.success(request, message)
        else:
            actions.unshare(run, person(request))
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
