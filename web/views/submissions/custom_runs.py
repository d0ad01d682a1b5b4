"""Run a program on samples or its author's input, without a submission: beside the editor, or on its own page."""

from functools import partial
from typing import cast

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge import custom_runs as requests
from judge.models import CustomRun
from judge.submissions.intake import IntakeRefused
from web import access
from web.live.stream import event_stream
from web.presentation.pages.custom_run import custom_run_view
from web.presentation.pages.etag import custom_run_etag
from web.views.problems.problems import open_problem, problem_page, run_form, submit_form

_FIELDS = {"language": "language", "source": "source"}  # the code of a refusal -> the field of the program's form
_RUN_FIELDS = ("test", "input")  # the codes that are fields of the run's form


def start_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a run into the queue; then show its page, or the panel of a page that has one, as for what is wrong."""
    problem = open_problem(request.user, slug)
    form = submit_form(problem, request.user, request.POST, request.FILES)
    run = run_form(problem, request.POST, request.FILES)
    is_panel, status = bool(request.headers.get("HX-Request")), 422
    if form.is_valid() & run.is_valid():  # both, so that both say what is wrong
        try:
            started = requests.start(cast(User, request.user), problem, form.program(), run.test_input())
            return _live(request, started.pk, is_panel=True) if is_panel else redirect("custom_run", started.pk)
        except IntakeRefused as refusal:
            if refusal.code in _RUN_FIELDS:
                run.add_error(refusal.code, refusal.message)
            else:
                form.add_error(_FIELDS.get(refusal.code), refusal.message)
            status = 429 if refusal.code == "busy" else 422
    if not is_panel:
        return problem_page(request, problem, form, run, status=status)
    errors = [error for bound in (form, run) for messages in bound.errors.values() for error in messages]
    return render(request, "runs/refused.html", {"problem": problem, "errors": errors}, status=status)


@never_cache
def custom_run(request: HttpRequest, custom_run_id: int) -> HttpResponse:
    """Show a run: live until it is done."""
    mark = custom_run_etag(custom_run_id)
    run = _readable(request, custom_run_id)
    context = {"report": custom_run_view(run, request.user), "mark": mark, "nav": "problems"}
    return render(request, "runs/page.html", context)


@never_cache
def custom_run_live(request: HttpRequest, custom_run_id: int) -> HttpResponse:
    """Return the changing part; 204 when the page already shows (`?shown=`, its mark) what there is to show."""
    return _live(request, custom_run_id, is_panel="panel" in request.GET)


@require_GET
async def custom_run_events(request: HttpRequest, custom_run_id: int) -> StreamingHttpResponse:
    """Send server-sent events: "news" whenever the page should fetch its changing part again (see `web.live`)."""
    run = await access.readable_custom_runs(request.user).only("pk").filter(pk=custom_run_id).afirst()
    if run is None:
        raise Http404
    return event_stream(request, run.channel, partial(custom_run_etag, custom_run_id))


def _live(request: HttpRequest, custom_run_id: int, *, is_panel: bool) -> HttpResponse:
    mark = custom_run_etag(custom_run_id)
    run = _readable(request, custom_run_id)
    if mark and mark == request.GET.get("shown"):
        return HttpResponse(status=204)
    view = custom_run_view(run, request.user, is_panel=is_panel)
    return render(request, "runs/live.html", {"report": view, "mark": mark, "is_panel": is_panel})


def _readable(request: HttpRequest, custom_run_id: int) -> CustomRun:
    """Return the run if this reader may read it. Raises Http404."""
    readable = access.readable_custom_runs(request.user).select_related("problem_version__problem", "user")
    return get_object_or_404(readable, pk=custom_run_id)
