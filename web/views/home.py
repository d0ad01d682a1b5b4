"""The home page and the help page: why Tally exists, and what its words mean."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judge.grading.verdicts import Verdict
from problems.models import Difficulty
from problems.package import ProblemLimits
from web.presentation.welcome.example import example
from web.presentation.welcome.help import languages_in_use
from web.views.problems.listing import listed_problems, solved_count


def home(request: HttpRequest) -> HttpResponse:
    """Show what Tally is for, by a recorded example, and where to begin."""
    visible = listed_problems(request.user)
    program, keys = example(), [*visible.order_by().values_list("pk", flat=True)]
    is_named = Q(slug=program.slug) | Q(difficulty=Difficulty.FIRST)
    named = visible.select_related(None).only("slug", "title", "difficulty").filter(is_named, owner=None)
    begin = list(named.order_by("pk"))
    context = {
        "example": program,
        "example_problem": next((problem for problem in begin if problem.slug == program.slug), None),
        "first": next((problem for problem in begin if problem.difficulty == Difficulty.FIRST), None),
        "visible": len(keys),
        "solved": solved_count(request.user, keys),
        "nav": "home",
    }
    return render(request, "home/home.html", context)


def help_page(request: HttpRequest) -> HttpResponse:
    """Explain verdicts, limits, languages, and each term of a result."""
    context = {"verdicts": list(Verdict), "languages": languages_in_use(), "limits": ProblemLimits(), "nav": "help"}
    return render(request, "help/help.html", context)
