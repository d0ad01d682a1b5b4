"""The list of problems: filtered, page by page, with the reader's own verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, Count, F, Q, Sum, Value, When
from django.db.models.functions import Concat, Left, Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, Tally
from problems.models import Difficulty, Problem, ProblemQuerySet
from web import access
from web.forms.problem_filter import ProblemFilter
from web.guard import Person
from web.paging import Paging

_LONG = ("statement_html", "samples", "translations", "files", "groups", "warnings")  # columns that no list shows
_KEY = "sort_key"
_RANKS = {difficulty: str(rank) for rank, difficulty in enumerate(Difficulty)}  # the easiest first
_KEY_CHARACTERS = 160


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnBest:
    """One's best judged submission to a problem."""

    verdict: str
    score: float | None
    max_score: float | None
    submission: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One line of the list. `judged`: submissions with a verdict of theirs, not ours.

    `source`: the problem's address, where another visible problem has the same title; else "".
    """

    problem: Problem
    judged: int
    accepted: int
    own: OwnBest | None
    source: str


def problem_list(request: HttpRequest) -> HttpResponse:
    """Show the problems this user may see: limits, how often each was solved, and the user's best verdict."""
    visible = listed_problems(request.user)
    form = ProblemFilter(request.GET, user=request.user, problems=visible)
    rows = form.matching().annotate(**{_KEY: _sort_key()}).defer(*(f"current_version__{name}" for name in _LONG))
    page = _PAGING.page(rows, request.GET, kept=form.in_address)
    context = {
        "problems": listed(page.rows, request.user, visible),
        "page": page,
        "form": form,
        "solved": solved_count(request.user, visible) if request.user.is_authenticated else 0,
        "visible": visible.count(),
        "nav": "problems",
    }
    return render(request, "problems/list.html", context)


def listed_problems(user: Person) -> ProblemQuerySet:
    """Return the problems that lists show to this user: published, visible and not archived."""
    problems = access.visible_problems(user).filter(current_version__isnull=False, is_archived=False)
    return problems.select_related("current_version")


def listed(problems: Sequence[Problem], user: Person, visible: ProblemQuerySet) -> list[Listed]:
    """Return these problems as lines of a list; `visible` are those that may share a title."""
    keys = [problem.pk for problem in problems]
    judged, own, shared = _judged_counts(keys), _own_best(user, keys), _shared_titles(problems, visible)
    return [
        Listed(
            problem=problem,
            judged=judged.get(problem.pk, (0, 0))[0],
            accepted=judged.get(problem.pk, (0, 0))[1],
            own=own.get(problem.pk),
            source=problem.slug if problem.title.lower() in shared else "",
        )
        for problem in problems
    ]


def solved_count(user: Person, visible: ProblemQuerySet) -> int:
    """Return how many of these problems the user has solved."""
    solved = Submission.objects.filter(user=user.pk, verdict=Verdict.AC, status=Status.DONE, problem__in=visible)
    return solved.aggregate(number=Count("problem", distinct=True))["number"] or 0


def _key_of(text: str) -> str | None:
    return text if 0 < len(text) <= _KEY_CHARACTERS and "\0" not in text else None


_PAGING = Paging(size=50, column=_KEY, read=_key_of, is_descending=False)


def _sort_key() -> Concat:
    """Return a unique key in the list's order: difficulty, then title; the slug tells equal titles apart."""
    rank = Case(
        *(When(difficulty=difficulty, then=Value(rank)) for difficulty, rank in _RANKS.items()),
        default=Value(str(len(_RANKS))),
    )
    return Concat(rank, Value(" "), Left(Lower("title"), 80), Value(" "), F("slug"), output_field=CharField())


def _shared_titles(problems: Sequence[Problem], visible: ProblemQuerySet) -> set[str]:
    """Return the titles, in small letters, that more than one visible problem has."""
    titles = {problem.title.lower() for problem in problems}
    named = visible.order_by().annotate(lower=Lower("title")).filter(lower__in=titles).values("lower")
    return set(named.annotate(number=Count("pk")).filter(number__gt=1).values_list("lower", flat=True))


def _judged_counts(problems: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return by problem how many submissions have a verdict other than JE, and how many of them were accepted."""
    tallies = Tally.objects.filter(problem__in=problems)
    counts = tallies.values_list("problem_id").annotate(
        judged=Sum("number", filter=~Q(verdict=Verdict.JE), default=0),
        accepted=Sum("number", filter=Q(verdict=Verdict.AC), default=0),
    )
    return {problem: (judged, accepted) for problem, judged, accepted in counts}


def _own_best(user: Person, problems: Sequence[int]) -> dict[int, OwnBest]:
    """Return the user's best judged submission by problem: most points if there are any; then AC, then the newest."""
    rank = Case(When(verdict=Verdict.AC, then=Value(0)), default=Value(1))
    own = Submission.objects.filter(user=user.pk, status=Status.DONE, problem__in=problems).annotate(rank=rank)
    best = own.order_by("problem_id", F("score").desc(nulls_last=True), "rank", "-id").distinct("problem_id")
    found = best.values_list("problem_id", "verdict", "score", "max_score", "pk")
    return {
        problem: OwnBest(verdict=verdict, score=score, max_score=max_score, submission=key)
        for problem, verdict, score, max_score, key in found
    }
