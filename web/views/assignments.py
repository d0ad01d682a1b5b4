"""Assignments: instructors make and watch them, students join them and see their progress."""

from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Count
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.grading.verdicts import Verdict
from judge.models import Assignment, Invitation, Status, Submission
from judge.models.assignments import KEPT_FOR
from judge.submissions import class_view
from problems.encodings import composed
from problems.models import Audience, Problem
from web import access
from web.forms.assignments import AssignmentForm
from web.presentation.paging import Paging, id_key, name_key
from web.presentation.setter.class_view import ProblemClass, class_progress, problem_class

MANAGED, JOINED, CLOSED = Paging(size=24), Paging(size=24, prefix="joined_"), Paging(size=24, prefix="closed_")
_MOST_DELETED = 20  # of the lists of deleted ones and of removed students
LONG_LIST = 20  # students; a longer list can be searched
_NAME_CHARACTERS = 150
STUDENTS = Paging(size=100, column="username", read=name_key, is_descending=False)


@never_cache
def assignment_list(request: HttpRequest) -> HttpResponse:
    """Show the assignments that the user joined or manages."""
    user = cast(User, request.user)
    managed = access.manageable_assignments(user)
    counted = managed.annotate(class_size=Count("students", distinct=True)).select_related("owner")
    joined = access.joined_assignments(user).select_related("owner")
    parameters = {table: table.asked(request.GET) for table in (MANAGED, JOINED, CLOSED)}
    context = {
        "managed": MANAGED.page(counted, request.GET, keys=managed, beside=parameters[JOINED] | parameters[CLOSED]),
        "joined": JOINED.page(joined.not_closed(), request.GET, beside=parameters[MANAGED] | parameters[CLOSED]),
        "closed": CLOSED.page(joined.closed(), request.GET, beside=parameters[MANAGED] | parameters[JOINED]),
        "deleted": access.restorable_assignments(user).order_by("-deleted_at")[:_MOST_DELETED],
        "may_make": access.may_publish(user),
        "nav": "assignments",
    }
    return render(request, "assignments/list.html", context)


@never_cache
def new_assignment(request: HttpRequest) -> HttpResponse:
    """Make one."""
    return _form(request, Assignment(owner=cast(User, request.user)))


@never_cache
def edit_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Change one."""
    return _form(request, _managed(request, assignment_id))


@never_cache
def assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Show its problems with the reader's own best for each; to its owner how far the class is, and the join link."""
    assignment = get_object_or_404(access.readable_assignments(request.user), pk=assignment_id)
    is_managed = access.manageable_assignments(request.user).filter(pk=assignment.pk).exists()
    join = reverse("join_assignment", args=[assignment.pk, assignment.token])
    context: dict[str, object] = {
        "assignment": assignment,
        "is_waiting": not assignment.is_opened and assignment.problems.filter(audience=Audience.ASSIGNMENTS).exists(),
        "is_managed": is_managed,
        "join_link": request.build_absolute_uri(join) if is_managed else "",
        "nav": "assignments",
    }
    if is_managed:
        context["progress"] = class_progress(assignment)
        context["class_size"] = assignment.students.count()
        context["unseen"] = assignment.in_order(Problem.objects.of_no_student())
        context["seen_early"] = [] if assignment.is_opened else assignment.in_order(Problem.objects.of_everybody())
        student = _wanted(request)
        students = assignment.students.filter(username__icontains=student)
        context["students"] = STUDENTS.page(students, request.GET, beside={"student": student} if student else None)
        context["wanted"], context["here"] = student, urlencode(_place(request))
        context["has_search"] = bool(student) or students.count() > LONG_LIST
        removed = assignment.removed.returnable().select_related("student")
        context["removed"] = removed.order_by("-removed_at")[:_MOST_DELETED]
    else:
        context["problems"] = _with_own_best(assignment, cast(User, request.user))
    return render(request, "assignments/assignment.html", context)


@never_cache
def join_assignment(request: HttpRequest, assignment_id: int, token: str) -> HttpResponse:
    """Say what joining means; join. A link that was replaced says whom to ask for the new one."""
    if teacher := access.teacher_of_replaced_link(assignment_id, token):
        return render(request, "errors/410.html", {"teacher": teacher}, status=410)
    assignment = access.assignment_of_link(assignment_id, token)
    if request.method == "GET":
        return render(request, "assignments/join.html", {"assignment": assignment, "nav": "assignments"})
    assignment.join(cast(User, request.user))
    messages.success(request, _("You have joined %(title)s.") % {"title": assignment.title})
    return redirect("assignment", assignment.pk)


def change_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Remove a student or bring one back, or make the old link useless."""
    assignment = _managed(request, assignment_id)
    change = request.POST.get("change", "")
    if change == "new_link":
        assignment.replace_link()
        messages.success(request, _("New link created. The old one no longer works and says so."))
    verb, _dash, number = change.partition("-")
    student_id = id_key(number) or 0
    if verb == "remove" and assignment.remove(student_id):
        messages.success(request, _("Student removed. Undo it below if that was a mistake. The submissions stay."))
    if verb == "return" and assignment.bring_back(student_id):
        messages.success(request, _("The student is back."))
    here = urlencode(_place(request))
    return redirect(f"{reverse('assignment', args=[assignment.pk])}{'?' if here else ''}{here}")


def leave_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Leave it; the link to join leads back."""
    assignment = get_object_or_404(access.joined_assignments(request.user), pk=assignment_id)
    assignment.students.remove(cast(User, request.user))
    messages.success(request, _("You have left %(title)s.") % {"title": assignment.title})
    return redirect("assignment_list")


@never_cache
def delete_assignment(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Say what deleting it means; delete it. It can be undone for a while."""
    assignment = _managed(request, assignment_id)
    if request.method == "GET":
        context = {
            "assignment": assignment,
            "class_size": assignment.students.count(),
            "invitations": Invitation.objects.usable().filter(assignment=assignment).count(),
            "days": KEPT_FOR.days,
            "nav": "assignments",
        }
        return render(request, "assignments/delete.html", context)
    Assignment.objects.filter(pk=assignment.pk).update(deleted_at=Now())
    message = _("%(title)s is deleted. Undo it below if that was a mistake.")
    messages.success(request, message % {"title": assignment.title})
    return redirect("assignment_list")


def restore_assignment(request: HttpRequest, deleted_id: int) -> HttpResponse:
    """Bring a deleted one back, with its students and its link."""
    assignment = get_object_or_404(access.restorable_assignments(request.user), pk=deleted_id)
    Assignment.with_deleted.filter(pk=assignment.pk).update(deleted_at=None)
    messages.success(request, _("%(title)s is back.") % {"title": assignment.title})
    return redirect("assignment", assignment.pk)


@never_cache
def assignment_class(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """Show its class view, problem by problem."""
    assignment = _managed(request, assignment_id)
    problems = list(assignment.in_order(Problem.objects.all()))
    views = class_view.look_at(assignment.submissions(), [problem.pk for problem in problems])
    class_size = assignment.students.count()
    classes = [problem_class(problem, views[problem.pk], class_size) for problem in problems]
    return _class_page(request, classes, assignment=assignment, nav="assignments")


@never_cache
def problem_class_view(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the class view of everybody who tried a problem."""
    problem = get_object_or_404(access.manageable_problems(request.user), slug=slug)
    view = class_view.look_at(Submission.objects.filter(status=Status.DONE), [problem.pk])[problem.pk]
    return _class_page(request, [problem_class(problem, view, view.students)], problem=problem, nav="mine")


def _class_page(request: HttpRequest, classes: list[ProblemClass], **context: object) -> HttpResponse:
    is_all = all(problem_view.view.is_all for problem_view in classes)
    page_context = {"classes": classes, "is_all": is_all, "most": class_view.MOST_SUBMISSIONS, **context}
    return render(request, "assignments/class.html", page_context)


def _wanted(request: HttpRequest) -> str:
    return composed(request.GET.get("student", "").strip()[:_NAME_CHARACTERS])


def _place(request: HttpRequest) -> dict[str, object]:
    """Return where in the list of students the page is."""
    return {**({"student": student} if (student := _wanted(request)) else {}), **STUDENTS.asked(request.GET)}


def _managed(request: HttpRequest, assignment_id: int) -> Assignment:
    return get_object_or_404(access.manageable_assignments(request.user), pk=assignment_id)


def _form(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    user = cast(User, request.user)
    form = AssignmentForm(request.POST if request.method == "POST" else None, instance=assignment, user=user)
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.success(request, _("Assignment saved."))
        return redirect("assignment", saved.pk)
    status = 422 if form.errors else 200
    return render(request, "assignments/form.html", {"form": form, "nav": "assignments"}, status=status)


def _with_own_best(assignment: Assignment, user: User) -> list[tuple[Problem, str, int]]:
    """Return each problem that the reader may see, with the verdict of the best or last submission, and the count."""
    sent = Submission.objects.filter(problem__in=assignment.problems.all(), user=user, status=Status.DONE)
    if assignment.opens_at:
        sent = sent.filter(created_at__gte=assignment.opens_at)
    if assignment.closes_at:
        sent = sent.filter(created_at__lt=assignment.closes_at)
    verdicts: dict[int, list[str]] = {}
    for problem, verdict in sent.order_by("pk").values_list("problem_id", "verdict"):
        verdicts.setdefault(problem, []).append(verdict)
    best = {key: Verdict.AC.value if Verdict.AC in those else those[-1] for key, those in verdicts.items()}
    problems = assignment.in_order(access.visible_problems(user))
    return [(problem, best.get(problem.pk, ""), len(verdicts.get(problem.pk, []))) for problem in problems]
