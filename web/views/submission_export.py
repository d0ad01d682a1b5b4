"""The list of submissions as a file."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from web.presentation.submission_export import SubmissionExport
from web.streaming import download
from web.submission_filter import SubmissionFilter


@never_cache
def submission_csv(request: HttpRequest) -> HttpResponseBase:
    """All that fits the filter, however much it is; the list says what is wrong with a filter."""
    form = SubmissionFilter(request.GET, user=request.user)
    if form.errors:
        return redirect(f"{reverse('submission_list')}?{request.GET.urlencode()}")
    lines = SubmissionExport(request.user).chunks(form.keys)
    return download(request, lines, name="submissions.csv", media_type="text/csv; charset=utf-8")
