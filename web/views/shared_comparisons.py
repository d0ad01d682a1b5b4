"""Comparisons that somebody shows to the class: the link, the page behind it, one's own links."""

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.comparisons import NotShared, revoke, share, shared_sides, sides_of
from web import access
from web.forms.comparisons import asked_submissions, can_be_compared, query_of
from web.paging import Paging
from web.presentation.compare_page import compare_page
from web.presentation.interleaved import latest_interleaved

PAGING = Paging(size=25)


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


@never_cache
def shared_comparison(request: HttpRequest, link_token: str) -> HttpResponse:
    """What was shared, as a student of the problem sees it; for everybody who is signed in and sees the problem."""
    shared = get_object_or_404(access.readable_links(request.user).select_related("owner"), token=link_token)
    submissions = shared_sides(shared)
    if not can_be_compared(submissions):
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
    return render(request, "web/compare_shared.html", context)


def revoke_shared(request: HttpRequest, link_token: str) -> HttpResponse:
    """Take a link of one's own back."""
    revoke(get_object_or_404(access.own_links(request.user), token=link_token))
    messages.success(request, _("Link revoked: it no longer shows the comparison."))
    return redirect("shared_comparisons")


@never_cache
def shared_comparisons(request: HttpRequest) -> HttpResponse:
    """One's own links that were not taken back, newest first."""
    page = PAGING.page(access.own_links(request.user).prefetch_related("sides"), request.GET)
    sides = sides_of(page.rows, owner=request.user)
    links = [{"shared": shared, "submissions": sides[shared.pk]} for shared in page.rows]
    return render(request, "web/shared_comparisons.html", {"page": page, "links": links, "nav": "submissions"})
