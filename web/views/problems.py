"""The problem list and a problem's page."""

from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, F, OuterRef, Q, Subquery, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_vary_headers

from judge import intake
from judge.models import Status, Submission, WorkerNode
from judge.verdicts import Verdict
from problems.models import Problem, ProblemQuerySet, ProblemVersion
from web.forms import SubmitForm
from web.presentation.report import language_name
from web.presentation.statement import shown_statement

Person = AbstractBaseUser | AnonymousUser


def problem_list(request: HttpRequest) -> HttpResponse:
    """Every problem this person may see, with its limits, how often it was solved and one's own best verdict."""
    problems = _with_own_best(_with_counts(_open_problems(request.user).filter(is_archived=False)), request.user)
    return render(request, "problems/list.html", {"problems": problems, "nav": "problems"})


def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """The statement, its samples and the editor."""
    found = open_problem(request.user, slug)
    return problem_page(request, found, submit_form(found, request.user))


def open_problem(user: Person, slug: str) -> Problem:
    """The problem if this person may see it. Raises Http404."""
    return get_object_or_404(_open_problems(user), slug=slug)


def submit_form(problem: Problem, user: Person, *sent: Any) -> SubmitForm:
    """The form below the statement; its language is the one this person used last."""
    last = Submission.objects.filter(user=user.pk).order_by("-id").values_list("language", flat=True).first()
    return SubmitForm(
        *sent,
        languages=[each for each in intake.offered_languages() if _takes(_version(problem), each.id)],
        max_bytes=min(settings.MAX_SOURCE_BYTES, _version(problem).code_bytes),
        initial={"language": last},
    )


def problem_page(request: HttpRequest, problem: Problem, form: SubmitForm, status: int = 200) -> HttpResponse:
    """The page with this form on it, its statement in the language that `?lang=` or the browser asks for."""
    version = _version(problem)
    own = Submission.objects.filter(user=request.user.pk, problem=problem).order_by("-id")
    context = {
        "problem": problem,
        "version": version,
        "is_manageable": Problem.objects.manageable_by(request.user).filter(pk=problem.pk).exists(),
        "statement": shown_statement(
            version, problem.slug, request.GET.get("lang", "")[:16], request.headers.get("Accept-Language", "")
        ),
        "only_languages": [language_name(each) for each in version.languages or ()],
        "form": form,
        "own_submissions": own[:5],
        "judge": _judge_now(),
        "nav": "problems",
    }
    page = render(request, "problems/problem.html", context, status=status)
    patch_vary_headers(page, ["Accept-Language"])
    return page


def _open_problems(user: Person) -> ProblemQuerySet:
    problems = Problem.objects.visible_to(user).filter(current_version__isnull=False)
    return problems.select_related("current_version").order_by("title")


def _version(problem: Problem) -> ProblemVersion:
    assert problem.current_version is not None, "open_problem finds only published ones"
    return problem.current_version


def _takes(version: ProblemVersion, language: str) -> bool:
    return version.languages is None or language in version.languages


def _with_counts(problems: ProblemQuerySet) -> ProblemQuerySet:
    """Adds `judged` (submissions with a verdict of theirs, not ours) and `accepted`."""
    done = Q(submissions__status=Status.DONE) & ~Q(submissions__verdict=Verdict.JE)
    return problems.annotate(
        judged=Count("submissions", filter=done),
        accepted=Count("submissions", filter=Q(submissions__verdict=Verdict.AC)),
    )


def _with_own_best(problems: ProblemQuerySet, user: Person) -> ProblemQuerySet:
    """Adds `own_verdict`, `own_score`, `own_max_score` and `own_submission`: of one's best judged submission.

    Best is the one with the most points, where there are any; then an accepted one, then the newest.
    """
    own = (
        Submission.objects.filter(problem=OuterRef("pk"), user=user.pk, status=Status.DONE)
        .annotate(rank=Case(When(verdict=Verdict.AC, then=Value(0)), default=Value(1)))
        .order_by(F("score").desc(nulls_last=True), "rank", "-id")
    )
    return problems.annotate(
        own_verdict=Subquery(own.values("verdict")[:1]),
        own_score=Subquery(own.values("score")[:1]),
        own_max_score=Subquery(own.values("max_score")[:1]),
        own_submission=Subquery(own.values("pk")[:1]),
    )


def _judge_now() -> dict[str, int | bool]:
    """Whether anybody takes work, and how many programs wait."""
    waiting = Submission.objects.exclude(status=Status.DONE).count()
    return {"is_alive": WorkerNode.objects.alive().exists(), "waiting": waiting}
