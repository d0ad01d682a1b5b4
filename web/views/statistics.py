"""Statistics of a problem's accepted programs, and one's own progress."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from judge.models import Preferences
from judge.submissions.statistics import MOST_PROGRAMS, statistics_of
from web import access
from web.presentation.statistics.problem import statistics_page
from web.presentation.statistics.progress import MOST_SUBMISSIONS, progress_of
from web.views.problems.listing import listed, listed_problems
from web.views.problems.problems import open_problem


@never_cache
def problem_statistics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many solved the problem, how their programs compare, and where the reader is."""
    problem = open_problem(request.user, slug)
    assert problem.current_version is not None, "open_problem finds only published ones"
    rounding = access.sight_of(request.user, problem).rounding_of_hidden(problem.current_version)
    (counts,) = listed([problem], request.user)
    statistics, names = statistics_of(problem), Preferences.objects.shown_names
    page = statistics_page(statistics, problem.statistics, request.user.pk, rounding, names)
    context = {"problem": problem, "counts": counts, "page": page, "most": MOST_PROGRAMS, "nav": "problems"}
    return render(request, "statistics/problem.html", context)


@never_cache
def progress(request: HttpRequest) -> HttpResponse:
    """Show what the user solved and began, and what may come next."""
    own = progress_of(request.user, listed_problems(request.user))
    return render(request, "statistics/progress.html", {"progress": own, "most": MOST_SUBMISSIONS, "nav": "progress"})
