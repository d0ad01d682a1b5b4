"""Two or more submissions side by side."""

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.comparisons import MOST_SIDES
from judge.models import Submission
from web import access
from web.forms.comparisons import asked_submissions, can_be_compared, query_of
from web.presentation.compare_page import compare_page
from web.presentation.interleaved import latest_interleaved
from web.presentation.sight import with_rounding
from web.views.interleaving import run_again_form

_MOST_OFFERED = 50


@never_cache
def compare(request: HttpRequest) -> HttpResponse:
    """Compare the submissions `s`; with one or none of them, or of several problems, offer what can be compared."""
    submissions = asked_submissions(request.user, request.GET)
    if len(submissions) > MOST_SIDES:
        messages.error(request, _("Choose at most %(most)s submissions to compare.") % {"most": MOST_SIDES})
        return redirect("submission_list")
    if not can_be_compared(submissions):
        return render(request, "web/compare_choose.html", _choice(request, submissions))
    sight = access.sight_of(request.user, submissions[0].problem)
    page = compare_page(submissions, sight, request.GET.get("pair", ""))
    context = {
        "page": page,
        "cards": [
            {"side": side, "links": links}
            for side, links in zip(page.comparison.sides, _rearranged(submissions), strict=True)
        ],
        "interleaved": latest_interleaved(submissions, runner=request.user, reader=request.user),
        "again": run_again_form(submissions, page.comparison),
        "submissions": submissions,
        "query": query_of(submissions),
        "rearranged": _rearranged(submissions),
        "nav": "submissions",
    }
    return render(request, "web/compare.html", context)


def _rearranged(submissions: list[Submission]) -> list[dict[str, str]]:
    """For every side the queries with it at the front, and without it where enough are left."""
    found = []
    for each in submissions:
        others = [other for other in submissions if other is not each]
        found.append(
            {
                "first": query_of([each, *others]) if each is not submissions[0] else "",
                "without": query_of(others) if len(others) > 1 else "",
            }
        )
    return found


def _choice(request: HttpRequest, submissions: list[Submission]) -> dict[str, object]:
    known = submissions[0] if len(submissions) == 1 else None
    return {
        "submissions": submissions,
        "known": known,
        "offered": _offered(request, known) if known else [],
        "most_others": MOST_SIDES - 1,
        "nav": "submissions",
    }


def _offered(request: HttpRequest, known: Submission) -> list[Submission]:
    """What it can be compared with: the same person's to the same problem, then others' that this reader may read."""
    readable = access.readable_submissions(request.user).filter(problem_id=known.problem_id).exclude(pk=known.pk)
    found = (
        with_rounding(readable.select_related("user")).defer("source", "compile_message", "explanation").order_by("-pk")
    )
    same = Q(user_id=known.user_id)
    return [*found.filter(same)[:_MOST_OFFERED], *found.exclude(same)[:_MOST_OFFERED]]
