"""Comparisons that somebody shows to the class: the link, the page behind it, one's own links."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.comparisons import NotShared, revoke, share, shared_sides, sides_of
from judge.models import SharedComparison
from web.forms.comparisons import asked_submissions, can_be_compared, query_of
from web.paging import Paging
from web.presentation.compare_page import compare_page
from web.presentation.interleaved import latest_interleaved
from web.presentation.sight import students_sight
from web.views.posted import posted_from

PAGING = Paging(size=25)


@posted_from("compare")
def share_comparison(request: HttpRequest) -> HttpResponse:
    """Make a link to a comparison, and go where it leads."""
    submissions = asked_submissions(request.user, request.POST)
    if not can_be_compared(submissions):
        raise Http404
    try:
        shared = share(request.user, submissions, shows_names="shows_names" in request.POST)  # type: ignore[arg-type]  # a reader is never anonymous
    except NotShared as refusal:
        messages.error(request, str(refusal))
        return redirect(f"{reverse('compare')}?{query_of(submissions)}")
    return redirect("shared_comparison", shared.token)


@require_GET
@never_cache
@login_required
def shared_comparison(request: HttpRequest, link_token: str) -> HttpResponse:
    """What was shared, as a student of the problem sees it; for everybody who is signed in and sees the problem."""
    shared = get_object_or_404(SharedComparison.objects.select_related("owner"), token=link_token, revoked_at=None)
    submissions = shared_sides(shared)
    if not can_be_compared(submissions) or not submissions[0].problem.is_visible_to(request.user):
        raise Http404
    page = compare_page(submissions, students_sight(submissions[0].problem), request.GET.get("pair", ""))
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
    return render(request, "web/compare_shared.html", context)


@posted_from("shared_comparisons")
def revoke_shared(request: HttpRequest, link_token: str) -> HttpResponse:
    """Take a link of one's own back."""
    if request.user.pk is None:
        raise Http404
    revoke(get_object_or_404(SharedComparison, token=link_token, owner=request.user.pk, revoked_at=None))
    messages.success(request, "The link is taken back: nobody can read that comparison by it any more.")
    return redirect("shared_comparisons")


@require_GET
@never_cache
@login_required
def shared_comparisons(request: HttpRequest) -> HttpResponse:
    """One's own links that were not taken back, newest first."""
    own = SharedComparison.objects.filter(owner=request.user.pk, revoked_at=None)
    page = PAGING.page(own.prefetch_related("sides"), request.GET)
    sides = sides_of(page.rows, owner=request.user)
    links = [{"shared": shared, "submissions": sides[shared.pk]} for shared in page.rows]
    return render(request, "web/shared_comparisons.html", {"page": page, "links": links, "nav": "submissions"})
