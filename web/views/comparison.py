"""Two submissions side by side."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.models import Submission
from web.presentation.comparing import compare_submissions
from web.presentation.difference import MAX_LINES, difference
from web.presentation.sight import sight_of
from web.presentation.sources import source_lines
from web.presentation.story import tell

_MOST_OFFERED = 50


@require_GET
@never_cache
@login_required
def compare(request: HttpRequest) -> HttpResponse:
    """Compare `a` with `b`; with only one of them, offer what it can be compared with. The list sends `s` twice."""
    chosen = request.GET.getlist("s")
    if chosen:
        return _from_list(request, chosen)
    a, b = _readable(request, "a"), _readable(request, "b")
    if a and b and a.problem_id == b.problem_id and a.pk != b.pk:
        return render(request, "web/compare.html", _comparison(request, a, b))
    return render(request, "web/compare_choose.html", _choice(request, a, b))


def _from_list(request: HttpRequest, chosen: list[str]) -> HttpResponse:
    if len(chosen) != 2:
        messages.error(request, "Choose exactly two submissions to compare.")
        return redirect("submission_list")
    older, newer = sorted(chosen, key=lambda key: (len(key), key))
    return redirect(f"{reverse('compare')}?{urlencode({'a': older, 'b': newer})}")


def _readable(request: HttpRequest, side: str) -> Submission | None:
    """The submission on one side; None when none is named. Raises Http404."""
    key = request.GET.get(side, "")
    if not key:
        return None
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        raise Http404
    readable = Submission.objects.readable_by(request.user).select_related("problem", "problem_version", "user")
    return get_object_or_404(readable, pk=int(key))


def _comparison(request: HttpRequest, a: Submission, b: Submission) -> dict[str, object]:
    comparison = compare_submissions(a, b, sight_of(request.user, a.problem))
    is_one_language = a.language == b.language
    blocks = difference(a.source_text, b.source_text) if is_one_language else None
    is_plain = blocks is None
    return {
        "comparison": comparison,
        "story": tell(comparison),
        "is_one_language": is_one_language,
        "blocks": blocks,
        "lines_a": source_lines(a.source_text, a.language)[:MAX_LINES] if is_plain else [],
        "lines_b": source_lines(b.source_text, b.language)[:MAX_LINES] if is_plain else [],
        "nav": "submissions",
    }


def _choice(request: HttpRequest, a: Submission | None, b: Submission | None) -> dict[str, object]:
    known = a or b
    offered: list[Submission] = []
    if known:
        same = Submission.objects.readable_by(request.user).filter(problem_id=known.problem_id, user_id=known.user_id)
        offered = list(same.exclude(pk=known.pk).select_related("user").order_by("-pk")[:_MOST_OFFERED])
    return {
        "a": a,
        "b": b,
        "known": known,
        "known_side": "a" if a else "b",
        "offered": offered,
        "is_same": a is not None and b is not None and a.pk == b.pk,
        "nav": "submissions",
    }
