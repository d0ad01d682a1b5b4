"""Judging submissions of a problem again: choose them, watch, look at what would change, apply it or discard it."""

from collections.abc import Callable
from functools import partial
from typing import cast

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.models import Rejudge, RejudgedSubmission
from judge.rejudging import rejudging
from judge.rejudging.selection import RejudgeRefused
from problems.models import Problem
from web import access
from web.forms.rejudges import ReasonForm, RejudgeChoiceForm
from web.live.stream import event_stream, while_it_may_change
from web.presentation.paging import Paging
from web.presentation.result.report import report
from web.presentation.setter.rejudge import RejudgePage, Shown, is_live, rejudge_page
from web.presentation.units import count

PAGING = Paging(size=25)


@never_cache
def rejudge_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all rejudges of a problem, newest first."""
    problem = _managed_problem(request, slug)
    rejudges = problem.rejudges.select_related("version", "made_by", "applied_by", "discarded_by")
    rows = RejudgedSubmission.objects.filter(rejudge=OuterRef("pk")).order_by().values("rejudge")
    counted_ones = rejudges.annotate(
        total=Coalesce(Subquery(rows.annotate(number=Count("pk")).values("number")), 0),
        applied=Coalesce(Subquery(rows.annotate(number=Count("applied_at")).values("number")), 0),
    ).defer("version__statement_html", "version__samples", "version__translations", "version__files")
    page = PAGING.page(counted_ones, request.GET, keys=problem.rejudges.all())
    return render(request, "rejudges/list.html", {"problem": problem, "page": page, "nav": "mine"})


@never_cache
def rejudge_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose by the query string and see how many it meets; a POST starts judging exactly those."""
    problem = _managed_problem(request, slug)
    form = RejudgeChoiceForm(problem, request.GET)
    reason = ReasonForm(request.POST if request.method == "POST" else None)
    if reason.is_valid() and form.is_valid():
        try:
            by, why = cast(User, request.user), reason.cleaned_data["reason"]
            return redirect("rejudge", rejudging.start(problem, form.choice(), by=by, reason=why).pk)
        except RejudgeRefused as refused:
            reason.add_error(None, str(refused))
    context = {
        "problem": problem,
        "form": form,
        "chosen": form.chosen,
        "reason": reason,
        "query": request.GET.urlencode() or "asked=on" + ("&older=on" if form["older"].value() else ""),
        "nav": "mine",
    }
    return render(request, "rejudges/new.html", context, status=422 if reason.errors else 200)


@never_cache
def rejudge(request: HttpRequest, rejudge_id: int) -> HttpResponse:
    """Show its progress, the changes it would make, and the actions."""
    return render(request, "rejudges/rejudge.html", {"page": _page(request, rejudge_id), "nav": "mine"})


@never_cache
def rejudge_live(request: HttpRequest, rejudge_id: int) -> HttpResponse:
    """Return the changing part of the page; without a trigger once nothing more comes."""
    return render(request, "rejudges/live.html", {"page": _page(request, rejudge_id), "is_update": True})


@require_GET
async def rejudge_events(request: HttpRequest, rejudge_id: int) -> StreamingHttpResponse:
    """Send server-sent events: "news" whenever the page should fetch its changing part again (see `web.live`)."""
    rejudge = await sync_to_async(_managed)(request, rejudge_id)
    return event_stream(request, rejudge.channel, while_it_may_change(partial(is_live, rejudge_id)))


@never_cache
def rejudge_result(request: HttpRequest, rejudge_id: int, rejudged_id: int) -> HttpResponse:
    """Show the new result of one submission, before it is applied."""
    rejudge = _managed(request, rejudge_id)
    if not rejudge.is_open:
        raise Http404  # its test cases went into the submission, or nowhere
    rows = rejudge.submissions.judged().select_related("submission__user", "submission__problem", "rejudge__version")
    rejudged = get_object_or_404(rows, pk=rejudged_id)
    submission, results = rejudging.as_applied(rejudged)
    context = {"rejudged": rejudged, "report": report(submission, request.user, (), results=results), "nav": "mine"}
    return render(request, "rejudges/result.html", context)


def rejudge_apply(request: HttpRequest, rejudge_id: int) -> HttpResponse:
    """Let the new results take the old ones' place."""

    def apply(rejudge: Rejudge) -> str:
        rejudging.apply(rejudge, by=cast(User, request.user))
        rejudge.refresh_from_db()
        number = RejudgedSubmission.objects.filter(rejudge=rejudge, applied_at__isnull=False).count()
        if rejudge.is_being_applied:
            words = ngettext(
                "Applied to %(number)s submission; a worker goes on with the rest.",
                "Applied to %(number)s submissions; a worker goes on with the rest.",
                number,
            )
        else:
            words = ngettext("Applied to %(number)s submission.", "Applied to %(number)s submissions.", number)
        return words % {"number": count(number)}

    return _decide(request, rejudge_id, apply)


def rejudge_discard(request: HttpRequest, rejudge_id: int) -> HttpResponse:
    """Leave every submission as it is."""

    def discard(rejudge: Rejudge) -> str:
        rejudging.discard(rejudge, by=cast(User, request.user))
        return _("Discarded. Every submission keeps the result it had.")

    return _decide(request, rejudge_id, discard)


def rejudge_try_again(request: HttpRequest, rejudge_id: int) -> HttpResponse:
    """Judge those once more that our own failures ended."""

    def try_again(rejudge: Rejudge) -> str:
        number = rejudging.try_again(rejudge)
        words = ngettext("%(number)s submission queued again.", "%(number)s submissions queued again.", number)
        return words % {"number": count(number)}

    return _decide(request, rejudge_id, try_again)


def _managed_problem(request: HttpRequest, slug: str) -> Problem:
    """Raises Http404."""
    return get_object_or_404(access.manageable_problems(request.user).select_related("current_version"), slug=slug)


def _managed(request: HttpRequest, rejudge_id: int) -> Rejudge:
    """Return the rejudge if its problem is this person's to manage. Raises Http404."""
    related = ("problem", "version", "made_by", "applied_by", "discarded_by")
    return get_object_or_404(access.manageable_rejudges(request.user).select_related(*related), pk=rejudge_id)


def _page(request: HttpRequest, rejudge_id: int) -> RejudgePage:
    return rejudge_page(_managed(request, rejudge_id), Shown.asked(request.GET))


def _decide(request: HttpRequest, rejudge_id: int, decision: Callable[[Rejudge], str]) -> HttpResponse:
    rejudge = _managed(request, rejudge_id)
    try:
        messages.success(request, decision(rejudge))
    except RejudgeRefused as refused:
        messages.error(request, str(refused))
    return redirect("rejudge", rejudge.pk)
