"""Assignments: an instructor makes and watches them, students join and see how far they are."""

import secrets
from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from judge import class_view
from judge.models import Assignment, Status, Submission
from judge.verdicts import Verdict
from problems.models import Problem
from web.forms.assignments import AssignmentForm
from web.paging import Paging, name_key
from web.presentation.class_view import ProblemClass, problem_class
from web.views.packages import may_publish
from web.views.posted import posted_from

MANAGED, JOINED = Paging(size=24), Paging(size=24, prefix="joined_")
STUDENTS = Paging(size=100, column="username", read=name_key, is_descending=False)


@login_required
@require_GET
@never_cache
def assignment_list(request: HttpRequest) -> HttpResponse:
    """The assignments that one has joined, and those that one manages."""
    user = cast(User, request.user)
    managed = Assignment.objects.manageable_by(user) if may_publish(user) else Assignment.objects.none()
    counted = managed.annotate(class_size=Count("students", distinct=True)).select_related("owner")
    joined = Assignment.objects.filter(students=user).select_related("owner")
    context = {
        "managed": MANAGED.page(counted, request.GET, keys=managed, kept=JOINED.asked(request.GET)),
        "joined": JOINED.page(joined, request.GET, kept=MANAGED.asked(request.GET)),
        "may_make": may_publish(user),
        "nav": "assignments",
    }
    return render(request, "assignments/list.html", context)


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def new_assignment(request: HttpRequest) -> HttpResponse:
    """Make one."""
    if not may_publish(request.user):
        raise PermissionDenied
    return _form(request, Assignment(owner=cast(User, request.user)))


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def edit_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Change one."""
    return _form(request, _managed(request, assignment_id))


@login_required
@require_GET
@never_cache
def assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Its problems, and for each the reader's own best; for its owner the link to join with."""
    found = get_object_or_404(Assignment.objects.readable_by(request.user), pk=assignment_id)
    is_managed = Assignment.objects.manageable_by(request.user).filter(pk=found.pk).exists()
    join = reverse("join_assignment", args=[found.pk, found.token])
    context = {
        "assignment": found,
        "problems": _with_own_best(found, cast(User, request.user)),
        "is_managed": is_managed,
        "join_link": request.build_absolute_uri(join) if is_managed else "",
        "nav": "assignments",
    }
    if is_managed:
        context["class_size"] = found.students.count()
        context["students"] = STUDENTS.page(found.students.all(), request.GET)
        context["here"] = urlencode(STUDENTS.asked(request.GET))
    return render(request, "assignments/assignment.html", context)


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def join_assignment(request: HttpRequest, assignment_id: int, token: str) -> HttpResponse:
    """Say what joining means; join."""
    found = get_object_or_404(Assignment.objects.select_related("owner"), pk=assignment_id)
    if not secrets.compare_digest(found.token.encode(), token.encode()):
        raise Http404
    if request.method == "GET":
        return render(request, "assignments/join.html", {"assignment": found, "nav": "assignments"})
    found.students.add(cast(User, request.user))
    messages.success(request, f"You have joined {found.title}.")
    return redirect("assignment", found.pk)


@posted_from("assignment", "assignment_id")
def change_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Remove a student, make the old link useless, or delete the whole assignment."""
    found = _managed(request, assignment_id)
    change = request.POST.get("change", "")
    if change == "delete":
        found.delete()
        messages.success(request, f"{found.title} is deleted. The submissions stay.")
        return redirect("assignment_list")
    if change == "new_link":
        found.token = secrets.token_urlsafe(12)
        found.save(update_fields=["token"])
        messages.success(request, "There is a new link. The old one leads nowhere.")
    if change.startswith("remove-") and change.removeprefix("remove-").isdecimal():
        found.students.remove(int(change.removeprefix("remove-")[:18]))
        messages.success(request, "The student is removed. The submissions stay.")
    here = urlencode(STUDENTS.asked(request.GET))
    return redirect(f"{reverse('assignment', args=[found.pk])}{'?' if here else ''}{here}")


@login_required
@require_GET
@never_cache
def assignment_class(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """What its class ran into, problem by problem."""
    found = _managed(request, assignment_id)
    problems = list(found.problems.order_by("title"))
    views = class_view.look_at(found.submissions(), [one.pk for one in problems])
    classes = [problem_class(one, views[one.pk]) for one in problems]
    return _class_page(request, classes, assignment=found, nav="assignments")


@login_required
@require_GET
@never_cache
def problem_class_view(request: HttpRequest, slug: str) -> HttpResponse:
    """What everybody who tried a problem ran into."""
    found = get_object_or_404(Problem.objects.manageable_by(request.user), slug=slug)
    view = class_view.look_at(Submission.objects.filter(status=Status.DONE), [found.pk])[found.pk]
    return _class_page(request, [problem_class(found, view)], problem=found, nav="mine")


def _class_page(request: HttpRequest, classes: list[ProblemClass], **context: object) -> HttpResponse:
    is_all = all(one.view.is_all for one in classes)
    shown = {"classes": classes, "is_all": is_all, "most": class_view.MOST_SUBMISSIONS, **context}
    return render(request, "assignments/class.html", shown)


def _managed(request: HttpRequest, assignment_id: int) -> Assignment:
    return get_object_or_404(Assignment.objects.manageable_by(request.user), pk=assignment_id)


def _form(request: HttpRequest, found: Assignment) -> HttpResponse:
    user = cast(User, request.user)
    form = AssignmentForm(request.POST if request.method == "POST" else None, instance=found, user=user)
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.success(request, "The assignment is saved.")
        return redirect("assignment", saved.pk)
    status = 422 if form.errors else 200
    return render(request, "assignments/form.html", {"form": form, "nav": "assignments"}, status=status)


def _with_own_best(found: Assignment, user: User) -> list[tuple[Problem, str, int]]:
    """Each problem that the reader may see, with the verdict of one's best or else last submission, and how many."""
    sent = Submission.objects.filter(problem__in=found.problems.all(), user=user, status=Status.DONE)
    if found.opens_at:
        sent = sent.filter(created_at__gte=found.opens_at)
    if found.closes_at:
        sent = sent.filter(created_at__lt=found.closes_at)
    verdicts: dict[int, list[str]] = {}
    for problem, verdict in sent.order_by("pk").values_list("problem_id", "verdict"):
        verdicts.setdefault(problem, []).append(verdict)
    shown = Problem.objects.visible_to(user).filter(pk__in=found.problems.values("pk")).order_by("title")
    return [(one, _best(verdicts.get(one.pk, [])), len(verdicts.get(one.pk, []))) for one in shown]


def _best(verdicts: list[str]) -> str:
    return Verdict.AC.value if Verdict.AC in verdicts else verdicts[-1] if verdicts else ""
