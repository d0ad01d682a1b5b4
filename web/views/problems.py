"""The problem list and a problem's page."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, OuterRef, Q, Subquery, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from judge.models import Status, Submission
from judge.verdicts import Verdict
from problems.models import Problem, ProblemQuerySet


def problem_list(request: HttpRequest) -> HttpResponse:
    """Every problem this person may see, with its limits, how often it was solved and one's own best verdict."""
    problems = _with_counts(Problem.objects.visible_to(request.user).filter(current_version__isnull=False))
    problems = _with_own_best(problems, request.user).select_related("current_version")
    return render(request, "problems/list.html", {"problems": problems, "nav": "problems"})


def problem(request: HttpRequest, slug: str) -> HttpResponse:
    """The statement, its samples and the editor."""
    found = get_object_or_404(
        Problem.objects.visible_to(request.user)
        .filter(current_version__isnull=False)
        .select_related("current_version"),
        slug=slug,
    )
    return render(
        request, "problems/problem.html", {"problem": found, "version": found.current_version, "nav": "problems"}
    )


def _with_counts(problems: ProblemQuerySet) -> ProblemQuerySet:
    """Adds `judged` (submissions with a verdict of theirs, not ours) and `accepted`."""
    done = Q(submissions__status=Status.DONE) & ~Q(submissions__verdict=Verdict.JE)
    return problems.annotate(
        judged=Count("submissions", filter=done),
        accepted=Count("submissions", filter=Q(submissions__verdict=Verdict.AC)),
    )


def _with_own_best(problems: ProblemQuerySet, user: AbstractBaseUser | AnonymousUser) -> ProblemQuerySet:
    """Adds `own_verdict` and `own_submission`: an accepted submission if there is one, else the newest judged one."""
    own = (
        Submission.objects.filter(problem=OuterRef("pk"), user=user.pk, status=Status.DONE)
        .annotate(rank=Case(When(verdict=Verdict.AC, then=Value(0)), default=Value(1)))
        .order_by("rank", "-id")
    )
    return problems.annotate(
        own_verdict=Subquery(own.values("verdict")[:1]), own_submission=Subquery(own.values("pk")[:1])
    )
