"""The home page and the help page: why Tally exists, and what its words mean."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judge.grading.verdicts import Verdict
from problems.models import Difficulty
from web.presentation.welcome.example import example
from web.presentation.welcome.help import languages_in_use, usual_limits
from web.views.problems.listing import listed_problems, solved_count


def home(request: HttpRequest) -> HttpResponse:
    """Show what Tally is for, by a recorded example, and where to begin."""
    visible = listed_problems(request.user)
    context = {
        "example": (shown := example()),
        "example_problem": visible.filter(slug=shown.slug, owner=None).first(),
        "first": visible.filter(difficulty=Difficulty.FIRST, owner=None).order_by("pk").first(),
        "visible": visible.count(),
        "solved": solved_count(request.user, visible) if request.user.is_authenticated else 0,
        "nav": "home",
    }
    return render(request, "home/home.html", context)


def help_page(request: HttpRequest) -> HttpResponse:
    """Explain verdicts, limits, languages, and each term of a result."""
    context = {"verdicts": list(Verdict), "languages": languages_in_use(), "limits": usual_limits(), "nav": "help"}
    return render(request, "help/help.html", context)
