"""Compare submissions side by side, share the comparison by a link, and run the compared submissions again in turns.

In addresses and forms, `s` names each of them (`?s=3&s=7&s=9`), oldest first whatever the order; `first` names the one
that goes before the others, with which they are compared. `a` and `b` are how links of old name two, in this order.
"""

from functools import partial
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.experiments import actions
from judge.experiments.interleaving import LEAST_ROUNDS, NotRepeatable, compared_on, interleaved_spec, most_rounds
from judge.models import Submission
from judge.submissions.comparisons import MOST_SIDES, NotShared, revoke, share, shared_sides, sides_of
from judge.submissions.intake import IntakeRefused
from web import access
from web.access.guard import Person
from web.access.visibility import with_rounding
from web.presentation.compare.comparing import Comparison, compare_submissions
from web.presentation.compare.page import compare_page
from web.presentation.experiments.interleaved import latest_interleaved
from web.presentation.paging import Paging
from web.views.problems.sent_again import say_if_sent_again

PAGING = Paging(size=25)


def share_comparison(request: HttpRequest) -> HttpResponse:
    """Make a link to a comparison, and go where it leads."""
    submissions = _asked_submissions(request.user, request.POST)
    if not _can_be_compared(submissions):
        raise Http404
    try:
        shared = share(request.user, submissions, shows_names="shows_names" in request.POST)  # type: ignore[arg-type]  # a reader is never anonymous
    except NotShared as refusal:
        messages.error(request, str(refusal))
        return redirect(f"{reverse('compare')}?{_query_of(submissions)}")
    return redirect("shared_comparison", shared.token)


@never_cache
def shared_comparison(request: HttpRequest, link_token: str) -> HttpResponse:
    """Show what was shared, as a student of the problem sees it, to everybody who is signed in and sees the problem."""
    shared = get_object_or_404(access.readable_links(request.user).select_related("owner"), token=link_token)
    submissions = shared_sides(shared)
    if not _can_be_compared(submissions):
        raise Http404
    page = compare_page(submissions, access.students_sight(submissions[0].problem), request.GET.get("pair", ""))
    context = {
        "page": page,
        "cards": [{"side": side} for side in page.comparison.sides],
        "interleaved": latest_interleaved(submissions, runner=shared.owner, reader=AnonymousUser()),
        "shared": shared,
        "is_shared": True,
        "shows_names": shared.shows_names,
        "is_own": shared.owner_id == request.user.pk,
        "address": request.build_absolute_uri(request.path),
        "problem": submissions[0].problem,
        "nav": "submissions",
    }
    return render(request, "compare/shared.html", context)


def revoke_shared(request: HttpRequest, link_token: str) -> HttpResponse:
    """Take a link of one's own back."""
    revoke(get_object_or_404(access.own_links(request.user), token=link_token))
    messages.success(request, _("Link revoked: it no longer shows the comparison."))
    return redirect("shared_comparisons")


@never_cache
def shared_comparisons(request: HttpRequest) -> HttpResponse:
    """Show the user's own links that were not revoked, newest first."""
    page = PAGING.page(access.own_links(request.user).prefetch_related("sides"), request.GET)
    sides = sides_of(page.rows, owner=request.user)
    links = [{"shared": shared, "submissions": sides[shared.pk]} for shared in page.rows]
    return render(request, "compare/links.html", {"page": page, "links": links, "nav": "submissions"})


_USUAL_ROUNDS = 10


class RunAgainForm(forms.Form):
    """A case and a number of rounds. Only cases whose numbers the reader sees are offered; the slowest is chosen."""

    def __init__(self, data: Any = None, *, most: int, comparison: Comparison) -> None:
        slowest = max(comparison.cases, key=lambda case: case.slowest_us, default=None)
        initial = {"case": slowest.name if slowest else "", "rounds": min(_USUAL_ROUNDS, most)}
        super().__init__(data, initial=initial, label_suffix="")
        self.fields["case"] = forms.ChoiceField(
            label=_("Test case"),
            choices=[(case.name, case.name) for case in comparison.cases],
            error_messages={"invalid_choice": _("Choose one of the compared test cases.")},
        )
        self.fields["rounds"] = forms.IntegerField(label=_("Rounds"), min_value=LEAST_ROUNDS, max_value=most)


def run_again(request: HttpRequest) -> HttpResponse:
    """Have the submissions run in turns on one case; to the page of that run, or back with the reason why not."""
    submissions = _asked_submissions(request.user, request.POST)
    if not _can_be_compared(submissions):
        raise Http404
    comparison = compare_submissions(submissions, access.sight_of(request.user, submissions[0].problem))
    form = RunAgainForm(request.POST, most=most_rounds(submissions), comparison=comparison)
    refusal = next((f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items()), "")
    if not refusal:
        try:
            spec = interleaved_spec(submissions, form.cleaned_data["case"], form.cleaned_data["rounds"])
            compared = compared_on(submissions, form.cleaned_data["case"])
            run = actions.start(cast(User, request.user), spec, actions.SUBMISSIONS, compared=compared)
        except (NotRepeatable, IntakeRefused) as refused:
            refusal = str(refused)
        else:
            say_if_sent_again(request, run)
            return redirect("experiment_run", run.pk)
    messages.error(request, refusal)
    return redirect(f"{reverse('compare')}?{_query_of(submissions)}#again")


_MOST_OFFERED = 50


@never_cache
def compare(request: HttpRequest) -> HttpResponse:
    """Compare the submissions `s`; with one or none of them, or of several problems, offer what can be compared."""
    submissions = _asked_submissions(request.user, request.GET)
    if len(submissions) > MOST_SIDES:
        messages.error(request, _("Choose at most %(most)s submissions to compare.") % {"most": MOST_SIDES})
        return redirect("submission_list")
    if not _can_be_compared(submissions):
        only = submissions[0] if len(submissions) == 1 else None
        offered = _offered(request, only) if only else []
        choice = {"submissions": submissions, "known": only, "offered": offered, "most_others": MOST_SIDES - 1}
        return render(request, "compare/choose.html", {**choice, "nav": "submissions"})
    visibility = access.sight_of(request.user, submissions[0].problem)
    read_level = partial(access.explained, request.user, submissions[0].problem)
    page = compare_page(submissions, visibility, request.GET.get("pair", ""), read_level)
    rearranged = []  # for every side the queries with it at the front, and without it if enough sides remain
    for submission in submissions:
        others = [other for other in submissions if other is not submission]
        first = _query_of([submission, *others]) if submission is not submissions[0] else ""
        rearranged.append({"first": first, "without": _query_of(others) if len(others) > 1 else ""})
    sides = zip(page.comparison.sides, rearranged, strict=True)
    most = most_rounds(submissions) if page.comparison.cases else 0
    context = {
        "page": page,
        "cards": [{"side": side, "links": links} for side, links in sides],
        "interleaved": latest_interleaved(submissions, runner=request.user, reader=request.user),
        "again": RunAgainForm(most=most, comparison=page.comparison) if most >= LEAST_ROUNDS else None,
        "submissions": submissions,
        "query": _query_of(submissions),
        "rearranged": rearranged,
        "nav": "submissions",
    }
    return render(request, "compare/page.html", context)


def _offered(request: HttpRequest, submission: Submission) -> list[Submission]:
    """Return what it can be compared with: the same person's to the problem, then others' that this reader may read."""
    readable = access.readable_submissions(request.user)
    readable = readable.filter(problem_id=submission.problem_id).exclude(pk=submission.pk)
    others = with_rounding(readable.select_related("user")).order_by("-pk")
    same = Q(user_id=submission.user_id)
    return [*others.filter(same)[:_MOST_OFFERED], *others.exclude(same)[:_MOST_OFFERED]]


def _asked_submissions(user: Person, parameters: QueryDict) -> list[Submission]:
    """Return the submissions in order, each once; at most MOST_SIDES + 1. Raises Http404 for an unreadable one."""
    first = parameters.get("first") or parameters.get("a") or ""
    named = [key for name in ("s", "a", "b") for key in parameters.getlist(name) if key][: 2 * MOST_SIDES]
    if not all(text.isascii() and text.isdecimal() and len(text) < 19 for text in named):
        raise Http404
    chosen = sorted(set(map(int, named)), key=lambda key: (str(key) != first, key))[: MOST_SIDES + 1]
    readable = access.readable_submissions(user).with_version().in_bulk(chosen)
    if len(readable) < len(chosen):
        raise Http404
    return [readable[key] for key in chosen]


def _can_be_compared(submissions: list[Submission]) -> bool:
    """Return whether these are as many as go side by side, of one problem."""
    return 2 <= len(submissions) <= MOST_SIDES and len({submission.problem_id for submission in submissions}) == 1


def _query_of(submissions: list[Submission]) -> str:
    """Return the query for these: the first one first, the others oldest first."""
    keys = [submission.pk for submission in submissions]
    query = [("s", key) for key in sorted(keys)]
    return urlencode(query if not keys or keys[0] == min(keys) else [*query, ("first", keys[0])])
