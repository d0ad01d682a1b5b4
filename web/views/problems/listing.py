"""The list of problems: filtered, page by page, with the reader's own verdicts."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, F, Value, When
from django.db.models.functions import Collate, Concat, Left, Lower
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.submissions.statistics import OwnBest, judged_counts, own_best
from problems.models import IN_CODE_POINTS, Difficulty, Problem, ProblemQuerySet
from web import access
from web.access.guard import Person
from web.forms.filters import ProblemFilter
from web.presentation.paging import Paging

_OF_A_VERSION = ("is_interactive", "is_scoring", "time_limit_ms", "memory_bytes", "keywords")
_SHOWN = (  # columns
    *("slug", "title", "tags", "difficulty", "audience", "is_archived", "owner", "current_version"),
    *(f"current_version__{name}" for name in _OF_A_VERSION),
)
_KEY = "sort_key"
_RANKS = {difficulty: str(rank) for rank, difficulty in enumerate(Difficulty)}  # the easiest first
_KEY_CHARACTERS = 160


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """Numbers of all listed problems together, read at once.

    `shared_titles`: those of more than one, in small letters. `has_languages`: one of them does not take all languages.
    """

    keys: frozenset[int]
    tags: list[str]
    has_languages: bool
    shared_titles: frozenset[str]

    @classmethod
    def of(cls, problems: ProblemQuerySet) -> "Overview":
        """Read it of these problems."""
        columns = ("pk", "title", "tags", "current_version__keywords", "current_version__languages")
        rows = list(problems.order_by().values_list(*columns))
        titles = Counter(title.lower() for _, title, *_ in rows)
        return cls(
            keys=frozenset(key for key, *_ in rows),
            tags=sorted({tag for _, _, tags, keywords, _ in rows for tag in tags or keywords or []}, key=str.casefold),
            has_languages=any(languages is not None for *_, languages in rows),
            shared_titles=frozenset(title for title, number in titles.items() if number > 1),
        )


def problem_list(request: HttpRequest) -> HttpResponse:
    """Show the problems this user may see: limits, how often each was solved, and the user's best verdict."""
    visible = listed_problems(request.user)
    overview = Overview.of(visible)
    form = ProblemFilter(
        request.GET, user=request.user, problems=visible, tags=overview.tags, has_languages=overview.has_languages
    )
    # a unique key in the list's order: difficulty, then title; the slug tells equal titles apart
    ranks = (When(difficulty=difficulty, then=Value(rank)) for difficulty, rank in _RANKS.items())
    rank = Case(*ranks, default=Value(str(len(_RANKS))))
    title = Left(Lower("title_in_language"), 80)
    key = Concat(rank, Value(" "), title, Value(" "), F("slug"), output_field=CharField())
    rows = form.matching().annotate(**{_KEY: Collate(key, IN_CODE_POINTS)}).only(*_SHOWN)
    page = _PAGING.page(rows, request.GET, beside=form.in_address)
    context = {
        "problems": listed(page.rows, request.user, overview.shared_titles),
        "page": page,
        "form": form,
        "solved": solved_count(request.user, overview.keys),
        "visible": len(overview.keys),
        "nav": "problems",
    }
    return render(request, "problems/list.html", context)


def listed_problems(user: Person) -> ProblemQuerySet:
    """Return the problems that lists show to this user, titled in the language of the interface."""
    problems = access.visible_problems(user).filter(current_version__isnull=False, is_archived=False)
    return problems.select_related("current_version").with_titles()


def listed(problems: Sequence[Problem], user: Person, shared: Collection[str] = ()) -> list[Listed]:
    """Return these problems as lines of a list. `shared`: the titles that more than one has, in small letters."""
    keys = [problem.pk for problem in problems]
    judged, own = judged_counts(keys), own_best(user.pk, keys)
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


def solved_count(user: Person, problems: Collection[int]) -> int:
    """Return how many of these problems the user has solved; 0 for nobody."""
    if not user.is_authenticated:
        return 0
    solved = Submission.objects.filter(user=user.pk, verdict=Verdict.AC, status=Status.DONE)
    return len({*solved.order_by().values_list("problem", flat=True).distinct()} & {*problems})


def _sort_key(text: str) -> str | None:
    return text if 0 < len(text) <= _KEY_CHARACTERS and "\0" not in text else None


_PAGING = Paging(size=50, column=_KEY, read=_sort_key, is_descending=False)
