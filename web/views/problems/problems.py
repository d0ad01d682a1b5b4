"""The problem list and a problem's page."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, F, Q, Sum, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_vary_headers

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, Tally, WorkerNode
from judge.submissions import intake
from problems.models import Problem, ProblemQuerySet, ProblemVersion
from web import access
from web.forms.submissions import SubmitForm
from web.presentation.result.report import language_name
from web.presentation.statement import shown_statement
from web.presentation.visibility import with_rounding

Person = AbstractBaseUser | AnonymousUser
# columns that taking a submission needs
_TAKING = ("slug", "is_hidden", "is_archived", "owner", "current_version__languages", "current_version__code_bytes")
_LONG = ("statement_html", "samples", "translations", "files", "groups", "warnings")  # columns that no list shows


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnBest:
    """One's best judged submission to a problem."""

    verdict: str
    score: float | None
    max_score: float | None
    submission: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One line of the list. `judged`: submissions with a verdict of theirs, not ours."""

    problem: Problem
    judged: int
    accepted: int
    own: OwnBest | None


def problem_list(request: HttpRequest) -> HttpResponse:
    """Show every problem this user may see, with its limits, how often it was solved and the user's best verdict."""
    found = _open_problems(request.user).filter(is_archived=False)
    judged, own = judged_counts(), _own_best(request.user)
    problems = [
        Listed(
            problem=each,
            judged=judged.get(each.pk, (0, 0))[0],
            accepted=judged.get(each.pk, (0, 0))[1],
            own=own.get(each.pk),
        )
        for each in found.defer(*(f"current_version__{name}" for name in _LONG))
    ]
    return render(request, "problems/list.html", {"problems": problems, "nav": "problems"})


def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the statement, its samples and the editor."""
    found = open_problem(request.user, slug)
    return problem_page(request, found, submit_form(found, request.user))


def judged_counts() -> dict[int, tuple[int, int]]:
    """Return by problem how many submissions have a verdict other than JE, and how many of them were accepted."""
    counts = Tally.objects.values_list("problem_id").annotate(
        judged=Sum("number", filter=~Q(verdict=Verdict.JE), default=0),
        accepted=Sum("number", filter=Q(verdict=Verdict.AC), default=0),
    )
    return {problem: (judged, accepted) for problem, judged, accepted in counts}


def open_problem(user: Person, slug: str) -> Problem:
    """Return the problem if this user may see it. Raises Http404."""
    return get_object_or_404(_open_problems(user), slug=slug)


def problem_to_take_for(user: Person, slug: str) -> Problem:
    """Return the problem with all columns that `submit_form` and `intake.submit` need, read at once."""
    return get_object_or_404(_open_problems(user).only(*_TAKING), slug=slug)


def submit_form(problem: Problem, user: Person, *sent: Any) -> SubmitForm:
    """Return the form below the statement; its language is the one this user used last."""
    version = _version(problem)
    return SubmitForm(
        *sent,
        languages=lambda: [each for each in intake.offered_languages() if _takes(version, each.id)],
        max_bytes=min(settings.MAX_SOURCE_BYTES, version.code_bytes),
        initial={"language": partial(_last_language, user)},
    )


def _last_language(user: Person) -> str | None:
    return Submission.objects.filter(user=user.pk).order_by("-id").values_list("language", flat=True).first()


def problem_page(request: HttpRequest, problem: Problem, form: SubmitForm, status: int = 200) -> HttpResponse:
    """Return the problem's page with this form, the statement in the language that `?lang=` or the browser asks for."""
    version = _version(problem)
    own = Submission.objects.filter(user=request.user.pk, problem=problem).order_by("-id")
    context = {
        "problem": problem,
        "version": version,
        "is_manageable": access.manages_problem(request.user, problem),
        "statement": shown_statement(
            version, problem.slug, request.GET.get("lang", "")[:16], request.headers.get("Accept-Language", "")
        ),
        "only_languages": [language_name(each) for each in version.languages or ()],
        "form": form,
        "own_submissions": with_rounding(own)[:5],
        "judge": _judge_now(),
        "nav": "problems",
    }
    page = render(request, "problems/problem.html", context, status=status)
    patch_vary_headers(page, ["Accept-Language"])
    return page


def _open_problems(user: Person) -> ProblemQuerySet:
    problems = access.visible_problems(user).filter(current_version__isnull=False)
    return problems.select_related("current_version").order_by("title")


def _version(problem: Problem) -> ProblemVersion:
    assert problem.current_version is not None, "open_problem finds only published ones"
    return problem.current_version


def _takes(version: ProblemVersion, language: str) -> bool:
    return version.languages is None or language in version.languages


def _own_best(user: Person) -> dict[int, OwnBest]:
    """Return the user's best judged submission by problem: most points if there are any; then AC, then the newest."""
    rank = Case(When(verdict=Verdict.AC, then=Value(0)), default=Value(1))
    own = Submission.objects.filter(user=user.pk, status=Status.DONE).annotate(rank=rank)
    best = own.order_by("problem_id", F("score").desc(nulls_last=True), "rank", "-id").distinct("problem_id")
    found = best.values_list("problem_id", "verdict", "score", "max_score", "pk")
    return {
        problem: OwnBest(verdict=verdict, score=score, max_score=max_score, submission=key)
        for problem, verdict, score, max_score, key in found
    }


def _judge_now() -> dict[str, int | bool]:
    """Return whether anybody takes work, and how many programs wait."""
    waiting = Submission.objects.exclude(status=Status.DONE).count()
    return {"is_alive": WorkerNode.objects.alive().exists(), "waiting": waiting}
